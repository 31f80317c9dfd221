"""What is in the queue: which tasks can be taken, which wait, and for what."""

import sqlite3

from vaultd.errors import UsageError
from vaultd.state.claims import HELD
from vaultd.values import dataclass

_SHORTEST_PREFIX = 8
_SHOWN = 5
_TASK = (
    "SELECT t.*, COALESCE(s.name, '') AS holder, COALESCE((SELECT name FROM sessions WHERE id = t.created_by), '')"
    " AS creator, (SELECT GROUP_CONCAT(depends_on, ' ') FROM"
    " (SELECT depends_on FROM task_deps WHERE task = t.id ORDER BY depends_on)) AS needs"
    " FROM tasks t LEFT JOIN sessions s ON s.id = t.claimed_by"
)
_UNFINISHED = "b.status IN ('open', 'in_progress')"
_WAITS = f"EXISTS (SELECT 1 FROM task_deps d JOIN tasks b ON b.id = d.depends_on WHERE d.task = t.id AND {_UNFINISHED})"
_CLAIMABLE = (
    f"((t.status = 'open' AND NOT {_WAITS})"
    f" OR (t.status = 'in_progress' AND NOT (t.{HELD.replace('claimed_by', 't.claimed_by')})))"
)


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to do."""

    id: str
    title: str
    body: str
    status: str
    project: str
    plan: str
    created_by: str
    """The id of the session that added it, empty for a person."""
    creator: str
    """That session's name."""
    claimed_by: str
    """The id of the session that claimed it last, empty for nobody."""
    holder: str
    """That session's name."""
    lease_expires_at: str | None
    depends_on: tuple[str, ...]
    favorite: bool
    created_at: str
    updated_at: str
    closed_at: str | None


@dataclass(frozen=True, slots=True)
class Ready:
    """A task that can be claimed now."""

    task: Task
    expired_claim_of: str = ""
    """Whose lease on it has run out: somebody began it."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """A task that waits for others."""

    task: Task
    blockers: tuple[Task, ...]


def task_at(sql: sqlite3.Connection, id_: str) -> Task:
    """Return a task by its id, or by a beginning of it that only one has.

    Raises:
        UsageError: there is none, or several.
    """
    row = sql.execute(f"{_TASK} WHERE t.id = ?", (id_,)).fetchone()
    if row is not None:
        return _task(row)
    found = []
    if len(id_) >= _SHORTEST_PREFIX and id_.isalnum():
        found = sql.execute(f"{_TASK} WHERE t.id LIKE ? LIMIT ?", (f"{id_}%", _SHOWN)).fetchall()
    if len(found) == 1:
        return _task(found[0])
    if found:
        raise UsageError(f"{id_} begins several ids", ", ".join(row["id"] for row in found))
    raise UsageError(f"no task is {id_!r}", "vaultd task list, or tasks_ready, shows the ids")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """How much can be claimed in another queue than the one that was asked for."""

    project: str
    plan: str
    ready: int


def ready_now(sql: sqlite3.Connection, now: str, project: str | None, plan: str) -> list[Ready]:
    """Return what can be claimed, oldest first; of all projects where none is named."""
    query = f"{_TASK} WHERE {_of(project)} AND {_CLAIMABLE} ORDER BY t.created_at, t.id"
    found = sql.execute(query, {"project": project, "plan": plan, "now": now}).fetchall()
    return [Ready(task, task.holder or task.claimed_by) for task in map(_task, found)]


def waiting_now(sql: sqlite3.Connection, project: str | None, plan: str) -> list[Blocked]:
    """Return open tasks that wait for others, oldest first; of all projects where none is named."""
    query = f"{_TASK} WHERE {_of(project)} AND t.status = 'open' AND {_WAITS} ORDER BY t.created_at, t.id"
    found = [_task(row) for row in sql.execute(query, {"project": project, "plan": plan}).fetchall()]
    return [Blocked(task, tuple(blockers_of(sql, task.id))) for task in found]


def elsewhere_now(sql: sqlite3.Connection, now: str, project: str | None, plan: str) -> list[Elsewhere]:
    """Return the other queues in which something can be claimed, those of the same project first."""
    query = (
        "SELECT t.project, t.plan, COUNT(*) AS ready FROM tasks t"
        f" WHERE t.status IN ('open', 'in_progress') AND NOT ({_of(project)}) AND {_CLAIMABLE}"
        " GROUP BY t.project, t.plan ORDER BY t.project <> COALESCE(:project, ''), t.project, t.plan"
    )
    found = sql.execute(query, {"project": project, "plan": plan, "now": now}).fetchall()
    return [Elsewhere(**dict(row)) for row in found]


def _of(project: str | None) -> str:
    """Return the condition that a task is of a queue; one without OR, so that the index serves it."""
    return "t.plan = :plan" + (" AND t.project = :project" if project is not None else "")


def blockers_of(sql: sqlite3.Connection, id_: str) -> list[Task]:
    """Return the unfinished tasks that a task waits for."""
    query = f"{_TASK} JOIN task_deps d ON d.depends_on = t.id WHERE d.task = ? AND {_UNFINISHED.replace('b.', 't.')}"
    return [_task(row) for row in sql.execute(query, (id_,)).fetchall()]


def tasks_where(sql: sqlite3.Connection, project: str | None, status: str, plan: str, limit: int) -> list[Task]:
    """Return tasks, newest first; of all projects where none is named."""
    query = (
        f"{_TASK} WHERE t.plan = :plan AND (:project IS NULL OR t.project = :project) AND :status IN ('', t.status)"
        " ORDER BY t.created_at DESC, t.id DESC LIMIT :limit"
    )
    values = {"project": project, "status": status, "plan": plan, "limit": limit}
    return [_task(row) for row in sql.execute(query, values).fetchall()]


def _task(row: sqlite3.Row) -> Task:
    values = dict(row)
    needs = tuple((values.pop("needs") or "").split())
    return Task(**{**values, "favorite": bool(values["favorite"]), "depends_on": needs})
