"""Ask a daemon: one JSON document a line, one request a connection; a blank before the answer acknowledges the request.

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
"""Seconds to wait for the rest of an answer that has begun."""
FIRST = 2.0
"""Seconds to wait for the first byte: a daemon acknowledges a request before it works on it."""
_PORTION = 1 << 18


def ask(
    place: str | os.PathLike[str], verb: str, arguments: dict[str, object], timeout: float = PATIENCE
) -> dict[str, object] | None:
    """Return the daemon's answer to a verb, None where no daemon listens at the place or it went away.

    Raises:
        TimeoutError: one listens and does not answer.
    """
    line = socket(AF_UNIX, SOCK_STREAM)
    try:
        line.settimeout(min(FIRST, timeout))
        line.connect(os.fspath(place))
        line.sendall(json.dumps({"protocol": PROTOCOL, "verb": verb, "arguments": arguments}).encode() + b"\n")
        begun = line.recv(_PORTION)
        line.settimeout(timeout)
        answer = _line_of(line, begun)
    except (BlockingIOError, TimeoutError) as exc:  # the first: so many wait already that nobody else may
        raise TimeoutError(f"the daemon at {place!r} does not answer") from exc
    except OSError:
        return None
    finally:
        line.close()
    if not answer.endswith(b"\n"):
        return None
    document: dict[str, object] = json.loads(answer)
    return document


def _line_of(line: socket, begun: bytes) -> bytes:
    read = bytearray(begun)
    while begun and not read.endswith(b"\n") and (some := line.recv(_PORTION)):
        read += some
    return bytes(read)
