"""Which accepted hand edits share a commit, and in which order the commits stand.

A successor that HEAD lacks goes with the memory it replaces, and changes that touch one file go together; otherwise each
accepted change is a commit of its own. The order is found by judging: a commit may come next if it is valid by itself.
"""

from collections.abc import Iterable, Sequence

from vaultd.lifecycle.events import NOTHING_EXPLAINED, Event, Explained
from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.step import Change, Step, Verdict, judge
from vaultd.lifecycle.transitions import Clock
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Batch:
    """What one commit will hold: whole files, and what happened to the memories in them."""

    events: tuple[Event, ...]
    changes: tuple[Change, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that go into the commit."""
        return tuple(change.path for change in self.changes)


def batches(
    base: Ground, verdict: Verdict, changes: Sequence[Change], clock: Clock, explained: Explained = NOTHING_EXPLAINED
) -> list[Batch]:
    """Return the commits that record what a verdict accepted, each valid on the ones before it.

    What cannot be recorded without something that is held back is left out.
    """
    held = {violation.subject for violation in verdict.violations}
    events = [event for event in verdict.events if event.id not in held]
    waiting = _joined(base, events, changes)
    ground = base.copy()
    ordered: list[Batch] = []
    while waiting:
        batch = next((b for b in waiting if _stands(ground, b, clock, explained)), None)
        if batch is None:
            batch = _union(waiting)
            if len(waiting) == 1 or not _stands(ground, batch, clock, explained):
                return ordered
        ground.replay(judge(ground, Step(batch.changes, clock, explained)).delta)
        ordered.append(batch)
        waiting = [b for b in waiting if not set(b.events) <= set(batch.events)]
    return ordered


def _joined(base: Ground, events: Iterable[Event], changes: Sequence[Change]) -> list[Batch]:
    """Return the smallest groups that share no file and no new successor."""
    groups: list[tuple[set[Event], set[str]]] = []
    created = {event.id: event for event in events if event.name == "created" and event.id not in base.standings}
    for event in events:
        files = _files(event.id, changes)
        members = {event}
        if event.successor in created:
            members.add(created[event.successor])
            files |= _files(event.successor, changes)
        for group in [group for group in groups if group[0] & members or group[1] & files]:
            groups.remove(group)
            members |= group[0]
            files |= group[1]
        groups.append((members, files))
    return [
        Batch(
            tuple(event for event in events if event in members),
            tuple(change for change in changes if change.path in files),
        )
        for members, files in groups
    ]


def _files(id_: str, changes: Sequence[Change]) -> set[str]:
    return {
        change.path
        for change in changes
        if (change.before is not None and change.before.id == id_)
        or (change.after is not None and change.after.id == id_)
    }


def _stands(ground: Ground, batch: Batch, clock: Clock, explained: Explained) -> bool:
    verdict = judge(ground, Step(batch.changes, clock, explained))
    accepted = {(event.name, event.id) for event in verdict.events}
    broken = {violation.subject for violation in verdict.violations}
    return all((event.name, event.id) in accepted and event.id not in broken for event in batch.events)


def _union(waiting: Sequence[Batch]) -> Batch:
    changes = {change.path: change for batch in waiting for change in batch.changes}
    return Batch(tuple(event for batch in waiting for event in batch.events), tuple(changes.values()))
