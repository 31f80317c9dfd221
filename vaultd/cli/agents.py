"""Verbs for agents: sessions, the queue, plans, usage, and the sidecar that holds them."""

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.reaching import opened_app, opened_sidecar, require_started, start_of
from vaultd.errors import StorageError, UsageError
from vaultd.state import documents
from vaultd.state.queue import Elsewhere, Task
from vaultd.state.sessions import Acting, Beginning
from vaultd.state.sidecar import Sidecar
from vaultd.state.tasks import Patch, Wish

if TYPE_CHECKING:
    from vaultd.app import App


@contextmanager
def _sidecar(asked: Namespace) -> Iterator[Sidecar]:
    with opened_sidecar(start_of(asked.vault)) as sidecar:
        sidecar.sessions.reap()
        yield sidecar


def _acting(asked: Namespace) -> Acting:
    return Acting(session=asked.session or os.environ.get("VAULTD_SESSION", ""))


def _actor(sidecar: Sidecar, asked: Namespace) -> str:
    """Return the id of the session that a command line names, empty for a person."""
    acting = _acting(asked)
    found = sidecar.sessions.find(acting) if acting.session else None
    return found.id if found is not None else ""


# Sessions ---------------------------------------------------------------------------------------------------------------


def session_start(asked: Namespace) -> Outcome:
    """Begin a session."""
    cwd = os.path.abspath(asked.cwd) if asked.cwd else ""  # noqa: PTH100  -- links unresolved
    with _sidecar(asked) as sidecar:
        project = asked.project or sidecar.projects.of_folder(cwd, start_of(asked.vault))
        how = Beginning(asked.name, project, cwd, "explicit", asked.model, asked.client)
        if asked.external_id:
            session, resumed = sidecar.sessions.start_ambient(how, asked.external_id)
        else:
            session, resumed = sidecar.sessions.start(how)
    said = "goes on" if resumed else "begun"
    document: Document = {**documents.session_document(session), "resumed": resumed}
    return Outcome(document, (f"{said}: {session.name}",))


def session_update(asked: Namespace) -> Outcome:
    """Put findings down."""
    with _sidecar(asked) as sidecar:
        session = sidecar.sessions.update(_acting(asked), asked.findings)
    return Outcome(documents.session_document(session), (f"put down: {session.name}",))


def session_end(asked: Namespace) -> Outcome:
    """End a session."""
    with _sidecar(asked) as sidecar:
        session, released = sidecar.sessions.end(_acting(asked), asked.findings, asked.mishap)
    lines = (f"ended: {session.name}", *(f"released: {task}" for task in released))
    return Outcome(documents.ended_document(session, released, len(asked.mishap)), lines)


def session_list(asked: Namespace) -> Outcome:
    """List sessions."""
    with _sidecar(asked) as sidecar:
        found = sidecar.sessions.list(status=asked.status, limit=asked.limit)
    lines = tuple(
        f"{one.status:<10} {one.updated_at[:16]}Z  {one.name}  {_scope(one.project)}".rstrip() for one in found
    )
    return Outcome(documents.sessions_document(found), lines)


# Tasks ------------------------------------------------------------------------------------------------------------------


def task_add(asked: Namespace) -> Outcome:
    """Add a task."""
    with _sidecar(asked) as sidecar:
        acting = _acting(asked)
        session = sidecar.sessions.find(acting) if acting.session else None
        project = asked.project or (session.project if session is not None else "")
        wish = Wish(asked.title, asked.body, project, asked.plan, tuple(asked.depends_on))
        task = sidecar.tasks.add(wish, session.id if session is not None else "")
    return Outcome(documents.task_document(task), (f"{task.id}  {task.title}",))


