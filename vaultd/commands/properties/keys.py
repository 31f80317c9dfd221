"""Which properties `set` and `unset` may touch, and what type the vault gives them."""

from collections.abc import Mapping
from shlex import quote

from vaultd.commands.finding import FoundNote
from vaultd.errors import RejectedError, StorageError, UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.places import place_of
from vaultd.notes.note import parse
from vaultd.notes.properties import ALWAYS, Kinds, parse_kinds
from vaultd.vault.reading import read_stable

TYPES = ".obsidian/types.json"
_MEMORY = {
    "id": "it never changes",
    "name": "vaultd memory rename {} NEW-NAME renames a memory",
    "project": "vaultd memory move {} PROJECT moves a memory",
    "created": "it never changes",
    "valid_from": "it never changes",
    "updated": "every change of the text stamps it",
    "invalid_at": "vaultd memory archive {}, or supersede; vaultd memory restore {} clears it",
    "superseded_by": "vaultd memory supersede {} NEW hands over",
    "favorite": "vaultd memory star {}",
}
_WORK_NOTE = {
    "id": "it never changes",
    "slug": "vaultd note rename {} NEW-NAME renames a note",
    "project": "vaultd note move {} PROJECT moves a note",
    "created": "it never changes",
    "updated": "every change of the text stamps it",
    "favorite": "vaultd note star {}",
}
_NEEDED = ("kind", "description", "title")


def refuse_own_key(opened: Opened, found: FoundNote, key: str) -> None:
    """Refuse a key that a verb of its own keeps, in whatever case it is spelled.

    Raises:
        RejectedError: it is one; the hint is that verb.
    """
    kept = _kept(opened, found)
    hint = kept.get(key.casefold())
    if hint is not None:
        place = _place(found, key)
        raise RejectedError(f"{place}: {key} is not set by hand", hint.format(*[quote(found.path)] * 2))


def refuse_needed_key(opened: Opened, found: FoundNote, key: str) -> None:
    """Refuse to take away a key that every memory or work note has.

    Raises:
        RejectedError: it is one.
    """
    if key.casefold() in _NEEDED and _kept(opened, found):
        raise RejectedError(
            f"{_place(found, key)}: the note needs its {key}", f"vaultd set {quote(found.path)} {key}=… changes it"
        )


def spelled(data: bytes, key: str) -> str:
    """Return a key as the note spells it: names of properties are the same in every case.

    Raises:
        UsageError: the note has it in several spellings.
    """
    there = parse(data).properties
    if key in there:
        return key
    alike = [name for name in there if name.casefold() == key.casefold()]
    if len(alike) > 1:
        raise UsageError(f"{key} may mean {' or '.join(alike)}", "spell it as the note does")
    return alike[0] if alike else key


def kinds_of(opened: Opened) -> tuple[Kinds, tuple[str, ...]]:
    """Return the types of this vault's properties, and a notice where its own cannot be read."""
    try:
        return parse_kinds(read_stable(opened.root, TYPES).data), ()
    except FileNotFoundError:
        return ALWAYS, ()
    except (ValueError, RecursionError, StorageError):
        return ALWAYS, (f"{TYPES} cannot be read: types are guessed from the values",)


def _place(found: FoundNote, key: str) -> str:
    lines = parse(found.data).key_lines
    return f"{found.path}:{lines.get(spelled(found.data, key), 1)}"


def _kept(opened: Opened, found: FoundNote) -> Mapping[str, str]:
    if place_of(found.path, opened.settings.folders.memory) is not None:
        if found.id:
            return _MEMORY
        return dict.fromkeys(("id", "invalid_at", "superseded_by"), "vaultd adopt {} makes it a memory")
    return _WORK_NOTE if found.id else {}
