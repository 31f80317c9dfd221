"""Set properties of a note."""

from collections.abc import Sequence

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.finding import find_note
from vaultd.commands.properties.keys import kinds_of, refuse_own_key, spelled
from vaultd.commands.records.guard import refuse_record_change
from vaultd.commands.stamping import as_updated, naming
from vaultd.errors import UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.fields import refuse_description, refuse_kind
from vaultd.lifecycle.places import place_of
from vaultd.notes.frontmatter import add_item, remove_item, set_value
from vaultd.notes.note import parse
from vaultd.notes.properties import Assignment, Kind, held_item, item_of, value_of
from vaultd.notes.scalars import Value
from vaultd.values import replace


def set_properties(
    opened: Opened, asked: Asked, ref: str, assignments: Sequence[Assignment], *, reason: str = ""
) -> Done:
    """Set properties, all of them or none, each typed as `.obsidian/types.json` says; other bytes stay.

    `updated` moves in memories and work notes, not in plain notes.

    Raises:
        UsageError: a value does not fit its type.
        RejectedError: a key has a verb of its own.
        NoteFormatError: the frontmatter cannot be edited.
    """
    found = find_note(opened, ref)
    kinds, notices = kinds_of(opened)
    memory = bool(found.id) and place_of(found.path, opened.settings.folders.memory) is not None
    text = found.data
    with naming(found.path):
        for one in assignments:
            refuse_own_key(opened, found, one.key)
            if memory:
                _refuse_field(one)
            text = _assigned(text, replace(one, key=spelled(text, one.key)), kinds.get(one.key.casefold()))
        text = as_updated(found.data, text, asked.now) if found.id else text
    if text == found.data:
        return replace(found.unchanged(), notices=notices)
    refuse_record_change(opened, found.path, found.data, text)
    keys = ", ".join(dict.fromkeys(one.key for one in assignments))
    changeset = Changeset(
        f"{'memory' if memory else 'note'}: set {keys} of {found.label}",
        (Event("written", found.id, found.path),),
        (Write(found.path, found.data, text),),
        reason=reason,
    )
    return replace(carry_out(opened, changeset, asked), notices=notices)


def _assigned(data: bytes, one: Assignment, kind: Kind | None) -> bytes:
    held = parse(data).properties.get(one.key)
    match one.operation:
        case "=":
            return set_value(data, one.key, value_of(one.key, one.text, kind, held))
        case "+=":
            return add_item(data, one.key, _meant(one, kind, held))
        case "-=":
            return remove_item(data, one.key, _meant(one, kind, held))


def _meant(one: Assignment, kind: Kind | None, held: Value) -> Value:
    items: list[Value] = held if isinstance(held, list) else [held]
    return held_item(items, item_of(one.key, one.text, kind), kind)


def _refuse_field(one: Assignment) -> None:
    """Hold the two fields that lists and briefings show to what a memory may say."""
    if one.key == "kind":
        refuse_kind(one.text)
    elif one.key == "description":
        refuse_description(one.text)
    else:
        return
    if one.operation != "=":
        raise UsageError(f"{one.key} is no list", f"{one.key}=VALUE sets it")
