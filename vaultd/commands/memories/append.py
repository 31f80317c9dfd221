"""Add to the end of a memory's text."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.living import find_living
from vaultd.commands.stamping import as_updated, naming
from vaultd.errors import UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.tombstones import refuse_tombstone
from vaultd.notes.editing import appended


def append_to_memory(opened: Opened, asked: Asked, ref: str, text: str, *, reason: str = "") -> Done:
    """Put a text on lines of its own at the end of a memory.

    Raises:
        UsageError: the text is empty.
        RejectedError: the memory has ended: its last line says what replaced it.
    """
    if not text.strip():
        raise UsageError("there is nothing to append", "--body TEXT, --body-file FILE, or - for standard input")
    found = find_living(opened, ref)
    with naming(found.path):
        after = as_updated(found.data, appended(found.data, text), asked.now)
        refuse_tombstone(after)
    changeset = Changeset(
        f"memory: append to {found.place.label}",
        (Event("written", found.id, found.path),),
        (Write(found.path, found.data, after),),
        reason=reason,
    )
    return carry_out(opened, changeset, asked)
