"""A note's structure as the mirror keeps it: pure, and cheap enough to do for every note that is read."""

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC
from typing import Any, NamedTuple

from vaultd.index.rows import row_of
from vaultd.notes.note import Note
from vaultd.notes.scalars import Value
from vaultd.notes.structure import Link, Structure, Tag
from vaultd.notes.tasks import Task
from vaultd.notes.times import parse_moment

Cell = str | int | float | None
Row = tuple[Cell, ...]
Pointer = tuple[int, int, str, str, int | None, int, *tuple[Cell, ...]]
"""A link: line, column, target, key, the number of the file it means, rivals; where it is no plain wikilink, the rest."""
Mention = tuple[str, int, int]
"""A key under which links of a note are resolved, the note, and whether one of them is worth a look: it may mean nothing,
or several files, or a place in one."""
_DEEPEST = 8
_DATE_LENGTH = 10
_LONGEST_MOMENT = 40
_SUBPATH = 2
"""Where it stands in the rest of a link."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))
_ENCODE = _ENCODER.encode
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
_NO_FIELDS = Task(0, 0, "", "", "", "")[6:]
_MORE = ("created", "cancelled", "recurrence", "id", "on_completion", "block_id")


class Meaning(NamedTuple):
    """What a link means."""

    number: int | None
    """The number of the file."""
    rivals: int
    """How many files it could mean."""
    key: str
    """What it shares with every path that can change what it means."""
    spelled: str
    """How it stands in JSON, behind its link's line and column: target, key, number and rivals."""


def meaning(target: str, number: int | None, rivals: int, key: str) -> Meaning:
    """Return what links with this target mean; spelled once, for as many as there are."""
    return Meaning(number, rivals, key, _ENCODE((plain(target), key, number, rivals))[1:-1])


Resolve = Callable[[str, str], Meaning]
"""Takes a link's target and the path it stands in."""


class Derived(NamedTuple):
    """What the mirror keeps of one note beside its stamp."""

    note: int
    properties: list[Row]
    """Each begins with the note's number and the row's place in the note; those of tags too."""
    tags: list[Row]
    links: str
    """A list in JSON, whose items are the columns of the view `links`; what they end in is left out where it is usual."""
    outline: str
    """Headings, blocks and tasks: three such lists."""
    mentions: list[Mention]


def derived(path: str, note: Note, found: Structure, resolve: Resolve) -> Derived:
    """Return everything the mirror keeps of a note beside its stamp."""
    return derivations((path,), (note,), (found,), resolve)[0]


def derivations(
    paths: Sequence[str], notes: Sequence[Note], found: Sequence[Structure], resolve: Resolve
) -> list[Derived]:
    """Return what the mirror keeps of several notes; step by step for all of them, as `structures` does."""
    numbers = [*map(row_of, paths)]
    links = [_links(*of_one, resolve) for of_one in zip(numbers, paths, found, strict=True)]
    outlines = [*map(_outline, found)]
    for at, note in enumerate(notes):
        if b"\0" in note.data:
            links[at], outlines[at] = _links_without_nul(numbers[at], links[at][0]), _ENCODE(_without_nul(outlines[at]))
    columns = (
        numbers,
        [*map(_properties, numbers, notes)],
        [
            [(number, at, *_tag(tag)) for at, tag in enumerate(one.tags)] if one.tags else []
            for number, one in zip(numbers, found, strict=True)
        ],
        [spelled for spelled, _ in links],
        outlines,
        [mentions for _, mentions in links],
    )
    return [*map(Derived, *columns)]


def _outline(found: Structure) -> str:
    blocks = [(block.id, block.line, block.last_line) for block in found.blocks] if found.blocks else ()
    return _ENCODE((found.headings, blocks, [*map(_task, found.tasks)] if found.tasks else ()))


def _links(number: int, path: str, found: Structure, resolve: Resolve) -> tuple[str, list[Mention]]:
    """Return the links of a note as they are kept, a list in JSON, and where they are mentioned."""
    spelled: list[str] = []
    doubtful: dict[str, int] = {}
    for link in found.links:
        target, subpath, display, embed, kind, line, column, _start, _end, key = link
        means, rivals, link_key, said = resolve(target, path)
        if display is None and key is None and not subpath and not embed and kind == "wiki":
            spelled.append(f"[{line},{column},{said}]")
        else:
            spelled.append(f"[{line},{column},{said},{_ENCODE(_rest(link))[1:]}")
        doubtful[link_key] = doubtful.get(link_key) or _doubt(means, rivals, subpath)
    return f"[{','.join(spelled)}]", [(key, number, doubt) for key, doubt in doubtful.items()]