def task_ready(asked: Namespace) -> Outcome:
    """List what can be claimed."""
    with _sidecar(asked) as sidecar:
        project = _queue_of(sidecar, asked)
        ready, blocked = sidecar.tasks.ready(project, asked.plan)
        elsewhere = sidecar.tasks.elsewhere(project, asked.plan)
        if project and not ready and not blocked:
            from vaultd.commands.project_folders import know_folders  # noqa: PLC0415  -- hardly ever

            know_folders(sidecar.projects, require_started(start_of(asked.vault))[0])
        notices = documents.unheard_of(sidecar, project or "", asked.plan)
    lines = [
        _line(one.task) + (f"  (the lease of {one.expired_claim_of} ran out)" if one.expired_claim_of else "")
        for one in ready[: asked.limit]
    ]
    lines += [
        f"{_line(one.task)}  (waits for {', '.join(b.id for b in one.blockers)})" for one in blocked[: asked.limit]
    ]
    nothing = () if ready else ("vaultd: nothing is ready here",)
    more = f"vaultd: {len(ready) - asked.limit} more are ready: --limit" if len(ready) > asked.limit else ""
    talk = (
        *nothing,
        *((more,) if more else ()),
        *(f"vaultd: {one}" for one in notices),
        *map(_told_elsewhere, elsewhere),
    )
    queue = documents.Queue(ready, blocked, elsewhere, notices)
    return Outcome(documents.queue_document(queue, asked.limit), tuple(lines), talk=talk)


def _queue_of(sidecar: Sidecar, asked: Namespace) -> str | None:
    """Return the project whose tasks are asked for: the session's unless one is named; of a plan those of all (None)."""
    if asked.project is not None or asked.plan:
        named: str | None = asked.project
        return named
    acting = Acting(session=os.environ.get("VAULTD_SESSION", ""))
    session = sidecar.sessions.find(acting) if acting.session else None
    return session.project if session is not None else ""


def _told_elsewhere(queue: Elsewhere) -> str:
    words = ("--project", queue.project or "''") + (("--plan", queue.plan) if queue.plan else ())
    return f"vaultd: ready elsewhere: {queue.ready}  vaultd task ready {' '.join(words)}"


def task_list(asked: Namespace) -> Outcome:
    """List tasks."""
    with _sidecar(asked) as sidecar:
        found = sidecar.tasks.list(project=asked.project, status=asked.status, plan=asked.plan, limit=asked.limit)
    return Outcome(documents.tasks_document(found), tuple(map(_line, found)))


def task_show(asked: Namespace) -> Outcome:
    """Show a task."""
    with _sidecar(asked) as sidecar:
        task = sidecar.tasks.show(asked.id)
    held = f"held by {task.holder} until {task.lease_expires_at}" if task.holder else ""
    more = (held, f"waits for {', '.join(task.depends_on)}" if task.depends_on else "", task.body)
    return Outcome(documents.task_document(task), (_line(task), *(line for line in more if line)))


def task_claim(asked: Namespace) -> Outcome:
    """Take a task."""
    name = asked.session or os.environ.get("VAULTD_SESSION", "")
    if not name:
        raise UsageError("a claim needs a session", "--session NAME; it is begun where there is none")
    with _sidecar(asked) as sidecar:
        session, _ = sidecar.sessions.start(Beginning(name))
        claimed = sidecar.tasks.claim(asked.id, session.id, asked.lease)
    until = claimed.task.lease_expires_at or ""
    return Outcome(documents.claimed_document(claimed), (f"{claimed.task.id}  held by {name} until {until}",))


def task_release(asked: Namespace) -> Outcome:
    """Give a task back, or take it away by force."""
    with _sidecar(asked) as sidecar:
        if asked.force:
            task = sidecar.tasks.force_release(asked.id)
        else:
            task = sidecar.tasks.release(asked.id, _actor(sidecar, asked))
    return Outcome(documents.task_document(task), (_line(task),))


def task_update(asked: Namespace) -> Outcome:
    """Change a task."""
    patch = Patch(
        asked.status,
        asked.title,
        asked.body,
        asked.project,
        asked.plan,
        tuple(asked.add_depends_on),
        tuple(asked.remove_depends_on),
    )
    with _sidecar(asked) as sidecar:
        task = sidecar.tasks.update(asked.id, patch, _actor(sidecar, asked))
    return Outcome(documents.task_document(task), (_line(task),))


def _line(task: Task) -> str:
    return f"{task.id}  {task.status:<11} {task.title}"


def _scope(project: str) -> str:
    return f"[{project}]" if project else ""


# Plans and figures --------------------------------------------------------------------------------------------------------


def plan_list(asked: Namespace) -> Outcome:
    """List plans."""
    with _sidecar(asked) as sidecar:
        found = sidecar.plans.list()
    return Outcome(documents.plans_document(found), tuple(f"{one.slug}  {one.done} of {one.total}" for one in found))


