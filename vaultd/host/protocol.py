"""What the host and a plugin's process say to each other: JSON objects, a line each.

host → plugin   {"call": N, "name": …, "args": {…}}             {"answer": N, "result": …} or {"answer": N, "error": {…}}
plugin → host   {"ask": N, "name": …, "args": {…}}              {"done": N, "result": …} or {"done": N, "error": {…}}

One call is under way at a time; while it is, the plugin may ask, one thing at a time. `registered` in a `done` says what
the plugin has signed up for by now.
"""

import json
from collections.abc import Iterator

LONGEST = 8_000_000
"""Bytes of the longest message."""
Message = dict[str, object]
_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


class Untrue(Exception):  # noqa: N818  -- something that was said, not an error of ours
    """What came over the line is no message."""


def encode(message: Message) -> bytes:
    """Return a message as a line.

    Raises:
        Untrue: it is longer than a message may be.
    """
    line = _ENCODER.encode(message).encode()
    if len(line) > LONGEST:
        raise Untrue(f"a message of {len(line):,} bytes; the longest has {LONGEST:,}")
    return line + b"\n"


class Lines:
    """Puts messages together from the pieces in which they come."""

    def __init__(self) -> None:
        self._pieces = bytearray()

    def feed(self, piece: bytes) -> Iterator[Message]:
        """Give the messages that are whole now.

        Raises:
            Untrue: one is too long, or is no JSON object.
        """
        self._pieces += piece
        while (end := self._pieces.find(b"\n")) >= 0:
            line = bytes(self._pieces[:end])
            del self._pieces[: end + 1]
            yield decode(line)
        if len(self._pieces) > LONGEST:
            raise Untrue(f"a message of more than {LONGEST:,} bytes")


def decode(line: bytes) -> Message:
    """Return the message that a line is.

    Raises:
        Untrue: it is none.
    """
    if len(line) > LONGEST:
        raise Untrue(f"a message of {len(line):,} bytes; the longest has {LONGEST:,}")
    try:
        said: object = json.loads(line.decode())
    except (ValueError, RecursionError) as exc:
        raise Untrue(f"{line[:60]!r} is no JSON") from exc
    if not isinstance(said, dict):
        raise Untrue(f"{line[:60]!r} is no message")
    return said
