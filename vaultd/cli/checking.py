"""The verb `check`."""

from pathlib import Path
from typing import TYPE_CHECKING

from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.quick import answer, told
from vaultd.cli.reaching import opened_app, start_of
from vaultd.lifecycle.violations import Severity
from vaultd.vault.places import find_root

if TYPE_CHECKING:
    from argparse import Namespace


def check(asked: "Namespace") -> Outcome:
    """List broken rules, a line each: `path:line:column: severity CODE message`, and what mends it."""
    document = answer(vars(asked))
    if document is None:
        scope = "staged" if asked.staged else "head" if asked.head else "history" if asked.history else "tree"
        document = _opened_and_checked(asked, scope, start_of(asked.vault))
    return told(vars(asked), document)


def _opened_and_checked(asked: "Namespace", scope: str, start: Path) -> Document:
    if scope != "tree":
        from vaultd.checks import check_git  # noqa: PLC0415  -- a daemon's answer needs none of it

        paths, ranges = ([], asked.paths) if scope == "history" else (asked.paths, [])
        if (document := check_git(start, scope, paths, ranges, asked.severity)) is not None:
            return _with_plugins(document, scope, start, paths, asked.severity)
    from vaultd import answers  # noqa: PLC0415  -- what git holds is checked without search and commands

    with opened_app(start) as app:
        document = answers.check(app, "tree", asked.paths, (), asked.severity)
    return _with_plugins(document, "tree", start, asked.paths, asked.severity)


def _with_plugins(document: Document, scope: str, start: Path, paths: list[str], severity: Severity) -> Document:
    root = find_root(start)
    if root is None or not (root / ".vaultd" / "plugins.json").is_file():
        return document
    from vaultd.plugged.alone import check_alone  # noqa: PLC0415  -- most vaults want no plugin

    with opened_app(start) as app:
        return check_alone(app, document, scope, paths, severity)
