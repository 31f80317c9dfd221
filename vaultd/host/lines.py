"""Messages out of the pieces in which a plugin's process sends them."""

import re
from collections.abc import Iterator

from vaultd.host.protocol import LONGEST, Message, Untrue, decode

_HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Halves of surrogate pairs; what Python makes of a file name's bytes that are no UTF-8 is not among them."""
_MAY_HOLD_HALVES = re.compile(rb"\\u[dD]")


class Lines:
    """Puts messages together from the pieces in which they come."""

    def __init__(self) -> None:
        self._pieces = bytearray()

    def feed(self, piece: bytes) -> Iterator[Message]:
        """Give the messages that are whole now.

        Raises:
            Untrue: one is too long, or is no JSON object.
        """
        if not self._pieces and piece.find(b"\n") == len(piece) - 1:
            yield heard(piece)
            return
        seen = len(self._pieces)
        self._pieces += piece
        while (end := self._pieces.find(b"\n", seen)) >= 0:
            line = bytes(self._pieces[:end])
            del self._pieces[: end + 1]
            seen = 0
            yield heard(line)
        if len(self._pieces) > LONGEST:
            raise Untrue(f"a message of more than {LONGEST:,} bytes")


def heard(line: bytes) -> Message:
    """Return the message that a plugin's line is, every text in it one that can be stored and shown.

    Raises:
        Untrue: it is none.
    """
    said = decode(line)
    if not _MAY_HOLD_HALVES.search(line):
        return said
    return {str(whole(key)): whole(value) for key, value in said.items()}


def whole(value: object) -> object:
    """Return a JSON value with U+FFFD in the place of each half of a surrogate pair that stands alone."""
    match value:
        case str():
            return _HALVES.sub("\ufffd", value)
        case list():
            return [whole(one) for one in value]
        case dict():
            return {str(whole(key)): whole(one) for key, one in value.items()}
        case _:
            return value