def _rest(link: Link) -> Row:
    if link.key is None:
        return link.kind, int(link.embed), link.subpath, link.display
    # Only what YAML spells with escapes can be no Unicode proper.
    display = plain(link.display) if link.display is not None else None
    return link.kind, int(link.embed), plain(link.subpath), display, plain(link.key)


def resolved_again(
    number: int, path: str, links: str, keys: Collection[str], resolve: Resolve
) -> tuple[int, str, list[Mention]]:
    """Return how many links of a note have one of these keys, and what is kept of its links once those are resolved."""
    rows: list[Pointer] = [tuple(row) for row in json.loads(links)]
    looked = 0
    for at, (line, column, target, key, _resolved, _rivals, *more) in enumerate(rows):
        if key in keys:
            meaning = resolve(target, path)
            rows[at] = (line, column, target, key, meaning.number, meaning.rivals, *more)
            looked += 1
    return looked, _ENCODE(rows), _mentions(number, rows)


def keys_in(links: str) -> set[str]:
    """Return the keys of the links that are kept of a note."""
    return {str(key) for _line, _column, _target, key, *_ in json.loads(links)}


def _mentions(number: int, links: Iterable[Pointer]) -> list[Mention]:
    doubtful: dict[str, int] = {}
    for link in links:
        _line, _column, _target, key, resolved, rivals, *more = link
        doubtful[key] = doubtful.get(key) or _doubt(resolved, rivals, more[_SUBPATH] if more else "")
    return [(key, number, doubt) for key, doubt in doubtful.items()]


def _doubt(resolved: int | None, rivals: int, subpath: Cell) -> int:
    """Return whether a link may lead nowhere, to several files, or to a part of one that is not there, as a number."""
    return int(resolved is None or rivals > 1 or bool(subpath))


def _links_without_nul(number: int, links: str) -> tuple[str, list[Mention]]:
    rows = _without_nul(links)
    return _ENCODE(rows), _mentions(number, rows)


def _without_nul(lists: str) -> list[Any]:
    """Return what lists in JSON hold, with no NUL in any text: SQLite would cut it there."""
    found: list[Any] = json.loads(_NUL.sub(r"\1\\ufffd", lists))
    return found


def plain(text: str) -> str:
    """Return the text as Unicode proper: file names and YAML escapes can hold lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _tag(tag: Tag) -> Row:
    name = tag.name if tag.start >= 0 else plain(tag.name)
    return name, name.casefold(), tag.line, tag.column


def _task(task: Task) -> Row:
    line, column, _indent, _marker, status, text = task[:6]
    if task[6:] == _NO_FIELDS:
        return line, column, status, task.status_type, text
    more = {name: value for name in _MORE if (value := getattr(task, name)) is not None}
    if task.tags:
        more["tags"] = list(task.tags)
    if task.depends_on:
        more["depends_on"] = list(task.depends_on)
    return (
        line,
        column,
        status,
        task.status_type,
        text,
        task.due,
        task.scheduled,
        task.start,
        task.done,
        task.priority,
        _ENCODE(more) if more else "",
    )


def _properties(number: int, note: Note) -> list[Row]:
    rows: list[Row] = []
    lines = note.key_lines
    for key, value in note.properties.items():
        name = key if key.isascii() else plain(key)
        folded, line = name.casefold(), lines.get(key, 1)
        if isinstance(value, str) and value.isascii() and not value[:1].isdigit():
            rows.append((number, len(rows), folded, name, line, -1, "text", value, None))
            continue
        for item, (kind, text, amount) in _values(value):
            rows.append((number, len(rows), folded, name, line, item, kind, text, amount))
    return rows


def _values(value: Value) -> Iterable[tuple[int, tuple[str, str, float | None]]]:
    """Return what a property holds: -1 for the one value of a property that is no list, else the place in the list."""
    if isinstance(value, list):
        return enumerate(map(_typed, value)) if value else ((-1, ("list", "", None)),)
    return ((-1, _typed(value)),)


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
