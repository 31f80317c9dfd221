"""Free the name of an ended memory: its file steps aside, and links keep meaning it."""

from shlex import quote

from vaultd.commands.asking import Asked, Done
from vaultd.commands.moving import Move, carry_out_move
from vaultd.commands.references import find_memory
from vaultd.commands.refusing import place_at
from vaultd.errors import RejectedError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import digest
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.places import Place
from vaultd.lifecycle.renaming import freed_name


def free(opened: Opened, asked: Asked, ref: str, *, reason: str = "") -> Done:
    """Move a superseded or archived memory to its name and the end of its id; one that was freed stays as it is.

    Raises:
        RejectedError: it is active: the name is in use.
    """
    found = find_memory(opened, ref)
    if found.standing is None or found.standing.active:
        raise RejectedError(
            f"{place_at(found, 'invalid_at')}: {found.place.label} is active: its name is in use",
            f"vaultd memory rename {quote(found.path)} NEW-NAME, or supersede or archive it first",
        )
    if found.place.name.endswith(f".{found.id[-8:]}"):
        return Done(None, found.id, found.path, digest(found.data))
    place = Place(found.place.project, freed_name(found.place, found.id))
    new = place.path(opened.settings.folders.memory)
    subject = f"memory: free {found.place.label}"
    return carry_out_move(opened, asked, Move({found.path: new}, subject, Event("freed", found.id, new), reason))
