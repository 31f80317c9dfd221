"""Sessions of agents: who is at work, since when, and what they found."""

import hashlib
import sqlite3
from collections.abc import Sequence
from datetime import timedelta

from vaultd.errors import UsageError
from vaultd.state.activity import Happening, note
from vaultd.state.claims import release_all
from vaultd.state.means import Means, stored
from vaultd.state.projects import refuse_project, register
from vaultd.values import dataclass, replace

IDLE_MINUTES = 45
"""A session without a sign of life for longer is over."""
FINDINGS_LONGEST = 20_000
NAME_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Session:
    """A stretch of work of one agent."""

    id: str
    name: str
    project: str
    status: str
    """`active`, `completed` or `expired`."""
    findings: str
    client: str
    cwd: str
    model: str
    ambient: bool
    created_at: str
    updated_at: str
    ended_at: str | None


@dataclass(frozen=True, slots=True)
class Beginning:
    """How a session is to begin; what is empty is not known."""

    name: str = ""
    project: str = ""
    cwd: str = ""
    source: str = "explicit"
    model: str = ""
    client: str = ""
    connection: str = ""
    """The client's line to us: what is asked over it without a session's name is asked by its last session."""
    shared: bool = False
    """Whether others may come over the same line: a session that was begun over it goes on beside this one."""


@dataclass(frozen=True, slots=True)
class Acting:
    """What a caller says of itself: an id, else a name, else the connection."""

    session_id: str = ""
    session: str = ""
    connection: str = ""
    client: str = ""
    """Of which program; the ambient session of another one does not act for it."""


_COLUMNS = (
    "id, name, project, status, findings, client, cwd, model, ambient <> 0 AS ambient, created_at, updated_at, ended_at"
)


