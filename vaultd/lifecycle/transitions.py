"""May this memory go from what was accepted to what its file says? One memory, one question, no look at names.

The rules V102, V103, V104 and the error half of V106 live here; what they need to know of other memories comes in as
`Neighbours`.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from shlex import quote
from typing import Protocol

from vaultd.lifecycle.facts import Facts
from vaultd.lifecycle.states import Active, Archived, Standing, State, Superseded
from vaultd.lifecycle.violations import Violation
from vaultd.notes.times import completes, parse_moment, same_moment
from vaultd.values import dataclass

AHEAD = timedelta(minutes=5)
"""How far a lifecycle time may lie ahead of the moment it is judged at: clocks differ."""


class Neighbours(Protocol):
    """What a transition must know of the other memories."""

    def resolve(self, text: str, path: str) -> tuple[str, ...]:
        """Return the ids that an edge written in the file at `path` may mean."""

    def may_succeed(self, id_: str) -> bool:
        """Return whether the memory was active at a parent or is new in this change."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The moment a step is judged at, and the zone that stamps without one are read in."""

    now: datetime
    zone: tzinfo


@dataclass(frozen=True, slots=True)
class Written:
    """What one file says of one memory."""

    id: str
    path: str
    facts: Facts

    def broken(self, code: str, key: str, message: str, hint: str) -> Violation:
        """Return a violation at the line of a key of this file."""
        return Violation(code, "error", self.path, self.facts.line(key), message, hint, subject=self.id)


def says(state: State, written: Written, neighbours: Neighbours, clock: Clock) -> bool:
    """Return whether a file says, by value, just that state."""
    facts = written.facts
    match state:
        case Active():
            return facts.invalid_at is None and facts.superseded_by is None
        case Archived(at):
            return facts.superseded_by is None and _same_time(at, facts.invalid_at, clock)
        case Superseded(at, by, text):
            if not _same_time(at, facts.invalid_at, clock) or facts.superseded_by is None:
                return False
            return facts.superseded_by in (text, by) or neighbours.resolve(facts.superseded_by, written.path) == (by,)


def first_state(written: Written, neighbours: Neighbours, clock: Clock) -> tuple[State, list[Violation]]:
    """Return how a memory seen for the first time is believed: as written, a rule-breaking edge counting as absent."""
    facts = written.facts
    if facts.invalid_at is None:
        if facts.superseded_by is None:
            return Active(), []
        return Active(), [_edge_without_end(written)]
    problems = list(time_problems(written, clock))
    if facts.superseded_by is None:
        return Archived(facts.invalid_at), problems
    edge = _edge(written, neighbours)
    if isinstance(edge, Violation):
        return Archived(facts.invalid_at), [*problems, edge]
    return Superseded(facts.invalid_at, edge, facts.superseded_by), problems


def transition(
    before: State, written: Written, neighbours: Neighbours, clock: Clock
) -> tuple[State | None, list[Violation]]:
    """Return the state a file may take from an accepted one, or None and the rules that forbid it."""
    facts = written.facts
    problems: list[Violation] = []
    match before:
        case Active():
            if facts.invalid_at is None:
                return None, [_edge_without_end(written)]
            problems += time_problems(written, clock)
        case Archived(at) | Superseded(at):
            if facts.invalid_at is None:
                return None, [_cleared(written, at)]
            if not _same_time(at, facts.invalid_at, clock):
                if not completes(at, facts.invalid_at):
                    return None, [_moved_time(written, at)]
                problems += time_problems(written, clock)
    end, edge_problems = _ended(before, written, neighbours)
    problems += edge_problems
    return (None, problems) if end is None or problems else (end, [])


def _ended(before: State, written: Written, neighbours: Neighbours) -> tuple[State | None, list[Violation]]:
    facts = written.facts
    assert facts.invalid_at is not None  # noqa: S101  -- narrowed by the caller for every prior state
    if isinstance(before, Superseded):
        if facts.superseded_by is None:
            return None, [changed_edge(written, before, "was removed")]
        same = facts.superseded_by in (before.text, before.by)
        if not same and neighbours.resolve(facts.superseded_by, written.path) != (before.by,):
            return None, [changed_edge(written, before, "was changed")]
        return Superseded(facts.invalid_at, before.by, facts.superseded_by), []
    if facts.superseded_by is None:
        return Archived(facts.invalid_at), []
    if isinstance(before, Archived) and before.at != facts.invalid_at and completes(before.at, facts.invalid_at):
        return None, [_moved_time(written, before.at)]
    edge = _edge(written, neighbours, ended=isinstance(before, Archived))
    if isinstance(edge, Violation):
        return None, [edge]
    return Superseded(facts.invalid_at, edge, facts.superseded_by), []


