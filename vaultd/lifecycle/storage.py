"""Standings, open questions and steps as text, for the index to keep and give back."""

import json
from collections.abc import Sequence

from vaultd.lifecycle.events import Event
from vaultd.lifecycle.facts import dump_facts, load_facts
from vaultd.lifecycle.formats import FORMAT
from vaultd.lifecycle.ground import Delta, Ground, Open, ground_of
from vaultd.lifecycle.states import Active, Archived, Standing, State, Superseded
from vaultd.lifecycle.violations import Violation
from vaultd.values import asdict

__all__ = [
    "FORMAT",
    "dump_delta",
    "dump_events",
    "dump_facts",
    "dump_ground",
    "load_delta",
    "load_events",
    "load_facts",
    "load_ground",
]


def dump_delta(delta: Delta) -> str:
    """Return a step as text."""
    return _text(
        [
            {id_: _row(standing) for id_, standing in delta.standings.items()},
            {id_: _question(question) for id_, question in delta.open.items()},
        ]
    )


def load_delta(text: str) -> Delta:
    """Return the step that `dump_delta` wrote."""
    standings, questions = json.loads(text)
    return Delta(
        {id_: _standing(id_, row) if row else None for id_, row in standings.items()},
        {id_: _open(id_, row) if row else None for id_, row in questions.items()},
    )


def dump_events(events: Sequence[Event]) -> str:
    """Return what happened in a step as text, empty for nothing."""
    return _text([[event.name, event.id, event.path, event.successor] for event in events]) if events else ""


def load_events(text: str) -> tuple[Event, ...]:
    """Return the events that `dump_events` wrote."""
    return tuple(Event(*row) for row in json.loads(text)) if text else ()


def dump_ground(ground: Ground) -> str:
    """Return everything that is accepted and open at a commit as text."""
    return _text(
        [
            ground.folder,
            {id_: _row(standing) for id_, standing in ground.standings.items()},
            {id_: _question(question) for id_, question in ground.open.items()},
        ]
    )


def load_ground(text: str) -> Ground:
    """Return the ground that `dump_ground` wrote."""
    folder, standings, questions = json.loads(text)
    return ground_of(
        folder,
        (_standing(id_, row) for id_, row in standings.items()),
        (_open(id_, row) for id_, row in questions.items()),
    )


def _text(value: object) -> str:
    # In ASCII: a file name that is no UTF-8 holds halves of characters that no database takes.
    return json.dumps(value, separators=(",", ":"))


def _row(standing: Standing | None) -> list[object] | None:
    if standing is None:
        return None
    previous = None if standing.previous is None else _state(standing.previous)
    return [standing.path, _state(standing.state), previous, int(standing.gone)]


def _state(state: State) -> list[str]:
    match state:
        case Active():
            return []
        case Archived(at):
            return [at]
        case Superseded(at, by, text):
            return [at, by, text]


def _load_state(row: Sequence[str]) -> State:
    match row:
        case [at, by, text]:
            return Superseded(at, by, text)
        case [at]:
            return Archived(at)
        case _:
            return _ACTIVE


_ACTIVE = Active()


def _standing(id_: str, row: tuple[str, list[str], list[str] | None, int]) -> Standing:
    path, state, previous, gone = row
    now = _load_state(state) if state else _ACTIVE
    return Standing(id_, path, now, None if previous is None else _load_state(previous), gone != 0)


def _question(question: Open | None) -> list[object] | None:
    if question is None:
        return None
    files = [[path, dump_facts(facts)] for path, facts in question.files]
    return [files, [asdict(violation) for violation in question.violations], question.commit]


def _open(id_: str, row: tuple[list[tuple[str, str]], list[dict[str, object]], str]) -> Open:
    files, violations, commit = row
    return Open(
        id_,
        tuple((path, load_facts(text)) for path, text in files),
        tuple(_violation(violation) for violation in violations),
        commit,
    )


def _violation(row: dict[str, object]) -> Violation:
    return Violation(**row)  # type: ignore[arg-type]  # written by asdict just above
