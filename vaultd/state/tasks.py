"""The queue that agents share: tasks with dependencies, claimed for a while by one at a time."""

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from vaultd.errors import ConflictError, RejectedError, UsageError
from vaultd.state.activity import Happening, note
from vaultd.state.claims import HELD, LEASE_LONGEST, give_back, is_held
from vaultd.state.means import Means, stored
from vaultd.state.projects import refuse_closed, refuse_plan, refuse_project, register
from vaultd.state.queue import (
    Blocked,
    Elsewhere,
    Ready,
    Task,
    blockers_of,
    elsewhere_now,
    ready_now,
    task_at,
    tasks_where,
    waiting_now,
)
from vaultd.values import dataclass, replace

LEASE_SECONDS = 900
TITLE_LONGEST = 300
BODY_LONGEST = 50_000
STATUSES = ("open", "in_progress", "done", "dropped")
_CLOSED = ("done", "dropped")


@dataclass(frozen=True, slots=True)
class Wish:
    """A task to be added."""

    title: str
    body: str = ""
    project: str = ""
    plan: str = ""
    depends_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Patch:
    """What is to change of a task; None stays as it is."""

    status: str | None = None
    title: str | None = None
    body: str | None = None
    project: str | None = None
    plan: str | None = None
    add_depends_on: tuple[str, ...] = ()
    remove_depends_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Claimed:
    """A task that is now held, and whose expired claim it was where it was another's."""

    task: Task
    reclaimed_from: str = ""


