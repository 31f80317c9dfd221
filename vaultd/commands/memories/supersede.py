"""Hand over from a memory to its successor; both stay on disk."""

from datetime import datetime

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out, refuse_waiting
from vaultd.commands.references import Found, find_memory
from vaultd.commands.refusing import rejected_by
from vaultd.commands.stamping import naming
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Stamp, Write, digest, superseded_text
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.states import Active, Superseded, successor_of


def supersede(
    opened: Opened, asked: Asked, old: str, new: str, *, reason: str = "", at: datetime | None = None
) -> Done:
    """Stamp OLD as replaced by NEW; the same again is no change and no error.

    Raises:
        RejectedError: NEW is OLD, is not active, or OLD has another successor.
        ConflictError: OLD's file holds a lifecycle edit that is not committed.
    """
    before, after = find_memory(opened, old), find_memory(opened, new)
    if before.standing is not None and successor_of(before.standing.state) == after.id:
        refuse_waiting(opened, before.standing, before.path, before.data, asked.now)
        return Done(None, before.id, before.path, digest(before.data))
    refuse_end(before, after.id)
    if before.id == after.id:
        raise rejected_by(
            before, "V103", "superseded_by", "a memory cannot supersede itself", "name the memory that replaces it"
        )
    if after.standing is not None and not isinstance(after.standing.state, Active):
        raise rejected_by(
            after,
            "V103",
            "invalid_at",
            f"{after.place.label} is not active: it cannot replace anything",
            f"vaultd memory chain {after.id} shows what replaced it",
        )
    stamp = Stamp(asked.now, opened.settings.zone, at)
    with naming(before.path):
        text = superseded_text(before.data, after.place, after.id, stamp)
    changeset = Changeset(
        f"memory: supersede {before.place.label} by {after.place.label}",
        (Event("superseded", before.id, before.path, after.id),),
        (Write(before.path, before.data, text),),
        {after.path: digest(after.data)},
        reason,
        _already_typed(before, after),
    )
    return carry_out(opened, changeset, asked)


def refuse_end(found: Found, successor: str) -> None:
    """Refuse a memory that was replaced by another already.

    Raises:
        RejectedError: it has a successor, and an edge never changes.
    """
    if found.standing is None or not isinstance(found.standing.state, Superseded):
        return
    if found.standing.state.by != successor:
        raise rejected_by(
            found,
            "V103",
            "superseded_by",
            f"{found.place.label} is superseded by {found.standing.state.by} already",
            f"vaultd memory chain {found.id} shows the chain; supersede its last memory",
        )


def _already_typed(before: Found, after: Found) -> frozenset[str]:
    """Return the id whose hand edit says just this, so that the command completes it."""
    standing = before.standing
    if standing is None or not isinstance(standing.state, Active) or before.facts.id != before.id:
        return frozenset()
    text = (before.facts.superseded_by or "").strip().removeprefix("[[").removesuffix("]]").rsplit("/", 1)[-1]
    return frozenset({before.id}) if text in (after.id, after.place.name) else frozenset()


def handed_over(old: Found, successor: str) -> bool:
    """Say whether a memory was replaced by just this one already."""
    return old.standing is not None and successor_of(old.standing.state) == successor
