"""Make a memory, and in the same commit hand over from the one it replaces."""

from pathlib import Path

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.memory_supersede import refuse_end
from vaultd.commands.references import find_memory
from vaultd.errors import RejectedError, UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Draft, Stamp, Write, memory_text, superseded_text
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.new_names import why_not_made
from vaultd.lifecycle.note_rules import DESCRIPTION_LENGTH, KINDS
from vaultd.lifecycle.places import GLOBAL, Place, fold_name
from vaultd.notes.names import slug


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
    _refuse_names(place)
    if kind not in KINDS:
        raise UsageError(f"no kind is {kind!r}", "one of " + ", ".join(KINDS))
    if not description.strip() or "\n" in description or "\r" in description:
        raise UsageError("the description must be one line", "it is the only text that lists show")
    if len(description) > DESCRIPTION_LENGTH:
        raise UsageError(f"the description has {len(description)} characters", f"at most {DESCRIPTION_LENGTH}")
    opened.require_started()
    path = place.path(opened.settings.folders.memory)
    _refuse_occupied(opened, path)
    draft = Draft(asked.new_id(), place, kind, description.strip(), body, tags)
    written = Write(path, None, memory_text(draft, asked.now))
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


def _refuse_names(place: Place) -> None:
    for what, text in (("name", place.name), ("project", place.project)):
        if what == "project" and not text:
            continue
        wrong = why_not_made(text, ".md" if what == "name" else "")
        if wrong:
            proposal = slug(text)
            raise UsageError(
                f"the {what} {text!r} {wrong}", f"--{what} {proposal}" if proposal and proposal != text else ""
            )


def _refuse_occupied(opened: Opened, path: str) -> None:
    """Refuse a path that is taken, in whatever case or Unicode form the disk spells it."""
    folder, _, name = path.rpartition("/")
    place = opened.root / folder
    taken = next((there for there in _listed(place) if fold_name(there) == fold_name(name)), None)
    if taken is not None:
        raise RejectedError(
            f"{folder}/{taken} is there already",
            "vaultd memory supersede OLD NEW replaces a memory; or choose another --name",
        )


def _listed(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
