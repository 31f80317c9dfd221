"""The verb `check`."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.reaching import ask_daemon, opened_app, stages_as_usual, start_of


def check(asked: Namespace) -> Outcome:
    """List broken rules, a line each: `path:line:column: severity CODE message`, and what mends it."""
    asked.json = asked.json or asked.format == "json"
    scope = "staged" if asked.staged else "head" if asked.head else "history" if asked.history else "tree"
    start = start_of(asked.vault)
    document: Document | None = None
    if scope == "tree":
        document = ask_daemon(start, "check", {"paths": asked.paths, "severity": asked.severity})
    elif scope == "staged" and stages_as_usual(start):
        answer = ask_daemon(start, "check_staged", {"paths": asked.paths, "severity": asked.severity})
        document = answer if answer is not None and "violations" in answer else None
    if document is None:
        document = _opened_and_checked(asked, scope, start)
    summary: dict[str, int] = document["summary"]  # type: ignore[assignment]  # our own document
    rows: list[dict[str, Any]] = document["violations"]  # type: ignore[assignment]  # our own document
    failed = summary["error"] or (asked.strict and summary["warning"])
    notices: Any = document["notices"]
    return Outcome(
        document,
        tuple(line for row in rows for line in _row(row)),
        1 if failed else 0,
        (*(f"vaultd: {notice}" for notice in notices), _summary(summary)),
    )


def _opened_and_checked(asked: Namespace, scope: str, start: Path) -> Document:
    if scope != "tree":
        from vaultd.checks import check_git  # noqa: PLC0415  -- a daemon's answer needs none of it

        paths, ranges = ([], asked.paths) if scope == "history" else (asked.paths, [])
        if (document := check_git(start, scope, paths, ranges, asked.severity)) is not None:
            return document
    from vaultd import answers  # noqa: PLC0415  -- what git holds is checked without search and commands

    with opened_app(start) as app:
        return answers.check(app, "tree", asked.paths, (), asked.severity)


def _row(row: dict[str, Any]) -> list[str]:
    line = f"{row['path']}:{row['line']}:{row['column']}: {row['severity']} {row['code']} {row['message']}"
    return [line, f"    hint: {row['hint']}"] if row["hint"] else [line]


def _summary(summary: dict[str, int]) -> str:
    return (
        f"vaultd: {summary['notes']:,} notes: {summary['error']} errors, "
        f"{summary['warning']} warnings, {summary['info']} infos"
    )
