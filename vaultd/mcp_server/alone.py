"""The vault as tools see it where no daemon serves them: opened in this process, the daemon asked where one runs."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from vaultd import answers
from vaultd.app import App, open_app, require_vault
from vaultd.daemon.requests import question_of, severity_of, strings
from vaultd.daemon.wire import ask
from vaultd.documents import Document
from vaultd.errors import UsageError
from vaultd.mcp_server.desk import Desk
from vaultd.state.sidecar import open_sidecar

_PATIENCE = 60.0
_REFRESH_PATIENCE = 10.0


class Alone:
    """Answers what tools ask; questions one after the other, since the index is one."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._guard = threading.Lock()

    def answer(self, verb: str, arguments: Mapping[str, object]) -> Document:
        """Answer as the daemon's socket does.

        Raises:
            VaultdError: it cannot be answered.
        """
        # what was written is safe already: a daemon that does not answer must not keep the client from hearing so
        patience = _REFRESH_PATIENCE if verb == "refresh" else _PATIENCE
        told = ask(self._app.opened.places.socket, verb, dict(arguments), patience)
        if told is not None and "error" not in told:
            return told
        with self._guard:
            return self._here(verb, arguments)

    def _here(self, verb: str, arguments: Mapping[str, object]) -> Document:
        match verb:
            case "search":
                notices = self._app.look().notices
                return answers.search(self._app, question_of(arguments), notices)
            case "check":
                paths = strings(arguments.get("paths"))
                return answers.check(self._app, "tree", paths, (), severity_of(arguments))
            case "refresh":
                return {"vaultd": 1}  # whoever asks next looks for themselves
            case _:
                raise UsageError(f"there is no verb {verb!r}")


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
