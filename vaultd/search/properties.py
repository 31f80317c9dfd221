"""Which notes hold a condition on their properties, asked of the mirror's rows and compared by type."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar, assert_never

from vaultd.index.mirror import Mirror
from vaultd.search.conditions import Both, Compare, Condition, Either, Literally, Not, literally, moment_span

Types = Mapping[str, str]
"""Folded property name to the type that Obsidian has on record for it: text, number, checkbox, date, …"""
_MOMENTS = ("date", "datetime")
_ASCENDING = ":asc"
SORTS = ("score", "updated", "created", "path")
"""What notes are sorted by that is no property; `updated` and `created` are more than one."""
_T = TypeVar("_T", float, str)


class Held(NamedTuple):
    """One value of a property."""

    kind: str
    text: str
    number: float | None


def holding(mirror: Mirror, wanted: Condition, types: Types) -> frozenset[int]:
    """Return the numbers of the notes that hold the condition."""
    match wanted:
        case Both(left, right):
            return holding(mirror, left, types) & holding(mirror, right, types)
        case Either(left, right):
            return holding(mirror, left, types) | holding(mirror, right, types)
        case Not(inner):
            return frozenset(mirror.paths()) - holding(mirror, inner, types)
        case Compare():
            return _comparing(mirror, wanted, types)
        case _:
            assert_never(wanted)


def unheard_of(mirror: Mirror, wanted: Condition | None, sort: str) -> list[str]:
    """Return the names in a condition and a sorting that no note has as a property, each with the nearest that one has."""
    known = {
        str(folded): str(name) for folded, name in mirror.rows("SELECT folded, min(name) FROM properties GROUP BY 1")
    }
    asked = [
        *(_names(wanted) if wanted is not None else ()),
        *([] if sort in SORTS else [sort.removesuffix(_ASCENDING)]),
    ]
    missing = [name for name in dict.fromkeys(asked) if name.casefold() not in known]
    return [_with_nearest(name, known) for name in missing]


def _names(wanted: Condition) -> Iterator[str]:
    match wanted:
        case Both(left, right) | Either(left, right):
            yield from _names(left)
            yield from _names(right)
        case Not(inner):
            yield from _names(inner)
        case Compare(name):
            yield name
        case _:
            assert_never(wanted)


def _with_nearest(name: str, known: Mapping[str, str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 — only where somebody mistyped

    near = get_close_matches(name.casefold(), known, 1)
    return f"{name} (did you mean {known[near[0]]}?)" if near else name


def _comparing(mirror: Mirror, wanted: Compare, types: Types) -> frozenset[int]:
    name = wanted.name.casefold()
    values: dict[int, list[Held]] = {}
    for note, kind, text, number in mirror.rows(
        "SELECT note, kind, text, number FROM properties WHERE folded = ?", name
    ):
        held = typed(str(kind), str(text), number if isinstance(number, float) else None, types.get(name, ""))
        values.setdefault(int(note or 0), []).append(held)
    holds = _test(wanted)
    return frozenset(note for note, several in values.items() if holds(several))


def typed(kind: str, text: str, number: float | None, declared: str) -> Held:
    """Return a value as the declared type reads it; what it cannot be stays what it is."""
    match declared:
        case "text" | "multitext" if kind == "number":
            return Held("text", text, None)
        case "number" if kind == "text":
            read = literally(text)
            return Held("number", text, read.number) if read.number is not None else Held(kind, text, number)
        case "checkbox" if text.casefold() in ("true", "false"):
            return Held("checkbox", text.casefold(), float(text.casefold() == "true"))
        case _:
            return Held(kind, text, number)


def _test(wanted: Compare) -> Callable[[list[Held]], bool]:
    match wanted.operator:
        case "exists":
            return lambda several: True  # noqa: ARG005 — a row is there
        case "=" | "in":
            return lambda several: any(_same(held, value) for held in several for value in wanted.values)
        case "!=":
            return lambda several: not any(_same(held, wanted.values[0]) for held in several)
        case "contains":
            sought = wanted.values[0].text.casefold()
            return lambda several: any(sought in held.text.casefold() for held in several)
        case "<" | "<=" | ">" | ">=":
            operator, value = wanted.operator, wanted.values[0]
            return lambda several: any(_ordered(held, operator, value) for held in several)
        case _:
            assert_never(wanted.operator)


def _same(held: Held, value: Literally) -> bool:
    if held.kind == "number" and value.number is not None:
        return held.number == value.number
    if held.kind in _MOMENTS and value.span is not None and held.number is not None:
        start, end = value.span
        return start <= held.number < end or held.number == start
    if held.kind == "null":
        return value.text.casefold() in ("", "null")
    return held.text.casefold() == value.text.casefold()


def _ordered(held: Held, operator: str, value: Literally) -> bool:
    if held.kind == "number":
        return value.number is not None and held.number is not None and _stands(held.number, operator, value.number)
    if held.kind in _MOMENTS and value.span is not None and held.number is not None:
        start, end = value.span
        last = max(start, end - 1e-6)
        return _stands(held.number, operator, start if operator in ("<", ">=") else last)
    comparable = held.kind == "text" and value.number is None and value.span is None
    return comparable and _stands(held.text.casefold(), operator, value.text.casefold())


def _stands(one: _T, operator: str, other: _T) -> bool:
    match operator:
        case "<":
            return one < other
        case "<=":
            return one <= other
        case ">":
            return one > other
        case _:
            return one >= other


def declared(types_json: bytes) -> dict[str, str]:
    """Return the types that Obsidian's `types.json` declares, by folded name; of a broken file, none."""
    try:
        types = json.loads(types_json)["types"]
    except (ValueError, KeyError, TypeError):
        return {}
    pairs = types.items() if isinstance(types, dict) else ()
    return {name.casefold(): kind for name, kind in pairs if isinstance(kind, str)}


def moments(mirror: Mirror, name: str) -> dict[int, float]:
    """Return, by note, the moment that a property of one value names, in seconds since 1970."""
    rows = mirror.rows("SELECT note, text FROM properties WHERE folded = ? AND item < 0", name)
    read: Iterable[tuple[int, tuple[float, float] | None]] = ((int(n or 0), moment_span(str(t))) for n, t in rows)
    return {note: span[0] for note, span in read if span is not None}


def heights(mirror: Mirror, sort: str, types: Types) -> dict[int, float]:
    """Return, by note, how high it stands when notes are sorted by a property; a note without a value stands nowhere.

    Numbers and times stand by their size, texts by their letters and above them, a list by its largest item; with `:asc`
    the other way round, and a list by its smallest.
    """
    name = sort.removesuffix(_ASCENDING).casefold()
    ascending = sort.endswith(_ASCENDING)
    values: dict[int, list[tuple[bool, float, str]]] = {}
    for note, kind, text, number in mirror.rows(
        "SELECT note, kind, text, number FROM properties WHERE folded = ? AND kind <> 'null'", name
    ):
        held = typed(str(kind), str(text), number if isinstance(number, float) else None, types.get(name, ""))
        key = (held.number is None, held.number or 0.0, held.text.casefold() if held.number is None else "")
        values.setdefault(int(note or 0), []).append(key)
    of_note = {note: min(several) if ascending else max(several) for note, several in values.items()}
    order = {key: float(place) for place, key in enumerate(sorted({*of_note.values()}, reverse=ascending))}
    return {note: order[key] for note, key in of_note.items()}
