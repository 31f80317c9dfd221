"""What history knows of every record, from git; only commits that were not seen before are read."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from vaultd.history.snapshots import Entry, entries_at, tree
from vaultd.history.walk import Change, first_adding, is_ancestor, walk
from vaultd.judging.folding import MARKER, explained_in
from vaultd.judging.opened import Opened
from vaultd.judging.records.files import placed_in
from vaultd.judging.records.survey import records_kept
from vaultd.lifecycle.records.envelope import lines_of, read_record
from vaultd.lifecycle.records.seals import LEFT, Seal, Seals, Version, differing, place_of
from vaultd.lifecycle.records.values import Record
from vaultd.notes.note import parse
from vaultd.values import replace

_NAME = "record-seals"
_FORMAT = 4
_SNAPSHOT_EVERY = 64
"""Commits and changes of records that are read again and again, until what they come to is kept."""


def seals_at(opened: Opened, head: str) -> Mapping[str, Seal]:
    """Return what history up to a commit knows of records by id, of those that are lines of a file too."""
    memory = opened.record_memory
    kept = _remembered(opened, head) or _kept(opened, head)
    begun, seals = kept or _believed(opened, head)
    commits = list(walk(opened.recorded, head, [begun])) if begun != head else []
    changed = [
        (commit, [change for change in commit.changes[0] if holds_records(opened, change.path)]) for commit in commits
    ]
    _know_lines(opened, (change for commit in commits for side in commit.changes for change in side))
    records = records_in(opened, ((change.path, change.after) for _, changes in changed for change in changes))
    for commit, changes in changed:
        if changes:
            versions = [version for change in changes for version in _versions(opened, change, records)]
            seals.advance(commit.oid, versions, explained_in(commit.message))
        for side in commit.changes[1:]:
            seals.drop(commit.oid, _dropped(opened, [one for one in side if holds_records(opened, one.path)]))
    if kept is None or len(commits) + sum(len(changes) for _, changes in changed) >= _SNAPSHOT_EVERY:
        opened.mirror.put(_NAME, _dump(head, seals))
    memory.seals = (head, seals)
    return _as_merged(opened, head, seals.known)


def _remembered(opened: Opened, head: str) -> tuple[str, Seals] | None:
    seals = opened.record_memory.seals
    return seals if seals is not None and leads_to(opened, seals[0], head) else None


def leads_to(opened: Opened, begun: str, head: str) -> bool:
    """Return whether one commit is the other, or among what came before it."""
    return begun == head or is_ancestor(opened.recorded, begun, head)


def _versions(opened: Opened, change: Change, records: Mapping[str, Record]) -> Iterator[Version]:
    """Give what a commit made of a file: one record, or of a file of lines those that came, changed or left."""
    if change.path.endswith(".md"):
        yield Version(change.path, records.get(change.after or ""), change.after or "")
        return
    before, after = lines_in(opened, change.path, change.before), lines_in(opened, change.path, change.after)
    for gone in before - after:
        if (record := _in_line(gone)) is not None:
            yield Version(change.path, None, line=record.id)
    for new in after - before:
        if (record := _in_line(new)) is not None:
            yield Version(change.path, record, line=record.id)


def _dropped(opened: Opened, side: Sequence[Change]) -> set[str]:
    """Return the records that another parent of a merge holds and the merge does not: whoever chose a side lost them."""
    replaced = [one for one in side if one.before is not None]
    lost = _ids(opened, ((one.path, one.before) for one in replaced))
    lost -= _ids(opened, ((one.path, one.after) for one in replaced)) if lost else set()
    return lost - _ids(opened, ((one.path, one.after) for one in side if one.before is None)) if lost else lost


def _ids(opened: Opened, versions: Iterable[tuple[str, str | None]]) -> set[str]:
    there = list(versions)
    found = {one.id for one in records_in(opened, there).values()}
    for path, oid in there:
        if path.endswith(".jsonl"):
            found |= {one.id for line in lines_in(opened, path, oid) if (one := _in_line(line)) is not None}
    return found


def lines_in(opened: Opened, path: str, oid: str | None) -> set[bytes]:
    """Return the lines of a stored file, as the work tree would hold it at the path; none where there is no file."""
    data = opened.fold.blobs.data(path, oid) if oid is not None else None
    return set((data or b"").split(b"\n"))


def _know_lines(opened: Opened, changes: Iterable[Change]) -> None:
    """Ask git once what it does to all files of lines that changed; they are read one by one."""
    opened.fold.blobs.know(
        {one.path for one in changes if one.path.endswith(".jsonl") and holds_records(opened, one.path)}
    )


def _in_line(line: bytes) -> Record | None:
    return next((one for _, one in lines_of(line) if isinstance(one, Record)), None)


def holds_records(opened: Opened, path: str) -> bool:
    """Return whether a path is that of a file that may hold records or a draft."""
    folders = opened.settings.folders
    if path.endswith(".jsonl"):
        return path.startswith(folders.records + "/")
    return path.endswith(".md") and path.startswith((folders.records + "/", folders.review + "/"))


def records_in(opened: Opened, versions: Iterable[tuple[str, str | None]]) -> dict[str, Record]:
    """Return the records that stored notes hold, by blob, read as the work tree would hold them; other files are none."""
    wanted = dict.fromkeys((path, oid) for path, oid in versions if oid is not None and path.endswith(".md"))
    found = records_kept(opened, dict.fromkeys(oid for _, oid in wanted))
    for _, oid, data, _ in opened.fold.blobs.versions(version for version in wanted if version[1] not in found):
        if isinstance(record := read_record(parse(data)), Record):
            found[oid] = record
    return found


def _believed(opened: Opened, head: str) -> tuple[str, Seals]:
    """Return the records of the commit that made the folder a vault, or of HEAD where none did, as they are written."""
    begun = first_adding(opened.recorded, head, MARKER) or head
    folders = opened.settings.folders
    entries = [
        entry for top in (folders.records, folders.review) for entry in tree(opened.recorded, begun, top).values()
    ]
    kept = [Change(entry.path, None, entry.oid) for entry in entries if holds_records(opened, entry.path)]
    _know_lines(opened, kept)
    records = records_in(opened, ((one.path, one.after) for one in kept))
    seals = Seals()
    seals.advance(begun, [version for one in kept for version in _versions(opened, one, records)])
    return begun, seals


def _as_merged(opened: Opened, head: str, known: Mapping[str, Seal]) -> Mapping[str, Seal]:
    """Return seals without what a side branch broke and no merge brought in: what HEAD holds is what counts."""
    broken = {id_: seal for id_, seal in known.items() if seal.changed}
    if not broken:
        return known
    entries = entries_at(opened.recorded, head, sorted({seal.path for seal in broken.values()}))
    found: dict[str, Seal] = {}
    for id_, seal in broken.items():
        entry = entries.get(seal.path)
        record = _held(opened, entry, id_) if entry is not None else None
        changed = differing(seal, record) if record is not None else (LEFT,)
        found[id_] = replace(seal, changed=changed, commit=seal.commit if changed else "")
    return {**known, **found}


def _held(opened: Opened, entry: Entry, id_: str) -> Record | None:
    """Return the record of this id in a file of a commit."""
    data = opened.fold.blobs.data(entry.path, entry.oid) or b""
    found = (one.record for one in placed_in(entry.path, data))
    return next((record for record in found if record.id == id_), None)


def _dump(head: str, seals: Seals) -> str:
    rows = {id_: [seal.path, seal.pieces, seal.changed, seal.commit, seal.blob] for id_, seal in seals.known.items()}
    return json.dumps([_FORMAT, head, rows], separators=(",", ":"))


def _kept(opened: Opened, head: str) -> tuple[str, Seals] | None:
    text = opened.mirror.get(_NAME)
    if not text:
        return None
    form, begun, rows = json.loads(text)
    if form != _FORMAT or not leads_to(opened, begun, head):
        return None
    known = {id_: Seal(path, pieces, tuple(changed), *rest) for id_, (path, pieces, changed, *rest) in rows.items()}
    at = {place_of(seal.path, id_): id_ for id_, seal in known.items() if seal.changed != (LEFT,)}
    return begun, Seals(known, at)
