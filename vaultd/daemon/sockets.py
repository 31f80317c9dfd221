"""The daemon's wire: one JSON document a line, one request a connection, over a socket only its user can open."""

import json
import os
import socket
from pathlib import Path

PROTOCOL = 1
LONGEST = 1 << 20
"""Bytes of the longest request."""
PATIENCE = 60.0
AGREED = b'{"vaultd": 1}\n'
"""What the daemon says before a connection goes on in another protocol."""


def ask(place: Path, verb: str, arguments: dict[str, object], timeout: float = PATIENCE) -> dict[str, object] | None:
    """Return the daemon's answer to a verb, None where no daemon listens at the place or it went away."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(timeout)
        try:
            line.connect(os.fspath(place))
            line.sendall(json.dumps({"protocol": PROTOCOL, "verb": verb, "arguments": arguments}).encode() + b"\n")
            with line.makefile("rb") as reading:
                answer = reading.readline()
        except OSError:
            return None
    if not answer.endswith(b"\n"):
        return None
    document: dict[str, object] = json.loads(answer)
    return document


def call(place: Path, verb: str, arguments: dict[str, object], timeout: float = PATIENCE) -> socket.socket | None:
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


def listen(place: Path) -> socket.socket:
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
