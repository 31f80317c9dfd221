"""A note's structure as rows for the mirror: pure, and cheap enough to do for every note that is read."""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC
from typing import NamedTuple

from vaultd.index.rows import row_of
from vaultd.notes.note import Note
from vaultd.notes.scalars import Value
from vaultd.notes.structure import Link, Structure, Tag
from vaultd.notes.tasks import Task
from vaultd.notes.times import parse_moment

Cell = str | int | float | None
Row = tuple[Cell, ...]
_DEEPEST = 8
_DATE_LENGTH = 10
_LONGEST_MOMENT = 40
_MORE = ("created", "cancelled", "recurrence", "id", "on_completion", "block_id")


class Meaning(NamedTuple):
    """What a link means."""

    number: int | None
    """The number of the file."""
    rivals: int
    """How many files it could mean."""
    key: str
    """What it shares with every path that can change what it means."""


Resolve = Callable[[str, str], Meaning]
"""Takes a link's target and the path it stands in."""


class Derived(NamedTuple):
    """The rows of one note, table by table; each begins with the note's number and the row's place in the note."""

    note: int
    properties: list[Row]
    links: list[Row]
    headings: list[Row]
    blocks: list[Row]
    tags: list[Row]
    tasks: list[Row]


def derived(path: str, note: Note, found: Structure, resolve: Resolve) -> Derived:
    """Return everything the mirror keeps of a note beside its stamp."""
    number = row_of(path)
    return Derived(
        number,
        [(number, place, *row) for place, row in enumerate(_properties(note))],
        [(number, place, *_link(link, path, resolve)) for place, link in enumerate(found.links)],
        [(number, place, head.level, head.text, head.line) for place, head in enumerate(found.headings)],
        [(number, place, block.id, block.line, block.last_line) for place, block in enumerate(found.blocks)],
        [(number, place, *_tag(tag)) for place, tag in enumerate(found.tags)],
        [(number, place, *_task(task)) for place, task in enumerate(found.tasks)],
    )


def plain(text: str) -> str:
    """Return the text as Unicode proper: file names and YAML escapes can hold lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _link(link: Link, path: str, resolve: Resolve) -> Row:
    target, subpath, display, embed, kind, line, column, _start, _end, key = link
    number, rivals, link_key = resolve(target, path)
    if key is not None:
        # Only what YAML spells with escapes can be no Unicode proper.
        target, subpath, key = plain(target), plain(subpath), plain(key)
        display = plain(display) if display is not None else None
    return line, column, target, subpath, display, int(embed), kind, key, link_key, number, rivals


def _tag(tag: Tag) -> Row:
    name = tag.name if tag.start >= 0 else plain(tag.name)
    return name, name.casefold(), tag.line, tag.column


def _task(task: Task) -> Row:
    more = {name: value for name in _MORE if (value := getattr(task, name)) is not None}
    if task.tags:
        more["tags"] = list(task.tags)
    if task.depends_on:
        more["depends_on"] = list(task.depends_on)
    return (
        task.line,
        task.column,
        task.status,
        task.status_type,
        task.text,
        task.due,
        task.scheduled,
        task.start,
        task.done,
        task.priority,
        json.dumps(more, ensure_ascii=False) if more else "",
    )


def _properties(note: Note) -> Iterator[Row]:
    for key, value in note.properties.items():
        name, line = plain(key), note.key_lines.get(key, 1)
        folded = name.casefold()
        for item, (kind, text, number) in _values(value):
            yield folded, name, line, item, kind, text, number


def _values(value: Value) -> Iterable[tuple[int, tuple[str, str, float | None]]]:
    """Yield what a property holds: -1 for the one value of a property that is no list, else the place in the list."""
    if isinstance(value, list):
        return enumerate(_typed(item) for item in value) if value else [(-1, ("list", "", None))]
    return [(-1, _typed(value))]


def _typed(value: Value) -> tuple[str, str, float | None]:
    match value:
        case str():
            return _text(value)
        case None:
            return "null", "", None
        case bool():
            return "checkbox", "true" if value else "false", float(value)
        case int() | float():
            return "number", str(value), _number(value)
        case _:
            return "object", plain(json.dumps(_shallow(value, _DEEPEST), ensure_ascii=False, default=str)), None


def _text(text: str) -> tuple[str, str, float | None]:
    if text[:4].isdigit() and len(text) <= _LONGEST_MOMENT and (moment := parse_moment(text, UTC)):
        kind = "date" if len(text.strip()) == _DATE_LENGTH else "datetime"
        return kind, text, moment.utc.timestamp() if moment.utc is not None else None
    return "text", plain(text), None


def _number(value: float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    return None if math.isnan(number) else number


def _shallow(value: Value, depth: int) -> Value:
    if not depth:
        return "…"
    if isinstance(value, dict):
        return {key: _shallow(item, depth - 1) for key, item in value.items()}
    return [_shallow(item, depth - 1) for item in value] if isinstance(value, list) else value