@dataclass(frozen=True, slots=True)
class Sessions:
    """What is known of sessions, and what changes it."""

    means: Means

    def start(self, how: Beginning) -> tuple[Session, bool]:
        """Begin a session, or go on with the one of that name; the second value says whether it went on.

        Raises:
            UsageError: no session or project can be called so.
        """
        refuse_name(how.name)
        refuse_project(how.project)
        return self.means.database.write(lambda sql: self._start(sql, how))

    def _start(self, sql: sqlite3.Connection, how: Beginning) -> tuple[Session, bool]:
        reap(sql, self.means)
        there = _called(sql, how.name) if how.name else self._ambient_of(sql, how.cwd)
        if there is not None:
            self._go_on(sql, there, how)
            return _by_id(sql, there.id), True
        id_ = self.means.new_id()
        return self._begin(sql, id_, how.name or f"sess/{id_[-8:].lower()}", how, external_id=""), False

    def start_ambient(self, how: Beginning, external_id: str) -> tuple[Session, bool]:
        """Begin the session that a client itself has, or go on with it: known by the client's name and its whole id.

        Raises:
            UsageError: a client and its id are needed.
        """
        if not how.client or not external_id:
            raise UsageError("a client and its own session id are needed", "--client NAME --external-id ID")
        return self.means.database.write(lambda sql: self._start_ambient(sql, how, external_id))

    def _start_ambient(self, sql: sqlite3.Connection, how: Beginning, external_id: str) -> tuple[Session, bool]:
        reap(sql, self.means)
        known = "SELECT id FROM sessions WHERE ambient = 1 AND client = ? AND external_id = ?"
        row = sql.execute(known, (how.client, external_id)).fetchone()
        if row is not None:
            there = _by_id(sql, row["id"])
            self._go_on(sql, there, how)
            return _by_id(sql, there.id), True
        digest = hashlib.sha256(external_id.encode()).hexdigest()[:16]
        name = f"{how.client}/{external_id[:8]}-{digest}"
        return self._begin(sql, self.means.new_id(), name, how, external_id=external_id), False

    def _begin(self, sql: sqlite3.Connection, id_: str, name: str, how: Beginning, external_id: str) -> Session:
        if how.project:
            register(sql, self.means, how.project)
        now = self.means.now()
        sql.execute(
            "INSERT INTO sessions (id, name, project, status, client, external_id, connection, cwd, source, model,"
            " ambient, created_at, updated_at) VALUES (?, ?, ?, 'active', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(id_, name, how.project, how.client, external_id, how.connection),
                *(how.cwd, how.source, how.model, bool(external_id), now, now),
            ),
        )
        _bind(sql, id_, how)
        note(sql, self.means, Happening("session.started", id_, how.project, id_, {"name": name, "source": how.source}))
        return _by_id(sql, id_)

    def _go_on(self, sql: sqlite3.Connection, there: Session, how: Beginning) -> None:
        again = there.status != "active"
        sql.execute(
            "UPDATE sessions SET status = 'active', ended_at = NULL, updated_at = ?,"
            " project = CASE ? WHEN '' THEN project ELSE ? END, cwd = CASE ? WHEN '' THEN cwd ELSE ? END,"
            " model = CASE ? WHEN '' THEN model ELSE ? END, client = CASE ? WHEN '' THEN client ELSE ? END WHERE id = ?",
            (self.means.now(), *_twice(how.project, how.cwd, how.model, how.client), there.id),
        )
        _bind(sql, there.id, how)
        if again:
            payload = {"name": there.name, "resumed": True}
            note(sql, self.means, Happening("session.started", there.id, there.project, there.id, payload))

    def _ambient_of(self, sql: sqlite3.Connection, cwd: str) -> Session | None:
        """Return the one ambient session at work in a folder; two are nobody's to choose from."""
        if not cwd:
            return None
        query = "SELECT id FROM sessions WHERE status = 'active' AND ambient = 1 AND cwd = ? LIMIT 2"
        rows = sql.execute(query, (cwd,)).fetchall()
        return _by_id(sql, rows[0]["id"]) if len(rows) == 1 else None

    def update(self, acting: Acting, findings: str) -> Session:
        """Put down what was found so far, instead of what was put down before.

        Raises:
            UsageError: nobody acts, or the findings are too long.
        """
        refuse_findings(findings)

        def change(sql: sqlite3.Connection) -> Session:
            there = require_actor(sql, self.means, acting)
            sql.execute(
                "UPDATE sessions SET findings = ?, updated_at = ? WHERE id = ?",
                (findings, self.means.now(), there.id),
            )
            return _by_id(sql, there.id)

        return self.means.database.write(change)

    def end(self, acting: Acting, findings: str, mishaps: Sequence[str] = ()) -> tuple[Session, list[str]]:
        """End a session with what it found and what went wrong; its claims are released, and their tasks returned.

        Raises:
            UsageError: nobody acts, or the findings are too long.
        """
        refuse_findings(findings)

        def change(sql: sqlite3.Connection) -> tuple[Session, list[str]]:
            there = require_actor(sql, self.means, acting)
            now = self.means.now()
            sql.execute(
                "UPDATE sessions SET status = 'completed', findings = CASE ? WHEN '' THEN findings ELSE ? END,"
                " connection = '', updated_at = ?, ended_at = ? WHERE id = ?",
                (findings, findings, now, now, there.id),
            )
            for mishap in mishaps:
                note(sql, self.means, Happening("agent.mishap", there.id, there.project, "", {"text": mishap}))
            released = release_all(sql, self.means, there.id)
            payload = {"reason": "completed", "released": len(released)}
            note(sql, self.means, Happening("session.ended", there.id, there.project, there.id, payload))
            return _by_id(sql, there.id), released

        return self.means.database.write(change)

    def reap(self) -> list[str]:
        """End sessions without a sign of life and release their claims; return their names."""
        return self.means.database.write(lambda sql: reap(sql, self.means))

    def heard(self, id_: str, happened: Happening) -> None:
        """Take a call as a sign of life of the session it comes from, and note what was asked; nobody waits for it."""
        now = self.means.now()

        def change(sql: sqlite3.Connection) -> None:
            alive = "UPDATE sessions SET updated_at = ? WHERE id = ? AND status = 'active'"
            sql.execute(alive, (now, id_))
            note(sql, self.means, replace(happened, at=now))

        self.means.database.later(change)

    def find(self, acting: Acting) -> Session | None:
        """Return the session that acts, None where nobody says so.

        Raises:
            UsageError: a name or id that no session has.
        """
        with self.means.database.read() as sql:
            return actor(sql, acting)

    def refuse_expired(self, connection: str) -> None:
        """Refuse what comes over a connection whose session was silent for too long.

        Raises:
            UsageError: it was.
        """
        with self.means.database.read() as sql:
            refuse_expired(sql, connection)

    def heard_elsewhere(self, name: str, connection: str) -> str:
        """Return when a session at work was last heard over another connection than this; empty where it was not."""
        query = "SELECT updated_at FROM sessions WHERE name = ? AND status = 'active' AND connection NOT IN ('', ?)"
        found = self.means.database.rows(query, name, connection)
        return str(found[0]["updated_at"]) if found else ""

    def called(self, name: str) -> Session | None:
        """Return the session of a name, None where there is none."""
        with self.means.database.read() as sql:
            return _called(sql, name)

    def before(self, session: Session, limit: int = 3) -> "list[Session]":
        """Return the sessions of a project that ended before this one and found something, the latest first."""
        query = (
            f"SELECT {_COLUMNS} FROM sessions WHERE project = ? AND id <> ? AND status <> 'active' AND findings <> ''"
            " ORDER BY ended_at DESC, id LIMIT ?"
        )
        return [_session(row) for row in self.means.database.rows(query, session.project, session.id, limit)]

    def list(self, *, status: str = "", limit: int = 20) -> list[Session]:
        """Return sessions, the latest first."""
        query = f"SELECT {_COLUMNS} FROM sessions WHERE ? IN ('', status) ORDER BY updated_at DESC, id LIMIT ?"
        return [_session(row) for row in self.means.database.rows(query, status, limit)]


