"""The accepted lifecycle of every memory at one commit, with the look-ups that judging a step needs."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from vaultd.lifecycle.facts import Facts
from vaultd.lifecycle.places import Place, key_of, place_of
from vaultd.lifecycle.states import Standing, Superseded, successor_of
from vaultd.lifecycle.violations import Violation
from vaultd.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Open:
    """A memory whose files do not say what is accepted: it is judged again at every step until they do."""

    id: str
    files: tuple[tuple[str, Facts], ...]
    """Every file that claims the id, by path; none where the files that stood for it say nothing."""
    violations: tuple[Violation, ...]
    commit: str = ""
    """The commit that first held it, empty where it was never committed or only believed."""


@dataclass(slots=True)
class Ground:
    """Standings and open questions, kept with their indexes; changed in place by `put` and `settle` only."""

    folder: str
    standings: dict[str, Standing] = field(default_factory=dict)
    open: dict[str, Open] = field(default_factory=dict)
    at: dict[str, str] = field(default_factory=dict)
    """Path to the id that stands there."""
    named: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """Folded project and name to the ids active under it."""
    predecessors: dict[str, frozenset[str]] = field(default_factory=dict)
    """Id to the ids that it replaced."""

    def copy(self) -> "Ground":
        """Return an independent ground; standings and facts are values and shared."""
        return Ground(
            self.folder,
            dict(self.standings),
            dict(self.open),
            dict(self.at),
            dict(self.named),
            dict(self.predecessors),
        )

    def put(self, standing: Standing) -> None:
        """Make a standing the accepted one of its id."""
        self.drop(standing.id)
        self.enter(standing)

    def enter(self, standing: Standing) -> None:
        """Take in a standing whose id has none yet."""
        self.standings[standing.id] = standing
        if not standing.gone:
            self.at[standing.path] = standing.id
        if standing.active and (key := key_of(standing.path, self.folder)) is not None:
            _add(self.named, key, standing.id)
        elif isinstance(standing.state, Superseded):
            _add(self.predecessors, standing.state.by, standing.id)

    def drop(self, id_: str) -> None:
        """Forget a memory, as an explained deletion does."""
        old = self.standings.pop(id_, None)
        if old is None:
            return
        if self.at.get(old.path) == id_:
            del self.at[old.path]
        if old.active and (key := key_of(old.path, self.folder)) is not None:
            _take(self.named, key, id_)
        if successor := successor_of(old.state):
            _take(self.predecessors, successor, id_)

    def settle(self, id_: str, question: Open | None) -> None:
        """Record that a memory is open, or no longer."""
        if question is None:
            self.open.pop(id_, None)
        else:
            self.open[id_] = question

    def place(self, path: str) -> Place | None:
        """Return the place a path names in this ground's memory folder."""
        return place_of(path, self.folder)

    def replay(self, changes: "Delta") -> None:
        """Apply what one step changed."""
        for id_, standing in changes.standings.items():
            if standing is None:
                self.drop(id_)
            else:
                self.put(standing)
        for id_, question in changes.open.items():
            self.settle(id_, question)


@dataclass(frozen=True, slots=True)
class Delta:
    """What one step changed: None drops the entry."""

    standings: Mapping[str, Standing | None] = field(default_factory=dict)
    open: Mapping[str, Open | None] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Return whether nothing changed."""
        return not self.standings and not self.open


def ground_of(folder: str, standings: Iterable[Standing], questions: Iterable[Open]) -> Ground:
    """Return a ground with the given entries and its indexes built."""
    ground = Ground(folder)
    for standing in standings:
        if standing.id in ground.standings:
            ground.drop(standing.id)
        ground.enter(standing)
    for question in questions:
        ground.open[question.id] = question
    return ground


_Key = TypeVar("_Key")


def _add(index: dict[_Key, frozenset[str]], key: _Key, id_: str) -> None:
    others = index.get(key)
    index[key] = frozenset((id_,)) if others is None else others | {id_}


def _take(index: dict[_Key, frozenset[str]], key: _Key, id_: str) -> None:
    left = index.get(key, frozenset()) - {id_}
    if left:
        index[key] = left
    else:
        index.pop(key, None)
