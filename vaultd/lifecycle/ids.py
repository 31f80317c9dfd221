"""ULIDs: 48 bits of milliseconds and 80 of randomness in 26 letters that sort by time."""

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_id(milliseconds: int, randomness: bytes) -> str:
    """Return the ULID of a moment and ten random bytes."""
    number = (milliseconds & ((1 << 48) - 1)) << 80 | int.from_bytes(randomness[:10], "big")
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))