def reap(sql: sqlite3.Connection, means: Means) -> list[str]:
    """End sessions without a sign of life, in the transaction of whatever looks next.

    One that lies ahead was given by a clock that has been put right since: it would hold its claims until then.
    """
    now, idle = means.clock(), timedelta(minutes=IDLE_MINUTES)
    query = f"SELECT {_COLUMNS} FROM sessions WHERE status = 'active' AND updated_at NOT BETWEEN ? AND ?"
    gone = [_session(row) for row in sql.execute(query, (stored(now - idle), stored(now + idle))).fetchall()]
    for one in gone:
        sql.execute("UPDATE sessions SET status = 'expired', ended_at = ? WHERE id = ?", (means.now(), one.id))
        released = release_all(sql, means, one.id)
        payload = {"reason": "expired", "released": len(released)}
        note(sql, means, Happening("session.ended", one.id, one.project, one.id, payload))
    return [one.name for one in gone]


def actor(sql: sqlite3.Connection, acting: Acting) -> Session | None:
    """Return who acts: by id, by name, by the connection's one session, or the only ambient one at work.

    Raises:
        UsageError: a name or id that no session has.
    """
    if acting.session_id:
        row = sql.execute(f"SELECT {_COLUMNS} FROM sessions WHERE id = ?", (acting.session_id,)).fetchone()
        if row is None:
            raise UsageError(f"no session has the id {acting.session_id}", "vaultd session list")
        return _session(row)
    if acting.session:
        there = _called(sql, acting.session)
        if there is None:
            raise UsageError(f"no session is called {acting.session!r}", "vaultd session start --name NAME")
        return there
    if acting.connection:
        query = f"SELECT {_COLUMNS} FROM sessions WHERE connection = ? AND status = 'active' LIMIT 2"
        found = sql.execute(query, (acting.connection,)).fetchall()
        if found:
            return _session(found[0]) if len(found) == 1 else None
    ambient = "status = 'active' AND ambient = 1 AND ? IN ('', client)"
    rows = sql.execute(f"SELECT {_COLUMNS} FROM sessions WHERE {ambient} LIMIT 2", (acting.client,)).fetchall()
    return _session(rows[0]) if len(rows) == 1 else None


def require_actor(sql: sqlite3.Connection, means: Means, acting: Acting) -> Session:
    """Return who acts, and take it as a sign of life; an actor is never guessed.

    Raises:
        UsageError: nobody says so, or the session has ended.
    """
    there = actor(sql, acting)
    if there is None:
        refuse_expired(sql, acting.connection)
        raise UsageError("it is not clear which session acts", "start one (session_start), or name it in `session`")
    if there.status != "active":
        raise UsageError(f"the session {there.name} is {there.status}", "start it again by its name, and it goes on")
    sql.execute("UPDATE sessions SET updated_at = ? WHERE id = ?", (means.now(), there.id))
    return there


def refuse_expired(sql: sqlite3.Connection, connection: str) -> None:
    """Refuse what comes over a connection whose session was silent for too long, with the name under which it goes on.

    Raises:
        UsageError: it was, and no other began over it.
    """
    query = "SELECT name FROM sessions WHERE connection <> '' AND connection = ? AND status = 'expired' LIMIT 1"
    row = sql.execute(query, (connection,)).fetchone()
    if row is not None:
        name = row["name"]
        raise UsageError(
            f"the session {name} was silent for {IDLE_MINUTES} minutes, so it ended and gave back what it had claimed",
            f"session_start with the name {name} goes on with it",
        )


def refuse_name(name: str) -> None:
    """Refuse what no session can be called.

    Raises:
        UsageError: it is too long, or more than a line.
    """
    if len(name) > NAME_LONGEST or any(not one.isprintable() for one in name) or name != name.strip():
        raise UsageError(f"no session can be called {name[:40]!r}", f"one line, at most {NAME_LONGEST} characters")


def refuse_findings(text: str) -> None:
    """Refuse findings that are a document of their own.

    Raises:
        UsageError: they are.
    """
    if len(text) > FINDINGS_LONGEST:
        raise UsageError(
            f"the findings have {len(text)} characters, at most {FINDINGS_LONGEST}", "write a note, and name it here"
        )


def _called(sql: sqlite3.Connection, name: str) -> Session | None:
    row = sql.execute(f"SELECT {_COLUMNS} FROM sessions WHERE name = ?", (name,)).fetchone()
    return _session(row) if row is not None else None


def _by_id(sql: sqlite3.Connection, id_: str) -> Session:
    return _session(sql.execute(f"SELECT {_COLUMNS} FROM sessions WHERE id = ?", (id_,)).fetchone())


def _session(row: sqlite3.Row) -> Session:
    values = dict(row)
    return Session(**{**values, "ambient": bool(values["ambient"])})


def _bind(sql: sqlite3.Connection, id_: str, how: Beginning) -> None:
    """Make a session the one that a connection speaks for, or one of those that a shared connection does."""
    if not how.connection:
        return
    if not how.shared:
        sql.execute("UPDATE sessions SET connection = '' WHERE connection = ? AND id <> ?", (how.connection, id_))
    sql.execute("UPDATE sessions SET connection = ? WHERE id = ?", (how.connection, id_))


def _twice(*values: str) -> list[str]:
    return [one for value in values for one in (value, value)]
