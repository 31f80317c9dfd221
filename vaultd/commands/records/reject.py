"""Turn a draft down; it stays, with the reason, and nothing else changes."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.records.approve import find_draft
from vaultd.commands.records.desk import Desk
from vaultd.errors import RejectedError, UsageError
from vaultd.history.trailers import one_line
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import digest
from vaultd.lifecycle.records.envelope import stamped


def reject_record(opened: Opened, asked: Asked, ref: str, *, reason: str) -> Done:
    """Stamp a draft as rejected.

    Raises:
        UsageError: no reason is given, or the id names no record.
        RejectedError: it is no draft, or was approved.
    """
    opened.require_started()
    why = one_line(reason)
    if not why:
        raise UsageError("a rejection needs a reason", "--reason TEXT: whoever drafted it learns from it")
    desk = Desk(opened, asked)
    draft = find_draft(desk, ref)
    if draft.record.stamps.review == "rejected":
        return Done(None, draft.record.id, draft.path, digest(draft.data))
    if draft.record.stamps.review == "approved":
        raise RejectedError(f"V411 {draft.record.id} was approved", "vaultd record retract takes its answer back")
    desk.put(draft.path, stamped(draft.data, {"review": "rejected", "review_reason": why}))
    desk.tell("rejected", draft.record, draft.path)
    return carry_out(opened, desk.changeset(f"record: reject {draft.record.label}", reason), asked)
