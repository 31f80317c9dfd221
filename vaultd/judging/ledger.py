"""The ledger: what happened to memories and records, as commits tell it and as far as it was accepted."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import get_args

from vaultd.history.ledger import Telling, positions, silent, tellings
from vaultd.history.repository import head_quick
from vaultd.history.trailers import Told
from vaultd.judging.opened import Opened
from vaultd.lifecycle.events import Event, EventName
from vaultd.values import dataclass

NOBODY_SAID = "unknown"
_NAMES = frozenset(get_args(EventName))
_LIFECYCLE = frozenset({"superseded", "archived", "restored"})
"""What happens to a memory only where it was accepted."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One thing that happened to a memory or record."""

    commit: str
    at: datetime
    author: str
    """`Name <mail>` of whoever git says wrote the commit."""
    actor: str
    event: str
    id: str
    successor: str
    reason: str
    subject: str
    paths: tuple[str, ...]
    """The vault paths the commit changed against its first parent."""


def entries(opened: Opened, since: str | None = None, limit: int | None = None) -> Iterator[LedgerEntry]:
    """Give what happened in HEAD's history, newest first, at most `limit` entries.

    A commit's word counts where what it says was accepted; what was accepted without a word is told all the same, by
    nobody known. `since` is anything git's own `--since` understands.
    """
    return islice(_entries(opened, since), limit)


def _entries(opened: Opened, since: str | None) -> Iterator[LedgerEntry]:
    repo = opened.recorded
    head = head_quick(repo)
    if head is None:
        return
    unsaid = silent(repo, head, opened.fold.eventful(head), since)
    place = positions(repo, head) if unsaid else {}
    for commit in merge(tellings(repo, head, since), unsaid, key=lambda one: place.get(one.commit, 0)):
        happened = opened.fold.happened(head, commit.commit)
        believed = [told for told in commit.told if _is_believed(told, commit.paths, happened)]
        yield from (_entry(commit, told) for told in (*believed, *_unsaid(happened or (), believed)))


def _is_believed(told: Told, paths: Sequence[str], happened: Sequence[Event] | None) -> bool:
    """Say whether a commit may tell this: of what was never judged its word is all there is."""
    if happened is None:
        return told.event in _NAMES
    own = [event for event in happened if event.id == told.id]
    if told.event in _LIFECYCLE:
        return any(event.name == told.event and event.successor == told.successor for event in own)
    return told.event in _NAMES and bool(own or paths)


def _unsaid(happened: Sequence[Event], believed: Sequence[Told]) -> Iterator[Told]:
    known = {told.id for told in believed}
    for event in happened:
        if event.id not in known:
            yield Told(event.name, event.id, event.successor, NOBODY_SAID)


def _entry(commit: Telling, told: Told) -> LedgerEntry:
    return LedgerEntry(
        commit=commit.commit,
        at=commit.at,
        author=commit.author,
        actor=told.actor,
        event=told.event,
        id=told.id,
        successor=told.successor,
        reason=told.reason,
        subject=commit.subject,
        paths=commit.paths,
    )
