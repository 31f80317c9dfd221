"""What judging needs to know of every note: found once for each version of it, so that a change costs what changed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from vaultd.lifecycle.facts import Facts
from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.note_rules import Subject, format_violations, memory_violations, work_note_violations
from vaultd.lifecycle.places import place_of
from vaultd.lifecycle.states import State
from vaultd.lifecycle.violations import Violation
from vaultd.settings import Settings
from vaultd.values import dataclass

_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Gist:
    """What one version of a note comes to beside one accepted state."""

    key: str
    """The blob id of the version."""
    id: str | None
    kind: str
    project: str
    plain: bool
    """It lies where memories lie and is none."""
    state: State | None
    """What is accepted of it and agrees with the file; None where there is nothing, or where it is in question."""
    violations: tuple[Violation, ...]


def gist_of(path: str, key: str, facts: Facts, ground: Ground, settings: Settings) -> Gist:
    """Return the gist of a note."""
    state = _settled(path, facts.id, ground)
    place = place_of(path, settings.folders.memory)
    return Gist(
        key,
        facts.id,
        facts.kind or "",
        facts.project or "",
        place is not None and facts.id is None and facts.readable,
        state,
        tuple(_violations(path, facts, state, settings)),
    )


def _settled(path: str, id_: str | None, ground: Ground) -> State | None:
    if id_ is None or id_ in ground.open:
        return None
    standing = ground.standings.get(ground.at.get(path, ""))
    return standing.state if standing is not None else None


def _violations(path: str, facts: Facts, state: State | None, settings: Settings) -> Iterator[Violation]:
    yield from format_violations(path, facts)
    if facts.id is None:
        return
    subject = Subject(path, facts, settings.zone)
    if (place := place_of(path, settings.folders.memory)) is not None:
        yield from memory_violations(subject, place, state)
    elif path.startswith(settings.folders.notes + "/"):
        yield from work_note_violations(subject)


class Gists:
    """Remembers the gist of every note, and finds anew only those whose version or accepted state is another."""

    def __init__(self, settings: Settings, facts: Callable[[Mapping[str, str]], Mapping[str, Facts]]) -> None:
        self._settings = settings
        self._facts = facts
        self._known: dict[str, Gist] = {}

    def at(self, keys: Mapping[str, str], ground: Ground) -> Mapping[str, Gist]:
        """Return the gist of every note, given their blob ids and what is accepted."""
        known = self._known
        gists = {path: known[path] for path, key in keys.items() if path in known and known[path].key == key}
        stale = [path for path, gist in gists.items() if gist.state != _settled(path, gist.id, ground)]
        for some in _portions([*stale, *(path for path in keys if path not in gists)]):
            facts = self._facts({path: keys[path] for path in some})
            gists |= {path: gist_of(path, keys[path], facts[path], ground, self._settings) for path in some}
        self._known = gists
        return gists


def _portions(paths: Iterable[str]) -> Iterator[list[str]]:
    # Facts weigh far more than gists: those of a whole vault are never in memory at once.
    rest = iter(paths)
    while some := list(islice(rest, _AT_ONCE)):
        yield some
