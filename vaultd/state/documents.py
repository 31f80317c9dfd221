"""What the sidecar holds, as JSON documents with keys that do not change: one shape for the command line and MCP."""

from collections.abc import Callable, Sequence

from vaultd.state.plans import Plan
from vaultd.state.projects import Project
from vaultd.state.queue import Blocked, Elsewhere, Ready, Task
from vaultd.state.sessions import Session
from vaultd.state.sidecar import Sidecar
from vaultd.state.tasks import Claimed
from vaultd.values import asdict, dataclass

Document = dict[str, object]
VERSION = 1
BRIEF = 300
"""Characters of a body in a list for an agent."""
HANDED_ON = 1_000
"""Characters of what a session found, for the next one."""
_NAMED = 20


def task_row(task: Task, *, brief: bool = False) -> Document:
    """Return a task; `created_by` and `claimed_by` are names of sessions, null for none.

    In a brief one a long body is cut: of many tasks an agent would read what it does not take.
    """
    cut = brief and len(task.body) > BRIEF
    return {
        "id": task.id,
        "title": task.title,
        "body": f"{task.body[:BRIEF]}…" if cut else task.body,
        "status": task.status,
        "project": task.project,
        "plan": task.plan,
        "created_by": task.creator or task.created_by or None,
        "claimed_by": task.holder or task.claimed_by or None,
        "lease_expires_at": task.lease_expires_at,
        "depends_on": list(task.depends_on),
        "created_at": task.created_at,
        "updated_at": task.updated_at,
        "closed_at": task.closed_at,
    }


def task_document(task: Task) -> Document:
    """Return one task as a document."""
    return {"vaultd": VERSION, **task_row(task)}


def claimed_document(claimed: Claimed, prior: str = "") -> Document:
    """Return a claim; `reclaimed_from` names whose lease had run out, null for nobody's."""
    return {**task_document(claimed.task), "reclaimed_from": prior or claimed.reclaimed_from or None}


@dataclass(frozen=True, slots=True)
class Queue:
    """What a queue holds, and what is said beside it."""

    ready: Sequence[Ready]
    blocked: Sequence[Blocked]
    elsewhere: Sequence[Elsewhere]
    notices: Sequence[str] = ()


def queue_document(queue: Queue, limit: int, *, brief: bool = False) -> Document:
    """Return what can be claimed and what waits, and in which other queues more can be claimed."""
    return {
        "vaultd": VERSION,
        "ready": [
            {**task_row(one.task, brief=brief), "expired_claim_of": one.expired_claim_of or None}
            for one in queue.ready[:limit]
        ],
        "blocked": [
            {
                **task_row(one.task, brief=brief),
                "blockers": [{"id": b.id, "title": b.title, "status": b.status} for b in one.blockers],
            }
            for one in queue.blocked[:limit]
        ],
        "total": {"ready": len(queue.ready), "blocked": len(queue.blocked)},
        "elsewhere": [asdict(one) for one in queue.elsewhere],
        "notices": list(queue.notices),
    }


def unheard_of(
    sidecar: Sidecar, project: str, plan: str, reads: Callable[[str], bool] = lambda _project: True
) -> list[str]:
    """Return what to say of a project or a plan that nobody has heard of: an empty queue looks like no work."""
    projects = [one.slug for one in sidecar.projects.list()] if project else []
    plans = [one.slug for one in sidecar.plans.list(reads=reads)] if plan else []
    told = [f"no project is called {project!r}: there are {_named(projects)}"] if project not in ("", *projects) else []
    return [*told, *([f"no task is a step of {plan!r}: there are {_named(plans)}"] if plan not in ("", *plans) else ())]


def _named(slugs: Sequence[str]) -> str:
    return ", ".join(slugs[:_NAMED]) + (", …" if len(slugs) > _NAMED else "") or "none"


def tasks_document(tasks: Sequence[Task], *, brief: bool = False) -> Document:
    """Return tasks in the order given."""
    return {"vaultd": VERSION, "tasks": [task_row(task, brief=brief) for task in tasks]}


def session_document(session: Session) -> Document:
    """Return one session as a document."""
    return {"vaultd": VERSION, **session_row(session)}


def session_row(session: Session) -> Document:
    """Return a session."""
    return {
        "session_id": session.id,
        "name": session.name,
        "project": session.project,
        "status": session.status,
        "findings": session.findings,
        "client": session.client,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "ended_at": session.ended_at,
    }


def sessions_document(sessions: Sequence[Session]) -> Document:
    """Return sessions in the order given."""
    return {"vaultd": VERSION, "sessions": [session_row(session) for session in sessions]}


def found_before(sessions: Sequence[Session]) -> list[Document]:
    """Return what sessions handed on, long findings cut: whoever begins has a task to read as well."""
    return [
        {
            "name": one.name,
            "ended_at": one.ended_at,
            "findings": one.findings if len(one.findings) <= HANDED_ON else f"{one.findings[:HANDED_ON]}…",
        }
        for one in sessions
    ]


def ended_document(session: Session, released: Sequence[str], mishaps: int) -> Document:
    """Return what ending a session did."""
    return {**session_document(session), "claims_released": list(released), "mishaps_recorded": mishaps}


def plans_document(plans: Sequence[Plan]) -> Document:
    """Return plans in the order given."""
    return {"vaultd": VERSION, "plans": [{**asdict(plan), "active": plan.active} for plan in plans]}


def project_document(project: Project) -> Document:
    """Return one project as a document."""
    return {"vaultd": VERSION, **project_row(project)}


def project_row(project: Project) -> Document:
    """Return a project."""
    lists = {"families": list(project.families), "repositories": list(project.repositories)}
    return {**asdict(project), **lists}


def projects_document(projects: Sequence[Project]) -> Document:
    """Return projects in the order given."""
    return {"vaultd": VERSION, "projects": [project_row(one) for one in projects]}


def usage_document(sidecar: Sidecar, days: int) -> Document:
    """Return what agents did within some days, and what is read most."""
    tasks = sidecar.database.rows("SELECT status, COUNT(*) AS number FROM tasks GROUP BY status ORDER BY status")
    sessions = sidecar.database.rows("SELECT status, COUNT(*) AS number FROM sessions GROUP BY status ORDER BY status")
    return {
        "vaultd": VERSION,
        "days": days,
        "events": sidecar.activity.counts(days),
        "tasks": {row["status"]: row["number"] for row in tasks},
        "sessions": {row["status"]: row["number"] for row in sessions},
        "jobs": sidecar.jobs.counts(),
        "most_read": [asdict(one) for one in sidecar.retrieval.top()],
    }
