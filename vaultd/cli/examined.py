"""The verb `doctor`."""

import os
import shlex
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from vaultd.app import App
from vaultd.cli import background
from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.reaching import opened_app, start_of
from vaultd.cli.visible import visible
from vaultd.doctor.examining import examine, mend
from vaultd.doctor.lines import LEVELS, Line
from vaultd.errors import VaultdError
from vaultd.values import asdict

_ANSWER = 10.0


def doctor(asked: Namespace) -> Outcome:
    """Look at everything around the notes and say what would get in the way; exit 1 where something fails."""
    start = start_of(asked.vault)
    fixed: list[str] = []
    try:
        with opened_app(start) as app:
            if asked.fix:
                fixed = list(mend(app))
            found = [*examine(app, background.status_of(app.opened.places, _ANSWER)), *_at_login(app)]
    except VaultdError as exc:
        # What keeps a vault from being opened at all is the first thing to hear from a doctor.
        found = [Line("vault", "fail", exc.message, exc.hint)]
    summary: Document = {level: sum(line.level == level for line in found) for level in LEVELS}
    document: Document = {
        "vaultd": 1,
        "checks": [asdict(line) for line in found],
        "fixed": fixed,
        "summary": summary,
    }
    lines = (*(f"fixed {visible(one)}" for one in fixed), *(text for line in found for text in _told(line)))
    return Outcome(document, lines, 1 if summary["fail"] else 0)


def _told(line: Line) -> list[str]:
    text = [f"{line.level:<5} {line.check}: {visible(line.says)}"]
    return [*text, f"      fix: {visible(line.fix)}"] if line.fix and line.level != "ok" else text


def _at_login(app: App) -> Iterator[Line]:
    """Say whether the system starts the daemon, and the one that is here."""
    where = app.opened.places
    wanted = background.installation_of(where.root.resolve(), where.state, os.environ)
    if not background.is_installed(wanted):
        yield Line("service", "info", "nothing starts the daemon at login", "vaultd service install")
    elif not wanted.file.is_file() or not _python_lives(wanted.file):
        yield Line("service", "fail", f"{wanted.file} starts a Python that is gone", "vaultd service install")
    elif wanted.file.read_text("utf-8") != wanted.text:
        yield Line("service", "warn", f"{wanted.file} is not what this version installs", "vaultd service install")
    else:
        yield Line("service", "ok", wanted.name)


def _python_lives(unit: Path) -> bool:
    for line in unit.read_text("utf-8").splitlines():
        if line.startswith("ExecStart="):
            python = next(iter(shlex.split(line.removeprefix("ExecStart="))), "").replace("%%", "%")
            return os.access(python, os.X_OK)
    return True
