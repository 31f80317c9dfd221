"""What is said of records while git stands in a merge that it could not end: the way out is another than for an edit."""

from collections.abc import Iterable
from dataclasses import replace

from vaultd.history.snapshots import unmerged
from vaultd.judging.opened import Opened
from vaultd.lifecycle.violations import Violation

_FOLLOWS = frozenset({"V402", "V403"})
"""What is said of a file with markers in it only because nobody can read it."""
_RESTS = frozenset({"V402", "V404", "V406", "V407"})
"""What may be said of a neighbour only because of that."""
MERGE = "vaultd record merge keeps both answers; then git commit"


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
    return [_with_way_out(one, conflicts, tops) for one in kept]


def _with_way_out(one: Violation, conflicts: set[str], tops: tuple[str, str]) -> Violation:
    rests = one.code in _RESTS and one.path.startswith(tops)
    return replace(one, hint=MERGE) if rests or (one.code == "V210" and one.path in conflicts) else one
