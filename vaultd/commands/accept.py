"""Record accepted hand edits: each is checked like a command's changeset and stands in one commit."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from vaultd.commands.carry_out import told_of
from vaultd.commands.riding import arrived, riding
from vaultd.errors import VaultdError
from vaultd.history.committing import Refused, commit_paths, obstacle
from vaultd.history.repository import head_quick
from vaultd.history.snapshots import set_aside
from vaultd.history.trailers import tell
from vaultd.judging.opened import Opened
from vaultd.judging.present import Present
from vaultd.lifecycle.batches import Batch, batches
from vaultd.lifecycle.events import Event, EventName
from vaultd.lifecycle.facts import facts_of
from vaultd.lifecycle.telling import subject_of
from vaultd.lifecycle.transitions import Clock
from vaultd.notes.note import parse
from vaultd.values import dataclass
from vaultd.vault import crashing
from vaultd.vault.settling import too_many_gone

UNKNOWN = "unknown"
"""The actor of a hand edit: an editor does not say who typed."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """One commit that recorded hand edits."""

    commit: str
    events: tuple[Event, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pending:
    """An accepted change that is not committed yet, and why."""

    path: str
    reason: str
    detail: str = ""


def waiting_batches(opened: Opened, present: Present, now: datetime) -> list[Batch]:
    """Return the commits that would record what is accepted on disk and not in HEAD."""
    if present.head is None:
        return []
    clock = Clock(now, opened.settings.zone)
    return batches(present.base, present.verdict, present.changes, clock, opened.explained())


def accept(
    opened: Opened,
    present: Present,
    ready: Sequence[Batch],
    *,
    actor: str = UNKNOWN,
    event: EventName | None = None,
    announce: Callable[[Accepted], None] = lambda _made: None,
    meant: bool = False,
) -> tuple[list[Accepted], list[Pending]]:
    """Commit batches in order, stopping at the first that cannot be; the rest stays pending.

    Where the memory folder itself is gone, or very many memories at once, no leaving is committed unless it is `meant`.

    Args:
        opened: the vault.
        present: what was judged; a file or a HEAD that moved since makes its batch pending.
        ready: the batches to commit, in the order `waiting_batches` gave them.
        actor: who is told to have done it.
        event: what to tell instead of what was seen, for `adopt`.
        announce: hears of each commit.
        meant: a person said that what is gone is meant to be.
    """
    made: list[Accepted] = []
    head = present.head
    doubt = "" if meant else _doubt(opened, present, ready)
    for position, batch in enumerate(ready):
        if doubt and _leaving(batch):
            outcome: Accepted | Pending = Pending(batch.paths[0], "gone", doubt)
        else:
            outcome = _commit(opened, present, batch, head, actor, event)
        if isinstance(outcome, Pending):
            left = [Pending(path, outcome.reason, outcome.detail) for b in ready[position:] for path in _shown(b)]
            return made, left
        head = outcome.commit
        made.append(outcome)
        announce(outcome)
    return made, []


def _leaving(batch: Batch) -> list[str]:
    return [event.path for event in batch.events if event.name == "deleted"]


def _doubt(opened: Opened, present: Present, ready: Sequence[Batch]) -> str:
    """Return why the disk, not a person, may have taken the memories that are gone; empty for no reason."""
    gone = sum(len(_leaving(batch)) for batch in ready)
    name = opened.settings.folders.memory
    folder = opened.root / name
    if not gone:
        return ""
    if folder.is_symlink() or not folder.is_dir():
        what = "is a link now" if folder.is_symlink() else "is gone"
        return f"{name}/ {what}: {_MEANT}"
    there = sum(not standing.gone for standing in present.base.standings.values())
    return f"{gone} of {there} memories are gone at once: {_MEANT}" if too_many_gone(there, gone) else ""


_MEANT = "bring them back; or git rm and commit them, or vaultd resume, where that is meant"


def _shown(batch: Batch) -> list[str]:
    return sorted({event.path for event in batch.events})


def _commit(
    opened: Opened, present: Present, batch: Batch, head: str | None, actor: str, event: EventName | None
) -> Accepted | Pending:
    files: dict[str, bytes | None] = {}
    for change in batch.changes:
        data = opened.read(change.path)
        if (data is None) != (change.after is None) or (data is not None and facts_of(parse(data)) != change.after):
            return Pending(change.path, "moved")
        files[change.path] = data
    if head_quick(opened.recorded) != head:
        return Pending(batch.paths[0], "moved")
    found = obstacle(opened.recorded, batch.paths)
    if found is not None:
        return Pending(batch.paths[0], found.reason, found.detail)
    known = [change.path for change in batch.changes if change.before is not None and change.after is not None]
    for path, flags in (set_aside(opened.recorded, known) if known else {}).items():
        return Pending(path, "overlooked", f"git was told to overlook its edits: git update-index --no-{flags[0]}")
    events = [Event(event, e.id, e.path, e.successor) if event is not None else e for e in batch.events]
    message = tell(subject_of(batch.events, labels(opened, present)), told_of(events, actor))
    riders = riding(opened, files)
    everything = {**riders, **files}
    try:
        made = commit_paths(
            opened.recorded,
            everything,
            message,
            hooks=opened.settings.commit_hooks,
            point=crashing.point,
            objects=opened.objects,
        )
    except VaultdError as exc:
        return Pending(batch.paths[0], "git", exc.message)
    if isinstance(made, Refused):
        return Pending(batch.paths[0], made.reason, made.detail)
    arrived(opened, riders)
    return Accepted(made, tuple(events), batch.paths)


def labels(opened: Opened, present: Present) -> Mapping[str, str]:
    """Return, by id, how a memory is named in a commit subject."""
    found: dict[str, str] = {}
    for ground in (present.base, present.ground):
        for id_, standing in ground.standings.items():
            place = ground.place(standing.path)
            if place is not None:
                found[id_] = place.label
    del opened
    return found
