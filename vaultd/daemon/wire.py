"""Ask a daemon: one JSON document a line, one request a connection; blanks before the answer say that it will come.

The command line imports this before every answer. `socket` makes enums of some hundred constants, which takes longer
than the answer does, so what lies below it is used.
"""

import json
import os
from _socket import AF_UNIX, SOCK_STREAM, socket
from time import monotonic

PROTOCOL = 1
LONGEST = 1 << 20
"""Bytes of the longest request."""
FIRST = 2.0
"""Seconds to wait for the first byte: a daemon acknowledges a request before it works on it."""
STALLED = 10.0
"""Seconds to wait for the next byte: a daemon that works on a request says so each second."""
_PORTION = 1 << 18


def ask(
    place: str | os.PathLike[str], verb: str, arguments: dict[str, object], patience: float | None = None
) -> dict[str, object] | None:
    """Return the daemon's answer to a verb, None where no daemon listens at the place or it went away.

    With `patience` it is waited for that many seconds, without as long as the daemon says that it works on it.

    Raises:
        TimeoutError: one listens and does not answer.
    """
    line = socket(AF_UNIX, SOCK_STREAM)
    try:
        line.settimeout(FIRST if patience is None else min(FIRST, patience))
        line.connect(os.fspath(place))
        line.sendall(json.dumps({"protocol": PROTOCOL, "verb": verb, "arguments": arguments}).encode() + b"\n")
        begun = line.recv(_PORTION)
        answer = _line_of(line, begun, None if patience is None else monotonic() + patience)
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


def _line_of(line: socket, begun: bytes, end: float | None) -> bytes:
    read = bytearray(begun)
    while begun and not read.endswith(b"\n"):
        line.settimeout(STALLED if end is None else max(end - monotonic(), 0.001))
        some = line.recv(_PORTION)
        if not some:
            break
        read += some
    return bytes(read)
