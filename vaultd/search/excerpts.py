"""Where in a note the words of a question stand, by the note's bytes as they are now."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from vaultd.index.projection import Projected, project
from vaultd.index.words import camel_parts, folded, is_unspaced, spaced
from vaultd.notes.note import parse
from vaultd.notes.structure import structure
from vaultd.values import dataclass

_WIDTH = 160
_LEAD = 40
_MANY = 40
_GAP = r"[\W_]+"
_RUNS = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]")
"""Characters that folding leaves one each, and those of which it may make several."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The line, counted from 1 in the file, that shows best why a note was found."""

    line: int
    text: str
    highlights: tuple[tuple[int, int], ...] = ()
    """Where in the text, in characters, the words of the question stand; in order and apart."""


def line_at(data: bytes, line: int, words: Iterable[str]) -> Excerpt | None:
    """Return a line of a note, counted from 1, with these words in it marked; None where the note has not so many."""
    lines = _text(_with_newlines(data)).split("\n")
    if not 0 < line <= len(lines):
        return None
    patterns = [re.compile(re.escape(folded(word))) for word in words]
    return _shown(line - 1, lines[line - 1], 0, patterns)


class Holds:
    """Says whether a note still holds what was asked for, and where."""

    def __init__(
        self,
        needed: Iterable[tuple[str, ...]],
        excluded: Iterable[tuple[str, ...]],
        words: Callable[[str], list[str]],
        *,
        every: bool,
    ) -> None:
        self._needed = tuple(dict.fromkeys(needed))
        self._excluded = tuple(dict.fromkeys(excluded))
        self._patterns = [_pattern(run) for run in self._needed]
        self._unwanted = [_pattern(run) for run in self._excluded]
        self._ascii = all(pattern.pattern.isascii() for pattern in self._patterns)
        self._unspaced = any(is_unspaced(word) for run in (*self._needed, *self._excluded) for word in run)
        self._words = words
        self._enough = len(self._needed) if every else min(1, len(self._needed))

    def excerpt(self, path: str, data: bytes) -> Excerpt | None:
        """Return the best line of the note, or None where it no longer holds what was asked for."""
        data = _with_newlines(data)
        # Capitals of other scripts cannot be what an ASCII pattern looks for, and bytes are lowered in a tenth of the time.
        plain = _text(data.lower()) if self._ascii else _text(data).lower()
        name = path.lower()
        seen = _lines_of(plain, self._patterns)
        held = self._held(seen, name)
        if held < self._enough:
            # Folding costs more than all the rest, and is seldom what it takes.
            plain, name = self._comparable(_text(data)), self._comparable(path)
            seen = _lines_of(plain, self._patterns)
            held = self._held(seen, name)
        doubtful = held < self._enough or any(pattern.search(plain) for pattern in self._unwanted)
        if doubtful and not self._holds(path, data):
            return None
        return _excerpt(data, seen, self._patterns)

    def likely_lines(self, plain: str, name: str) -> list[int]:
        """Return which lines (from 0) of a folded text may each hold what was asked for; their file's name counts for all."""
        here = sum(1 for pattern in self._patterns if pattern.search(name))
        if here >= self._enough:
            return list(range(plain.count("\n") + 1))
        seen: dict[int, int] = {}
        for pattern in self._patterns:
            for number in _every_line(plain, pattern):
                seen[number] = seen.get(number, 0) + 1
        return sorted(number for number, held in seen.items() if held + here >= self._enough)

    def count(self, data: bytes) -> int:
        """Return how often a text holds what was asked for."""
        plain = self._comparable(data.decode("utf-8", "replace"))
        return sum(len(pattern.findall(plain)) for pattern in self._patterns) or 1

    def first_line(self, data: bytes) -> Excerpt:
        """Return the best line of a text that need not hold what was asked for."""
        data = _with_newlines(data)
        return _excerpt(data, _lines_of(self._comparable(_text(data)), self._patterns), self._patterns)

    def fields(self, path: str, data: bytes) -> dict[str, list[str]]:
        """Return, for each run of words that was looked for, the fields of the note that hold it."""
        note = parse(data)
        projected = project(path, note, structure(note))
        lines = {name: f" {' '.join(self._words(text))} " for name, text in _fields(projected)}
        return {" ".join(run): [name for name, line in lines.items() if _stands(run, line)] for run in self._needed}

    def _held(self, seen: Mapping[int, set[int]], name: str) -> int:
        there = set[int]().union(*seen.values())
        return sum(number in there or bool(pattern.search(name)) for number, pattern in enumerate(self._patterns))

    def _comparable(self, text: str) -> str:
        return folded(spaced(text) if self._unspaced else text)

    def _holds(self, path: str, data: bytes) -> bool:
        """Ask the way the index does, which is exact and slower: a value may be spelled with escapes in the file."""
        note = parse(data)
        projected = project(path, note, structure(note))
        words = self._words("\n".join(text for _, text in _fields(projected)))
        line = f" {' '.join(words)} "
        signs = set(projected.literals.split())
        held = sum(1 for run in self._needed if _stands(run, line) or set(run) <= signs)
        return held >= self._enough and not any(_stands(run, line) for run in self._excluded)


