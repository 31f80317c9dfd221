"""How a path stands in the stores of the index: as text that is Unicode proper, and as a number."""

import os
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is slow to import
    from hashlib import blake2b


def stored(path: str) -> str:
    """Return the path as the stores keep it: itself, or `/` and hex where its bytes are not UTF-8.

    No vault-relative path begins with `/`, so nothing else is spelled that way.
    """
    if path.isascii():
        return path
    try:
        path.encode()
    except UnicodeEncodeError:
        return "/" + os.fsencode(path).hex()
    return path


def unstored(path: str) -> str:
    """Return the path that `stored` was given."""
    return os.fsdecode(bytes.fromhex(path[1:])) if path.startswith("/") else path


def row_of(path: str) -> int:
    """Return the path's number: 56 bits of a hash, so that full text and mirror agree without asking each other."""
    return int.from_bytes(_blake2b()(path.encode("utf-8", "surrogateescape"), digest_size=7).digest(), "big")


@cache
def _blake2b() -> "type[blake2b]":
    from hashlib import blake2b  # noqa: PLC0415 -- slow to load, and nothing is numbered where nothing changed

    return blake2b
