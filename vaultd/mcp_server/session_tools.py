"""What tools about sessions, the queue, plans and figures do."""

from pathlib import Path

from vaultd.commands.ledger_follow import follow_ledger
from vaultd.commands.project_folders import know_folders
from vaultd.documents import Document
from vaultd.errors import UsageError
from vaultd.mcp_server.desk import Call
from vaultd.state import documents
from vaultd.state.projects import refuse_plan, refuse_project
from vaultd.state.queue import Elsewhere
from vaultd.state.sessions import Beginning
from vaultd.state.tasks import LEASE_SECONDS, Patch, Wish
from vaultd.values import replace

_TAKEN_OVER = "{} was at work over another connection, heard at {}: if that is not you, session_start with another name"


def session_start(call: Call) -> Document:
    """Begin a session, or go on with one."""
    given, sidecar = call.given, call.desk.sidecar
    cwd = given.text("cwd")
    if cwd and not Path(cwd).is_absolute():
        raise UsageError(f"cwd {cwd!r} is not absolute", "pass the whole path of the folder, as /home/you/radio")
    project = given.maybe("project")
    scope = call.project() if project is not None else sidecar.projects.of_folder(cwd, call.desk.root)
    how = Beginning(
        name=given.text("name"),
        project=scope,
        cwd=cwd,
        source=given.text("source") or "explicit",
        model=given.text("model"),
        client=call.caller.client,
        connection=call.caller.connection,
        shared=call.caller.shared,
    )
    elsewhere = sidecar.sessions.heard_elsewhere(how.name, how.connection)
    session, resumed = sidecar.sessions.start(how)
    ready, blocked = sidecar.tasks.ready(session.project)
    more = _elsewhere(replace(call, session=session), session.project, "")
    nowhere = cwd and project is None and not Path(cwd).is_dir()
    return {
        **documents.session_document(session),
        "resumed": resumed,
        "before": documents.found_before(sidecar.sessions.before(session)),
        "tasks": {
            "ready": len(ready),
            "blocked": len(blocked),
            "in_plans": sum(one.ready for one in more if one.plan and one.project == session.project),
        },
        "notices": [
            *([f"{cwd} is not here: it names no project"] if nowhere else ()),
            *([_TAKEN_OVER.format(session.name, elsewhere)] if elsewhere else ()),
        ],
    }


def session_update(call: Call) -> Document:
    """Put findings down."""
    session = call.desk.sidecar.sessions.update(call.acting, call.given.text("findings"))
    return documents.session_document(session)


def session_end(call: Call) -> Document:
    """End a session and release its claims."""
    mishaps = call.given.texts("mishaps")
    session, released = call.desk.sidecar.sessions.end(call.acting, call.given.text("findings"), mishaps)
    return documents.ended_document(session, released, len(mishaps))


def tasks_add(call: Call) -> Document:
    """Add a task."""
    given = call.given
    _refuse_waiting_for_others(call, "depends_on")
    wish = Wish(given.text("title"), given.text("body"), call.home(), given.text("plan"), given.texts("depends_on"))
    return documents.task_document(call.desk.sidecar.tasks.add(wish, _acting_id(call)))


def tasks_ready(call: Call) -> Document:
    """List what can be claimed and what waits, of a plan in all its projects."""
    plan, fences, tasks = call.given.text("plan"), call.fences, call.desk.sidecar.tasks
    refuse_plan(plan)
    project = call.project() if not plan or call.given.maybe("project") is not None else None
    refuse_project(project or "")
    fences.refuse_reading(fences.home if project is None else project)
    ready, blocked = tasks.ready(project, plan)
    if project and not ready and not blocked:
        know_folders(call.desk.sidecar.projects, call.desk.root)
    queue = documents.Queue(
        [one for one in ready if fences.reads(one.task.project)],
        [one for one in blocked if fences.reads(one.task.project)],
        _elsewhere(call, project, plan),
        documents.unheard_of(call.desk.sidecar, project or "", plan, fences.reads),
    )
    return documents.queue_document(queue, call.given.number("limit", 20), brief=True)


def _elsewhere(call: Call, project: str | None, plan: str) -> list[Elsewhere]:
    """Return the other queues with something in them that may be seen."""
    return [one for one in call.desk.sidecar.tasks.elsewhere(project, plan) if call.fences.reads(one.project)]


def tasks_claim(call: Call) -> Document:
    """Take a task for the session that acts."""
    session = call.require_session()
    _touch(call)
    lease = call.given.number("lease_seconds", LEASE_SECONDS)
    return documents.claimed_document(call.desk.sidecar.tasks.claim(call.given.text("id"), session.id, lease))


def tasks_release(call: Call) -> Document:
    """Give a task back."""
    session = call.require_session()
    _touch(call)
    return documents.task_document(call.desk.sidecar.tasks.release(call.given.text("id"), session.id))


def tasks_update(call: Call) -> Document:
    """Change a task."""
    given = call.given
    _touch(call)
    _refuse_waiting_for_others(call, "add_depends_on")
    if given.maybe("project") is not None:
        call.fences.refuse_writing(call.project())
    patch = Patch(
        given.maybe("status"),
        given.maybe("title"),
        given.maybe("body"),
        call.project() if given.maybe("project") is not None else None,
        given.maybe("plan"),
        given.texts("add_depends_on"),
        given.texts("remove_depends_on"),
    )
    return documents.task_document(call.desk.sidecar.tasks.update(given.text("id"), patch, _acting_id(call)))


def tasks_list(call: Call) -> Document:
    """List tasks."""
    given, tasks = call.given, call.desk.sidecar.tasks
    if given.text("id"):
        shown = tasks.show(given.text("id"))
        call.fences.refuse_reading(shown.project)
        return documents.tasks_document([shown])
    project = call.project() if given.maybe("project") is not None else None
    found = tasks.list(
        project=project, status=given.text("status"), plan=given.text("plan"), limit=given.number("limit", 100)
    )
    return documents.tasks_document([one for one in found if call.fences.reads(one.project)], brief=True)


def plans_list(call: Call) -> Document:
    """List plans."""
    return documents.plans_document(call.desk.sidecar.plans.list(reads=call.fences.reads))


def projects_list(call: Call) -> Document:
    """List projects."""
    know_folders(call.desk.sidecar.projects, call.desk.root)
    return documents.projects_document(call.desk.sidecar.projects.list())


def projects_add(call: Call) -> Document:
    """Register a project."""
    given = call.given
    said = given.text("name"), given.text("description"), given.text("parent")
    return documents.project_document(call.desk.sidecar.projects.add(given.text("slug"), *said))


def usage_summary(call: Call) -> Document:
    """Count what agents did."""
    with call.opened() as opened:
        follow_ledger(opened, call.desk.sidecar)
    call.desk.sidecar.database.settle()
    return documents.usage_document(call.desk.sidecar, call.given.number("days", 30))


def _touch(call: Call) -> None:
    """Refuse a task of a project that is set apart from the session's."""
    fences = call.fences
    if fences:
        fences.refuse_touching(call.desk.sidecar.tasks.show(call.given.text("id")).project)


def _refuse_waiting_for_others(call: Call, name: str) -> None:
    """Refuse to wait for a task that may not be read: what waits shows what it waits for."""
    fences = call.fences
    for id_ in call.given.texts(name) if fences else ():
        fences.refuse_reading(call.desk.sidecar.tasks.show(id_).project)


def _acting_id(call: Call) -> str:
    return call.session.id if call.session is not None else ""
