"""A question about the vault, and its answer, checked against the files before it is given."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, islice
from typing import NamedTuple

from vaultd.index.fulltext import SOME, FullText, Matches
from vaultd.index.mirror import Mirror, State
from vaultd.index.rows import row_of
from vaultd.index.wanted import Wanted, wanted
from vaultd.lifecycle.records.envelope import read_record
from vaultd.lifecycle.records.values import Record
from vaultd.notes.note import parse
from vaultd.search.excerpts import Excerpt, Holds, line_at
from vaultd.search.filters import Limits, Vault, allowed, glob, unused
from vaultd.search.past import Then
from vaultd.search.pointing import Pointed, pointed
from vaultd.search.properties import SORTS, Types, heights, moments, unheard_of
from vaultd.search.record_lines import Line, Lines, scored
from vaultd.values import dataclass, field, replace

_NOWHERE = float("-inf")
_PLAIN = State()
_AT_ONCE = 32
_VAULT = Vault()


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: in default search only what speaks for itself, with `all` also what was replaced or ended."""

    query: str
    all: bool = False
    limit: int = 20
    limits: Limits = field(default_factory=Limits)
    sort: str = "score"
    """Best first (`score`), by `path`, newest first (`updated`, `created`), or highest first by a property; `NAME:asc` lowest."""
    explain: bool = False
    as_of: str | None = None
    """A time: what was believed then, by what is known now."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A note that answers, as the file stands now."""

    path: str
    id: str
    type: str
    title: str
    project: str
    kind: str
    state: str
    score: float
    line: int
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    """Where in the snippet the words of the question stand, in characters."""
    matched: tuple[str, ...]
    superseded_by: str = ""
    rejected: str = ""
    """The code of the rule that keeps the file's own lifecycle values from counting."""
    explain: Mapping[str, Sequence[str]] | None = None
    """Where asked for: each run of words that was looked for, and the fields that hold it."""
    description: str = ""
    """What a memory or a work note says of itself in one line today."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The best hits, and how many notes match in all."""

    hits: tuple[Hit, ...]
    total: int
    took_ms: float
    generation: int
    notices: tuple[str, ...]


def ask(
    mirror: Mirror,
    fulltext: FullText,
    question: Question,
    read: Callable[[str], bytes | None],
    clock: Callable[[], float] = time.perf_counter,
    *,
    vault: Vault = _VAULT,
    then: Then | None = None,
    lines: Lines | None = None,
) -> Answer:
    """Return what the vault says; a note that left, or no longer holds the words, is not in the answer.

    With `then` it is asked what was believed at a time: other memories count, and their text is that of then.
    """
    start = clock()
    asked = wanted(question.query, _properties(mirror, question.query))
    if asked.refused:
        return Answer((), 0, round((clock() - start) * 1000, 3), mirror.generation(), asked.notices)
    within = allowed(mirror, question.limits, asked.needs, vault)
    if then is not None:
        within = then.believed if within is None else within & then.believed
    matches = _matches(mirror, fulltext, asked, within)
    asks = bool(matches.needed) or (not asked.alternatives and within is not None)
    beside, notices = _beside(lines, question, asked, matches, fulltext) if asks else ([], ())
    if beside and not matches.every and len(asked.alternatives) == 1:
        matches = replace(matches, rows=(), scores=(), count=0, every=True, notices=asked.notices)
    places, asked_for = _places(matches.rows, within, _left_out(mirror, question, then))
    points = partial(pointed, mirror, asked, question.limits.tags) if then is None and not matches.needed else None
    height = _heights(mirror, question.sort, vault.types)
    reading = read if then is None else then.read
    look = _Look(mirror, fulltext, question, matches, reading, points, height, lenient=then is not None)
    named = look.best(places)
    if beside:
        named = _together(height, question, named, scored(beside, mirror.documents() + len(beside)))
    total = matches.count - (len(matches.rows) - asked_for) - look.dropped + len(beside)
    took_ms = round((clock() - start) * 1000, 3)
    found = matches.notices if named else tuple(one for one in matches.notices if one != SOME)
    of_nobody = () if named else unused(mirror, question.limits)
    told = (*found, *notices, *(then.notices if then is not None else ()), *_unheard_of(mirror, question), *of_nobody)
    return Answer(tuple(named), total, took_ms, mirror.generation(), told)


