"""Verbs that read: search, show, log, chain."""

import os
import sys
from argparse import Namespace
from typing import Any

from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.reaching import ask_daemon, opened_app, start_of


def search(asked: Namespace) -> Outcome:
    """Find notes by their words."""
    arguments: Document = {
        "query": " ".join(asked.query),
        "all": asked.all,
        "limit": asked.limit,
        "in": [part for part in (asked.within or "").split(",") if part],
        "project": asked.project,
        "kind": asked.kind,
        "tags": asked.tag,
        "path": asked.path,
        "where": asked.where,
        "as_of": asked.as_of,
        "sort": asked.sort,
        "explain": asked.explain,
        "min_generation": asked.min_generation,
    }
    start = start_of(asked.vault)
    document = ask_daemon(start, "search", arguments)
    if document is None:
        from vaultd import answers  # noqa: PLC0415  -- a daemon's answer needs none of it
        from vaultd.daemon.requests import question_of  # noqa: PLC0415

        with opened_app(start) as app:
            document = answers.search(app, question_of(arguments), app.look().notices)
    bold = _bold()
    hits: list[dict[str, Any]] = document["hits"]  # type: ignore[assignment]  # our own document
    lines = [line for hit in hits for line in _hit(hit, bold)]
    talk = [f"vaultd: {notice}" for notice in _notices(document)]
    if not hits:
        talk.append("vaultd: nothing found" + ("" if asked.all else "; --all also looks at what was replaced or ended"))
    return Outcome(document, tuple(lines), talk=tuple(talk))


def _hit(hit: dict[str, Any], bold: tuple[str, str]) -> list[str]:
    marks = [mark for mark in (hit["state"] if hit["state"] not in ("", "active") else "", _rejected(hit)) if mark]
    mark = f"  [{', '.join(marks)}]" if marks else ""
    lines = [f"{hit['path']}:{hit['line']}: {hit['title']}{mark}", f"    {_lit(hit, bold)}"]
    for words, fields in (hit["explain"] or {}).items():
        lines.append(f"    {words}: {', '.join(fields) or 'nowhere now'}  (score {hit['score']})")
    return lines


def _lit(hit: dict[str, Any], bold: tuple[str, str]) -> str:
    """Return the snippet with what was looked for in bold, where the terminal shows that."""
    text, parts, at = str(hit["snippet"]), list[str](), 0
    for start, end in hit["highlights"]:
        parts += (text[at:start], bold[0], text[start:end], bold[1])
        at = end
    return "".join((*parts, text[at:]))


def _bold() -> tuple[str, str]:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    return ("", "") if plain else ("\x1b[1m", "\x1b[0m")


def _rejected(hit: dict[str, Any]) -> str:
    return f"rejected: {hit['rejected']}" if hit["rejected"] else ""


def show(asked: Namespace) -> Outcome:
    """Print a note."""
    from vaultd import answers  # noqa: PLC0415
    from vaultd.listings import meant  # noqa: PLC0415

    with opened_app(start_of(asked.vault)) as app:
        if app.opened.read(asked.ref) is None:
            app.look()
        document = answers.show(app, meant(app, asked.ref))
    if asked.html:
        from vaultd.notes.note import parse  # noqa: PLC0415
        from vaultd.notes.rendering import render  # noqa: PLC0415  -- rendering is heavy, and seldom asked for

        document["html"] = render(parse(str(document["text"]).encode("utf-8", "replace")))
    talk = []
    if document["state"] is not None:
        talk.append(f"vaultd: {document['path']} is {document['state']}")
    successor: Any = document["superseded_by"]
    if successor:
        talk.append(f"vaultd: replaced by {successor['path']} ({successor['id']})")
    text = str(document["html" if asked.html else "text"])
    return Outcome(document, (text.removesuffix("\n"),), talk=tuple(talk))


def log(asked: Namespace) -> Outcome:
    """Tell the ledger."""
    from vaultd import answers  # noqa: PLC0415

    with opened_app(start_of(asked.vault)) as app:
        document = answers.log(app, asked.ref, asked.since, asked.limit)
    entries: list[dict[str, Any]] = document["entries"]  # type: ignore[assignment]  # our own document
    return Outcome(document, tuple(_entry(entry) for entry in entries))


def _entry(entry: dict[str, Any]) -> str:
    reason = f"  ({entry['reason']})" if entry["reason"] else ""
    return f"{entry['commit'][:10]}  {entry['at']}  {entry['actor'] or 'unknown':<10}  {entry['event']:<10}  {entry['subject']}{reason}"


def chain(asked: Namespace) -> Outcome:
    """Show a memory's chain."""
    from vaultd import answers  # noqa: PLC0415

    with opened_app(start_of(asked.vault)) as app:
        document = answers.chain(app, asked.ref)
    rows: list[dict[str, Any]] = document["chain"]  # type: ignore[assignment]  # our own document
    lines = [
        f"{row['state']:<10}  {row['path']}  {row['id']}"
        + (f"  until {row['invalid_at']}" if row["invalid_at"] else "")
        for row in rows
    ]
    return Outcome(document, tuple(lines))


def _notices(document: Document) -> list[str]:
    notices = document.get("notices", [])
    return [str(notice) for notice in notices] if isinstance(notices, list) else []
