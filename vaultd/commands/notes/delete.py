"""Remove a work note's or plain note's file; its text stays in git's history."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.finding import find_no_memory
from vaultd.commands.records.guard import refuse_record_change
from vaultd.errors import UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write
from vaultd.lifecycle.events import Event


def delete_note(opened: Opened, asked: Asked, ref: str, *, reason: str = "") -> Done:
    """Delete a note named exactly, by its id or path; what no commit holds of it is committed first.

    Raises:
        UsageError: the reference is not exact.
        RejectedError: it is a memory, or a record.
    """
    found = find_no_memory(opened, ref, "delete")
    if ref not in {found.id, found.path, found.label, found.path.removesuffix(".md")}:
        raise UsageError(f"{ref!r} is not exact enough to delete by", f"it means {found.path}: name that")
    refuse_record_change(opened, found.path, found.data, None)
    changeset = Changeset(
        f"note: delete {found.label}",
        (Event("deleted", found.id, found.path),),
        (Write(found.path, found.data, None),),
        reason=reason,
    )
    return carry_out(opened, changeset, asked)
