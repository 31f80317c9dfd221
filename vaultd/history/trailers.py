"""What a commit message tells of memories, and how a telling message is written; text only."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from vaultd.quickly import pattern
from vaultd.values import dataclass

_REASON_LIMIT = 300
_LINE = pattern(r"[ \t]*vaultd-(event|id|successor|actor|reason)[ \t]*:[ \t]*(.*?)\s*", re.IGNORECASE)
_ACTOR = pattern(r"Vaultd-Actor:(.*)")
_KEYS = ("event", "id", "successor", "actor", "reason")


@dataclass(frozen=True, slots=True)
class Told:
    """One thing a commit says happened to a memory or record; empty where it does not say."""

    event: str
    id: str
    successor: str = ""
    actor: str = ""
    reason: str = ""


def tell(subject: str, told: Sequence[Told], body: str = "") -> str:
    """Return the commit message that tells these things; no value in it can begin a line of its own."""
    parts = [one_line(subject)]
    if body.strip():
        parts.append(body.strip())
    if told:
        parts.append("\n".join(line for thing in told for line in _lines(thing)))
    return "\n\n".join(parts) + "\n"


def _lines(thing: Told) -> Iterator[str]:
    for key, value in zip(_KEYS, (thing.event, thing.id, thing.successor, thing.actor, thing.reason), strict=True):
        if value:
            yield f"Vaultd-{key.capitalize()}: {one_line(value)}"


def told(message: str) -> list[Told]:
    """Return every event that stands together with its id, anywhere in the message and at any indentation.

    Lines stand together when nothing is between them; a further event begins the next group; within a group the
    first line of each key counts. An event without an id, or an id without an event, counts for nothing.
    """
    return [
        Told(group["event"], group["id"], group.get("successor", ""), group.get("actor", ""), group.get("reason", ""))
        for group in _groups(message)
        if group.get("event") and group.get("id")
    ]


def _groups(message: str) -> Iterator[dict[str, str]]:
    group: dict[str, str] = {}
    for line in message.split("\n"):
        found = _LINE.fullmatch(line)
        key = found[1].lower() if found else ""
        if found is None or (key == "event" and "event" in group):
            yield group
            group = {}
        if found is not None:
            group.setdefault(key, found[2])
    yield group


def actor(message: str) -> str:
    """Return who a commit says asked for it: in its last paragraph, where commands tell it; empty for nobody."""
    last = message.strip().rpartition("\n\n")[2]
    return next((found[1].strip() for line in last.split("\n") if (found := _ACTOR.fullmatch(line))), "")


def reverted(message: str) -> bool:
    """Say whether the message claims to take another commit back."""
    return "This reverts commit" in message or message.lstrip("\n").startswith('Revert "')


def one_line(reason: str) -> str:
    """Return text as one line of at most 300 characters, control characters and line ends turned into spaces."""
    spaced = "".join(" " if unicodedata.category(char) in {"Cc", "Zl", "Zp"} else char for char in reason)
    return spaced.strip()[:_REASON_LIMIT].rstrip()
