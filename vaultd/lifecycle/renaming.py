"""A memory's file once it stands at another place."""

from datetime import datetime

from vaultd.lifecycle.places import Place
from vaultd.lifecycle.touching import touched
from vaultd.notes.frontmatter import remove_value, set_value
from vaultd.notes.note import parse


def placed_text(data: bytes, before: Place, after: Place, now: datetime) -> bytes:
    """Return a memory whose fields say that it stands at `after`, as changed at this moment.

    Raises:
        NoteFormatError: its frontmatter cannot be changed.
    """
    del before
    text = _in_project(set_value(data, "name", after.name), after)
    return touched(text, now)


def slugged_text(data: bytes, before: Place, after: Place, now: datetime) -> bytes:
    """Return a work note whose slug and project, where they said its old place, say the new one.

    Raises:
        NoteFormatError: its frontmatter cannot be changed.
    """
    has = parse(data).properties
    text = set_value(data, "slug", after.name) if has.get("slug") == before.name else data
    if (has.get("project") or "") == before.project:
        text = _in_project(text, after)
    return touched(text, now) if text != data else data


def _in_project(data: bytes, place: Place) -> bytes:
    if place.project:
        return set_value(data, "project", place.project)
    return remove_value(data, "project") if parse(data).properties.get("project") else data


def freed_name(place: Place, id_: str) -> str:
    """Return the name that an ended memory takes so that its own can be used again."""
    return f"{place.name}.{id_[-8:]}"
