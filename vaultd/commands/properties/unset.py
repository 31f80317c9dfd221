"""Take properties of a note away."""

from collections.abc import Sequence

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.finding import find_note
from vaultd.commands.properties.keys import refuse_needed_key, refuse_own_key, spelled
from vaultd.commands.records.guard import refuse_record_change
from vaultd.commands.stamping import as_updated, naming
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.places import place_of
from vaultd.notes.frontmatter import remove_value


def unset_properties(opened: Opened, asked: Asked, ref: str, keys: Sequence[str], *, reason: str = "") -> Done:
    """Take properties away, each with its lines; one that is not there is no error.

    Raises:
        RejectedError: a key has a verb of its own, or every memory needs it.
        NoteFormatError: the frontmatter cannot be edited.
    """
    found = find_note(opened, ref)
    text = found.data
    with naming(found.path):
        for key in keys:
            refuse_own_key(opened, found, key)
            refuse_needed_key(opened, found, key)
            text = remove_value(text, spelled(text, key))
        text = as_updated(found.data, text, asked.now) if found.id else text
    if text == found.data:
        return found.unchanged()
    refuse_record_change(opened, found.path, found.data, text)
    what = "memory" if found.id and place_of(found.path, opened.settings.folders.memory) else "note"
    changeset = Changeset(
        f"{what}: unset {', '.join(dict.fromkeys(keys))} of {found.label}",
        (Event("written", found.id, found.path),),
        (Write(found.path, found.data, text),),
        reason=reason,
    )
    return carry_out(opened, changeset, asked)