@dataclass(frozen=True, slots=True)
class Tasks:
    """What is known of tasks, and what changes it."""

    means: Means

    def add(self, wish: Wish, session: str = "") -> Task:
        """Add a task; all of it or nothing.

        Raises:
            UsageError: a title is needed, a project or plan cannot be called so, or a dependency is not there.
            RejectedError: the project is retired.
        """
        _refuse_texts(wish.title, wish.body)
        refuse_project(wish.project)
        refuse_plan(wish.plan)

        def change(sql: sqlite3.Connection) -> Task:
            if wish.project:
                refuse_closed(sql, wish.project)
                register(sql, self.means, wish.project)
            id_, now = self.means.new_id(), self.means.now()
            sql.execute(
                "INSERT INTO tasks (id, project, plan, title, body, status, created_by, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, 'open', ?, ?, ?)",
                (id_, wish.project, wish.plan, wish.title.strip(), wish.body, session, now, now),
            )
            _depend(sql, id_, wish.depends_on)
            self._note(sql, session, task_at(sql, id_), {"to": "open"})
            return task_at(sql, id_)

        return self.means.database.write(change)

    def claim(self, id_: str, session: str, lease: int = LEASE_SECONDS) -> Claimed:
        """Take a task for a while, or keep it for another while; of many at once exactly one gets it.

        Raises:
            UsageError: there is no such task, or the lease is none.
            ConflictError: another session holds it; the message says which, and until when.
            RejectedError: it is closed, or waits for others, which are named.
        """
        if not 0 < lease <= LEASE_LONGEST:
            raise UsageError(f"a lease of {lease} seconds is none", f"1 to {LEASE_LONGEST} seconds")
        return self.means.database.write(lambda sql: self._claim(sql, task_at(sql, id_), session, lease))

    def _claim(self, sql: sqlite3.Connection, before: Task, session: str, lease: int) -> Claimed:
        moment = self.means.clock()
        if _is_held(before, moment) and before.claimed_by != session:
            raise _held_error(before)  # of many who come at once all but one get no further
        values = {
            "id": before.id,
            "me": session,
            "now": stored(moment),
            "end": stored(moment + timedelta(seconds=lease)),
        }
        won = sql.execute(
            "UPDATE tasks SET status = 'in_progress', claimed_by = :me, lease_expires_at = :end, updated_at = :now"
            f" WHERE id = :id AND ((status = 'in_progress' AND (claimed_by = :me OR NOT ({HELD})))"
            " OR (status = 'open' AND NOT EXISTS (SELECT 1 FROM task_deps d JOIN tasks b ON b.id = d.depends_on"
            " WHERE d.task = :id AND b.status IN ('open', 'in_progress'))))",
            values,
        ).rowcount
        if won != 1:
            raise self._refusal(sql, before)
        prior = before.claimed_by if before.claimed_by != session else ""
        after = task_at(sql, before.id)
        if before.claimed_by != session:
            self._note(sql, session, after, {"to": "in_progress", "reclaimed_from": prior})
        return Claimed(after, prior)

    def _refusal(self, sql: sqlite3.Connection, task: Task) -> Exception:
        if task.status in _CLOSED:
            return RejectedError(f"task {task.id} is {task.status}", "open it again first, if it is to be done again")
        if task.status == "open":
            names = ", ".join(f"{one.id} {one.title!r} ({one.status})" for one in blockers_of(sql, task.id))
            return RejectedError(f"task {task.id} waits for {names}", "claim one of these, or remove the dependency")
        return _held_error(task)

    def release(self, id_: str, session: str) -> Task:
        """Give a task back that the session holds.

        Raises:
            ConflictError: it holds it no more, or never did.
        """

        def change(sql: sqlite3.Connection) -> Task:
            task = task_at(sql, id_)
            if task.status != "in_progress" or task.claimed_by != session:
                raise ConflictError(f"this session does not hold task {task.id}", "vaultd task list shows who does")
            return self._open_again(sql, task, session, {"to": "open", "reason": "released"})

        return self.means.database.write(change)

    def force_release(self, id_: str) -> Task:
        """Take a task away from whoever holds it: a person's verb, offered to no agent.

        Raises:
            RejectedError: nobody works on it.
        """

        def change(sql: sqlite3.Connection) -> Task:
            task = task_at(sql, id_)
            if task.status != "in_progress":
                raise RejectedError(f"task {task.id} is {task.status}: nobody works on it")
            payload = {"to": "open", "reason": "forced", "from": task.claimed_by}
            return self._open_again(sql, task, "", payload)

        return self.means.database.write(change)

    def _open_again(self, sql: sqlite3.Connection, task: Task, session: str, payload: Mapping[str, object]) -> Task:
        give_back(sql, self.means, task.id)
        self._note(sql, session, task, payload)
        return task_at(sql, task.id)

    def update(self, id_: str, patch: Patch, session: str = "") -> Task:
        """Change a task that nobody else holds.

        Raises:
            ConflictError: another session holds it.
            RejectedError: a dependency would close a circle.
            UsageError: there is no such task or status, or nothing is to change.
        """
        if patch == Patch():
            raise UsageError("nothing is to change", "name a status, a title, a body or a dependency")
        if patch.status is not None and patch.status not in STATUSES:
            raise UsageError(f"no status is {patch.status!r}", "one of " + ", ".join(STATUSES))
        refuse_project(patch.project or "")
        refuse_plan(patch.plan or "")
        return self.means.database.write(lambda sql: self._update(sql, task_at(sql, id_), patch, session))

    def _update(self, sql: sqlite3.Connection, task: Task, patch: Patch, session: str) -> Task:
        moment = self.means.clock()
        now = stored(moment)
        if _is_held(task, moment) and task.claimed_by != session:
            raise _held_error(task)
        after = _patched(task, patch, now)
        _refuse_texts(after.title, after.body)
        sql.execute(
            "UPDATE tasks SET status = ?, title = ?, body = ?, project = ?, plan = ?, claimed_by = ?,"
            " lease_expires_at = ?, closed_at = ?, updated_at = ? WHERE id = ?",
            (
                *(after.status, after.title, after.body, after.project, after.plan),
                *(after.claimed_by, after.lease_expires_at, after.closed_at, now, task.id),
            ),
        )
        for other in patch.remove_depends_on:
            other_id = task_at(sql, other).id
            sql.execute("DELETE FROM task_deps WHERE task = ? AND depends_on = ?", (task.id, other_id))
        _depend(sql, task.id, patch.add_depends_on)
        if after.status != task.status:
            self._note(sql, session, after, {"from": task.status, "to": after.status})
        return task_at(sql, task.id)

    def ready(self, project: str | None = "", plan: str = "") -> tuple[list[Ready], list[Blocked]]:
        """Return what can be claimed, oldest first, expired leases among it; and what waits, with what for.

        Without a project (None) those of every project are looked at, as a plan's steps may be of several.
        """
        with self.means.database.read() as sql:
            now = self.means.now()
            return ready_now(sql, now, project, plan), waiting_now(sql, project, plan)

    def elsewhere(self, project: str | None = "", plan: str = "") -> list[Elsewhere]:
        """Return in which other queues something can be claimed, and how much."""
        with self.means.database.read() as sql:
            return elsewhere_now(sql, self.means.now(), project, plan)

    def list(self, *, project: str | None = None, status: str = "", plan: str = "", limit: int = 100) -> list[Task]:
        """Return tasks, newest first; steps of plans only with their plan."""
        with self.means.database.read() as sql:
            return tasks_where(sql, project, status, plan, limit)

    def show(self, id_: str) -> Task:
        """Return a task by its id, or by a beginning of it that only one has.

        Raises:
            UsageError: there is none, or several.
        """
        with self.means.database.read() as sql:
            return task_at(sql, id_)

    def _note(self, sql: sqlite3.Connection, session: str, task: Task, payload: Mapping[str, object]) -> None:
        kept = {key: value for key, value in payload.items() if value != ""}
        note(sql, self.means, Happening("task.transition", session, task.project, task.id, kept))


