"""Correct an event: a new event says how it was, and the old one stays as it is."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.records.desk import Desk
from vaultd.commands.records.event import write_event
from vaultd.commands.records.wanted import refuse_misfit
from vaultd.errors import RejectedError, UsageError
from vaultd.judging.opened import Opened
from vaultd.judging.records.files import find_record, folders_of, placed_in, record_files
from vaultd.lifecycle.records.acceptable import unacceptable
from vaultd.lifecycle.records.values import Record, Stamps
from vaultd.values import replace


def correct_record(opened: Opened, asked: Asked, ref: str, text: str, *, reason: str = "") -> Done:
    """Write the event that takes the place of another one in every answer.

    Raises:
        UsageError: no event is meant, or several are.
        RejectedError: it is no event, or was corrected already.
    """
    opened.require_started()
    found = find_record(opened, ref)
    wrong = found.record
    if wrong.key is not None:
        raise RejectedError(f"{wrong.label} is a slot, not an event", "vaultd record set gives it another answer")
    if wrong.status == "draft":
        raise RejectedError(f"{wrong.id} is a draft", "reject it, and propose another")
    if (later := _correction_of(opened, wrong)) is not None:
        raise RejectedError(f"{wrong.id} was corrected by {later} already", f"vaultd record correct {later}")
    desk = Desk(opened, asked)
    record = replace(
        wrong,
        id=asked.new_id(),
        created=desk.at,
        text=text.strip("\n"),
        corrects=wrong.id,
        dedupe=None,
        reason=reason or None,
        stamps=Stamps(),
    )
    if (design := desk.lock.catalog.collections.get(record.contract)) is not None:
        refuse_misfit(record, design)
    for problem in unacceptable(record):
        raise UsageError(f"{problem.key} {problem.what}", "vaultd record correct --help")
    write_event(desk, record, "jsonl" if found.path.endswith(".jsonl") else "file")
    desk.tell("corrected", wrong, found.path, record.id)
    return carry_out(opened, desk.changeset(f"record: correct {wrong.label}", reason), asked)


def _correction_of(opened: Opened, wrong: Record) -> str | None:
    for path in record_files(opened, folders_of(opened, wrong.entity)):
        data = opened.read(path)
        if data is not None and b"corrects" in data and wrong.id.encode() in data:
            for one in placed_in(path, data):
                if one.record.corrects == wrong.id:
                    return one.record.id
    return None
