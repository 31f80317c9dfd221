"""Replace a note's whole text, as a program does that has read it: only where it is still the text that was read."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.finding import find_note
from vaultd.commands.records.guard import refuse_record_change
from vaultd.errors import ConflictError, NoteFormatError, RejectedError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write, digest
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.facts import Facts, facts_of
from vaultd.lifecycle.places import place_of
from vaultd.notes.conflicts import find_hunks, of_hunks
from vaultd.notes.note import parse


def write_note(opened: Opened, asked: Asked, path: str, text: bytes, expected: str, *, reason: str = "") -> Done:
    """Write a note's new text; `expected` is the SHA-256 of the one it replaces.

    Raises:
        ConflictError: it is another text by now.
        RejectedError: it is a memory, and the new text changes its lifecycle values, or it is a record.
        NoteFormatError: the text leaves a merge unresolved that was there.
    """
    found = find_note(opened, path)
    if digest(found.data) != expected:
        raise ConflictError(f"{found.path} was changed since it was read", "read it again")
    if found.data == text:
        return found.unchanged()
    if place_of(found.path, opened.settings.folders.memory) is not None:
        _refuse_lifecycle(found.path, facts_of(parse(found.data)), facts_of(parse(text)))
    refuse_record_change(opened, found.path, found.data, text)
    if find_hunks(found.data) and (hunks := find_hunks(text)):
        merge = of_hunks(hunks)
        raise NoteFormatError(merge.message, merge.hint, path=found.path, line=merge.line)
    changeset = Changeset(
        f"{'memory' if found.id else 'note'}: write {found.label}",
        (Event("written", found.id, found.path),),
        (Write(found.path, found.data, text),),
        reason=reason,
    )
    return carry_out(opened, changeset, asked)


def _refuse_lifecycle(path: str, before: Facts, after: Facts) -> None:
    def values(facts: Facts) -> tuple[object, ...]:
        return facts.readable, facts.id, facts.invalid_at, facts.superseded_by, facts.tombstone

    if values(before) != values(after):
        raise RejectedError(
            f"{path}: a text does not change a memory's lifecycle",
            "supersede, archive and restore are verbs of their own",
        )
