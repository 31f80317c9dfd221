"""Checks of what git holds, as JSON documents: all that a hook needs, and nothing else.

The hook starts an interpreter for every commit, so search, commands and the watcher stay out of its way.
"""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from vaultd.documents import VERSION, Document, violation_row
from vaultd.errors import UsageError
from vaultd.history.configured import settings_asked
from vaultd.history.repository import head_quick
from vaultd.history.snapshots import is_held, staged_changes_asked
from vaultd.judging.opened import Opened, opened_vault
from vaultd.lifecycle.violations import Severity

# ruff: noqa: PLC0415  -- what judges is imported while git looks at what is staged

if TYPE_CHECKING:
    from vaultd.judging.scopes import Checked

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


def check_git(
    start: Path, scope: str, paths: Sequence[str], ranges: Sequence[str], severity: Severity
) -> Document | None:
    """Answer a check of what is `staged`, of `head` or of `history`; None where `init` made no vault of the folder."""
    with opened_vault(start) as opened:
        if not opened.judged:
            return None
        checked = checked_in_git(opened, scope, ranges, datetime.now(UTC))
        from vaultd.judging.scopes import only

        return checked_document(only(checked, paths), severity)


def checked_in_git(opened: Opened, scope: str, ranges: Sequence[str], now: datetime) -> "Checked":
    """Return what is wrong with what is `staged`, with `head`, or with `history`."""
    if scope == "staged":
        return _checked_staged(opened, now)
    from vaultd.judging.scopes import check_head, check_history

    return check_head(opened, now) if scope == "head" else check_history(opened, ranges)


def _checked_staged(opened: Opened, now: datetime) -> "Checked":
    repo = opened.recorded
    head = head_quick(repo)
    if head is None:
        from vaultd.judging.scopes import check_first_commit

        return check_first_commit(opened, now)
    with settings_asked(repo), staged_changes_asked(repo, head) as told:
        # git is at work while we import what judges its answer, which takes as long
        from vaultd.judging.scopes import check_staged

        changes = told()
    return check_staged(opened, now, head, changes)


def require_known(opened: Opened, paths: Sequence[str], found: Document) -> None:
    """Refuse a check of what is not on disk, is not in git, and was not found to be missing.

    Raises:
        UsageError: one of the paths names nothing, or leaves the vault.
    """
    for path in paths:
        if path.startswith("/") or path.split("/")[0] == "..":
            raise UsageError(f"{path} lies outside the vault {opened.root}", "name a note or a folder of it")
        if os.path.lexists(opened.root / path) or _is_told_of(path, found):
            continue
        if opened.repo is None or not is_held(opened.repo, path):
            raise UsageError(
                f"{path} is neither in {opened.root} nor in its git", "mend the spelling of the note or folder"
            )


def _is_told_of(target: str, found: Document) -> bool:
    rows = found["violations"]
    told = [str(row["path"]) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return any(path == target or path.startswith(target + "/") for path in told)


def checked_document(checked: "Checked", severity: Severity = "info") -> Document:
    """Return a check as a document; violations below the asked severity are counted, not listed."""
    shown = _SEVERITIES[: _SEVERITIES.index(severity) + 1]
    counts: dict[str, int] = {name: sum(v.severity == name for v in checked.violations) for name in _SEVERITIES}
    return {
        "vaultd": VERSION,
        "notices": list(checked.notices),
        "violations": [violation_row(v) for v in checked.violations if v.severity in shown],
        "summary": {**counts, "notes": checked.notes},
    }
