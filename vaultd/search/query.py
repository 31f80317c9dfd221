"""A question about the vault, and its answer, checked against the files before it is given."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from vaultd.index.fulltext import FullText, Matches
from vaultd.index.mirror import Mirror, State
from vaultd.search.excerpts import Holds

_PLAIN = State()


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: in default search only what speaks for itself, with `all` also what was replaced or ended."""

    query: str
    all: bool = False
    limit: int = 20
    project: str | None = None
    """None: any; the empty string: memories and work notes of no project."""
    kind: str | None = None


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
    matched: tuple[str, ...]
    superseded_by: str = ""
    rejected: str = ""
    """The code of the rule that keeps the file's own lifecycle values from counting."""


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
) -> Answer:
    """Return what the vault says; a note that left, or no longer holds the words, is not in the answer."""
    start = clock()
    matches = fulltext.matches(question.query)
    states = mirror.states_by_row()
    places = _places(matches.rows, mirror, question)
    holds = Holds(matches.needed, matches.excluded, fulltext.words, every=matches.every)
    hits: list[Hit] = []
    dropped = 0
    for place in places:
        if len(hits) >= question.limit:
            break
        hit = _hit(matches, place, states, read, holds)
        if hit is None:
            dropped += 1
        else:
            hits.append(hit)
    titles = mirror.titles(hit.path for hit in hits)
    named = tuple(replace(hit, title=titles.get(hit.path) or _stem(hit.path)) for hit in hits)
    total = matches.count - (len(matches.rows) - len(places)) - dropped
    took_ms = round((clock() - start) * 1000, 3)
    return Answer(named, total, took_ms, mirror.generation(), matches.notices)


def _places(rows: Sequence[int], mirror: Mirror, question: Question) -> list[int]:
    """Return which of the matches are asked for; the text index knows nothing of states, so that none can be stale."""
    left: frozenset[int] = frozenset() if question.all else mirror.left_rows()
    places = [place for place, row in enumerate(rows) if row not in left]
    if question.project is None and question.kind is None:
        return places
    states = mirror.states_by_row()
    return [place for place in places if _belongs(states.get(rows[place], _PLAIN), question)]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _belongs(state: State, question: Question) -> bool:
    if question.project is not None and (state.type == "note" or state.project != question.project):
        return False
    return question.kind is None or state.kind == question.kind


def _hit(
    matches: Matches, place: int, states: Mapping[int, State], read: Callable[[str], bytes | None], holds: Holds
) -> Hit | None:
    path = matches.path(place)
    data = read(path)
    excerpt = None if data is None else holds.excerpt(path, data)
    if excerpt is None:
        return None
    state = states.get(matches.rows[place], _PLAIN)
    return Hit(
        path=path,
        id=state.id,
        type=state.type,
        title="",
        project=state.project,
        kind=state.kind,
        state=state.state,
        score=round(matches.scores[place], 4),
        line=excerpt.line,
        snippet=excerpt.text,
        matched=("text",),
        superseded_by=state.superseded_by,
        rejected=state.rejected,
    )
