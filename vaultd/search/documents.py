"""Questions about records, answered from the files: what holds, what held, what happened, and what it rests on."""

from collections.abc import Iterable, Sequence
from typing import Literal

from vaultd.errors import UsageError
from vaultd.judging.opened import Opened
from vaultd.judging.records.accepted import accepted
from vaultd.judging.records.files import find_record, folders_of
from vaultd.judging.records.located import Located
from vaultd.judging.records.survey import survey
from vaultd.lifecycle.records.provenance import depth_of, evidence
from vaultd.lifecycle.records.slots import Current, current
from vaultd.lifecycle.records.values import Record, Slot, Status
from vaultd.values import dataclass

Standing = Literal["pending", "stale", "superseded", "approved", "rejected"]


@dataclass(frozen=True, slots=True)
class Belief:
    """What a slot holds: its head, where it lies, and whether other heads do not know of it."""

    located: Located
    forked: bool

    @property
    def retracted(self) -> bool:
        """Return whether the slot is empty; one whose answer was deleted by hand is too, and nothing older answers it."""
        return self.located.record.retracted or self.located.gone


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A draft, and where it stands."""

    draft: Located
    standing: Standing


@dataclass(frozen=True, slots=True)
class Counted:
    """An entity, and what is remembered of it in one collection."""

    entity: str
    collection: str
    slots: int
    """How many have an answer."""
    events: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that a record rests on; `located` is None where no record has the id any more."""

    below: int
    id: str
    located: Located | None


def document(opened: Opened, entity: str, collections: Sequence[str] = (), lane: Status = "active") -> list[Belief]:
    """Return what every slot of an entity holds, by collection and key; a retraction stands for an empty slot."""
    slots = _by_slot(one for one in _of_entity(opened, entity, collections))
    found: list[Belief] = []
    for slot in sorted(slots, key=lambda slot: (slot.collection, slot.key)):
        held = current((one.record for one in slots[slot]), lane)
        found += [Belief(one, held.forked) for one in slots[slot] if held.heads and one.record is held.heads[0]]
    return found


def history(opened: Opened, slot: Slot) -> list[Located]:
    """Return everything that was ever written in a slot, drafts too, the latest first."""
    found = [one for one in _of_entity(opened, slot.entity, (slot.collection,)) if one.record.slot == slot]
    return _latest_first(found)


def timeline(
    opened: Opened, entity: str, collections: Sequence[str] = (), types: Sequence[str] = (), *, corrected: bool = False
) -> list[Located]:
    """Return the events of an entity, the latest first; those that were corrected only where asked for."""
    everything = [one for one in _of_entity(opened, entity, collections) if one.record.status == "active"]
    wrong = set() if corrected else {one.record.corrects for one in everything}
    found = [one for one in everything if one.record.key is None and one.record.id not in wrong]
    return _latest_first([one for one in found if not types or one.record.type in types])


def unseen(
    opened: Opened, seen: frozenset[str], entity: str | None = None, collections: Sequence[str] = ()
) -> list[Located]:
    """Return the active records that are not among those seen, oldest first, retractions too."""
    found = _active(opened) if entity is None else _of_entity(opened, entity, collections)
    wanted = [one for one in found if one.record.status == "active" and one.record.id not in seen]
    return _latest_first([one for one in wanted if not collections or one.record.collection in collections])[::-1]


def entities(opened: Opened) -> list[Counted]:
    """Return every entity with what is remembered of it, by name."""
    found: dict[tuple[str, str], list[Located]] = {}
    for one in _active(opened):
        found.setdefault((one.record.entity, one.record.collection), []).append(one)
    return [_counted(*names, found[names]) for names in sorted(found)]


def why(opened: Opened, ref: str) -> tuple[Located, int, list[Evidence]]:
    """Return a record, how many conclusions deep it lies, and what it rests on down to what was observed.

    Raises:
        UsageError: no record is meant, or several are.
    """
    meant = find_record(opened, ref)
    known = {one.record.id: one for one in _everything(opened) if not one.gone}
    if meant.record.id not in known:
        raise UsageError(f"{meant.path} lies outside the folders of records", "vaultd check")

    def find(id_: str) -> Record | None:
        return known[id_].record if id_ in known else None

    found = [Evidence(below, id_, known.get(id_)) for below, id_, _ in evidence(meant.record, find)]
    return known[meant.record.id], depth_of(meant.record, find), found


def drafts(opened: Opened) -> list[Reviewed]:
    """Return every draft, oldest first, with what became of it; one whose slot moved on is stale."""
    everything = _everything(opened)
    found = [one for one in everything if one.record.status == "draft"]
    answers = {slot: current(one.record for one in placed) for slot, placed in _by_slot(everything).items()}
    return [Reviewed(one, _standing(one.record, answers)) for one in sorted(found, key=lambda one: one.record.order)]


def _of_entity(opened: Opened, entity: str, collections: Sequence[str]) -> list[Located]:
    folders = [*folders_of(opened, entity, collections), opened.settings.folders.review]
    found = accepted(opened, survey(opened, folders).records, folders)
    return [
        one
        for one in found
        if one.record.entity == entity and (not collections or one.record.collection in collections)
    ]


def _active(opened: Opened) -> list[Located]:
    return accepted(opened, survey(opened, [opened.settings.folders.records]).records)


def _everything(opened: Opened) -> list[Located]:
    return accepted(opened, survey(opened).records)


def _by_slot(found: Iterable[Located]) -> dict[Slot, list[Located]]:
    slots: dict[Slot, list[Located]] = {}
    for one in found:
        if (slot := one.record.slot) is not None:
            slots.setdefault(slot, []).append(one)
    return slots


def _latest_first(found: list[Located]) -> list[Located]:
    """Order by what is known of the order: a successor stands before what it supersedes, then time decides."""
    known = {one.record.id: one.record for one in found}
    steps = {id_: _steps(record, known) for id_, record in known.items()}
    return sorted(found, key=lambda one: (one.record.created, steps[one.record.id], one.record.id), reverse=True)


def _steps(record: Record, known: dict[str, Record]) -> int:
    steps, seen = 0, {record.id}
    while record.supersedes and record.supersedes[0] in known and record.supersedes[0] not in seen:
        record = known[record.supersedes[0]]
        seen.add(record.id)
        steps += 1
    return steps


def _counted(entity: str, collection: str, found: list[Located]) -> Counted:
    slots = _by_slot(found).values()
    answered = sum(current(one.record for one in placed).answer is not None for placed in slots)
    return Counted(entity, collection, answered, sum(one.record.key is None for one in found))


def _standing(draft: Record, answers: dict[Slot, Current]) -> Standing:
    if draft.stamps.review != "pending":
        return draft.stamps.review
    if draft.stamps.superseded_by is not None:
        return "superseded"
    if draft.slot is None:
        return "pending"
    held = answers[draft.slot]
    there = held.answer.id if held.answer is not None else None
    return "stale" if held.forked or there != draft.replaces else "pending"
