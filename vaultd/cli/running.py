"""Verbs about the daemon: up, status, stop, resume, rebuild."""

import faulthandler
import gc
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.quick import answer, is_silent, told
from vaultd.cli.reaching import ask_daemon, opened_app, start_of
from vaultd.cli.visible import visible
from vaultd.errors import ConflictError, StorageError, UsageError
from vaultd.vault.addresses import git_dir_above, root_above
from vaultd.vault.places import places

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from vaultd.app import App
    from vaultd.commands.accept import Accepted, Pending
    from vaultd.lifecycle.violations import Violation

STOP_PATIENCE = 20.0
"""Seconds: a daemon ends an export and every plugin first."""
_AS_USUAL = (700, 10, 10)


def up(asked: "Namespace") -> Outcome:
    """Watch a vault, or look at it once and record what is accepted."""
    start = start_of(asked.vault)
    if asked.once and (stands := _unchanged(start)) is not None:
        return stands
    from vaultd.app import require_vault  # noqa: PLC0415

    with opened_app(start) as app:
        require_vault(app)
        if asked.once:
            return _once(app)
        from vaultd.cli.logs import log_to_stderr  # noqa: PLC0415
        from vaultd.daemon.loop import run_until_told  # noqa: PLC0415

        if asked.log_format is not None:
            log_to_stderr(asked.log_format)
        faulthandler.enable(sys.__stderr__ or 2)  # a mapped file that somebody cuts short ends a program without a word
        gc.set_threshold(*_AS_USUAL)  # a command may leave its garbage to its end, a daemon has none
        run_until_told(app, _say)
    return Outcome({"vaultd": 1, "state": "off"})


def _say(line: str) -> None:
    # what the daemon adds to a line is indented; any other break is part of a name
    print("\n  ".join(map(visible, line.split("\n  "))), flush=True)


def _once(app: "App") -> Outcome:
    """Reconcile, judge, commit what is accepted without waiting for quiet, and leave."""
    for mended in app.mend():
        print(f"recovered: {visible(mended.subject)}: {visible(mended.outcome)}", file=sys.stderr)
    made: list[Accepted] = []
    left: list[Pending] = []
    seen = app.look()
    for _ in range(5):  # each commit moves HEAD, and what was judged at the old one is judged again
        if not seen.waiting:
            break
        accepted, left = app.accept(seen, list(seen.waiting))
        made += accepted
        seen = app.look()
        if left and not any(one.reason == "moved" for one in left):
            break
    told, refused = _obeyed(app, seen.violations)
    if told:
        seen = app.look()
        left = [*left, *refused]
    lines = [f"{event.name}: {visible(event.path)} ({one.commit[:10]})" for one in made for event in one.events]
    lines += map(visible, told)
    lines += [visible(f"waiting: {one.path} ({one.reason}) {one.detail}".rstrip()) for one in left]
    document: Document = {
        "vaultd": 1,
        "commits": [
            {
                "commit": one.commit,
                "paths": list(one.paths),
                "events": [{"event": e.name, "id": e.id} for e in one.events],
            }
            for one in made
        ],
        "pending": [{"path": one.path, "reason": one.reason, "detail": one.detail} for one in left],
    }
    return _ready(document, lines, len(seen.notes), seen.violations, StorageError.exit_code if left else 0)


def _obeyed(app: "App", violations: "Sequence[Violation]") -> tuple[list[str], list["Pending"]]:
    """Carry out standing orders about records, and return what was said of them and which were refused."""
    from vaultd.commands.accept import Pending  # noqa: PLC0415
    from vaultd.commands.records.standing_orders import standing_orders  # noqa: PLC0415
    from vaultd.daemon.orders import refused  # noqa: PLC0415

    told: list[str] = []
    orders = standing_orders(app.opened, violations)
    why = {order: text for one in orders for order, text in refused(app.opened, one, told.append).items()}
    return told, [Pending(order.path, "refused", text) for order, text in why.items()]


def _unchanged(start: Path) -> Outcome | None:
    """Return what stands where nothing changed since an earlier look, None where it takes a look to tell."""
    from vaultd.judging.opened import opened_vault  # noqa: PLC0415
    from vaultd.judging.unchanged import unchanged  # noqa: PLC0415

    with opened_vault(start) as opened:
        found = unchanged(opened)
    return _ready({"vaultd": 1, "commits": [], "pending": []}, [], found.notes, found.violations) if found else None


