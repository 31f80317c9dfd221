"""Mark a memory as a favorite, or no longer."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.references import find_memory
from vaultd.commands.stamping import naming
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write
from vaultd.lifecycle.events import Event
from vaultd.notes.frontmatter import remove_value, set_value


def star_memory(opened: Opened, asked: Asked, ref: str, *, reason: str = "") -> Done:
    """Star a memory; `updated` stays, because what it says is not newer."""
    return _put(opened, asked, ref, "star", reason)


def unstar_memory(opened: Opened, asked: Asked, ref: str, *, reason: str = "") -> Done:
    """Take a memory's star away, and the key with it."""
    return _put(opened, asked, ref, "unstar", reason)


def _put(opened: Opened, asked: Asked, ref: str, verb: str, reason: str) -> Done:
    found = find_memory(opened, ref)
    with naming(found.path):
        text = with_star(found.data) if verb == "star" else without_star(found.data)
    if text == found.data:
        return found.unchanged()
    changeset = Changeset(
        f"memory: {verb} {found.place.label}",
        (Event("starred", found.id, found.path),),
        (Write(found.path, found.data, text),),
        reason=reason,
    )
    return carry_out(opened, changeset, asked)


def with_star(data: bytes) -> bytes:
    """Return a note that is starred."""
    return set_value(data, "favorite", value=True)


def without_star(data: bytes) -> bytes:
    """Return a note that is not starred: false is spelled by no key at all."""
    return remove_value(data, "favorite")
