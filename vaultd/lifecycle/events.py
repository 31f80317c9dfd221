"""What happened to a memory or a record, in the words of the ledger."""

from typing import Literal

from vaultd.values import dataclass

EventName = Literal[
    "created",
    "written",
    "superseded",
    "archived",
    "restored",
    "renamed",
    "moved",
    "freed",
    "deleted",
    "starred",
    "adopted",
    "reverted",
    "kept",
    "set",
    "observed",
    "retracted",
    "corrected",
    "proposed",
    "approved",
    "rejected",
    "published",
]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to one memory or record."""

    name: EventName
    id: str
    path: str
    successor: str = ""


@dataclass(frozen=True, slots=True)
class Explained:
    """Ids for which a commit message or a live intent tells what was done: lifts V102 and V111 for them, no more."""

    restored: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()
    reverts: bool = False
    """The message says that it reverts a commit: an exact step back is allowed."""


NOTHING_EXPLAINED = Explained()


def explained_by(told: list[tuple[str, str]], *, reverts: bool) -> Explained:
    """Return what (event, id) pairs explain."""
    if not told and not reverts:
        return NOTHING_EXPLAINED
    return Explained(
        restored=frozenset(id_ for event, id_ in told if event == "restored"),
        deleted=frozenset(id_ for event, id_ in told if event == "deleted"),
        reverts=reverts,
    )