def _patched(task: Task, patch: Patch, now: str) -> Task:
    given = {
        name: value for name in ("title", "body", "project", "plan") if (value := getattr(patch, name)) is not None
    }
    after = replace(task, **given)
    match patch.status:
        case "open":
            return replace(after, status="open", claimed_by="", lease_expires_at=None, closed_at=None)
        case "done" | "dropped":
            closed = task.closed_at or now
            return replace(after, status=patch.status, claimed_by="", lease_expires_at=None, closed_at=closed)
        case "in_progress":
            return replace(after, status="in_progress", closed_at=None)
        case _:
            return after


def _depend(sql: sqlite3.Connection, task: str, others: Sequence[str]) -> None:
    for other in others:
        found = task_at(sql, other)
        if found.id == task:
            raise RejectedError(f"task {task} cannot wait for itself", "leave it out")
        if _reaches(sql, found.id, task):
            raise RejectedError(
                f"task {found.id} {found.title!r} waits for {task} already, directly or through others",
                "a circle would never be ready: remove a dependency first",
            )
        sql.execute("INSERT OR IGNORE INTO task_deps VALUES (?, ?)", (task, found.id))


def _reaches(sql: sqlite3.Connection, start: str, goal: str) -> bool:
    """Tell whether a task waits for another, however far away."""
    query = (
        "WITH RECURSIVE far(id) AS (SELECT ? UNION SELECT d.depends_on FROM task_deps d JOIN far ON d.task = far.id)"
        " SELECT 1 FROM far WHERE id = ? LIMIT 1"
    )
    return sql.execute(query, (start, goal)).fetchone() is not None


def _is_held(task: Task, now: datetime) -> bool:
    return is_held(task.status, task.claimed_by, task.lease_expires_at, now)


def _held_error(task: Task) -> ConflictError:
    return ConflictError(
        f"task {task.id} is held by {task.holder or task.claimed_by} until {task.lease_expires_at}",
        "take another, or divide the work: add tasks for the parts",
    )


def _refuse_texts(title: str, body: str) -> None:
    if len(title) > TITLE_LONGEST:
        raise UsageError(
            f"the title has {len(title)} characters, at most {TITLE_LONGEST}", "put the rest into the body"
        )
    if not title.strip() or len(title.splitlines()) > 1:
        raise UsageError("a task needs a title", f"one line, at most {TITLE_LONGEST} characters")
    if len(body) > BODY_LONGEST:
        raise UsageError(f"the body has {len(body)} characters, at most {BODY_LONGEST}", "write a note and link it")
