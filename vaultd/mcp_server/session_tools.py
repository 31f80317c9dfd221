"""What tools about sessions, the queue, plans and figures do."""

from vaultd.checks import Document
from vaultd.commands.ledger_follow import follow_ledger
from vaultd.mcp_server.desk import Call
from vaultd.state import documents
from vaultd.state.sessions import Beginning
from vaultd.state.tasks import LEASE_SECONDS, Patch, Wish


def session_start(call: Call) -> Document:
    """Begin a session, or go on with one."""
    given, sidecar = call.given, call.desk.sidecar
    cwd = given.text("cwd")
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
    session, resumed = sidecar.sessions.start(how)
    ready, blocked = sidecar.tasks.ready(session.project)
    return {
        **documents.session_document(session),
        "resumed": resumed,
        "tasks": {"ready": len(ready), "blocked": len(blocked)},
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
    wish = Wish(given.text("title"), given.text("body"), call.home(), given.text("plan"), given.texts("depends_on"))
    return documents.task_document(call.desk.sidecar.tasks.add(wish, _acting_id(call)))


def tasks_ready(call: Call) -> Document:
    """List what can be claimed and what waits."""
    project = call.project()
    call.fences.refuse_reading(project)
    return documents.queue_document(*call.desk.sidecar.tasks.ready(project, call.given.text("plan")))


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
    return documents.tasks_document([one for one in found if call.fences.reads(one.project)])


def plans_list(call: Call) -> Document:
    """List plans."""
    return documents.plans_document(call.desk.sidecar.plans.list())


def projects_list(call: Call) -> Document:
    """List projects."""
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
    return documents.usage_document(call.desk.sidecar, call.given.number("days", 30))


def _touch(call: Call) -> None:
    """Refuse a task of a project that is set apart from the session's."""
    fences = call.fences
    if fences:
        fences.refuse_touching(call.desk.sidecar.tasks.show(call.given.text("id")).project)


def _acting_id(call: Call) -> str:
    return call.session.id if call.session is not None else ""
