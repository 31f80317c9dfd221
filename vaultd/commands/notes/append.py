"""Add to the end of a work note or a plain note."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.finding import find_no_memory
from vaultd.commands.records.guard import refuse_record_change
from vaultd.commands.stamping import as_updated, naming
from vaultd.errors import UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write
from vaultd.lifecycle.events import Event
from vaultd.notes.editing import appended


def append_to_note(opened: Opened, asked: Asked, ref: str, text: str, *, reason: str = "") -> Done:
    """Put a text on lines of its own at the end of a note; `updated` moves in work notes only.

    Raises:
        UsageError: the text is empty.
        RejectedError: it is a memory.
    """
    if not text.strip():
        raise UsageError("there is nothing to append", "--body TEXT, --body-file FILE, or - for standard input")
    found = find_no_memory(opened, ref, "append")
    with naming(found.path):
        after = appended(found.data, text)
        after = as_updated(found.data, after, asked.now) if found.id else after
    refuse_record_change(opened, found.path, found.data, after)
    changeset = Changeset(
        f"note: append to {found.label}",
        (Event("written", found.id, found.path),),
        (Write(found.path, found.data, after),),
        reason=reason,
    )
    return carry_out(opened, changeset, asked)
