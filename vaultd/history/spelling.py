"""How paths and messages stand in what git reads and writes."""


def encoded(text: str) -> bytes:
    """Return the bytes git and the disk know a path by."""
    return text.encode("utf-8", "surrogateescape")


def decoded(data: bytes) -> str:
    """Return a path from git as text that `encoded` turns back into the same bytes."""
    return data.decode("utf-8", "surrogateescape")
