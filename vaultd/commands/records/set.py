"""Give a slot its current answer: what answered before becomes its history, in the same commit."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.records.desk import Desk, OpenSlot
from vaultd.commands.records.event import known_under
from vaultd.commands.records.wanted import Wanted, made, refuse_other_head, superseding
from vaultd.errors import UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import digest
from vaultd.lifecycle.records.envelope import stamped
from vaultd.lifecycle.records.places import draft_path
from vaultd.lifecycle.records.values import Record
from vaultd.values import replace


def set_record(opened: Opened, asked: Asked, wanted: Wanted, *, reason: str = "") -> Done:
    """Answer a slot; the same answer again changes nothing, and a forked slot is healed.

    Raises:
        UsageError: a name or value that no record may have.
        ConflictError: another head than the expected one answers, or it was edited by hand.
    """
    opened.require_started()
    desk = Desk(opened, asked)
    record, path = put_down(desk, wanted)
    if not desk.events:
        return Done(None, record.id, path, digest(desk.read(path) or b""))
    return carry_out(opened, desk.changeset(f"record: set {record.label}", reason), asked)


def put_down(desk: Desk, wanted: Wanted) -> tuple[Record, str]:
    """Put an answer on the desk; where the slot says so already, return what stands there."""
    slot, record = _opened(desk, wanted)
    if (known := known_under(desk, record)) is not None:
        return known.record, known.path
    refuse_other_head(slot, wanted.expect_head)
    lane = slot.lane()
    if lane.answer is not None and not lane.forked and lane.answer.means_the_same(record):
        return lane.answer, next(one.path for one in slot.placed if one.record.id == lane.answer.id)
    successor = superseding(record, slot)
    return successor, put_answer(desk, slot, successor)


def put_answer(desk: Desk, slot: OpenSlot, successor: Record) -> str:
    """Put a record on the desk that takes over its slot, and return its path."""
    desk.tell("set", successor, slot.place.head)
    desk.retire(slot.heads(), successor, slot.place)
    return desk.fill(slot.place, successor)


def propose_record(opened: Opened, asked: Asked, wanted: Wanted, *, reason: str = "") -> Done:
    """Write a draft for a slot, or with no key of an event; it counts when it is approved.

    Raises:
        UsageError: a name or value that no record may have.
        ConflictError: another head than the expected one answers.
    """
    opened.require_started()
    desk = Desk(opened, asked)
    draft, path = put_draft(desk, wanted)
    if not desk.events:
        return Done(None, draft.id, path, digest(desk.read(path) or b""))
    return carry_out(opened, desk.changeset(f"record: propose {draft.label}", reason), asked)


def put_draft(desk: Desk, wanted: Wanted) -> tuple[Record, str]:
    """Put a draft on the desk, in the place of one that waits for the same slot."""
    record = made(desk, wanted)
    if (known := known_under(desk, record)) is not None:
        return known.record, known.path
    if record.slot is None:
        return _waiting(desk, replace(record, status="draft"))
    slot = desk.slot(record.slot)
    refuse_other_head(slot, wanted.expect_head)
    answer = slot.lane().answer
    earlier = slot.heads("draft")
    draft = replace(
        record,
        status="draft",
        supersedes=tuple(sorted(one.record.id for one in earlier)),
        replaces=answer.id if answer is not None else None,
    )
    written = _waiting(desk, draft)
    for one in earlier:
        desk.sealed.refuse_edited(one)
        desk.put(one.path, stamped(one.data, {"invalid_at": desk.at, "superseded_by": draft.id}))
        desk.tell("superseded", one.record, one.path, draft.id)
    return written


def _waiting(desk: Desk, draft: Record) -> tuple[Record, str]:
    path = draft_path(desk.review, draft)
    desk.tell("proposed", draft, path)
    desk.put_record(path, draft)
    return draft, path


def _opened(desk: Desk, wanted: Wanted) -> tuple[OpenSlot, Record]:
    record = made(desk, wanted)
    if record.slot is None:
        raise UsageError("a slot needs a key", "--key NAME; vaultd record event remembers what has none")
    return desk.slot(record.slot), record
