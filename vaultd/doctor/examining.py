"""The whole examination, and the mending of what is safe to mend."""

import time
from collections.abc import Iterator, Mapping

from vaultd.app import App
from vaultd.daemon.sockets import ask
from vaultd.doctor.folder import folder_lines, strays
from vaultd.doctor.indexed import disagreement, index_lines
from vaultd.doctor.kept import state_lines
from vaultd.doctor.leftovers import dead_intents, leftover_lines, lock_is_ours
from vaultd.doctor.lines import Line, counted
from vaultd.doctor.syncing import sync_lines
from vaultd.doctor.versioned import git_lines
from vaultd.doctor.watched import daemon_lines
from vaultd.errors import ConflictError
from vaultd.history.index_lock import heal
from vaultd.index.tables import FILE
from vaultd.vault.scanning import Scan
from vaultd.vault.temporaries import sweep_temporaries


def examine(app: App, status: Mapping[str, object] | None) -> list[Line]:
    """Look at everything around the notes; the index is brought up to date only after it was looked at."""
    opened = app.opened
    found = opened.scan()
    here = strays(opened.root)
    now = time.time_ns()
    git_dir = opened.repo.git_dir if opened.repo is not None else None
    return [
        *folder_lines(opened.root, found, here, now),
        *git_lines(opened),
        *sync_lines(opened.root.resolve(), git_dir),
        *leftover_lines(opened, here.temporaries, now / 1e9),
        *index_lines(app, found),
        *state_lines(opened.places.state),
        *daemon_lines(opened, status, found.folders),
        _rules(app, found, status),
    ]


def _rules(app: App, found: Scan, status: Mapping[str, object] | None) -> Line:
    problems = status.get("problems") if status is not None else None
    if isinstance(problems, dict):
        errors = int(problems["error"])
    else:
        errors = sum(violation.severity == "error" for violation in app.look().violations)
    if errors:
        return Line(
            "rules", "warn", f"{counted(errors, 'error')} in {counted(len(found.notes), 'note')}", "vaultd check"
        )
    return Line("rules", "ok", "no note breaks one in a way that is an error")


def mend(app: App) -> Iterator[str]:
    """Do what cannot take anything from anybody, and say what was done."""
    opened = app.opened
    if opened.repo is not None and lock_is_ours(opened.repo):
        finished = heal(opened.repo)
        if not lock_is_ours(opened.repo):
            yield "unlocked git's index" + (f" and finished {finished[0][:10]}" if finished else "")
    folder = opened.places.intents
    # The bytes that an intent knows as vaultd's own are told from others only by its recovery.
    if folder is None or not folder.is_dir() or not dead_intents(folder):
        yield from _swept(app)
    if (opened.places.index / FILE).exists() and _is_left_damaged(app):
        yield _rebuilt(app)


def _is_left_damaged(app: App) -> bool:
    try:
        return bool(disagreement(app))
    except ConflictError:
        return False  # whoever is writing it has not left it


def _swept(app: App) -> Iterator[str]:
    root = app.opened.root
    before = strays(root).temporaries
    kept = sweep_temporaries(root) if before else []
    gone = len(before) - len(strays(root).temporaries)
    if gone:
        yield f"cleared {counted(gone, 'file')} of killed writes"
    if kept:
        yield f"kept {kept[0]}: it holds text that is nowhere else"


def _rebuilt(app: App) -> str:
    try:
        answer = ask(app.opened.places.socket, "rebuild", {})
    except TimeoutError:  # the daemon makes its own again when it finds the old one gone
        answer = None
    if answer is None:
        return f"made the index again: {counted(len(app.rebuild().notes), 'note')}"
    app.close()  # what was open of the old index is gone
    return str(answer.get("message", "had the daemon make the index again"))
