"""At start: finish or undo what a killed command left behind."""

import time

from vaultd.commands.carry_out import record
from vaultd.commands.recorded import entries_of, is_recorded
from vaultd.errors import VaultdError
from vaultd.history import trailers
from vaultd.history.index_lock import heal
from vaultd.history.packs import sweep_kept
from vaultd.history.recent import Said, said_since
from vaultd.history.snapshots import Entry
from vaultd.judging.opened import Opened
from vaultd.values import dataclass
from vaultd.vault import intents
from vaultd.vault.intents import Intent, Step
from vaultd.vault.reading import read_stable
from vaultd.vault.recovery import Recovered, recover


@dataclass(frozen=True, slots=True)
class Mended:
    """What became of one killed command."""

    subject: str
    outcome: str
    """`finished`, `dropped`, `reported`, or `waiting` where its commit is refused for now."""
    notes: tuple[str, ...] = ()


def mend(opened: Opened) -> list[Mended]:
    """Settle every intent whose writer is gone, and git's index where we left it locked."""
    repo = opened.require_started()
    heal(repo)
    sweep_kept(repo, time.time())
    folder = opened.places.intents
    if folder is None:
        return []
    return [_settled(opened, found) for found in recover(opened.root, folder)]


def _settled(opened: Opened, found: Recovered) -> Mended:
    if found.held is None:
        return Mended(found.intent.subject, found.outcome, found.notes)
    if not found.intent.message or _told(opened, found.intent):  # without one there is nothing to record
        intents.forget(found.held)
        return Mended(found.intent.subject, "finished", found.notes)
    files: dict[str, bytes | None] = {}
    for step in _recorded(found.intent):
        files[step.path] = read_stable(opened.root, step.path).data if step.after is not None else None
    try:
        record(opened, files, found.intent.message)
    except VaultdError as exc:
        intents.release(found.held)
        return Mended(found.intent.subject, "waiting", (exc.message,))
    intents.forget(found.held)
    return Mended(found.intent.subject, "finished", found.notes)


def _told(opened: Opened, intent: Intent) -> bool:
    """Tell whether the command died after its commit: what stands in history already is not told twice."""
    return any(
        _tells(said, intent) and _holds(opened, said.oid, intent) for said in said_since(opened.recorded, intent.at)
    )


def _tells(said: Said, intent: Intent) -> bool:
    """Say whether a commit tells what an intent was to tell; of plain notes there is only the subject."""
    if not intent.events:
        return said.subject == intent.subject
    return {(told.event, told.id) for told in trailers.told(said.message)} >= set(intent.events)


def _holds(opened: Opened, commit: str, intent: Intent) -> bool:
    """Say whether a commit holds what an intent was to write: the same may have been told before, of other bytes."""
    steps = _recorded(intent)
    entries = entries_of(opened, commit, [step.path for step in steps])
    return all(_is_done(opened, entries.get(step.path), step) for step in steps)


def _recorded(intent: Intent) -> list[Step]:
    return [step for step in intent.steps if step.path not in intent.unrecorded]


def _is_done(opened: Opened, entry: Entry | None, step: Step) -> bool:
    data = opened.read(step.path)
    if step.after is None or data is None:
        return entry is None and data is None and step.after is None
    return intents.digest(data) == step.after and is_recorded(opened, entry, step.path, data)
