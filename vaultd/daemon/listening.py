"""Answers requests on the daemon's socket, each in a thread, bounded in size, number and time."""

import contextlib
import json
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from queue import SimpleQueue
from types import MappingProxyType

from vaultd.daemon.sockets import ACKNOWLEDGED, AGREED, LONGEST, PROTOCOL, listen
from vaultd.documents import Document, error_document
from vaultd.errors import UsageError, VaultdError

log = logging.getLogger("vaultd")
_AT_ONCE = 32
_KEPT = 2
"""Threads that wait for the next request."""
_AT_LENGTH = 24
"""Connections that go on; the rest of the seats stays free for questions."""
_PATIENCE = 30.0
_BEAT = 1.0
"""Seconds between two signs that a request is being worked on."""
Stream = Callable[[socket.socket, Mapping[str, object]], None]
"""Serves a connection in another protocol to its end."""


class Listener:
    """Serves one socket until it is stopped."""

    def __init__(
        self,
        place: Path,
        answer: Callable[[str, Mapping[str, object]], Document],
        streams: Mapping[str, Stream] = MappingProxyType({}),
    ) -> None:
        self._place = place
        self._answer = answer
        self._streams = streams
        self._long_seats = threading.BoundedSemaphore(_AT_LENGTH)
        self._line: socket.socket | None = None
        self._seats = threading.BoundedSemaphore(_AT_ONCE)
        self._calling = threading.Lock()
        self._callers: dict[socket.socket, bool] = {}
        """Those with a request under way, and whether it is acknowledged and not answered."""
        self._beaten = 0.0
        self._next: SimpleQueue[socket.socket | None] = SimpleQueue()
        self._idle = 0
        """How many threads wait for the next caller."""
        self._thread = self._listening()

    def _listening(self) -> threading.Thread:
        return threading.Thread(target=self._serve, name="vaultd-socket", daemon=True)

    def start(self) -> None:
        """Begin to listen."""
        self._line = listen(self._place)
        self._thread.start()

    def tend(self) -> bool:
        """Listen at the same place anew where somebody took the socket away, and say whether somebody did."""
        if self._place.exists():
            return False
        with contextlib.suppress(OSError):  # tried again at the next turn
            before, self._line = self._line, listen(self._place)
            _end(before)
            self._thread.join(2.0)
            self._thread = self._listening()
            self._thread.start()
        return True

    def stop(self) -> None:
        """Stop listening and take the socket away; answers under way are finished by their threads."""
        _end(self._line)
        self._thread.join(2.0)
        self._place.unlink(missing_ok=True)
        with self._calling:
            for _ in range(self._idle):
                self._next.put(None)
            self._idle = _KEPT  # so that none waits for another caller

    def _serve(self) -> None:
        line = self._line
        while line is not None:
            try:
                # nobody is woken while nobody waits
                line.settimeout(_BEAT if self._callers else None)
                caller, _ = line.accept()
            except TimeoutError:
                self._beat()
                continue
            except OSError:
                return
            if not self._seats.acquire(blocking=False):
                caller.close()
                continue
            self._hand_over(caller)
            self._beat()

    def _hand_over(self, caller: socket.socket) -> None:
        """Give a caller to a thread that has answered before, if one waits: to make one takes longer than to wake it."""
        with self._calling:
            self._callers[caller] = False
            waits = self._idle > 0
            self._idle -= waits
        if waits:
            self._next.put(caller)
        else:
            threading.Thread(target=self._work, args=(caller,), daemon=True).start()

    def _work(self, caller: socket.socket | None) -> None:
        while caller is not None:
            self._hear(caller)
            with self._calling:
                if self._idle >= _KEPT:
                    return
                self._idle += 1
            caller = self._next.get()

    def _beat(self) -> None:
        """Tell those who wait that they are worked for, once a second; whoever reads nothing is not waited for."""
        if time.monotonic() - self._beaten < _BEAT:
            return
        self._beaten = time.monotonic()
        with self._calling:
            for caller, waits in self._callers.items():
                if waits:
                    with contextlib.suppress(OSError):
                        os.write(caller.fileno(), ACKNOWLEDGED)

    def _hear(self, caller: socket.socket) -> None:
        try:
            with caller, contextlib.suppress(OSError):
                caller.settimeout(_PATIENCE)
                with caller.makefile("rb") as reading:
                    request = reading.readline(LONGEST)
                if request and not self._went_on(caller, request):
                    caller.sendall(ACKNOWLEDGED)
                    with self._waiting(caller):
                        reply = self._reply(request)
                    caller.sendall(json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        finally:
            self._forget(caller)
            self._seats.release()

    @contextlib.contextmanager
    def _waiting(self, caller: socket.socket) -> Iterator[None]:
        """Have the caller told, while this lasts, that its request is being worked on."""
        with self._calling:
            self._callers[caller] = True
        try:
            yield
        finally:
            self._forget(caller)

    def _forget(self, caller: socket.socket) -> None:
        with self._calling:
            self._callers.pop(caller, None)

    def _went_on(self, caller: socket.socket, request: bytes) -> bool:
        """Let a connection go on in another protocol where the request asks for that, to its end."""
        try:
            verb, arguments = _parsed(request)
        except UsageError:
            return False
        stream = self._streams.get(verb)
        if stream is None or not self._long_seats.acquire(blocking=False):
            return False
        try:
            self._forget(caller)
            caller.settimeout(None)
            caller.sendall(AGREED)
            stream(caller, arguments)
        finally:
            self._long_seats.release()
        return True

    def _reply(self, request: bytes) -> Document:
        try:
            verb, arguments = _parsed(request)
            return self._answer(verb, arguments)
        except VaultdError as exc:
            return {**error_document(exc), "exit_code": exc.exit_code}
        except Exception as exc:
            # An answer that fails is a bug of ours; the daemon goes on, and the caller hears which.
            log.exception("event=bug")
            return {"vaultd": 1, "error": type(exc).__name__, "message": str(exc), "hint": "", "exit_code": 70}


def _end(line: socket.socket | None) -> None:
    if line is not None:
        with contextlib.suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)
        line.close()


def _parsed(request: bytes) -> tuple[str, Mapping[str, object]]:
    try:
        said = json.loads(request)
    except (ValueError, RecursionError) as exc:
        raise UsageError("the request is no JSON document", "docs/reference/socket-protocol.md") from exc
    if not isinstance(said, dict) or said.get("protocol") != PROTOCOL:
        raise UsageError(f"protocol {PROTOCOL} is spoken here", "vaultd restart: the daemon may be an older version")
    verb, arguments = said.get("verb"), said.get("arguments", {})
    if not isinstance(verb, str) or not isinstance(arguments, dict):
        raise UsageError("a request has a verb and arguments", "docs/reference/socket-protocol.md")
    return verb, arguments
