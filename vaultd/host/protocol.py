"""What the host and a plugin's process say to each other: JSON objects, a line each.

host → plugin   {"call": N, "name": …, "args": {…}}             {"answer": N, "result": …} or {"answer": N, "error": {…}}
plugin → host   {"ask": N, "name": …, "args": {…}}              {"done": N, "result": …} or {"done": N, "error": {…}}

One call is under way at a time; while it is, the plugin may ask, one thing at a time. `registered` in a `done` says what
the plugin has signed up for by now.
"""

import json
from collections.abc import Callable

LONGEST = 8_000_000
"""Bytes of the longest message."""
Message = dict[str, object]
_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_number)


def _writer() -> Callable[[Message], str]:
    """Return what writes JSON: what `encode` makes anew for each call, made once, which takes a quarter of the time."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _ENCODER.encode
    text = json.encoder.encode_basestring_ascii
    chunks = make(None, _ENCODER.default, text, None, ":", ",", False, False, False)  # noqa: FBT003  -- as json calls it
    return lambda message: "".join(chunks(message, 0))


_WRITE = _writer()


class Untrue(Exception):  # noqa: N818  -- something that was said, not an error of ours
    """What came over the line is no message."""


def encode(message: Message) -> bytes:
    """Return a message as a line.

    Raises:
        Untrue: it is longer than a message may be, or goes round in a circle.
        TypeError: it holds what JSON does not know.
        ValueError: it holds a number that JSON does not know.
    """
    try:
        line = _WRITE(message).encode()
    except RecursionError as exc:
        raise Untrue("a message that holds itself, or is nested too deep") from exc
    if len(line) > LONGEST:
        raise Untrue(f"a message of {len(line):,} bytes; the longest has {LONGEST:,}")
    return line + b"\n"


def decode(line: bytes) -> Message:
    """Return the message that a line is.

    Raises:
        Untrue: it is none.
    """
    if len(line) > LONGEST:
        raise Untrue(f"a message of {len(line):,} bytes; the longest has {LONGEST:,}")
    said: object
    try:
        text = line.decode().rstrip()
        said, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError) as exc:
        raise Untrue(f"{line[:60]!r} is no JSON") from exc
    if end != len(text) or not isinstance(said, dict):
        raise Untrue(f"{line[:60]!r} is no message")
    return said
