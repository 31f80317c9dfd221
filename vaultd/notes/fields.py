"""Dataview's inline fields: `[key:: value]`, `(key:: value)`, and lines that are `Key:: value`."""

import re
from collections.abc import Iterator
from typing import Literal

from vaultd.notes.lines import Lines
from vaultd.values import dataclass

_OPENER = re.compile(r"(?P<opener>[\[(])(?P<key>[^\[\]()\n:]*(?::(?!:)[^\[\]()\n:]*)*+)::")
_LINE = re.compile(
    r"(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*(?:\[[^\n]\][ \t]+)?"
    r"[*_~]*(?P<key>(?:[\w/-]|[\u2600-\u27bf\ufe0f\u200d\U0001f000-\U0001faff])"
    r"(?:[\w \t/-]|[\u2600-\u27bf\ufe0f\u200d\U0001f000-\U0001faff])*?)[ \t]*[*_~]*[ \t]*::"
)
_BRACKET = re.compile(r"\\.|[\[\]()]")
_NOT_IN_NAME = re.compile(r"[^\w-]+")


@dataclass(frozen=True, slots=True)
class Field:
    """An inline field; `value` is its text, "" where it is empty."""

    key: str
    value: str
    line: int
    column: int
    written: Literal["[", "(", "line"]

    @property
    def name(self) -> str:
        """The key as Dataview also knows it: `Basic Field` is `basic-field`."""
        return _NOT_IN_NAME.sub("-", self.key.strip().lower()).strip("-")


def fields(text: str, shown: str, lines: Lines) -> Iterator[Field]:
    """Yield the inline fields of a masked body; a line with one in brackets is no field itself."""
    at = text.find("::")
    while at >= 0:
        index = lines.index(at)
        start, end = lines.starts[index], lines.end(index)
        found = list(_bracketed(text, shown, start, end))
        for offset, field_key, value, opener in found or _whole_line(text, shown, start, end):
            yield Field(field_key, value, *lines.position(offset), opener)
        at = text.find("::", end)


_Found = tuple[int, str, str, Literal["[", "(", "line"]]


def _bracketed(text: str, shown: str, start: int, end: int) -> Iterator[_Found]:
    closers: dict[int, int] | None = None
    at = start
    while match := _OPENER.search(text, at, end):
        closers = _pairs(text, start, end) if closers is None else closers
        closed = closers.get(match.start())
        if closed is None or closed < match.end() or not match["key"].strip():
            at = match.start() + 1
            continue
        value = shown[match.end() : closed].strip()
        yield match.start(), match["key"].strip(), value, "[" if match["opener"] == "[" else "("
        at = closed + 1


def _pairs(text: str, start: int, end: int) -> dict[int, int]:
    """Return which bracket closes which in a line, each kind counted for itself."""
    opened: dict[str, list[int]] = {"[": [], "(": []}
    closers: dict[int, int] = {}
    for match in _BRACKET.finditer(text, start, end):
        if match[0] in "[(":
            opened[match[0]].append(match.start())
        elif match[0] in "])":
            stack = opened["[" if match[0] == "]" else "("]
            if stack:
                closers[stack.pop()] = match.start()
    return closers


def _whole_line(text: str, shown: str, start: int, end: int) -> Iterator[_Found]:
    if match := _LINE.match(text, start, end):
        yield match.start("key"), match["key"].strip(), shown[match.end() : end].strip(), "line"