def _with_newlines(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _fields(projected: Projected) -> list[tuple[str, str]]:
    names = ("title", "name", "description", "headings", "text", "place", "literals")
    return [*((name, getattr(projected, name)) for name in names), ("tags", "\n".join(projected.tags))]


def _stands(run: tuple[str, ...], line: str) -> bool:
    wanted = f" {' '.join(run)}"
    if wanted.endswith("~"):
        return re.search(f" (?:{_alike(folded(wanted[1:-1]))}) ", line) is not None
    return wanted[:-1] in line if wanted.endswith("*") else f"{wanted} " in line


def _pattern(run: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for words in a row, whatever stands between them that is no word."""
    if run[-1].endswith("~"):
        return re.compile(rf"(?<![^\W_])(?:{_alike(folded(run[-1][:-1]))})(?![^\W_])")
    first, *others = [re.escape(folded(word.removesuffix("*"))) for word in run]
    end = "" if run[-1].endswith("*") else r"(?![^\W_])"
    # Looking back after the first word, not before it, lets the search jump from one candidate to the next.
    start = rf"{first}(?<![^\W_]{first})"
    return re.compile(_GAP.join([start, *others]) + end)


def _alike(word: str) -> str:
    """Return a pattern for a word with one letter more, less or another one, or two neighbours swapped."""
    any_letter = r"[^\W_]"
    ways = [word[:at] + any_letter + word[at:] for at in range(len(word) + 1)]
    ways += [word[:at] + any_letter + "?" + word[at + 1 :] for at in range(len(word))]
    ways += [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)]
    return "|".join(ways)


def _excerpt(data: bytes, seen: Mapping[int, set[int]], patterns: list[re.Pattern[str]]) -> Excerpt:
    if not seen:
        text = _text(data)
        return _inside_a_word(text, patterns) or _first_line(text, patterns)
    most = max(map(len, seen.values()))
    likely = [number for number, held in seen.items() if len(held) == most]
    body = _body_start(_text(data)) if len(likely) > 1 else 0
    best = min(likely, key=lambda number: (number < body, number))
    shown = _text(data.split(b"\n", best + 1)[best])
    line = folded(shown)
    places = [found.start() for pattern in patterns if (found := pattern.search(line))]
    return _shown(best, shown, min(places, default=0), patterns)


def _first_line(text: str, patterns: list[re.Pattern[str]]) -> Excerpt:
    lines = text.split("\n")
    first = next((number for number in range(_body_start(text), len(lines)) if lines[number].strip()), 0)
    return _shown(first, lines[first], 0, patterns)


def _inside_a_word(text: str, patterns: list[re.Pattern[str]]) -> Excerpt | None:
    """Return the first line with a word like `camelCase` of which a part was asked for."""
    for at, part in camel_parts(text):
        if any(pattern.fullmatch(folded(part)) for pattern in patterns):
            number = text.count("\n", 0, at)
            shown = _cut(text.split("\n", number + 1)[number], at - text.rfind("\n", 0, at) - 1)
            start = shown.find(part)
            return Excerpt(number + 1, shown, ((start, start + len(part)),) if start >= 0 else ())
    return None


def _shown(number: int, line: str, at: int, patterns: list[re.Pattern[str]]) -> Excerpt:
    text = _cut(line, at)
    return Excerpt(number + 1, text, _highlights(text, patterns))


def _highlights(text: str, patterns: list[re.Pattern[str]]) -> tuple[tuple[int, int], ...]:
    """Return where the patterns stand in a text; folding may make one character several, so their places are kept."""
    places: Sequence[int] = range(len(text) + 1)
    plain = folded(text)
    if len(plain) != len(text):
        plain, places = _folded_apart(text)
    found = sorted(match.span() for pattern in patterns for match in pattern.finditer(plain))
    apart: list[tuple[int, int]] = []
    for start, end in ((places[start], places[end - 1] + 1) for start, end in found if end > start):
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return tuple(apart)


def _folded_apart(text: str) -> tuple[str, list[int]]:
    """Return a folded text, and for each of its characters, and its end, the place of the one it came from."""
    parts: list[str] = []
    places: list[int] = []
    for run in _RUNS.finditer(text):
        sign = run[0]
        if sign.isascii():
            parts.append(sign.lower())
            places += range(*run.span())
        else:
            parts.append(_folded_sign(sign))
            places += [run.start()] * len(parts[-1])
    return "".join(parts), [*places, len(text)]


@lru_cache(maxsize=4096)
def _folded_sign(sign: str) -> str:
    return folded(sign)


def _lines_of(plain: str, patterns: list[re.Pattern[str]]) -> dict[int, set[int]]:
    """Return line (from 0) to the patterns it holds."""
    seen: dict[int, set[int]] = {}
    for number, pattern in enumerate(patterns):
        line = at = 0
        for match in islice(pattern.finditer(plain), _MANY):
            line += plain.count("\n", at, match.start())
            at = match.start()
            seen.setdefault(line, set()).add(number)
    return seen


def _every_line(plain: str, pattern: re.Pattern[str]) -> set[int]:
    found: set[int] = set()
    line = at = 0
    for match in pattern.finditer(plain):
        line += plain.count("\n", at, match.start())
        at = match.start()
        found.add(line)
    return found


def _body_start(text: str) -> int:
    """Return the line (from 0) on which the body begins."""
    if text[: text.find("\n")].lstrip("\ufeff").rstrip() != "---":
        return 0
    at = 0
    while (at := text.find("\n---", at) + 1) > 0:
        if text[at:].partition("\n")[0].rstrip() == "---":
            return text.count("\n", 0, at) + 1
    return 0


def _cut(line: str, at: int) -> str:
    """Return the part of the line around the place, on one line and not too wide."""
    start = 0 if at < _WIDTH - _LEAD else at - _LEAD
    part = line[start : start + _WIDTH]
    shown = " ".join(part.split())
    return f"{'… ' if start else ''}{shown}{' …' if len(line) > start + _WIDTH else ''}"
