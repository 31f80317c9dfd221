"""What notes hold beside their words, as lists: links both ways, tags, tasks, properties, headings."""

import json
from collections.abc import Iterator, Mapping, Sequence, Sized

from vaultd.index.derived import Cell, Row
from vaultd.index.linking import keys_of
from vaultd.index.mirror import Mirror
from vaultd.index.rows import row_of, unstored
from vaultd.search.conditions import moment_span
from vaultd.search.properties import Types

Listed = dict[str, object]
_LINK = (
    "SELECT s.path, l.line, l.column, l.target, l.subpath, l.display, l.embed, l.kind, l.property, t.path"
    " FROM links l JOIN names s ON s.number = l.note LEFT JOIN names t ON t.number = l.resolved"
)
_IN_DOUBT = "l.note IN (SELECT note FROM mentions WHERE doubtful)"
"""So that SQLite looks into no other notes."""
_ORDER = " ORDER BY s.path, l.line, l.column, l.place"
_LINK_KEYS = ("path", "line", "column", "target", "subpath", "display", "embed", "kind", "property", "resolved")
_NO_TASKS = ",[]]"
"""How an outline without tasks ends."""
_STATUS, _DUE = 2, 5
"""Where they stand in what is kept of a task."""
_NO_FIELDS = (None, None, None, None, "normal", "")


def links(mirror: Mirror, path: str | None) -> list[Listed]:
    """Return the links that stand in a note, or in any, in the order they stand."""
    if path is None:
        return [_link(row) for row in mirror.rows(_LINK + _ORDER)]
    return [_link(row) for row in mirror.rows(f"{_LINK} WHERE l.note = ? ORDER BY l.place", row_of(path))]


def backlinks(mirror: Mirror, path: str) -> list[Listed]:
    """Return the links in other notes that mean a note."""
    return [link for link in leading_to(mirror, [path]) if link["path"] != path]


def unresolved(mirror: Mirror) -> list[Listed]:
    """Return what links name and no file is called, the most wanted first, with where it is named."""
    wanted: dict[str, list[Listed]] = {}
    for row in mirror.rows(f"{_LINK} WHERE {_IN_DOUBT} AND l.resolved IS NULL{_ORDER}"):
        link = _link(row)
        wanted.setdefault(str(link["target"]), []).append({key: link[key] for key in ("path", "line", "column")})
    ordered = sorted(wanted.items(), key=lambda item: (-len(item[1]), item[0]))
    return [{"target": target, "count": len(places), "links": places} for target, places in ordered]


def orphans(mirror: Mirror) -> list[str]:
    """Return the notes that no other note links to."""
    linked = {number for (number,) in mirror.rows("SELECT DISTINCT resolved FROM links WHERE resolved <> note")}
    return sorted(path for number, path in mirror.paths().items() if number not in linked)


def tags(mirror: Mirror) -> list[Listed]:
    """Return every tag, in its most used spelling, with how often and in how many notes it is used."""
    spelled: dict[str, list[tuple[int, str]]] = {}
    notes = {str(tag): int(count or 0) for tag, count in mirror.rows(_TAG_NOTES)}
    for folded, name, count in mirror.rows("SELECT folded, name, count(*) FROM tags GROUP BY folded, name"):
        spelled.setdefault(str(folded), []).append((-int(count or 0), str(name)))
    rows = ((sum(-uses for uses, _ in names), min(names)[1], notes[folded]) for folded, names in spelled.items())
    return [{"tag": tag, "count": count, "notes": there} for count, tag, there in sorted(rows, key=_most_used)]


_TAG_NOTES = "SELECT folded, count(DISTINCT note) FROM tags GROUP BY folded"


def _most_used(row: tuple[int, str, int]) -> tuple[int, str]:
    return -row[0], row[1]


def tasks(mirror: Mirror, status: str | None, due_before: float | None) -> list[Listed]:
    """Return the tasks in notes: those with a status character, those due before a moment, or all."""
    # SQLite would look through a note's list anew for each value of each task.
    found = mirror.rows("SELECT n.path, o.outline FROM outlines o JOIN names n ON n.number = o.note ORDER BY n.path")
    return [
        _task(path, rest)
        for path, outline in ((unstored(str(path)), str(outline)) for path, outline in found)
        if not outline.endswith(_NO_TASKS)
        for rest in json.loads(outline)[2]
        if (status is None or rest[_STATUS] == status)
        and (due_before is None or _is_due(rest[_DUE] if len(rest) > _DUE else None, due_before))
    ]


def _is_due(due: Cell, before: float) -> bool:
    span = moment_span(str(due)) if due is not None else None
    return span is not None and span[0] < before