def _edge(written: Written, neighbours: Neighbours, *, ended: bool = False) -> str | Violation:
    """V103: exactly one successor, which exists, is another memory, and was active at the parent or is new."""
    facts, text = written.facts, written.facts.superseded_by or ""
    if what := facts.oddness("superseded_by"):
        return written.broken(
            "V103", "superseded_by", f"superseded_by {what}: one successor is needed", "write the id of one memory"
        )
    found = neighbours.resolve(text, written.path)
    if not found:
        return written.broken(
            "V103", "superseded_by", f"no memory is {text!r}", "write the id of an active memory, or remove both fields"
        )
    if len(found) > 1:
        return written.broken(
            "V103", "superseded_by", f"{text!r} means {len(found)} memories", "write the id of the one that is meant"
        )
    if found[0] == written.id:
        return written.broken("V103", "superseded_by", "a memory cannot supersede itself", put_back(written.path))
    if not neighbours.may_succeed(found[0]):
        return written.broken(
            "V103",
            "superseded_by",
            f"the successor {text!r} is not active",
            "name the memory that replaced it, or " + (way_back(written) if ended else put_back(written.path)),
        )
    return found[0]


def time_problems(written: Written, clock: Clock) -> Iterator[Violation]:
    """V106, its error half: a lifecycle time parses and does not lie more than 5 minutes ahead."""
    facts = written.facts
    moment = parse_moment(facts.invalid_at or "", clock.zone)
    if facts.oddness("invalid_at") or moment is None:
        yield written.broken(
            "V106", "invalid_at", f"invalid_at: {facts.invalid_at} is not a time", "write it as 2026-11-30T18:00:00Z"
        )
    elif moment.utc is not None and moment.utc > clock.now + AHEAD:
        yield written.broken(
            "V106", "invalid_at", f"invalid_at: {facts.invalid_at} lies in the future", "write a time that has come"
        )


def _same_time(old: str, new: str | None, clock: Clock) -> bool:
    return new is not None and (old == new or same_moment(old, new, clock.zone))


def _edge_without_end(written: Written) -> Violation:
    """V104: `superseded_by` requires `invalid_at`."""
    return written.broken(
        "V104",
        "superseded_by",
        "superseded_by is set and invalid_at is not",
        f"vaultd adopt {quote(written.path)} completes the stamp; {put_back(written.path)} removes it",
    )


def _cleared(written: Written, at: str) -> Violation:
    """V102: an ended memory does not return by edit."""
    return written.broken(
        "V102",
        "invalid_at",
        f"invalid_at was {at} and was cleared",
        f"vaultd memory restore {written.id} brings it back; {put_back(written.path)} keeps it ended",
    )


def _moved_time(written: Written, at: str) -> Violation:
    """V102: an end is stamped once."""
    return written.broken(
        "V102",
        "invalid_at",
        f"invalid_at was {at} and was changed to {written.facts.invalid_at}",
        put_back(written.path),
    )


def changed_edge(written: Written, before: Superseded, how: str) -> Violation:
    """V103: an edge never changes."""
    return written.broken("V103", "superseded_by", f"superseded_by was {before.by} and {how}", put_back(written.path))


def put_back(path: str) -> str:
    """Return the command that puts a file's lifecycle values back to the accepted ones."""
    return f"vaultd revert {quote(path)}"


def way_back(written: Written) -> str:
    """Return the two commands between which a person decides about a memory that ended and whose edge is refused."""
    return f"vaultd memory restore {written.id} brings it back; {put_back(written.path)} keeps it ended"


def left_violation(standing: Standing, why: str) -> Violation:
    """V111: an ended memory, or one that replaced another, leaves only by `memory delete`."""
    return Violation(
        "V111",
        "error",
        standing.path,
        1,
        f"{standing.id} left the memory folder: {why}",
        f"vaultd revert {quote(standing.path)} brings it back; vaultd memory delete {standing.id} --yes removes it",
        subject=standing.id,
    )
