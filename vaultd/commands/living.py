"""Memories whose text may still change."""

from shlex import quote

from vaultd.commands.references import Found, find_memory
from vaultd.commands.refusing import place_at
from vaultd.errors import RejectedError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.states import Active, Archived, State, Superseded


def find_living(opened: Opened, ref: str) -> Found:
    """Return an active memory that a reference names.

    Raises:
        UsageError: none is meant, or several are.
        RejectedError: it has ended.
    """
    found = find_memory(opened, ref)
    refuse_ended(found)
    return found


def refuse_ended(found: Found) -> None:
    """Refuse a memory that no longer speaks for itself: what it said stays as it was.

    Raises:
        RejectedError: it was replaced or has ended.
    """
    state: State = found.standing.state if found.standing is not None else Active()
    match state:
        case Active():
            return
        case Superseded(by=successor):
            raise RejectedError(
                f"{place_at(found, 'superseded_by')}: {found.place.label} is superseded by {successor}: its text stays as it was",
                f"change the memory that holds now; vaultd memory chain {found.id} shows it",
            )
        case Archived(at):
            raise RejectedError(
                f"{place_at(found, 'invalid_at')}: {found.place.label} was archived at {at}: its text stays as it was",
                f"vaultd memory restore {quote(found.path)} brings it back",
            )