def _beside(
    lines: Lines | None, question: Question, asked: Wanted, matches: Matches, fulltext: FullText
) -> tuple[list[Line], tuple[str, ...]]:
    """Return the events kept as lines that answer; where the notes hold only some of the words, those that hold all."""
    limits = question.limits
    if (
        lines is None
        or not lines.paths
        or limits.record.status == "draft"
        or limits.inside  # a project's folders, where no lines are kept
        or (limits.within and "records" not in limits.within)
    ):
        return [], ()
    if limits.of_notes or asked.needs:
        return [], ("events that are kept as lines have no tags or properties to ask for: they were left out",)
    every = matches.every or len(asked.alternatives) == 1
    holds = Holds(matches.needed, matches.excluded, fulltext.words, every=every)
    everything = question.all or limits.record.every_version is True
    return lines.matching(holds, limits.record, glob(limits.path), every=everything), ()


def _heights(mirror: Mirror, sort: str, types: Types) -> Mapping[int, float]:
    """Return, by note, how high it stands where that is what notes are sorted by."""
    match sort:
        case "score" | "path":
            return {}
        case "updated" | "created":
            return {**mirror.modified(), **moments(mirror, sort)}
        case _:
            return heights(mirror, sort, types)


def _together(
    height: Mapping[int, float], question: Question, hits: list[Hit], lines: Sequence[tuple[float, Line]]
) -> list[Hit]:
    """Return the best of notes and lines, in the order that was asked for."""
    name = question.sort
    timed = name in ("updated", "created")
    ranked = [(score, line.moment if timed else _NOWHERE, _line_hit(score, line)) for score, line in lines]
    ranked += [(hit.score, height.get(row_of(hit.path), _NOWHERE), hit) for hit in hits]
    match name:
        case "score":
            ranked.sort(key=lambda one: (-one[0], one[2].path, one[2].line))
        case "path":
            ranked.sort(key=lambda one: (one[2].path, one[2].line))
        case _:
            ranked.sort(key=lambda one: (-one[1], one[2].path, one[2].line))
    return [hit for _, _, hit in ranked[: question.limit]]


def _line_hit(score: float, line: Line) -> Hit:
    return Hit(
        path=line.path,
        id=line.record.id,
        type="record",
        title=line.record.label,
        project="",
        kind="",
        state="archived" if line.corrected else "active",
        score=score,
        line=line.line,
        snippet=line.excerpt.text,
        highlights=line.excerpt.highlights,
        matched=("text",),
        rejected=line.rejected,
    )


def _left_out(mirror: Mirror, question: Question, then: Then | None) -> frozenset[int]:
    """Return what does not count: what was replaced or ended, and drafts unless they are asked for."""
    limits = question.limits.record
    if question.all or then is not None or limits.every_version:
        return frozenset()
    left = mirror.left_rows()
    if limits.status != "draft":
        return left
    return left - {row for row, state in mirror.states_by_row().items() if state.state == "draft"}


def _properties(mirror: Mirror, query: str) -> frozenset[str]:
    """Return the names of properties, folded, where the query may ask for one."""
    if ":" not in query and "[" not in query:
        return frozenset()
    return frozenset(str(name) for (name,) in mirror.rows("SELECT DISTINCT folded FROM properties"))


def _unheard_of(mirror: Mirror, question: Question) -> list[str]:
    where, sort = question.limits.where, question.sort
    if where is None and sort in SORTS:
        return []
    return [f"no note has a property {name}" for name in unheard_of(mirror, where, sort)]


def _matches(mirror: Mirror, fulltext: FullText, asked: Wanted, within: frozenset[int] | None) -> Matches:
    """Return what holds the words; without any, all that the limits leave, because they were asked for."""
    if asked.alternatives or within is None:
        return fulltext.matches(asked)
    paths = mirror.paths()
    rows = sorted((row for row in within if row in paths), key=paths.__getitem__)
    return Matches(
        rows=rows,
        scores=[0.0] * len(rows),
        count=len(rows),
        needed=(),
        excluded=(),
        every=True,
        notices=asked.notices,
        path=lambda place: paths[rows[place]],
    )


def _places(rows: Sequence[int], within: frozenset[int] | None, left: frozenset[int]) -> tuple[Iterator[int], int]:
    """Return which of the matches are asked for, and how many these are: a common word has thousands, an answer twenty.

    The text index knows nothing of states, so that none can be stale.
    """
    if within is None:
        return (place for place, row in enumerate(rows) if row not in left), len(rows) - len(left.intersection(rows))
    wanted = within - left
    return (place for place, row in enumerate(rows) if row in wanted), len(wanted.intersection(rows))


