"""Give a memory to another project."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.moving import Move, carry_out_move
from vaultd.commands.occupied import refuse_twin_folders
from vaultd.commands.references import find_memory
from vaultd.errors import UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import digest
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.new_names import why_not_made
from vaultd.lifecycle.places import GLOBAL, Place


def move_memory(opened: Opened, asked: Asked, ref: str, project: str, *, reason: str = "") -> Done:
    """Move a memory to a project, `_global` for none; the project it has already is no change.

    Raises:
        UsageError: a name that no project may have.
        RejectedError: the project has a memory of this name.
    """
    found = find_memory(opened, ref)
    place = Place("" if project == GLOBAL else project, found.place.name)
    if place == found.place:
        return Done(None, found.id, found.path, digest(found.data))
    if not project or (place.project and why_not_made(place.project)):
        wrong = why_not_made(place.project)
        raise UsageError(f"the project {project!r} {wrong}", f"{GLOBAL} is the folder of memories without a project")
    new = place.path(opened.settings.folders.memory)
    refuse_twin_folders(opened, new)
    subject = f"memory: move {found.place.label} to {place.label if place.project else GLOBAL + '/' + place.name}"
    return carry_out_move(opened, asked, Move({found.path: new}, subject, Event("moved", found.id, new), reason))
