"""Questions about records, answered from the files: which drafts wait."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from vaultd.judging.opened import Opened
from vaultd.judging.record_files import Placed, placed_in, record_files
from vaultd.lifecycle.records.slots import Current, current
from vaultd.lifecycle.records.values import Slot

Standing = Literal["pending", "stale", "superseded", "approved", "rejected"]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A draft, and where it stands."""

    draft: Placed
    standing: Standing


def drafts(opened: Opened) -> list[Reviewed]:
    """Return every draft, oldest first, with what became of it; one whose slot moved on is stale."""
    found = [one for one in records_in(opened, [opened.settings.folders.review]) if one.record.status == "draft"]
    slots = {slot for one in found if (slot := one.record.slot) is not None and one.record.stamps.review == "pending"}
    answers = answers_of(opened, slots)
    return [Reviewed(one, _standing(one, answers)) for one in sorted(found, key=lambda one: one.record.order)]


def answers_of(opened: Opened, slots: Iterable[Slot]) -> dict[Slot, Current]:
    """Return what the active lane of each slot holds."""
    wanted = set(slots)
    folders = {f"{opened.settings.folders.records}/{slot.collection}" for slot in wanted}
    by_slot: dict[Slot, list[Placed]] = {slot: [] for slot in wanted}
    for one in records_in(opened, sorted(folders)):
        slot = one.record.slot
        if slot is not None and slot in by_slot:
            by_slot[slot].append(one)
    return {slot: current(one.record for one in placed) for slot, placed in by_slot.items()}


def records_in(opened: Opened, folders: Iterable[str]) -> list[Placed]:
    """Return the records that lie below some folders of the vault."""
    found: list[Placed] = []
    for path in record_files(opened, folders):
        data = opened.read(path)
        if data is not None:
            found += placed_in(path, data)
    return found


def _standing(one: Placed, answers: dict[Slot, Current]) -> Standing:
    draft = one.record
    if draft.stamps.review != "pending":
        return draft.stamps.review
    if draft.stamps.superseded_by is not None:
        return "superseded"
    if draft.slot is None:
        return "pending"
    lane = answers[draft.slot]
    there = lane.answer.id if lane.answer is not None else None
    return "stale" if lane.forked or there != draft.replaces else "pending"
