"""What is said of records while git stands in a merge, or a command is writing: the way out is another than for an edit."""

from collections.abc import Iterable
from pathlib import Path

from vaultd.errors import StorageError
from vaultd.history.repository import operation
from vaultd.history.snapshots import unmerged
from vaultd.judging.opened import Opened
from vaultd.lifecycle.violations import Violation
from vaultd.values import replace
from vaultd.vault import intents

_FOLLOWS = frozenset({"V402", "V403"})
"""What is said of a file with markers in it only because nobody can read it."""
_RESTS = frozenset({"V402", "V404", "V406", "V407"})
"""What may be said of a neighbour only because of that."""
MERGE = "vaultd record merge keeps both answers; then git commit"
REVERT = "git revert --abort; then vaultd undo takes a command back, and vaultd record set answers anew"
_STASH = "git restore --source=HEAD --staged --worktree on each file in conflict keeps what was committed"
KILLED = "a command was killed while it wrote this: vaultd doctor --fix ends it"


def in_between(opened: Opened, found: Iterable[Violation]) -> list[Violation]:
    """Return what was found, without what a command is about to make true, and with the ways out that are there."""
    folder = opened.places.intents
    if folder is None or not folder.is_dir() or not any(folder.iterdir()):
        return in_conflict(opened, found)
    at_work = {step.path for intent in intents.live(folder) for step in intent.steps}
    everything = {step.path for file in intents.listed(folder) for step in _steps(file)}
    left = [one for one in found if not one.code.startswith("V4") or one.path not in at_work]
    return in_conflict(
        opened,
        [replace(one, hint=KILLED) if one.code.startswith("V4") and one.path in everything else one for one in left],
    )


def way_out(opened: Opened) -> str:
    """Return what ends a conflict among records: `record merge` puts together what comes in, and nothing else."""
    doing = operation(opened.recorded)
    if doing in {"merge", "rebase", "cherry-pick"}:
        return MERGE
    return REVERT if doing == "revert" else _STASH


def _steps(file: Path) -> tuple[intents.Step, ...]:
    try:
        return intents.read_intent(file).steps
    except (OSError, StorageError):
        return ()  # it ended while we looked


def in_conflict(opened: Opened, found: Iterable[Violation]) -> list[Violation]:
    """Return what was found, each conflict among records once and with the command that resolves it."""
    folders = opened.settings.folders
    tops = (folders.records + "/", folders.review + "/")
    everything = list(found)
    marked = {one.path for one in everything if one.code == "V210" and one.path.startswith(tops)}
    if not marked or not opened.started:
        return everything
    conflicts = marked & unmerged(opened.recorded)
    if not conflicts:
        return everything
    kept = [one for one in everything if one.path not in conflicts or one.code not in _FOLLOWS]
    way = way_out(opened)
    return [replace(one, hint=way) if _rests(one, conflicts, tops) else one for one in kept]


def _rests(one: Violation, conflicts: set[str], tops: tuple[str, str]) -> bool:
    return one.path in conflicts if one.code == "V210" else one.code in _RESTS and one.path.startswith(tops)
