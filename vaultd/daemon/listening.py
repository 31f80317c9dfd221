"""Answers requests on the daemon's socket, a thread each, bounded in size, number and time."""

import contextlib
import json
import logging
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from vaultd.checks import Document, error_document
from vaultd.daemon.sockets import ACKNOWLEDGED, AGREED, LONGEST, PROTOCOL, listen
from vaultd.errors import UsageError, VaultdError

log = logging.getLogger("vaultd")
_AT_ONCE = 32
_AT_LENGTH = 24
"""Connections that go on; the rest of the seats stays free for questions."""
_PATIENCE = 30.0
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

    def _serve(self) -> None:
        line = self._line
        while line is not None:
            try:
                caller, _ = line.accept()
            except OSError:
                return
            if not self._seats.acquire(blocking=False):
                caller.close()
                continue
            threading.Thread(target=self._hear, args=(caller,), daemon=True).start()

    def _hear(self, caller: socket.socket) -> None:
        try:
            with caller, contextlib.suppress(OSError):
                caller.settimeout(_PATIENCE)
                with caller.makefile("rb") as reading:
                    request = reading.readline(LONGEST)
                if request and not self._went_on(caller, request):
                    caller.sendall(ACKNOWLEDGED)
                    caller.sendall(
                        json.dumps(self._reply(request), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
                    )
        finally:
            self._seats.release()

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
    except ValueError as exc:
        raise UsageError("the request is no JSON document", "docs/reference/socket-protocol.md") from exc
    if not isinstance(said, dict) or said.get("protocol") != PROTOCOL:
        raise UsageError(f"protocol {PROTOCOL} is spoken here", "vaultd restart: the daemon may be an older version")
    verb, arguments = said.get("verb"), said.get("arguments", {})
    if not isinstance(verb, str) or not isinstance(arguments, dict):
        raise UsageError("a request has a verb and arguments", "docs/reference/socket-protocol.md")
    return verb, arguments
