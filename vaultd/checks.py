"""Checks of what git holds, and checks and errors as JSON documents: all that a hook needs, and nothing else.

The hook starts an interpreter for every commit, so search, commands and the watcher stay out of its way.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from vaultd.errors import RejectedError, VaultdError
from vaultd.history.snapshots import is_held
from vaultd.judging.opened import Opened, opened_vault
from vaultd.judging.scopes import Checked, check_head, check_history, check_staged, only
from vaultd.lifecycle.violations import Severity, Violation

Document = dict[str, object]
VERSION = 1
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


def check_git(
    start: Path, scope: str, paths: Sequence[str], ranges: Sequence[str], severity: Severity
) -> Document | None:
    """Answer a check of what is `staged`, of `head` or of `history`; None where `init` made no vault of the folder."""
    with opened_vault(start) as opened:
        if not opened.judged:
            return None
        return checked_document(only(checked_in_git(opened, scope, ranges, datetime.now(UTC)), paths), severity)


def checked_in_git(opened: Opened, scope: str, ranges: Sequence[str], now: datetime) -> Checked:
    """Return what is wrong with what is `staged`, with `head`, or with `history`."""
    match scope:
        case "staged":
            return check_staged(opened, now)
        case "head":
            return check_head(opened, now)
        case _:
            return check_history(opened, ranges)


def unknown_to_git(start: Path | str, paths: Sequence[str]) -> list[str]:
    """Return the notes and folders, of these, that neither HEAD nor the index of git holds."""
    with opened_vault(Path(start)) as opened:
        return [path for path in paths if opened.repo is None or not is_held(opened.repo, path)]


def checked_document(checked: Checked, severity: Severity = "info") -> Document:
    """Return a check as a document; violations below the asked severity are counted, not listed."""
    shown = _SEVERITIES[: _SEVERITIES.index(severity) + 1]
    counts: dict[str, int] = {name: sum(v.severity == name for v in checked.violations) for name in _SEVERITIES}
    return {
        "vaultd": VERSION,
        "notices": list(checked.notices),
        "violations": [violation_row(v) for v in checked.violations if v.severity in shown],
        "summary": {**counts, "notes": checked.notes},
    }


def violation_row(violation: Violation) -> Document:
    """Return a violation as a JSON object."""
    return {
        "code": violation.code,
        "severity": violation.severity,
        "path": violation.path,
        "line": violation.line,
        "column": violation.column,
        "subject": violation.subject,
        "message": violation.message,
        "hint": violation.hint,
    }


def error_document(error: VaultdError) -> Document:
    """Return an error as a document; the exit code travels with it."""
    violations = error.violations if isinstance(error, RejectedError) else ()
    return {
        "vaultd": VERSION,
        "error": type(error).__name__,
        "message": error.message,
        "hint": error.hint,
        "violations": [violation_row(v) for v in violations if isinstance(v, Violation)],
    }
