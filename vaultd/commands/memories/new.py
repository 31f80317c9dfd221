"""Make a memory, and in the same commit hand over from the one it replaces."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.memories.supersede import refuse_end
from vaultd.commands.occupied import refuse_occupied, refuse_twin_folders
from vaultd.commands.references import find_memory
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Draft, Stamp, Write, memory_text, superseded_text
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.fields import as_tags, refuse_body, refuse_description, refuse_kind, refuse_names
from vaultd.lifecycle.places import GLOBAL, Place
from vaultd.lifecycle.tombstones import refuse_tombstone


def new_memory(
    opened: Opened,
    asked: Asked,
    *,
    place: Place,
    kind: str,
    description: str,
    body: str,
    tags: tuple[str, ...] = (),
    supersedes: str = "",
    reason: str = "",
) -> Done:
    """Create a memory; with `supersedes` stamp the one it replaces, in one changeset and one commit.

    Raises:
        UsageError: a name, kind or description that no memory may have.
        RejectedError: the name is taken.
    """
    place = Place("" if place.project == GLOBAL else place.project, place.name)
    refuse_names(place)
    refuse_kind(kind)
    refuse_description(description)
    refuse_body(body)
    tags = as_tags(tags)
    opened.require_started()
    path = place.path(opened.settings.folders.memory)
    refuse_twin_folders(opened, path)
    refuse_occupied(opened, path, "vaultd memory supersede OLD NEW replaces a memory; or choose another --name")
    draft = Draft(asked.new_id(), place, kind, description.strip(), body, tags)
    written = Write(path, None, memory_text(draft, asked.now))
    refuse_tombstone(written.after or b"")
    created = Event("created", draft.id, path)
    if not supersedes:
        changeset = Changeset(f"memory: create {place.label}", (created,), (written,), reason=reason)
        return carry_out(opened, changeset, asked)
    old = find_memory(opened, supersedes)
    refuse_end(old, draft.id)
    text = superseded_text(old.data, place, draft.id, Stamp(asked.now, opened.settings.zone))
    changeset = Changeset(
        f"memory: supersede {old.place.label} by {place.label}",
        (created, Event("superseded", old.id, old.path, draft.id)),
        (written, Write(old.path, old.data, text)),
        reason=reason,
    )
    return carry_out(opened, changeset, asked)
