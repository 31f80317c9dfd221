"""Change words of a work note or a plain note."""

from collections.abc import Sequence

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.finding import find_no_memory
from vaultd.commands.records.guard import refuse_record_change
from vaultd.commands.stamping import as_updated, naming
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write
from vaultd.lifecycle.events import Event
from vaultd.notes.editing import Replacement, replaced, unified
from vaultd.values import replace


def edit_note(
    opened: Opened,
    asked: Asked,
    ref: str,
    replacements: Sequence[Replacement],
    *,
    every: bool = False,
    reason: str = "",
) -> Done:
    """Replace exact texts in a note's body, all of them or none; `updated` moves in work notes only.

    Raises:
        UsageError: a text is empty, or stands there several times.
        ConflictError: a text does not stand there.
        RejectedError: it is a memory.
    """
    found = find_no_memory(opened, ref, "edit")
    with naming(found.path):
        text = replaced(found.data, replacements, every=every)
        text = as_updated(found.data, text, asked.now) if found.id else text
    if text == found.data:
        return found.unchanged()
    refuse_record_change(opened, found.path, found.data, text)
    changeset = Changeset(
        f"note: edit {found.label}",
        (Event("written", found.id, found.path),),
        (Write(found.path, found.data, text),),
        reason=reason,
    )
    return replace(carry_out(opened, changeset, asked), diff=unified(found.data, text, found.path))
