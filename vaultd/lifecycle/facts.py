"""What the bytes of one note say about its lifecycle, free of path, clock and history.

Facts depend on nothing but the bytes, so they are cached by blob id and read once per version.
"""

import json
from collections.abc import Mapping

from vaultd.lifecycle.tombstones import Tombstone, find_tombstone
from vaultd.notes.findings import Finding
from vaultd.notes.note import Note
from vaultd.notes.scalars import Value, spell
from vaultd.values import asdict, dataclass

LIFECYCLE_KEYS = ("id", "invalid_at", "superseded_by")
TEXT_KEYS = ("kind", "name", "description", "project", "created", "updated", "valid_from")

_KEYS = LIFECYCLE_KEYS + TEXT_KEYS
_TELLING = frozenset((*_KEYS, "title"))


@dataclass(frozen=True, slots=True)
class Odd:
    """A lifecycle key whose value has a type that it may not have."""

    key: str
    what: str


@dataclass(frozen=True, slots=True)
class Facts:
    """A note's lifecycle values as written; None is null, empty or absent, which are one value."""

    readable: bool = True
    id: str | None = None
    invalid_at: str | None = None
    superseded_by: str | None = None
    odd: tuple[Odd, ...] = ()
    kind: str | None = None
    name: str | None = None
    description: str | None = None
    project: str | None = None
    created: str | None = None
    updated: str | None = None
    valid_from: str | None = None
    title: str | None = None
    lines: Mapping[str, int] | None = None
    """1-based file line of each key that is there."""
    tombstone: Tombstone | None = None
    findings: tuple[Finding, ...] = ()

    def line(self, key: str) -> int:
        """Return the line that a message about a key points at: the key's, or the first."""
        return (self.lines or {}).get(key, 1)

    def oddness(self, key: str) -> str | None:
        """Return what is wrong with a key's type, if something is."""
        return next((odd.what for odd in self.odd if odd.key == key), None)


ABSENT = Facts()
UNREADABLE = Facts(readable=False)


def facts_of(note: Note) -> Facts:
    """Return what a note's bytes say about its lifecycle."""
    values, lines = note.properties, note.key_lines
    if values.keys().isdisjoint(_TELLING):
        plain = note.readable and not note.findings
        return ABSENT if plain else Facts(readable=note.readable, findings=note.findings)
    odd: list[Odd] = []
    return Facts(
        readable=note.readable,
        id=_identity(values.get("id"), odd),
        invalid_at=_ending("invalid_at", values.get("invalid_at"), odd),
        superseded_by=_ending("superseded_by", _unlisted_link(values.get("superseded_by")), odd),
        odd=tuple(odd),
        title=_text(values.get("title")),
        lines={key: lines[key] for key in _KEYS if key in lines} or None,
        tombstone=find_tombstone(note) if "id" in values else None,
        findings=note.findings,
        **{key: _text(values[key]) for key in TEXT_KEYS if key in values},
    )


def _identity(value: Value, odd: list[Odd]) -> str | None:
    if value is None or isinstance(value, str):
        return value or None
    odd.append(Odd("id", f"is {_kind_of(value)}, not text"))
    return None


def _ending(key: str, value: Value, odd: list[Odd]) -> str | None:
    if value is None or isinstance(value, str):
        return value or None
    odd.append(Odd(key, f"is {_kind_of(value)}, not text"))
    return spell(value)


def _unlisted_link(value: Value) -> Value:
    """Return the wikilink text of an unquoted `[[x]]`, which YAML reads as a list in a list."""
    match value:
        case [[str(target)]]:
            return f"[[{target}]]"
        case _:
            return value


def _text(value: Value) -> str | None:
    if isinstance(value, str):
        return value or None
    return None if value is None or isinstance(value, dict | list) else spell(value)


def _kind_of(value: Value) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return "text"


def dump_facts(facts: Facts) -> str:
    """Return facts as text for a cache; what is at its default is left out."""
    if facts is ABSENT:  # as those of most notes that are no memories
        return "{}"
    small: dict[str, object] = {}
    for key, default in _DEFAULTS.items():
        value = getattr(facts, key)
        if value is not default and value != default:
            small[key] = value
    return _ENCODE(small) if small else "{}"


def load_facts(text: str) -> Facts:
    """Return the facts that `dump_facts` wrote."""
    if text == "{}":
        return ABSENT
    raw = json.loads(text)
    if "odd" in raw:
        raw["odd"] = tuple(Odd(**odd) for odd in raw["odd"])
    if "findings" in raw:
        raw["findings"] = tuple(Finding(**finding) for finding in raw["findings"])
    if raw.get("tombstone"):
        raw["tombstone"] = Tombstone(**raw["tombstone"])
    return Facts(**raw)


_DEFAULTS: dict[str, object] = {name: getattr(ABSENT, name) for name in Facts.__match_args__}
_ENCODE = json.JSONEncoder(separators=(",", ":"), default=asdict).encode