def _ready(
    document: Document, lines: list[str], notes: int, violations: "tuple[Violation, ...]", code: int = 0
) -> Outcome:
    errors = sum(violation.severity == "error" for violation in violations)
    warnings = sum(violation.severity == "warning" for violation in violations)
    counts: Document = {"notes": notes, "problems": {"error": errors, "warning": warnings}}
    return Outcome(document | counts, (*lines, f"ready: {notes:,} notes, {errors} problems"), code)


def status(asked: "Namespace") -> Outcome:
    """Say how a vault is."""
    document = answer(vars(asked))
    if document is None:
        from vaultd import answers  # noqa: PLC0415
        from vaultd.commands.accept import Pending  # noqa: PLC0415
        from vaultd.plugged.alone import status_alone  # noqa: PLC0415

        with opened_app(start_of(asked.vault)) as app:
            seen = app.look()
            pending = [Pending(event.path, "off") for batch in seen.waiting for event in batch.events]
            live = {**status_alone(app), **_unheard(app)}
            document = answers.status(app, seen, live, pending)
    return told(vars(asked), document)


def _unheard(app: "App") -> Document:
    """Return what is known of a daemon that did not answer, or that lost its socket a moment ago."""
    from vaultd.vault.locks import holder  # noqa: PLC0415

    lock = app.opened.places.lock
    found = holder(lock) if lock is not None else None
    return {"state": "silent", "pid": found.pid} if found is not None and found.lives else {}


def stop(asked: "Namespace") -> Outcome:
    """Stop the daemon and wait until it has gone."""
    start = start_of(asked.vault)
    if ask_daemon(start, "stop", {}) is None:
        return _stop_by_signal(start)
    deadline = time.monotonic() + STOP_PATIENCE
    while ask_daemon(start, "status", {}) is not None or _is_held(start):
        if time.monotonic() > deadline:
            raise ConflictError("the daemon has not stopped yet", "vaultd status shows its process")
        time.sleep(0.05)
    return Outcome({"vaultd": 1, "state": "off"}, ("stopped",))


def _is_held(start: Path) -> bool:
    """Tell whether a daemon that answers no more has still work to end."""
    from vaultd.vault.locks import holder  # noqa: PLC0415

    root = root_above(os.fspath(start))
    git_dir = git_dir_above(root) if root is not None else None
    lock = places(Path(root), Path(git_dir)).lock if root is not None and git_dir is not None else None
    return lock is not None and holder(lock) is not None


def _stop_by_signal(start: Path) -> Outcome:
    """Stop a daemon whose socket does not answer, by the process that its lock names."""
    from signal import SIGTERM  # noqa: PLC0415  -- makes enums, and only this needs them

    from vaultd.vault.locks import holder  # noqa: PLC0415

    with opened_app(start) as app:
        lock = app.opened.places.lock
    found = holder(lock) if lock is not None else None
    if found is None:
        return Outcome({"vaultd": 1, "state": "off"}, ("no daemon runs",))
    os.kill(found.pid, SIGTERM)
    deadline = time.monotonic() + STOP_PATIENCE
    while lock is not None and holder(lock) is not None:
        if time.monotonic() > deadline:
            raise ConflictError(
                f"process {found.pid} has not stopped yet", f"kill -KILL {found.pid}: nothing is lost by it"
            )
        time.sleep(0.05)
    return Outcome({"vaultd": 1, "state": "off"}, ("stopped",))


def resume(asked: "Namespace") -> Outcome:
    """Tell a suspended daemon that the disk is right."""
    document = ask_daemon(start_of(asked.vault), "resume", {})
    if document is None and is_silent():
        raise ConflictError("the daemon does not answer", "vaultd stop, then vaultd up")
    if document is None:
        raise UsageError("no daemon runs", "vaultd up starts one")
    return Outcome(document, ("resumed",))


def rebuild(asked: "Namespace") -> Outcome:
    """Make the index again."""
    start = start_of(asked.vault)
    document = ask_daemon(start, "rebuild", {})
    if document is None:
        with opened_app(start) as app:
            seen = app.rebuild()
            document = {"vaultd": 1, "rebuilt": True, "notes": len(seen.notes)}
    return Outcome(document, (f"rebuilt: {document['notes']:,} notes",))
