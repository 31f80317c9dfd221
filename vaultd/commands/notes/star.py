"""Mark a work note or plain note as a favorite, or no longer."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.finding import find_no_memory
from vaultd.commands.memories.star import with_star, without_star
from vaultd.commands.records.guard import refuse_record_change
from vaultd.commands.stamping import naming
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write
from vaultd.lifecycle.events import Event


def star_note(opened: Opened, asked: Asked, ref: str, *, reason: str = "") -> Done:
    """Star a note; `updated` stays."""
    return _put(opened, asked, ref, "star", reason)


def unstar_note(opened: Opened, asked: Asked, ref: str, *, reason: str = "") -> Done:
    """Take a note's star away, and the key with it."""
    return _put(opened, asked, ref, "unstar", reason)


def _put(opened: Opened, asked: Asked, ref: str, verb: str, reason: str) -> Done:
    found = find_no_memory(opened, ref, "star")
    with naming(found.path):
        text = with_star(found.data) if verb == "star" else without_star(found.data)
    if text == found.data:
        return found.unchanged()
    refuse_record_change(opened, found.path, found.data, text)
    changeset = Changeset(
        f"note: {verb} {found.label}",
        (Event("starred", found.id, found.path),),
        (Write(found.path, found.data, text),),
        reason=reason,
    )
    return carry_out(opened, changeset, asked)
