"""Ask a daemon: one JSON document a line, one request a connection.

The command line imports this before every answer. `socket` makes enums of some hundred constants, which takes longer
than the answer does, so what lies below it is used.
"""

import json
import os
from _socket import AF_UNIX, SOCK_STREAM, socket

PROTOCOL = 1
LONGEST = 1 << 20
"""Bytes of the longest request."""
PATIENCE = 60.0
_PORTION = 1 << 18


def ask(
    place: str | os.PathLike[str], verb: str, arguments: dict[str, object], timeout: float = PATIENCE
) -> dict[str, object] | None:
    """Return the daemon's answer to a verb, None where no daemon listens at the place or it went away."""
    line = socket(AF_UNIX, SOCK_STREAM)
    try:
        line.settimeout(timeout)
        line.connect(os.fspath(place))
        line.sendall(json.dumps({"protocol": PROTOCOL, "verb": verb, "arguments": arguments}).encode() + b"\n")
        answer = _line_of(line)
    except OSError:
        return None
    finally:
        line.close()
    if not answer.endswith(b"\n"):
        return None
    document: dict[str, object] = json.loads(answer)
    return document


def _line_of(line: socket) -> bytes:
    read = bytearray()
    while not read.endswith(b"\n") and (some := line.recv(_PORTION)):
        read += some
    return bytes(read)
