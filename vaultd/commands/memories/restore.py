"""Bring an ended memory back."""

from shlex import quote

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.references import find_memory
from vaultd.commands.refusing import place_at
from vaultd.commands.stamping import naming
from vaultd.errors import RejectedError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Stamp, Write, digest, restored_text
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.states import Active


def restore(opened: Opened, asked: Asked, ref: str, *, reason: str = "") -> Done:
    """Clear both lifecycle fields and the tombstone line that their stamp added.

    Raises:
        RejectedError: its end was never accepted, or its name is taken.
    """
    found = find_memory(opened, ref)
    says_active = found.facts.invalid_at is None and found.facts.superseded_by is None
    if found.standing is None or isinstance(found.standing.state, Active):
        if says_active:
            return Done(None, found.id, found.path, digest(found.data))
        raise RejectedError(
            f"{place_at(found, 'invalid_at')}: the end written there is not accepted, so there is nothing to restore",
            f"vaultd revert {quote(found.path)} takes it out of the file",
        )
    with naming(found.path):
        text = restored_text(found.data, Stamp(asked.now, opened.settings.zone))
    changeset = Changeset(
        f"memory: restore {found.place.label}",
        (Event("restored", found.id, found.path),),
        (Write(found.path, found.data, text),),
        reason=reason,
        completes=frozenset({found.id}) if says_active else frozenset(),
    )
    return carry_out(opened, changeset, asked)
