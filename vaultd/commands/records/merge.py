"""Resolve what git could not merge among records: both answers stay, and the later one stands at the slot's path."""

from collections.abc import Iterator, Mapping

from vaultd.commands.asking import Asked
from vaultd.commands.carry_out import put_back
from vaultd.commands.recorded import entries_of
from vaultd.errors import UsageError
from vaultd.history.repository import head_quick, merge_heads, operation
from vaultd.history.snapshots import tree, unmerged
from vaultd.history.spelling import encoded
from vaultd.judging.opened import Opened
from vaultd.judging.records.conflicts import REVERT
from vaultd.lifecycle.changesets import Write
from vaultd.lifecycle.records.merging import Side, merged_file, merged_slot
from vaultd.lifecycle.records.places import SlotPlace, slot_place_of
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Merged:
    """What became of the conflicts among records."""

    resolved: tuple[str, ...]
    """Files that were written and staged, or that left."""
    left: tuple[str, ...]
    """Files in conflict that a person has to look at: no records, or edited ones."""
    others: tuple[str, ...]
    """Files in conflict that are no records at all."""


def merge_records(opened: Opened, asked: Asked) -> Merged:
    """Put together what two sides made of records, and stage it; committing the merge is left to whoever began it.

    Raises:
        UsageError: no merge is under way.
        ConflictError: a file changed meanwhile.
    """
    repo = opened.require_started()
    sides = [oid for oid in (head_quick(repo), *_coming_in(opened)) if oid is not None]
    if len(sides) < 2 and operation(repo) == "revert":
        raise UsageError("a revert is in progress, and no merge", REVERT)
    if len(sides) < 2:
        raise UsageError("no merge is under way", "git merge BRANCH first; this resolves what it leaves in conflict")
    conflicts = sorted(unmerged(repo))
    ours = [path for path in conflicts if _is_record(opened, path)]
    files: dict[str, bytes | None] = {}
    left: list[str] = []
    for place, paths in _places(opened, ours).items():
        found = _slot(opened, place, sides) if place is not None else None
        for path in paths if found is None else ():
            alone = merged_file(_versions(opened, path, sides)) if place is None else None
            if alone is None:
                left.append(path)
            else:
                files[path] = alone
        files |= found or {}
    _stage(opened, asked, files)
    return Merged(tuple(files), tuple(left), tuple(path for path in conflicts if path not in ours))


def _coming_in(opened: Opened) -> Iterator[str]:
    """Give the commits that are being merged, or the one that is being replayed."""
    repo = opened.recorded
    merging = merge_heads(repo)
    yield from merging
    for name in () if merging else ("REBASE_HEAD", "CHERRY_PICK_HEAD"):
        ended = repo.git.attempt("rev-parse", "-q", "--verify", f"{name}^{{commit}}")
        if ended.code == 0:
            yield ended.out.decode().strip()
            return


def _is_record(opened: Opened, path: str) -> bool:
    folders = opened.settings.folders
    return path.endswith(".md") and path.startswith((folders.records + "/", folders.review + "/"))


def _places(opened: Opened, paths: list[str]) -> Mapping[SlotPlace | None, list[str]]:
    """Return conflicts by the slot whose files they are; those of drafts and events under None."""
    found: dict[SlotPlace | None, list[str]] = {}
    for path in paths:
        found.setdefault(slot_place_of(path, opened.settings.folders.records), []).append(path)
    return found


def _slot(opened: Opened, place: SlotPlace, sides: list[str]) -> dict[str, bytes | None] | None:
    return merged_slot(place, [_side(opened, place, side) for side in sides])


def _side(opened: Opened, place: SlotPlace, commit: str) -> Side:
    entries = {**entries_of(opened, commit, [place.head]), **tree(opened.recorded, commit, place.history)}
    return {path: opened.fold.blobs.data(path, entry.oid) or b"" for path, entry in entries.items()}


def _versions(opened: Opened, path: str, sides: list[str]) -> Iterator[bytes]:
    for side in sides:
        for entry in entries_of(opened, side, [path]).values():
            yield opened.fold.blobs.data(path, entry.oid) or b""


def _stage(opened: Opened, asked: Asked, files: Mapping[str, bytes | None]) -> None:
    if not files:
        return
    put_back(opened, [Write(path, opened.read(path), after) for path, after in files.items()], asked)
    if not asked.dry_run:
        request = b"".join(encoded(opened.recorded.full(path)) + b"\0" for path in files)
        opened.recorded.git.run("update-index", "--add", "--remove", "-z", "--stdin", stdin=request)
