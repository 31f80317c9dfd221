"""Change words of a memory's text."""

from collections.abc import Sequence

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.living import find_living
from vaultd.commands.stamping import as_updated, naming
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write
from vaultd.lifecycle.events import Event
from vaultd.notes.editing import Replacement, replaced, unified
from vaultd.values import replace


def edit_memory(
    opened: Opened,
    asked: Asked,
    ref: str,
    replacements: Sequence[Replacement],
    *,
    every: bool = False,
    reason: str = "",
) -> Done:
    """Replace exact texts in a memory's body, all of them or none; `diff` shows what changed.

    Raises:
        UsageError: a text is empty, or stands there several times.
        ConflictError: a text does not stand there.
        RejectedError: the memory has ended.
    """
    found = find_living(opened, ref)
    with naming(found.path):
        text = as_updated(found.data, replaced(found.data, replacements, every=every), asked.now)
    if text == found.data:
        return found.unchanged()
    changeset = Changeset(
        f"memory: edit {found.place.label}",
        (Event("written", found.id, found.path),),
        (Write(found.path, found.data, text),),
        reason=reason,
    )
    return replace(carry_out(opened, changeset, asked), diff=unified(found.data, text, found.path))
