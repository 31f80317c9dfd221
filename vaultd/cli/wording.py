"""What a daemon answers, in words: a hit, a broken rule, how the vault is. The same whoever opened the vault."""

import os
import sys

from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` takes a tenth of an answer's time to import
    from typing import Any


def found(document: Document, *, everything: bool) -> Outcome:
    """Return what a search found, best first, a hit in two lines."""
    bold = _bold()
    hits: list[dict[str, Any]] = document["hits"]  # type: ignore[assignment]  # our own document
    lines = [line for hit in hits for line in _hit(hit, bold)]
    talk = [f"vaultd: {notice}" for notice in _notices(document)]
    if not hits:
        talk.append(
            "vaultd: nothing found" + ("" if everything else "; --all also looks at what was replaced or ended")
        )
    return Outcome(document, tuple(lines), talk=tuple(talk), verbatim=True)


def _hit(hit: "dict[str, Any]", bold: tuple[str, str]) -> list[str]:
    marks = [mark for mark in (hit["state"] if hit["state"] not in ("", "active") else "", _rejected(hit)) if mark]
    mark = f"  [{', '.join(marks)}]" if marks else ""
    lines = [f"{visible(hit['path'])}:{hit['line']}: {visible(hit['title'])}{mark}", f"    {_lit(hit, bold)}"]
    for words, fields in (hit["explain"] or {}).items():
        lines.append(f"    {visible(words)}: {', '.join(fields) or 'nowhere now'}  (score {hit['score']})")
    return lines


def _lit(hit: "dict[str, Any]", bold: tuple[str, str]) -> str:
    """Return the snippet with what was looked for in bold, where the terminal shows that."""
    text, parts, at = str(hit["snippet"]), list[str](), 0
    for start, end in hit["highlights"]:
        parts += (visible(text[at:start]), bold[0], visible(text[start:end]), bold[1])
        at = end
    return "".join((*parts, visible(text[at:])))


def _bold() -> tuple[str, str]:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    return ("", "") if plain else ("\x1b[1m", "\x1b[0m")


def _rejected(hit: "dict[str, Any]") -> str:
    return f"rejected: {hit['rejected']}" if hit["rejected"] else ""


def checked(document: Document, *, strict: bool) -> Outcome:
    """Return broken rules, a line each: `path:line:column: severity CODE message`, and what mends it."""
    summary: dict[str, int] = document["summary"]  # type: ignore[assignment]  # our own document
    rows: list[dict[str, Any]] = document["violations"]  # type: ignore[assignment]  # our own document
    failed = summary["error"] or (strict and summary["warning"])
    talk = (*(f"vaultd: {notice}" for notice in _notices(document)), _summary(summary))
    return Outcome(document, tuple(line for row in rows for line in _row(row)), 1 if failed else 0, talk)


def _row(row: "dict[str, Any]") -> list[str]:
    place = f"{visible(row['path'])}:{row['line']}:{row['column']}"
    line = f"{place}: {row['severity']} {row['code']} {visible(row['message'])}"
    return [line, f"    hint: {visible(row['hint'])}"] if row["hint"] else [line]


def _summary(summary: dict[str, int]) -> str:
    return f"vaultd: {_counted(summary['notes'], 'note')}: {_problems(summary)}, {_counted(summary['info'], 'info')}"


def _problems(counts: dict[str, int]) -> str:
    return f"{_counted(counts['error'], 'error')}, {_counted(counts['warning'], 'warning')}"


def _counted(number: int, one: str) -> str:
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"


def state(document: "dict[str, Any]") -> Outcome:
    """Return how a vault is, a line for each matter."""
    memories, problems = document["memories"], document["problems"]
    pid = f" (pid {document['pid']})" if document["pid"] else ""
    lines = [
        f"{document['vault']}: {document['state']}{pid}",
        f"notes      {document['notes']:,}",
        f"memories   {memories['active']} active, {memories['superseded']} superseded, {memories['archived']} archived",
        f"problems   {_problems(problems)}",
    ]
    lines += [f"rejected   {visible(row['path'])}  {row['code']}" for row in document["rejected"]]
    lines += [f"pending    {visible(row['path'])}  {visible(row['reason'])}" for row in document["pending"]]
    lines += [f"plugin     {row['id']}  {row['state']}  {row['reason']}".rstrip() for row in document["plugins"]]
    lines += [f"notice     {visible(notice)}" for notice in document["notices"]]
    return Outcome(document, tuple(lines))


def _notices(document: Document) -> list[str]:
    notices = document.get("notices", [])
    return [visible(notice) for notice in notices] if isinstance(notices, list) else []
