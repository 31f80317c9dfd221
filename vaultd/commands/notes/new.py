"""Make a work note, or a plain note at a path."""

from shlex import quote

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.finding import refuse_hidden
from vaultd.commands.occupied import occupant, refuse_occupied, refuse_twin_folders
from vaultd.errors import RejectedError, UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.fields import as_tags, refuse_body, refuse_description, refuse_names
from vaultd.lifecycle.places import GLOBAL, Place
from vaultd.lifecycle.work_notes import WorkDraft, refuse_title, slug_of, work_text
from vaultd.notes.conflicts import refuse_markers
from vaultd.notes.names import portable, unportable
from vaultd.values import replace
from vaultd.vault.reading import contained


def new_work_note(opened: Opened, asked: Asked, draft: WorkDraft, *, reason: str = "") -> Done:
    """Create a work note.

    Raises:
        UsageError: a title, name or description that no work note may have.
        RejectedError: its name is taken.
    """
    refuse_title(draft.title)
    if draft.description:
        refuse_description(draft.description)
    refuse_body(draft.body)
    draft = replace(draft, tags=as_tags(draft.tags))
    place = Place("" if draft.project == GLOBAL else draft.project, draft.slug or slug_of(draft.title))
    refuse_names(place, "--slug")
    opened.require_started()
    folder = opened.settings.folders.notes
    path = place.path(folder)
    refuse_twin_folders(opened, path)
    refuse_occupied(opened, path, f"--slug {_free_name(opened, folder, place)}, or change that note")
    id_ = asked.new_id()
    changeset = Changeset(
        f"note: create {place.label}",
        (Event("created", id_, path),),
        (Write(path, None, work_text(draft, place.name, id_, asked.now)),),
        reason=reason,
    )
    return carry_out(opened, changeset, asked)


def new_plain_note(opened: Opened, asked: Asked, path: str, body: str, *, reason: str = "") -> Done:
    """Create a note that is nothing but its text, at a path of the vault.

    Raises:
        UsageError: no note can lie there, or not on every system.
        RejectedError: something lies there.
    """
    opened.require_started()
    path = path if path.endswith(".md") else f"{path}.md"
    contained(opened.root, path)
    refuse_hidden(path)
    for part in path.split("/"):
        if why := unportable(part):
            better = "/".join(portable(one) for one in path.split("/"))
            raise UsageError(f"{part!r} cannot be a name on every system: {why}", f"--path {quote(better)}")
    _refuse_managed(opened, path)
    refuse_twin_folders(opened, path)
    refuse_occupied(opened, path, "vaultd note append adds to it; or choose another --path")
    text = body if body.endswith("\n") or not body else body + "\n"
    refuse_markers(text.encode())
    changeset = Changeset(
        f"note: create {path.removesuffix('.md')}",
        (Event("created", "", path),),
        (Write(path, None, text.encode()),),
        reason=reason,
    )
    return carry_out(opened, changeset, asked)


def _free_name(opened: Opened, folder: str, place: Place) -> str:
    number = 2
    while occupant(opened, Place(place.project, f"{place.name}-{number}").path(folder)):
        number += 1
    return f"{place.name}-{number}"


def _refuse_managed(opened: Opened, path: str) -> None:
    folders = opened.settings.folders
    instead = {
        folders.memory: "vaultd memory new makes a memory",
        folders.notes: "vaultd note new --title TITLE makes one",
    }
    for folder in folders.managed():
        if path.startswith(folder + "/"):
            hint = instead.get(folder, "plain notes lie outside it")
            raise RejectedError(f"{folder}/ holds no plain notes", hint)
