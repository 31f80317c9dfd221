"""Give a memory another name: its file, its field and every link to it."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.moving import Move, carry_out_move
from vaultd.commands.references import find_memory
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import digest
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.fields import refuse_names
from vaultd.lifecycle.places import Place


def rename_memory(opened: Opened, asked: Asked, ref: str, name: str, *, reason: str = "") -> Done:
    """Rename a memory within its project; the name it has already is no change.

    Raises:
        UsageError: a name that no memory may have.
        RejectedError: the name is taken.
    """
    found = find_memory(opened, ref)
    place = Place(found.place.project, name.removesuffix(".md"))
    if place.name == found.place.name:
        return Done(None, found.id, found.path, digest(found.data))
    refuse_names(Place("", place.name), "NEW-NAME")
    new = place.path(opened.settings.folders.memory)
    subject = f"memory: rename {found.place.label} to {place.label}"
    return carry_out_move(opened, asked, Move({found.path: new}, subject, Event("renamed", found.id, new), reason))
