"""What history knows of every record, from git; only commits that were not seen before are read."""

import json
from collections.abc import Iterable

from vaultd.history.snapshots import entries_at, tree
from vaultd.history.walk import first_adding, is_ancestor, walk
from vaultd.judging.folding import MARKER, explained_in
from vaultd.judging.opened import Opened
from vaultd.lifecycle.records.envelope import read_record
from vaultd.lifecycle.records.seals import LEFT, Seal, Seals, Version, differing
from vaultd.lifecycle.records.values import Record
from vaultd.notes.note import parse

_NAME = "record-seals"
_FORMAT = 1
_SNAPSHOT_EVERY = 64


def seals_at(opened: Opened, head: str) -> Seals:
    """Return what history up to a commit knows of records."""
    begun, seals = _kept(opened, head) or _believed(opened, head)
    commits = list(walk(opened.recorded, head, [begun])) if begun != head else []
    changed = [
        (commit, [(change.path, change.after) for change in commit.changes[0] if _holds(opened, change.path)])
        for commit in commits
    ]
    records = _records(opened, (oid for _, changes in changed for _, oid in changes if oid is not None))
    for commit, changes in changed:
        if changes:
            versions = [Version(path, records.get(oid) if oid else None) for path, oid in changes]
            seals.advance(commit.oid, versions, explained_in(commit.message))
    if len(commits) >= _SNAPSHOT_EVERY or opened.mirror.get(_NAME) is None:
        opened.mirror.put(_NAME, _dump(head, seals))
    _as_merged(opened, head, seals)
    return seals


def _holds(opened: Opened, path: str) -> bool:
    folders = opened.settings.folders
    return path.endswith(".md") and path.startswith((folders.records + "/", folders.review + "/"))


def _records(opened: Opened, oids: Iterable[str]) -> dict[str, Record]:
    found: dict[str, Record] = {}
    for oid, data in opened.objects.read_many(dict.fromkeys(oids)):
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
    kept = [entry for entry in entries if _holds(opened, entry.path)]
    records = _records(opened, (entry.oid for entry in kept))
    seals = Seals()
    seals.advance(begun, [Version(entry.path, records.get(entry.oid)) for entry in kept])
    return begun, seals


def _as_merged(opened: Opened, head: str, seals: Seals) -> None:
    """Clear what a side branch broke and no merge brought in: what HEAD holds is what counts."""
    broken = {id_: seal for id_, seal in seals.known.items() if seal.changed}
    entries = entries_at(opened.recorded, head, sorted({seal.path for seal in broken.values()})) if broken else {}
    records = _records(opened, (entry.oid for entry in entries.values()))
    for id_, seal in broken.items():
        record = records.get(entries[seal.path].oid) if seal.path in entries else None
        if record is not None and record.id == id_:
            changed = differing(seal, record)
            seals.known[id_] = Seal(seal.path, seal.pieces, changed, seal.commit if changed else "")
        elif seal.changed != (LEFT,):
            seals.known[id_] = Seal(seal.path, seal.pieces, (LEFT,), seal.commit)


def _dump(head: str, seals: Seals) -> str:
    rows = {id_: [seal.path, seal.pieces, seal.changed, seal.commit] for id_, seal in seals.known.items()}
    return json.dumps([_FORMAT, head, rows], separators=(",", ":"))


def _kept(opened: Opened, head: str) -> tuple[str, Seals] | None:
    text = opened.mirror.get(_NAME)
    if not text:
        return None
    form, begun, rows = json.loads(text)
    if form != _FORMAT or (begun != head and not is_ancestor(opened.recorded, begun, head)):
        return None
    known = {id_: Seal(path, pieces, tuple(changed), commit) for id_, (path, pieces, changed, commit) in rows.items()}
    at = {seal.path: id_ for id_, seal in known.items() if seal.changed != (LEFT,)}
    return begun, Seals(known, at)
