"""Standard input and output as the client's end of a connection: lines go to whoever serves the vault and come back.

Nothing is lost unsaid: where the other end goes away, each call it owes an answer is answered with an error, and the
next call reaches whoever serves the vault by then.
"""

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterable

from vaultd.mcp_server.messages import LONGEST, NO_JSON, NO_MESSAGE, TOO_LONG, peeked, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` takes longer to import than an answer takes to be carried
    from typing import BinaryIO

_GOODBYE = 10.0
"""Seconds that a client which says no more is given to hear what it asked for."""
_GONE = -32_000
_WHY = "vaultd went away in the middle of this call; look whether it was carried out before you repeat it"


class Pump:
    """Carries lines both ways, over one connection after the other."""

    def __init__(self, connect: Callable[[], socket.socket], out: "BinaryIO") -> None:
        self._connect = connect
        self._out = out
        self._lock = threading.Lock()
        self._answered = threading.Condition(self._lock)
        self._line: socket.socket | None = None
        self._back: threading.Thread | None = None
        self._owed: dict[str, object] = {}
        """The ids, by their spelling, that wait for an answer."""
        self._sending = ""
        """The one whose line is being sent: nobody knows yet whether it was heard."""
        self._opening: list[bytes] = []
        """How the client introduced itself, to be said again over a new connection."""
        self._hello: tuple[str, bytes] = ("", b"")
        """An introduction that is not answered yet, behind its id: one that is refused must not be said again."""
        self._unheard: set[str] = set()
        """Answers to what was said again: the client has had them."""

    def run(self, lines: Iterable[bytes]) -> None:
        """Carry lines until the client has no more, and its last answers have come."""
        for line in lines:
            if line.strip():
                self._send(line if line.endswith(b"\n") else line + b"\n")
        with self._lock:
            # A server that hears no more gives up what it is doing, so it hears us until it has answered.
            self._answered.wait_for(lambda: not self._owed, _GOODBYE)
        upstream = self._line
        if upstream is not None:
            with contextlib.suppress(OSError):
                upstream.shutdown(socket.SHUT_WR)
        if self._back is not None:
            self._back.join(_GOODBYE)

    def _send(self, line: bytes) -> None:
        seen = peeked(line)
        if seen is None or len(line) > LONGEST:
            self._refuse(
                *((None, NO_JSON, "this line is no JSON") if seen is None else (seen.id, NO_MESSAGE, TOO_LONG))
            )
            return
        method, id_ = seen.method, seen.id
        if seen.cancels is not None:
            self._expect_no_more(seen.cancels)
        upstream = self._upstream()
        key = json.dumps(id_)
        owed = method is not None and id_ is not None
        if owed:
            with self._lock:
                self._owed[key], self._sending = id_, key
                if method == "initialize":
                    self._hello = key, line
        if not self._was_sent(upstream, line):
            self._forget(key)
            _sent(self._upstream(), line)
        if method == "notifications/initialized" and self._opening:
            self._opening.append(line)

    def _refuse(self, id_: str | int | None, code: int, why: str) -> None:
        """Answer what would cost everybody the connection."""
        with self._lock:
            self._write(refusal(id_, code, why))

    def _expect_no_more(self, id_: str | int) -> None:
        """Wait no longer for the answer to a call: the server owes none to one that was cancelled."""
        with self._lock:
            self._owed.pop(json.dumps(id_), None)
            self._answered.notify_all()

    def _was_sent(self, upstream: socket.socket, line: bytes) -> bool:
        """Send a line, and say whether it may have been heard; where the other end has gone since, its answer will not come."""
        sent = _sent(upstream, line)
        with self._lock:
            self._sending = ""
            if sent and self._line is not upstream:
                self._tell_owed()
        return sent

    def _upstream(self) -> socket.socket:
        if self._line is None:
            line = self._connect()
            for said in self._opening:
                seen = peeked(said)
                if seen is not None and seen.id is not None:
                    self._unheard.add(json.dumps(seen.id))
                _sent(line, said)
            self._line = line
            self._back = threading.Thread(target=self._return, args=(line,), daemon=True)
            self._back.start()
        return self._line

    def _return(self, line: socket.socket) -> None:
        with line.makefile("rb") as reading, contextlib.suppress(OSError, ValueError):
            for answer in reading:
                if answer.endswith(b"\n"):
                    self._say(answer)
        with self._lock:
            if self._line is line:
                self._line = None
                self._tell_owed()
        line.close()

    def _tell_owed(self) -> None:
        owed = {key: id_ for key, id_ in self._owed.items() if key != self._sending}
        self._owed = {key: id_ for key, id_ in self._owed.items() if key == self._sending}
        self._answered.notify_all()
        for id_ in owed.values():
            self._write(refusal(id_, _GONE, _WHY))

    def _say(self, answer: bytes) -> None:
        seen = peeked(answer)
        with self._lock:
            if seen is not None and seen.method is None and seen.id is not None:
                key = json.dumps(seen.id)
                if key in self._unheard:
                    self._unheard.discard(key)
                    return
                self._owed.pop(key, None)
                if key == self._hello[0] and not seen.refuses:
                    self._opening, self._hello = [self._hello[1]], ("", b"")
            self._write(answer)
            self._answered.notify_all()

    def _write(self, line: bytes) -> None:
        self._out.write(line)
        self._out.flush()

    def _forget(self, key: str) -> None:
        """Let go of a connection over which a line could not be sent: nobody has heard it."""
        with self._lock:
            back, self._line = self._back, None
            kept = {key: self._owed.pop(key)} if key in self._owed else {}
            self._tell_owed()
            self._owed = kept
        if back is not None:
            back.join(_GOODBYE)


def _sent(line: socket.socket, data: bytes) -> bool:
    try:
        line.sendall(data)
    except OSError:
        return False
    return True
