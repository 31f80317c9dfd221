"""Make drafts count: each becomes a new active record that cites it, and the draft stays."""

from collections.abc import Sequence
from shlex import quote

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.records.desk import Desk
from vaultd.commands.records.event import store_of, write_event
from vaultd.commands.records.set import put_answer
from vaultd.commands.records.wanted import refuse_misfit, superseding
from vaultd.errors import ConflictError, RejectedError
from vaultd.judging.opened import Opened
from vaultd.judging.records.files import Placed, find_record, placed_at
from vaultd.lifecycle.changesets import digest
from vaultd.lifecycle.records.envelope import stamped
from vaultd.lifecycle.records.seals import pieces_of
from vaultd.lifecycle.records.values import Record, Slot, Stamps
from vaultd.values import replace


def approve_records(opened: Opened, asked: Asked, refs: Sequence[str], *, reason: str = "") -> Done:
    """Approve drafts, all of them or none; those that were approved before stay as they are.

    Raises:
        UsageError: an id names no record.
        RejectedError: one is no draft, or was decided on otherwise.
        ConflictError: a slot moved on since its draft was written; nothing was written.
    """
    opened.require_started()
    desk = Desk(opened, asked)
    drafts = [find_draft(desk, ref) for ref in dict.fromkeys(refs)]
    for draft in drafts:
        if draft.record.stamps.review != "approved":
            _approve(desk, draft)
    if not desk.events:
        return Done(None, drafts[0].record.id, drafts[0].path, digest(drafts[0].data))
    more = f" and {len(drafts) - 1} more" if len(drafts) > 1 else ""
    return carry_out(opened, desk.changeset(f"record: approve {drafts[0].record.label}{more}", reason), asked)


def find_draft(desk: Desk, ref: str) -> Placed:
    """Return the draft that a reference names.

    Raises:
        UsageError: it names no record.
        RejectedError: it is no draft, or another draft took its place.
    """
    found = find_record(desk.opened, ref)
    if found.record.status != "draft":
        raise RejectedError(f"{found.record.id} is no draft", "vaultd review list shows the drafts that wait")
    if found.record.stamps.superseded_by is not None:
        raise RejectedError(
            f"V411 {found.record.id} was superseded by the draft {found.record.stamps.superseded_by}",
            "vaultd review list shows the drafts that wait",
        )
    _refuse_edited(desk, found)
    return found


def _refuse_edited(desk: Desk, draft: Placed) -> None:
    """Refuse a draft that was edited since its commit, unless the edit is the very decision, written into it.

    Raises:
        ConflictError: it says something else than what was proposed.
    """
    stored = desk.stored(draft.path)
    before = placed_at(draft.path, stored) if stored is not None else None
    same = isinstance(before, Placed) and pieces_of(before.record) == pieces_of(draft.record)
    if same and draft.record.stamps.wish is not None:
        desk.completes.add(draft.record.id)
        return
    desk.sealed.refuse_edited(draft)
    if isinstance(before, Placed) and before.record.stamps != draft.record.stamps:
        raise ConflictError(
            f"{draft.path} was decided on by hand, and no command did it", f"vaultd revert {quote(draft.path)}"
        )


def _approve(desk: Desk, draft: Placed) -> None:
    proposed = draft.record
    if proposed.stamps.review == "rejected":
        raise RejectedError(f"V411 {proposed.id} was rejected", "write it as a new draft")
    copy = replace(
        proposed,
        id=desk.asked.new_id(),
        created=desk.at,
        status="active",
        supersedes=(),
        replaces=None,
        derived_from=(proposed.id,),
        dedupe=None,
        stamps=Stamps(),
    )
    if (design := desk.lock.catalog.collections.get(copy.contract)) is not None:
        refuse_misfit(copy, design)
    if copy.slot is None:
        write_event(desk, copy, store_of(desk, copy))
    else:
        _take_over(desk, proposed, copy, copy.slot)
    desk.put(draft.path, stamped(draft.data, {"review": "approved"}))
    desk.tell("approved", proposed, draft.path, copy.id)


def _take_over(desk: Desk, proposed: Record, copy: Record, meant: Slot) -> None:
    slot = desk.slot(meant)
    lane = slot.lane()
    there = lane.answer.id if lane.answer is not None else None
    if lane.forked or there != proposed.replaces:
        raise ConflictError(
            f"V411 {copy.label}: when this was drafted {proposed.replaces or 'nothing'} answered, now {there or 'nothing'} does",
            f"vaultd review reject {proposed.id}; then propose again what still holds",
        )
    put_answer(desk, slot, superseding(copy, slot))
