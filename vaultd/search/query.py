"""A question about the vault, and its answer, checked against the files before it is given."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from vaultd.index.fulltext import FullText, Matches
from vaultd.index.mirror import Mirror, State
from vaultd.index.wanted import Wanted, wanted
from vaultd.search.excerpts import Excerpt, Holds
from vaultd.search.filters import Limits, Vault, allowed
from vaultd.search.past import Then
from vaultd.search.properties import moments

Sort = Literal["score", "updated", "created", "path"]
SORTS: tuple[Sort, ...] = ("score", "updated", "created", "path")
_PLAIN = State()
_VAULT = Vault()


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: in default search only what speaks for itself, with `all` also what was replaced or ended."""

    query: str
    all: bool = False
    limit: int = 20
    limits: Limits = field(default_factory=Limits)
    sort: Sort = "score"
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
) -> Answer:
    """Return what the vault says; a note that left, or no longer holds the words, is not in the answer.

    With `then` it is asked what was believed at a time: other memories count, and their text is that of then.
    """
    start = clock()
    asked = wanted(question.query, _properties(mirror, question.query))
    within = allowed(mirror, question.limits, asked.needs, vault)
    if then is not None:
        within = then.believed if within is None else within & then.believed
    matches = _matches(mirror, fulltext, asked, within)
    places = _places(matches.rows, mirror, within, everything=question.all or then is not None)
    look = _Look(mirror, fulltext, question, matches, read if then is None else then.read, lenient=then is not None)
    hits = look.best(places)
    titles = mirror.titles(hit.path for hit in hits)
    named = tuple(replace(hit, title=titles.get(hit.path) or _stem(hit.path)) for hit in hits)
    total = matches.count - (len(matches.rows) - len(places)) - look.dropped
    took_ms = round((clock() - start) * 1000, 3)
    notices = (*matches.notices, *(then.notices if then is not None else ()))
    return Answer(named, total, took_ms, mirror.generation(), notices)


def _properties(mirror: Mirror, query: str) -> frozenset[str]:
    """Return the names of properties, folded, where the query may ask for one."""
    if ":" not in query and "[" not in query:
        return frozenset()
    return frozenset(str(name) for (name,) in mirror.rows("SELECT DISTINCT folded FROM properties"))


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


def _places(rows: Sequence[int], mirror: Mirror, within: frozenset[int] | None, *, everything: bool) -> list[int]:
    """Return which of the matches are asked for; the text index knows nothing of states, so that none can be stale."""
    left: frozenset[int] = frozenset() if everything else mirror.left_rows()
    if within is None:
        return [place for place, row in enumerate(rows) if row not in left]
    return [place for place, row in enumerate(rows) if row not in left and row in within]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


class _Look:
    """Goes through the matches in the order that was asked for, and reads each file until there are enough hits."""

    def __init__(
        self,
        mirror: Mirror,
        fulltext: FullText,
        question: Question,
        matches: Matches,
        read: Callable[[str], bytes | None],
        *,
        lenient: bool,
    ) -> None:
        self.dropped = 0
        self._mirror = mirror
        self._question = question
        self._matches = matches
        self._read = read
        self._lenient = lenient
        """Whether a text counts that does not hold the words: it is older than the index."""
        self._states = mirror.states_by_row()
        self._holds = Holds(matches.needed, matches.excluded, fulltext.words, every=matches.every)

    def best(self, places: list[int]) -> list[Hit]:
        hits: list[Hit] = []
        for place in self._ordered(places):
            if len(hits) >= self._question.limit:
                break
            hit = self._hit(place)
            if hit is None:
                self.dropped += 1
            else:
                hits.append(hit)
        return hits

    def _ordered(self, places: list[int]) -> Iterator[int]:
        """Yield the places as they are sorted; what is equal, by path."""
        rows, path = self._matches.rows, self._matches.path
        match self._question.sort:
            case "score":
                for _, equal in groupby(places, key=self._score):
                    group = list(equal)
                    yield from group if len(group) == 1 else sorted(group, key=path)
            case "path":
                yield from sorted(places, key=path)
            case name:
                times = {**self._mirror.modified(), **moments(self._mirror, name)}
                yield from sorted(places, key=lambda place: (-times.get(rows[place], 0.0), path(place)))

    def _score(self, place: int) -> float:
        return round(self._matches.scores[place], 4)

    def _hit(self, place: int) -> Hit | None:
        path = self._matches.path(place)
        data = self._read(path)
        if data is None:
            return None
        excerpt = self._holds.excerpt(path, data) or (self._holds.first_line(data) if self._lenient else None)
        if excerpt is None:
            return None
        explain = self._holds.fields(path, data) if self._question.explain else None
        return self._made(path, place, excerpt, explain)

    def _made(self, path: str, place: int, excerpt: Excerpt, explain: Mapping[str, Sequence[str]] | None) -> Hit:
        state = self._states.get(self._matches.rows[place], _PLAIN)
        return Hit(
            path=path,
            id=state.id,
            type=state.type,
            title="",
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
            explain=explain,
        )
