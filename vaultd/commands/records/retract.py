"""Empty a slot: a retraction takes over from its head, and nothing is deleted."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.records.desk import Desk
from vaultd.commands.records.wanted import refuse_other_head, superseding
from vaultd.errors import RejectedError, UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.records.envelope import misnamed
from vaultd.lifecycle.records.values import Record, Slot, Stamps
from vaultd.values import replace


def retract_record(opened: Opened, asked: Asked, slot: Slot, *, expect_head: str = "", reason: str = "") -> Done:
    """Write a retraction that names what answers the slot now, and take the answer's file away from its path.

    Raises:
        RejectedError: nothing answers the slot.
        ConflictError: another head than the expected one answers, or it was edited by hand.
    """
    opened.require_started()
    desk = Desk(opened, asked)
    put_retraction(desk, slot, expect_head=expect_head, reason=reason)
    return carry_out(opened, desk.changeset(f"record: retract {slot.label}", reason), asked)


def put_retraction(desk: Desk, slot: Slot, *, expect_head: str, reason: str) -> Record:
    """Put a retraction on the desk."""
    for problem in misnamed(slot.entity, slot.key):
        raise UsageError(f"{problem.key} {problem.what}", "vaultd record retract --help")
    there = desk.slot(slot)
    refuse_other_head(there, expect_head)
    answer = there.lane().answer
    if answer is None:
        raise RejectedError(f"V409 {slot.label}: nothing answers this slot", "vaultd history shows what once did")
    retraction = superseding(
        replace(
            answer,
            id=desk.asked.new_id(),
            created=desk.at,
            text="",
            content={},
            retracted=True,
            derived_from=(),
            sources=(),
            occurred=None,
            run=None,
            dedupe=None,
            corrects=None,
            reason=reason or None,
            stamps=Stamps(),
        ),
        there,
    )
    desk.tell("retracted", retraction, there.place.past(retraction.id))
    desk.retire(there.heads(), retraction, there.place)
    desk.fill(there.place, retraction)
    return retraction
