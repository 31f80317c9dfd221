"""Remove a memory's file for good: the only way in which an ended memory leaves."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.references import Found, accepted_ground, find_memory, path_meant
from vaultd.errors import ConflictError, UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.places import place_of


def delete(opened: Opened, asked: Asked, ref: str, *, reason: str = "") -> Done:
    """Delete a memory named exactly, by its id, its path or `project/name`; its text stays in git's history.

    Raises:
        UsageError: the reference is not exact.
    """
    ground = accepted_ground(opened)
    try:
        found = find_memory(opened, ref)
    except ConflictError:
        return _delete_what_left(opened, asked, path_meant(opened, ground, ref), reason)
    if ref not in _exact_names(found):
        raise UsageError(
            f"{ref!r} is not exact enough to delete by", f"vaultd memory delete {found.id} --yes means {found.path}"
        )
    changeset = Changeset(
        f"memory: delete {found.place.label}",
        (Event("deleted", found.id, found.path),),
        (Write(found.path, found.data, None),),
        reason=reason,
    )
    return carry_out(opened, changeset, asked)


def _delete_what_left(opened: Opened, asked: Asked, path: str, reason: str) -> Done:
    """Record that a file which is gone already is meant to be gone (V111)."""
    ground = accepted_ground(opened)
    id_ = ground.at.get(path) or next((s.id for s in ground.standings.values() if s.path == path), None)
    place = place_of(path, opened.settings.folders.memory)
    if id_ is None or place is None:
        raise UsageError(f"no memory stood at {path}", "vaultd log tells what was where")
    changeset = Changeset(
        f"memory: delete {place.label}",
        (Event("deleted", id_, path),),
        (Write(path, None, None),),
        reason=reason,
        completes=frozenset({id_}),
    )
    return carry_out(opened, changeset, asked)


def _exact_names(found: Found) -> set[str]:
    label = found.place.label if found.place.project else f"_global/{found.place.name}"
    return {found.id, found.path, found.place.label, label}
