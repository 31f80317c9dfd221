"""The accepted lifecycle of every memory at one commit, with the look-ups that judging a step needs."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from vaultd.lifecycle.facts import Facts
from vaultd.lifecycle.places import Place, fold_name, key_of, place_of
from vaultd.lifecycle.states import Standing, Superseded, successor_of
from vaultd.lifecycle.violations import Violation
from vaultd.values import dataclass, field

_MANY_LOOKS = 8


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
    predecessors: dict[str, frozenset[str]] = field(default_factory=dict)
    """Id to the ids that it replaced."""
    _named: dict[tuple[str, str], frozenset[str]] | None = field(default_factory=dict)
    """Folded project and name to the ids active under it; None where it is not known yet."""
    _looks: int = 0
    """How many names were looked for without it."""
    _shared: set[str] = field(default_factory=set)
    """Paths at which several have stood at once: of one the file took another's id, and that is not accepted."""

    def __eq__(self, other: object) -> bool:
        """Say whether the same is accepted and open; the indexes follow from that."""
        if not isinstance(other, Ground):
            return NotImplemented
        return (self.folder, self.standings, self.open) == (other.folder, other.standings, other.open)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def copy(self) -> "Ground":
        """Return an independent ground; standings and facts are values and shared."""
        return Ground(
            self.folder,
            dict(self.standings),
            dict(self.open),
            dict(self.at),
            dict(self.predecessors),
            dict(self._named) if self._named is not None else None,
            _shared=set(self._shared),
        )

    @property
    def named(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """Return folded project and name to the ids active under it."""
        if self._named is None:
            found: dict[tuple[str, str], frozenset[str]] = {}
            for standing in self.standings.values():
                if standing.active and (key := key_of(standing.path, self.folder)) is not None:
                    _add(found, key, standing.id)
            self._named = found  # only now: another thread may be asking, too
        return self._named

    def active_under(self, key: tuple[str, str]) -> frozenset[str]:
        """Return the ids active under a folded project and name.

        A process that is soon over asks once or twice, and does without an index of them all.
        """
        if self._named is not None or self._looks >= _MANY_LOOKS:
            return self.named.get(key, frozenset())
        self._looks += 1
        last = key[1] + ".md"
        alike = (s for s in self.standings.values() if fold_name(s.path).endswith(last) and s.active)
        return frozenset(s.id for s in alike if key_of(s.path, self.folder) == key)

    def put(self, standing: Standing) -> None:
        """Make a standing the accepted one of its id."""
        self.drop(standing.id)
        self.enter(standing)

    def enter(self, standing: Standing) -> None:
        """Take in a standing whose id has none yet."""
        self.standings[standing.id] = standing
        if not standing.gone:
            if standing.path in self.at:
                self._shared.add(standing.path)
            self.at[standing.path] = standing.id
        if standing.active:
            if self._named is not None and (key := key_of(standing.path, self.folder)) is not None:
                _add(self._named, key, standing.id)
        elif isinstance(standing.state, Superseded):
            _add(self.predecessors, standing.state.by, standing.id)

    def drop(self, id_: str) -> None:
        """Forget a memory, as an explained deletion does."""
        old = self.standings.pop(id_, None)
        if old is None:
            return
        if self.at.get(old.path) == id_:
            del self.at[old.path]
            if old.path in self._shared:
                self.at.update((old.path, s.id) for s in self.standings.values() if s.path == old.path and not s.gone)
        if self._named is not None and old.active and (key := key_of(old.path, self.folder)) is not None:
            _take(self._named, key, id_)
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
    """Return a ground with the given entries and its indexes built, but for that of names."""
    ground = Ground(folder, _named=None)
    known, at, predecessors = ground.standings, ground.at, ground.predecessors
    for standing in standings:
        id_, state = standing.id, standing.state
        if id_ in known:
            ground.drop(id_)
        known[id_] = standing
        if not standing.gone:
            if standing.path in at:
                ground._shared.add(standing.path)  # noqa: SLF001  -- made here
            at[standing.path] = id_
        if state.__class__ is Superseded:
            _add(predecessors, state.by, id_)
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
