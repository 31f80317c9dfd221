"""At start: finish or undo what a killed command left behind."""

from dataclasses import dataclass

from vaultd.commands.carry_out import record
from vaultd.errors import VaultdError
from vaultd.history.index_lock import heal
from vaultd.history.ledger import entries
from vaultd.judging.opened import Opened
from vaultd.vault import intents
from vaultd.vault.intents import Intent
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
    heal(opened.require_started())
    folder = opened.places.intents
    if folder is None:
        return []
    return [_settled(opened, found) for found in recover(opened.root, folder)]


def _settled(opened: Opened, found: Recovered) -> Mended:
    if found.held is None:
        return Mended(found.intent.subject, found.outcome, found.notes)
    if _told(opened, found.intent):
        intents.forget(found.held)
        return Mended(found.intent.subject, "finished", found.notes)
    files: dict[str, bytes | None] = {}
    for step in found.intent.steps:
        files[step.path] = read_stable(opened.root, step.path).data if step.after is not None else None
    try:
        record(opened, files, found.intent.message)
    except VaultdError as exc:
        return Mended(found.intent.subject, "waiting", (exc.message,))
    intents.forget(found.held)
    return Mended(found.intent.subject, "finished", found.notes)


def _told(opened: Opened, intent: Intent) -> bool:
    """Tell whether the command died after its commit: what stands in history already is not told twice."""
    told: dict[str, set[tuple[str, str]]] = {}
    for entry in entries(opened.recorded, since=intent.at):
        told.setdefault(entry.commit, set()).add((entry.event, entry.id))
    return any(events >= set(intent.events) for events in told.values())
