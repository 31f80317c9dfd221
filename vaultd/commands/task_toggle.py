"""Check a task's box, or empty it again."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.finding import find_note
from vaultd.commands.records.guard import refuse_record_change
from vaultd.commands.stamping import as_updated, naming
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.places import place_of
from vaultd.notes.checkboxes import toggled_at


def toggle_task(opened: Opened, asked: Asked, ref: str, line: int, expected: str = "", *, reason: str = "") -> Done:
    """Toggle the task on a line of a note; any status but a space counts as done.

    Raises:
        UsageError: no task stands there.
        ConflictError: another one than `expected` stands there.
    """
    found = find_note(opened, ref)
    with naming(found.path):
        text = toggled_at(found.data, line, expected)
        text = as_updated(found.data, text, asked.now) if found.id else text
    refuse_record_change(opened, found.path, found.data, text)
    what = "memory" if found.id and place_of(found.path, opened.settings.folders.memory) else "note"
    changeset = Changeset(
        f"{what}: toggle a task of {found.label}",
        (Event("written", found.id, found.path),),
        (Write(found.path, found.data, text),),
        reason=reason,
    )
    return carry_out(opened, changeset, asked)
