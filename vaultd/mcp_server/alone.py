"""The vault as tools see it where no daemon serves them: opened in this process, the daemon asked where one runs."""

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from vaultd import answers
from vaultd.app import App, open_app, require_vault
from vaultd.daemon.requests import question_of, severity_of, strings
from vaultd.daemon.wire import ask
from vaultd.documents import Document
from vaultd.errors import UsageError
from vaultd.host.enabling import FILE as WANTED
from vaultd.mcp_server.desk import Desk
from vaultd.state.sidecar import open_sidecar

_PATIENCE = 60.0
_REFRESH_PATIENCE = 10.0
_NOT_ASKED = 30.0
"""Seconds for which a daemon that did not answer is left alone: every call would wait for it anew."""
SILENCE = "the daemon does not answer: this was done without it"


class Alone:
    """Answers what tools ask; questions one after the other, since the index is one."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._guard = threading.Lock()
        self._silent_until = 0.0

    def answer(self, verb: str, arguments: Mapping[str, object]) -> Document:
        """Answer as the daemon's socket does.

        Raises:
            VaultdError: it cannot be answered.
        """
        told = self._told(verb, arguments)
        if told is not None and "error" not in told:
            return told
        with self._guard:
            document = self._here(verb, arguments)
        if time.monotonic() >= self._silent_until:
            return document
        notices = document.get("notices")
        return {**document, "notices": [SILENCE, *(notices if isinstance(notices, list) else ())]}

    def _told(self, verb: str, arguments: Mapping[str, object]) -> Document | None:
        """Return what the daemon answers, None where none runs or it does not answer."""
        if time.monotonic() < self._silent_until:
            return None
        # what was written is safe already: a daemon that does not answer must not keep the client from hearing so
        patience = _REFRESH_PATIENCE if verb == "refresh" else _PATIENCE
        try:
            return ask(self._app.opened.places.socket, verb, dict(arguments), patience)
        except TimeoutError:
            self._silent_until = time.monotonic() + _NOT_ASKED
            return None

    def _here(self, verb: str, arguments: Mapping[str, object]) -> Document:
        match verb:
            case "search":
                notices = self._app.look().notices
                if arguments.get("where") and self._wants_plugins():
                    from vaultd.plugged.alone import index_alone  # noqa: PLC0415  -- most vaults want no plugin

                    index_alone(self._app)
                return answers.search(self._app, question_of(arguments), notices)
            case "check":
                paths, severity = strings(arguments.get("paths")), severity_of(arguments)
                document = answers.check(self._app, "tree", paths, (), severity)
                if not self._wants_plugins():
                    return document
                from vaultd.plugged.alone import check_alone  # noqa: PLC0415  -- as above

                return check_alone(self._app, document, "tree", paths, severity)
            case "refresh":
                return {"vaultd": 1}  # whoever asks next looks for themselves
            case _:
                raise UsageError(f"there is no verb {verb!r}")

    def _wants_plugins(self) -> bool:
        return os.path.lexists(self._app.opened.root / WANTED)


@contextmanager
def desk_alone(start: Path) -> Iterator[Desk]:
    """Give a vault's desk, open in this process.

    Raises:
        UsageError: the folder is no vault.
    """
    app = open_app(start)
    try:
        require_vault(app)
        app.opened.claim()
        sidecar = open_sidecar(app.opened.places.state)
        try:
            yield Desk(app.opened.root, sidecar, Alone(app).answer)
        finally:
            sidecar.close()
    finally:
        app.close()