def plan_show(asked: Namespace) -> Outcome:
    """Show a plan with its steps and notes."""
    start = start_of(asked.vault)
    with _sidecar(asked) as sidecar:
        plans, steps = sidecar.plans.list(asked.slug), sidecar.tasks.list(plan=asked.slug, limit=-1)
    with opened_app(start) as app:
        notes = _notes_of(app, asked.slug)
    if not plans and not notes:
        raise UsageError(f"no plan is {asked.slug!r}", "vaultd plan list")
    shown: Document = documents.plans_document(plans)
    document: Document = {**shown, **documents.tasks_document(steps), "slug": asked.slug, "notes": notes}
    lines = [f"{one.slug}  {one.done} of {one.total}" for one in plans]
    return Outcome(document, (*lines, *map(_line, reversed(steps)), *notes))


def _notes_of(app: "App", slug: str) -> list[str]:
    """Return the paths of the notes that are tagged with a plan."""
    from vaultd.search.plan_notes import plan_notes  # noqa: PLC0415  -- the queue's verbs do without the index

    app.look()
    return plan_notes(app.opened.mirror, slug)


def usage(asked: Namespace) -> Outcome:
    """Count."""
    from vaultd.commands.ledger_follow import follow_ledger  # noqa: PLC0415  -- the queue's verbs do without git
    from vaultd.judging.opened import opened_vault  # noqa: PLC0415

    with _sidecar(asked) as sidecar, opened_vault(start_of(asked.vault)) as opened:
        follow_ledger(opened, sidecar)
        document = documents.usage_document(sidecar, asked.days)
        counts = sidecar.activity.counts(asked.days)
        top = sidecar.retrieval.top()
    lines = [f"{number:>8}  {kind}" for kind, number in counts.items()]
    lines += [f"{one.read:>8}  read: {one.item}" for one in top]
    return Outcome(document, tuple(lines))


# The sidecar itself ---------------------------------------------------------------------------------------------------


def state_export(asked: Namespace) -> Outcome:
    """Write the sidecar as JSON lines."""
    start = start_of(asked.vault)
    with _sidecar(asked) as sidecar:
        files = sidecar.carrying.export()
    if asked.folder is not None:
        written = _write_outside(Path(asked.folder).expanduser(), files)
    else:
        from vaultd.commands.state_export import export_state  # noqa: PLC0415
        from vaultd.judging.opened import opened_vault  # noqa: PLC0415

        with opened_vault(start) as opened:
            written = export_state(opened, files)
    lines = tuple(written) or ("nothing changed since the last export",)
    return Outcome({"vaultd": 1, "paths": list(written)}, lines)


def _write_outside(folder: Path, files: dict[str, bytes]) -> Sequence[str]:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, data in files.items():
            (folder / name).write_bytes(data)
    except OSError as exc:
        raise StorageError(f"{folder} cannot be written: {exc.strerror}", "name another folder") from exc
    return [str(folder / name) for name in files]


def state_import(asked: Namespace) -> Outcome:
    """Take an export in."""
    if asked.folder is not None:
        folder = Path(asked.folder).expanduser()
        files = {place.name: _bytes(place) for place in sorted(folder.glob("*.jsonl"))}
        if not files:
            raise UsageError(f"no export lies in {folder}", "an export is a folder of .jsonl files")
    else:
        from vaultd.commands.state_export import exported_files  # noqa: PLC0415
        from vaultd.judging.opened import opened_vault  # noqa: PLC0415

        with opened_vault(start_of(asked.vault)) as opened:
            files = exported_files(opened, asked.clone)
    with _sidecar(asked) as sidecar:
        came = sidecar.carrying.take_in(files)
    document: Document = {"vaultd": 1, "added": came.added, "kept": came.kept}
    return Outcome(document, (f"{came.added} rows came in, {came.kept} were here already",))


def _bytes(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError as exc:
        raise StorageError(f"{place} cannot be read: {exc.strerror}", "check its permissions") from exc


def state_backup(asked: Namespace) -> Outcome:
    """Copy the database."""
    target = Path(asked.file).expanduser()
    with _sidecar(asked) as sidecar:
        sidecar.database.backup(target)
    return Outcome({"vaultd": 1, "path": str(target)}, (f"copied to {target}",))
