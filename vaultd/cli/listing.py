"""Verbs that list what notes hold: links, backlinks, unresolved, orphans, tags, tasks, properties, outline; reconcile."""

from argparse import Namespace
from typing import Any

from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.reaching import ask_daemon, opened_app, start_of
from vaultd.cli.visible import visible


def links(asked: Namespace) -> Outcome:
    """List the links of a note, or of all notes."""
    return _shown(_asking(asked, "links", {"ref": asked.ref, "limit": asked.limit}), "links", _link)


def backlinks(asked: Namespace) -> Outcome:
    """List what links to a note."""
    return _shown(_asking(asked, "backlinks", {"ref": asked.ref, "limit": asked.limit}), "backlinks", _link)


def unresolved(asked: Namespace) -> Outcome:
    """List links that lead nowhere."""
    return _shown(_asking(asked, "unresolved", {"limit": asked.limit}), "unresolved", _wanted)


def orphans(asked: Namespace) -> Outcome:
    """List notes that nothing links to."""
    return _shown(_asking(asked, "orphans", {"limit": asked.limit}), "orphans", visible)


def tags(asked: Namespace) -> Outcome:
    """List tags and how often each is used."""
    return _shown(
        _asking(asked, "tags", {"limit": asked.limit}), "tags", lambda row: f"{row['count']:>6}  {visible(row['tag'])}"
    )


def tasks(asked: Namespace) -> Outcome:
    """List the tasks in notes."""
    arguments: Document = {"status": asked.status, "due_before": asked.due_before, "limit": asked.limit}
    return _shown(_asking(asked, "tasks", arguments), "tasks", _task)


def properties(asked: Namespace) -> Outcome:
    """List properties, or the values of one."""
    document = _asking(asked, "properties", {"name": asked.name, "limit": asked.limit})
    if asked.name is None:
        return _shown(document, "properties", lambda row: f"{row['notes']:>6}  {visible(row['name'])}  ({row['type']})")
    shown = _shown(document, "values", lambda row: f"{visible(row['path'])}:{row['line']}: {_value(row['value'])}")
    if not document["values"]:
        shown.talk = (*shown.talk, f"vaultd: no note has a property {visible(asked.name)}")
    return shown


def outline(asked: Namespace) -> Outcome:
    """Print the headings of a note."""
    return _shown(_asking(asked, "outline", {"ref": asked.ref}), "headings", _heading)


def reconcile(asked: Namespace) -> Outcome:
    """Compare every file with the index and catch up now."""
    start = start_of(asked.vault)
    document = ask_daemon(start, "reconcile", {})
    if document is None:
        with opened_app(start) as app:
            seen = app.look()
            caught = app.catching
            changed = len(caught.changed) + len(caught.removed) if caught is not None else 0
            generation = app.opened.mirror.generation()
            document = {
                "vaultd": 1,
                "notes": len(seen.notes),
                "changed": changed,
                "generation": generation,
                "notices": list(seen.notices),
            }
    return Outcome(
        document, (f"reconciled: {document['notes']:,} notes, {document['changed']} changed",), talk=_talk(document)
    )


def _asking(asked: Namespace, verb: str, arguments: Document) -> Document:
    start = start_of(asked.vault)
    document = ask_daemon(start, verb, arguments)
    if document is not None:
        return document
    from vaultd.listings import listed  # noqa: PLC0415  -- a daemon's answer needs none of it

    with opened_app(start) as app:
        notices = app.look().notices
        return listed(app, verb, arguments, notices)


def _shown(document: Document, key: str, line: Any) -> Outcome:
    rows: Any = document[key]
    left = int(str(document["total"])) - len(rows)
    more = (f"vaultd: {left:,} more",) if left > 0 else ()
    return Outcome(document, tuple(line(row) for row in rows), talk=(*_talk(document), *more))


def _talk(document: Document) -> tuple[str, ...]:
    notices: Any = document.get("notices", [])
    return tuple(f"vaultd: {visible(notice)}" for notice in notices)


def _link(row: dict[str, Any]) -> str:
    written = visible(f"{row['target']}{row['subpath']}")
    place = f" ({visible(row['property'])})" if row["property"] else ""
    at = f"{visible(row['path'])}:{row['line']}:{row['column']}"
    return f"{at}: {written}{place} -> {visible(row['resolved'] or 'nothing')}"


def _wanted(row: dict[str, Any]) -> str:
    first = row["links"][0]
    return f"{row['count']:>6}  {visible(row['target'])}  ({visible(first['path'])}:{first['line']})"


def _task(row: dict[str, Any]) -> str:
    due = f"  due {row['due']}" if row["due"] else ""
    return f"{visible(row['path'])}:{row['line']}: [{visible(row['status'])}] {visible(row['text'])}{due}"


def _heading(row: dict[str, Any]) -> str:
    return f"{row['line']:>5}  {'  ' * (row['level'] - 1)}{visible(row['text'])}"


def _value(value: object) -> str:
    return "" if value is None else visible(value)