def _label(data: bytes) -> str:
    record = read_record(parse(data))
    return record.label if isinstance(record, Record) else ""


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


class _Seen(NamedTuple):
    """A match whose file holds the words."""

    place: int
    path: str
    data: bytes
    excerpt: Excerpt


class _Look:
    """Goes through the matches in the order that was asked for, and reads each file until there are enough hits."""

    def __init__(
        self,
        mirror: Mirror,
        fulltext: FullText,
        question: Question,
        matches: Matches,
        read: Callable[[str], bytes | None],
        points: Callable[[Iterable[int]], Mapping[int, Pointed]] | None,
        height: Mapping[int, float],
        *,
        lenient: bool,
    ) -> None:
        self._height = height
        self.dropped = 0
        self._points = points
        """Says where in notes stands what was asked for, where no word does."""
        self._mirror = mirror
        self._question = question
        self._matches = matches
        self._read = read
        self._lenient = lenient
        """Whether a text counts that does not hold the words: it is older than the index."""
        self._holds = Holds(matches.needed, matches.excluded, fulltext.words, every=matches.every)
        self._named: dict[int, Mapping[int, str]] = {}

    def best(self, places: Iterable[int]) -> list[Hit]:
        hits: list[Hit] = []
        seen = self._seen(places)
        while some := list(islice(seen, min(self._question.limit - len(hits), _AT_ONCE))):
            hits += self._made(some)
        return hits

    def _seen(self, places: Iterable[int]) -> Iterator[_Seen]:
        """Yield the matches whose files hold the words, in the order that was asked for."""
        for place in self._ordered(places):
            seen = self._look(place)
            if seen is None:
                self.dropped += 1
            else:
                yield seen

    def _ordered(self, places: Iterable[int]) -> Iterator[int]:
        """Yield the places as they are sorted; what is equal, by path."""
        rows, path = self._matches.rows, self._path
        match self._question.sort:
            case "score":
                for _, equal in groupby(places, key=self._score):
                    group = list(equal)
                    yield from group if len(group) == 1 else sorted(group, key=path)
            case "path":
                yield from sorted(places, key=path)
            case _:
                yield from sorted(places, key=lambda place: (-self._height.get(rows[place], _NOWHERE), path(place)))

    def _score(self, place: int) -> float:
        return round(self._matches.scores[place], 4)

    def _path(self, place: int) -> str:
        """Return a match's path; the text index has it too, and takes ten times as long."""
        block, rows = place // _AT_ONCE, self._matches.rows
        if block not in self._named:
            self._named[block] = self._mirror.named(rows[block * _AT_ONCE : (block + 1) * _AT_ONCE])
        return self._named[block].get(rows[place]) or self._matches.path(place)

    def _look(self, place: int) -> _Seen | None:
        path = self._path(place)
        data = self._read(path)
        if data is None:
            return None
        excerpt = self._holds.excerpt(path, data) or (self._holds.first_line(data) if self._lenient else None)
        return _Seen(place, path, data, excerpt) if excerpt is not None else None

    def _made(self, some: list[_Seen]) -> Iterator[Hit]:
        """Yield the hits; what the mirror knows of them is asked for once, not for each."""
        paths = [seen.path for seen in some]
        states, titles = self._mirror.states(paths), self._mirror.titles(paths)
        rows = self._matches.rows
        points = self._points([rows[seen.place] for seen in some]) if self._points else {}
        described = {} if self._lenient else self._mirror.descriptions(rows[seen.place] for seen in some)
        for place, path, data, best in some:
            point = points.get(rows[place])
            excerpt = (line_at(data, point.line, point.words) if point else None) or best
            state = states.get(path, _PLAIN)
            label = _label(data) if state.type == "record" else ""
            yield Hit(
                path=path,
                id=state.id,
                type=state.type,
                title=label or titles.get(path) or _stem(path),
                project=state.project,
                kind=state.kind,
                state=state.state,
                score=self._score(place),
                line=excerpt.line,
                snippet=excerpt.text,
                highlights=excerpt.highlights,
                matched=("text",) if self._matches.needed else (),
                superseded_by=state.superseded_by,
                rejected=state.rejected,
                explain=self._holds.fields(path, data) if self._question.explain else None,
                description=described.get(rows[place], "") if state.type in ("memory", "work") else "",
            )