def _task(path: str, kept: Sequence[Cell]) -> Listed:
    """Return a task as it is listed, from what `outlines` keeps of it: what is usual is left out at the end."""
    line, column, status, kind, text, *fields = kept
    task: Listed = {"path": path, "line": line, "column": column, "status": status, "type": kind, "text": text}
    due, scheduled, start, done, priority, more = fields or _NO_FIELDS
    task |= {"due": due, "scheduled": scheduled, "start": start, "done": done, "priority": priority}
    return task | _document(more)


def _document(text: Cell) -> Listed:
    read: dict[str, object] = json.loads(str(text)) if text else {}
    return {"tags": [], **read}


def properties(mirror: Mirror, types: Types) -> list[Listed]:
    """Return every property with its type and in how many notes it stands; the most used first."""
    kinds: dict[str, dict[str, int]] = {}
    named: dict[str, str] = {}
    for folded, name, kind, count in mirror.rows(
        "SELECT folded, name, CASE WHEN item >= 0 THEN 'list' ELSE kind END AS type, count(DISTINCT note)"
        " FROM properties GROUP BY folded, name, type ORDER BY folded, name, type"
    ):
        named.setdefault(str(folded), str(name))
        counts = kinds.setdefault(str(folded), {})
        counts[str(kind)] = counts.get(str(kind), 0) + int(count or 0)
    rows = [
        {"name": named[folded], "type": types.get(folded) or _usual(counts), "notes": sum(counts.values())}
        for folded, counts in kinds.items()
    ]
    return sorted(rows, key=lambda row: (-int(str(row["notes"])), str(row["name"])))


def _usual(counts: Mapping[str, int]) -> str:
    """Return the type that most notes give a property; empty ones do not say."""
    telling = {kind: count for kind, count in counts.items() if kind != "null"} or {"null": 0}
    return max(sorted(telling), key=telling.__getitem__)


def values(mirror: Mirror, name: str) -> list[Listed]:
    """Return every value of a property with where it stands; a list has a row for each item."""
    found = mirror.rows(
        "SELECT n.path, p.line, p.kind, p.text FROM properties p JOIN names n ON n.number = p.note"
        " WHERE p.folded = ? ORDER BY n.path, p.place",
        name.casefold(),
    )
    return [
        {"path": unstored(str(path)), "line": line, "type": kind, "value": None if kind == "null" else text}
        for path, line, kind, text in found
    ]


def outline(mirror: Mirror, path: str) -> list[Listed]:
    """Return the headings of a note."""
    found = mirror.rows("SELECT level, text, line FROM headings WHERE note = ? ORDER BY place", row_of(path))
    return [{"level": level, "text": text, "line": line} for level, text, line in found]


def _link(row: Row) -> Listed:
    listed: Listed = dict(zip(_LINK_KEYS, row, strict=True))
    resolved = listed["resolved"]
    return {
        **listed,
        "path": unstored(str(listed["path"])),
        "embed": bool(listed["embed"]),
        "resolved": unstored(str(resolved)) if resolved is not None else None,
    }


def ambiguous(mirror: Mirror) -> Iterator[Listed]:
    """Yield the links that more than one file answers to."""
    return map(_link, mirror.rows(f"{_LINK} WHERE {_IN_DOUBT} AND l.rivals > 1 AND l.resolved IS NOT NULL{_ORDER}"))


def pointed(mirror: Mirror) -> Iterator[Listed]:
    """Yield the links to a heading or block of a note."""
    return map(_link, mirror.rows(f"{_LINK} WHERE {_IN_DOUBT} AND l.subpath <> '' AND l.resolved IS NOT NULL{_ORDER}"))


def leading_nowhere(mirror: Mirror) -> Iterator[Listed]:
    """Yield the links that no file answers to."""
    return map(_link, mirror.rows(f"{_LINK} WHERE {_IN_DOUBT} AND l.resolved IS NULL{_ORDER}"))


def leading_to(mirror: Mirror, paths: list[str]) -> Iterator[Listed]:
    """Yield the links that mean one of these files."""
    numbers, keys = [*map(row_of, paths)], [*keys_of(paths)]
    mentioning = f"l.note IN (SELECT note FROM mentions WHERE key IN ({_marks(keys)}))"  # noqa: S608 — only marks
    found = mirror.rows(f"{_LINK} WHERE {mentioning} AND l.resolved IN ({_marks(numbers)}){_ORDER}", *keys, *numbers)
    return map(_link, found)


def _marks(values: Sized) -> str:
    return ",".join("?" * len(values))
