"""Commit subjects: what happened, in one line a person reads in `git log`."""

from collections.abc import Mapping, Sequence

from vaultd.lifecycle.events import Event, EventName

_VERBS: dict[EventName, str] = {
    "created": "create",
    "written": "write",
    "superseded": "supersede",
    "archived": "archive",
    "restored": "restore",
    "renamed": "rename",
    "moved": "move",
    "freed": "free",
    "deleted": "delete",
    "starred": "star",
    "adopted": "adopt",
    "reverted": "revert",
    "kept": "keep edits of",
    "set": "set",
    "observed": "observe",
    "retracted": "retract",
    "corrected": "correct",
    "proposed": "propose",
    "approved": "approve",
    "rejected": "reject",
    "published": "publish",
}
_WEIGHT = list(_VERBS)
_FIRST: tuple[EventName, ...] = ("superseded", "archived", "restored", "deleted", "renamed", "moved")


def subject_of(events: Sequence[Event], labels: Mapping[str, str]) -> str:
    """Return a subject such as `memory: supersede seam/old by seam/new`; `labels` names memories by id."""
    ranked = sorted(events, key=lambda event: (event.name not in _FIRST, _WEIGHT.index(event.name), event.path))
    lead = ranked[0]
    named = {lead.id, lead.successor}
    rest = len({event.id for event in ranked} - named)
    by = f" by {labels.get(lead.successor, lead.successor)}" if lead.successor else ""
    more = f" and {rest} more" if rest else ""
    return f"memory: {_VERBS[lead.name]} {labels.get(lead.id, lead.id)}{by}{more}"
