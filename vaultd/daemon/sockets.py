"""The daemon's wire: one JSON document a line, one request a connection, over a socket only its user can open."""

import json
import os
import socket

from vaultd.daemon.wire import FIRST, LONGEST, PROTOCOL, ask

TYPE_CHECKING = False
if TYPE_CHECKING:  # a proxy between a client and the daemon needs no `pathlib`
    from pathlib import Path

__all__ = ["ACKNOWLEDGED", "AGREED", "LONGEST", "PROTOCOL", "ask", "call", "listen"]

ACKNOWLEDGED = b" "
"""What the daemon says before it works on a request: JSON allows a blank there."""
AGREED = b'{"vaultd": 1}\n'
"""What the daemon says before a connection goes on in another protocol."""


def call(
    place: str | os.PathLike[str], verb: str, arguments: dict[str, object], timeout: float = FIRST
) -> socket.socket | None:
    """Return a connection that the daemon has agreed to go on with, None where it listens to no such verb."""
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.settimeout(timeout)
    try:
        line.connect(os.fspath(place))
        line.sendall(json.dumps({"protocol": PROTOCOL, "verb": verb, "arguments": arguments}).encode() + b"\n")
        agreed = _line_of(line) == AGREED
    except OSError:
        agreed = False
    if not agreed:
        line.close()
        return None
    line.settimeout(None)
    return line


def _line_of(line: socket.socket) -> bytes:
    """Read to the end of a line and not a byte further: what follows is somebody else's."""
    read = bytearray()
    while not read.endswith(b"\n") and len(read) < LONGEST and (one := line.recv(1)):
        read += one
    return bytes(read)


def listen(place: "Path") -> socket.socket:
    """Return a socket that listens at the place, readable and writable by its user only."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    place.unlink(missing_ok=True)
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        line.bind(os.fspath(place))
    finally:
        os.umask(before)
    line.listen(64)
    return line
