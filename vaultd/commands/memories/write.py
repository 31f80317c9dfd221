"""Say what a memory says now: make it, or change it in place."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.living import refuse_ended
from vaultd.commands.memories.new import new_memory
from vaultd.commands.memories.supersede import handed_over, refuse_end, supersede
from vaultd.commands.occupied import occupant
from vaultd.commands.references import Found, find_memory
from vaultd.commands.stamping import as_updated, naming
from vaultd.errors import UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Stamp, Write, superseded_text
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.fields import as_tags, refuse_body, refuse_description, refuse_kind
from vaultd.lifecycle.places import GLOBAL, Place
from vaultd.lifecycle.tombstones import refuse_tombstone
from vaultd.notes.editing import with_body
from vaultd.notes.frontmatter import set_value
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a memory is to say; None leaves what it says, which a new memory cannot."""

    kind: str | None = None
    description: str | None = None
    body: str | None = None
    tags: tuple[str, ...] | None = None


def write_memory(
    opened: Opened, asked: Asked, place: Place, wanted: Wanted, *, supersedes: str = "", reason: str = ""
) -> Done:
    """Make the memory at a place, or give the one that is there another text; its id, times and other keys stay.

    With `supersedes` the old memory is handed over to it in the same commit. The same again changes nothing.

    Raises:
        UsageError: a new memory lacks something, or a value is none that a memory may have.
        RejectedError: the memory has ended, or what it supersedes has another successor.
    """
    place = Place("" if place.project == GLOBAL else place.project, place.name)
    opened.require_started()
    there = occupant(opened, place.path(opened.settings.folders.memory))
    if there is None:
        return _create(opened, asked, place, wanted, supersedes, reason)
    found = find_memory(opened, there)
    refuse_ended(found)
    with naming(found.path):
        text = as_updated(found.data, _changed(found.data, wanted), asked.now)
    old = _predecessor(opened, found, supersedes)
    if text == found.data:
        return supersede(opened, asked, old.id, found.id, reason=reason) if old is not None else found.unchanged()
    written = (Write(found.path, found.data, text),)
    event = (Event("written", found.id, found.path),)
    if old is None:
        return carry_out(opened, Changeset(f"memory: write {found.place.label}", event, written, reason=reason), asked)
    ended = superseded_text(old.data, found.place, found.id, Stamp(asked.now, opened.settings.zone))
    changeset = Changeset(
        f"memory: supersede {old.place.label} by {found.place.label}",
        (*event, Event("superseded", old.id, old.path, found.id)),
        (*written, Write(old.path, old.data, ended)),
        reason=reason,
    )
    return carry_out(opened, changeset, asked)


def _create(opened: Opened, asked: Asked, place: Place, wanted: Wanted, supersedes: str, reason: str) -> Done:
    if wanted.kind is None or wanted.description is None or wanted.body is None:
        raise UsageError(
            f"{place.label} is not there yet, so it needs a kind, a description and a text",
            "--kind K --description D --body TEXT",
        )
    return new_memory(
        opened,
        asked,
        place=place,
        kind=wanted.kind,
        description=wanted.description,
        body=wanted.body,
        tags=wanted.tags or (),
        supersedes=supersedes,
        reason=reason,
    )


def _changed(data: bytes, wanted: Wanted) -> bytes:
    text = data
    if wanted.kind is not None:
        refuse_kind(wanted.kind)
        text = set_value(text, "kind", wanted.kind)
    if wanted.description is not None:
        refuse_description(wanted.description)
        text = set_value(text, "description", wanted.description.strip())
    if wanted.tags is not None:
        text = set_value(text, "tags", list(as_tags(wanted.tags)))
    if wanted.body is not None:
        refuse_body(wanted.body)
        text = with_body(text, wanted.body)
        refuse_tombstone(text)
    return text


def _predecessor(opened: Opened, found: Found, supersedes: str) -> Found | None:
    """Return the memory to hand over from; None where it is this one, or was handed over to it already."""
    if not supersedes:
        return None
    old = find_memory(opened, supersedes)
    if old.id == found.id:
        return None
    refuse_end(old, found.id)
    return None if handed_over(old, found.id) else old
