"""What a tool works with: the vault, its sidecar, whoever answers questions about it, and who calls."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from os import urandom
from pathlib import Path

from vaultd.answers import show
from vaultd.app import App
from vaultd.commands.asking import Asked, Done, as_expected
from vaultd.commands.turns import turn
from vaultd.documents import Document, done_document
from vaultd.errors import StorageError, UsageError
from vaultd.judging.opened import Opened, opened_vault
from vaultd.lifecycle.ids import new_id
from vaultd.mcp_server.fences import Fences, project_at
from vaultd.mcp_server.parameters import Given
from vaultd.state.projects import refuse_project
from vaultd.state.sessions import Acting, Session
from vaultd.state.sidecar import Sidecar
from vaultd.values import dataclass

Answer = Callable[[str, Mapping[str, object]], Document]
"""Answers `search`, `check` and `refresh`, as the daemon's socket does."""
_REFS = ("ref", "old", "new", "supersedes")
_GLOBAL = ("global", "_global")
_NAME_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Desk:
    """One vault as tools see it."""

    root: Path
    sidecar: Sidecar
    answer: Answer


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: which program, over which line."""

    client: str
    connection: str
    shared: bool = False
    """Whether several programs may call over this line, so that more than one session is at work over it."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool."""

    desk: Desk
    caller: Caller
    given: Given
    session: Session | None = None

    @property
    def acting(self) -> Acting:
        """Return what the call says about who acts."""
        said = (self.given.text("session_id"), self.given.text("session"))
        return Acting(*said, self.caller.connection, self.caller.client)

    def require_session(self) -> Session:
        """Return who acts.

        Raises:
            UsageError: nobody says so.
        """
        if self.session is None:
            self.desk.sidecar.sessions.refuse_expired(self.caller.connection)
            raise UsageError("it is not clear which session acts", "call session_start first, or name it in `session`")
        if self.session.status != "active":
            raise UsageError(f"the session {self.session.name} is {self.session.status}", "call session_start again")
        return self.session

    @property
    def fences(self) -> Fences:
        """Return how the projects that are set apart stand to this call."""
        home = self.session.project if self.session is not None else ""
        return Fences(self.desk.sidecar.projects.apart(), home)

    def project(self) -> str:
        """Return the project that is named, else the session's; `global` names none."""
        named = self.given.maybe("project")
        if named is not None:
            return "" if named in _GLOBAL else named
        return self.session.project if self.session is not None else ""

    def home(self) -> str:
        """Return the project that something new belongs to; it is never guessed, and a closed one takes nothing in.

        Raises:
            UsageError: no project is named and no session acts, or no project can be called so.
            RejectedError: the project is retired, or set apart.
        """
        if self.given.maybe("project") is None and self.session is None:
            self.desk.sidecar.sessions.refuse_expired(self.caller.connection)
            raise UsageError(
                "it is not clear to which project this belongs",
                "pass project=NAME, or project=global for none; or call session_start first",
            )
        project = self.project()
        refuse_project(project)
        self.desk.sidecar.projects.refuse_closed(project)
        self.fences.refuse_writing(project)
        return project

    def know(self, project: str) -> None:
        """Register a project that something was put into; what was written stands, and must not look refused.

        Its folder is there by now, from which it is known where this fails.
        """
        with suppress(StorageError):
            self.desk.sidecar.projects.know(project)

    @contextmanager
    def opened(self) -> Iterator[Opened]:
        """Give the vault, open for this call alone."""
        with opened_vault(self.desk.root) as opened:
            yield opened

    def change(self, run: Callable[[Opened, Asked], Done]) -> Document:
        """Carry a change out in the name of client and session; what is asked next has seen it."""
        asked = self._asked()
        with self.opened() as opened, turn(opened, asked):
            self._mind_fences(opened)
            done = as_expected(run(opened, asked), asked)
        if done.paths:
            self.desk.answer("refresh", {"paths": list(done.paths)})
        return done_document(done)

    def _mind_fences(self, opened: Opened) -> None:
        """Refuse to change what lies in a project that is set apart from the session's."""
        fences = self.fences
        if not fences:
            return
        for name in _REFS:
            ref = self.given.text(name)
            if ref:
                fences.refuse_touching(project_of(opened, str(show(App(opened), ref)["path"])))

    def _asked(self) -> Asked:
        now = datetime.now(UTC)
        return Asked(
            actor=actor_of(self.caller, self.session),
            now=now,
            new_id=lambda: new_id(int(now.timestamp() * 1000), urandom(10)),
            expect_hash=self.given.text("expect_hash").lower(),
        )


def project_of(opened: Opened, path: str) -> str:
    """Return the project that a note belongs to by its path, empty for none."""
    folders = opened.settings.folders
    return project_at(path, (folders.memory, folders.notes))


def actor_of(caller: Caller, session: Session | None) -> str:
    """Return who a commit names: the client, and the session where one acts."""
    client = "".join(one for one in caller.client if one.isprintable() and one != "/").strip()[:_NAME_LONGEST]
    return f"{client or 'agent'}/{session.name}" if session is not None else client or "agent"
