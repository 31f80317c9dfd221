"""The verb `check`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.quick import answer, told
from vaultd.cli.reaching import opened_app, start_of
from vaultd.cli.targets import require_known, targets_of
from vaultd.lifecycle.violations import Severity
from vaultd.vault.places import find_root

if TYPE_CHECKING:
    from argparse import Namespace


def check(asked: "Namespace") -> Outcome:
    """List broken rules, a line each: `path:line:column: severity CODE message`, and what mends it."""
    document = answer(vars(asked))
    if document is None:
        scope = "staged" if asked.staged else "head" if asked.head else "history" if asked.history else "tree"
        start = start_of(asked.vault)
        targets = [] if scope == "history" else targets_of(str(start), asked.paths)
        document = _opened_and_checked(asked, scope, start, targets)
        require_known(str(start), targets, document)
    return told(vars(asked), document)


def _opened_and_checked(asked: "Namespace", scope: str, start: Path, targets: list[str]) -> Document:
    if scope != "tree":
        from vaultd.checks import check_git  # noqa: PLC0415  -- a daemon's answer needs none of it

        ranges = asked.paths if scope == "history" else []
        if (document := check_git(start, scope, targets, ranges, asked.severity)) is not None:
            return _with_plugins(document, scope, start, targets, asked.severity)
    from vaultd import answers  # noqa: PLC0415  -- what git holds is checked without search and commands

    with opened_app(start) as app:
        document = answers.check(app, "tree", targets, (), asked.severity)
    return _with_plugins(document, "tree", start, targets, asked.severity)


def _with_plugins(document: Document, scope: str, start: Path, paths: list[str], severity: Severity) -> Document:
    root = find_root(start)
    if root is None or not os.path.lexists(root / ".vaultd" / "plugins.json"):
        return document
    from vaultd.plugged.alone import check_alone  # noqa: PLC0415  -- most vaults want no plugin

    with opened_app(start) as app:
        return check_alone(app, document, scope, paths, severity)
