"""All records of a vault as they are on disk, or in a commit; what did not change since it was read is not read again."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from vaultd.history.snapshots import Entry
from vaultd.judging.opened import Opened
from vaultd.judging.records.files import record_files
from vaultd.judging.records.located import Located, Unread
from vaultd.lifecycle.records.envelope import Misread, lines_of, read_record
from vaultd.lifecycle.records.values import Record, Stamps
from vaultd.notes.note import parse
from vaultd.values import dataclass

_FEW = 2_000
"""Files; of more it costs less to ask for all that are indexed."""
_KEPT = "#record3"
"""Marks a record in the cache of facts, behind the id of its blob."""


@dataclass(frozen=True, slots=True)
class Survey:
    """Everything that was found."""

    records: tuple[Located, ...]
    unread: tuple[Unread, ...]

    @property
    def by_id(self) -> dict[str, Record]:
        """Return records by id; of several with one id the last."""
        return {one.record.id: one.record for one in self.records}


def survey(opened: Opened, folders: Iterable[str] = ()) -> Survey:
    """Return the records below some folders of the vault; without folders all, drafts too."""
    paths = list(record_files(opened, folders))
    return _surveyed(opened, paths, _unchanged(opened, [path for path in paths if path.endswith(".md")]))


def survey_indexed(opened: Opened, lines: Iterable[str]) -> Survey:
    """Return all records of a vault whose index was just caught up, so that no file is looked at again.

    Args:
        opened: the vault.
        lines: the files of lines that are there.
    """
    folders = opened.settings.folders
    tops = (folders.records + "/", folders.review + "/")
    keys = {path: key for path, key in opened.keys().items() if path.startswith(tops)}
    return _surveyed(opened, sorted((*keys, *lines)), keys)


def survey_stored(opened: Opened, entries: Mapping[str, Entry]) -> dict[str, tuple[Located | Unread, ...]]:
    """Return what files of a commit hold, by path."""
    notes = {path: entry.oid for path, entry in entries.items() if path.endswith(".md")}
    cached = opened.mirror.facts({oid + _KEPT for oid in notes.values()})
    found: dict[str, tuple[Located | Unread, ...]] = {}
    fresh: dict[str, str] = {}
    missing: list[tuple[str, str]] = []
    for path, entry in entries.items():
        text = cached.get(entry.oid + _KEPT) if path in notes else None
        if text is not None:
            found[path] = (Located(path, 1, load_record(text), entry.oid),)
        else:
            missing.append((path, entry.oid))
    for path, oid, data, as_stored in opened.fold.blobs.versions(missing):
        found[path] = tuple(_here(path, oid, _read(path, data)))
        for one in found[path] if as_stored and path in notes else ():
            if isinstance(one, Located):
                fresh.update([kept(oid, one.record)])
    if fresh:
        opened.mirror.add_facts(fresh)
    return found


def _surveyed(opened: Opened, paths: Sequence[str], keys: Mapping[str, str]) -> Survey:
    seen = opened.record_memory.files
    unknown = [path for path in paths if path not in seen or seen[path][0] != keys.get(path, "?")]
    cached = opened.mirror.facts({keys[path] + _KEPT for path in unknown if path in keys})
    fresh: dict[str, str] = {}
    for path in unknown:
        seen.pop(path, None)
        key = keys.get(path, "")
        text = cached.get(key + _KEPT)
        if text is not None:
            seen[path] = (key, (Located(path, 1, load_record(text), key),))
        elif (data := opened.read(path)) is not None:
            blob = opened.blob_id(data) if path.endswith(".md") else ""
            found = tuple(_here(path, blob, _read(path, data)))
            seen[path] = (blob, found)
            if blob and isinstance(found[0], Located):
                fresh.update([kept(blob, found[0].record)])
    if fresh:
        opened.mirror.add_facts(fresh)
    everything = [one for path in paths if path in seen for one in seen[path][1]]
    records = tuple(one for one in everything if isinstance(one, Located))
    return Survey(records, tuple(one for one in everything if isinstance(one, Unread)))


def _read(path: str, data: bytes) -> Iterator[tuple[int, Record | Misread]]:
    if path.endswith(".md"):
        found = read_record(parse(data))
        yield 1, found if found is not None else Misread("id", "or collection is missing: this is no record")
    else:
        yield from lines_of(data)


def _here(path: str, blob: str, found: Iterable[tuple[int, Record | Misread]]) -> Iterator[Located | Unread]:
    for line, one in found:
        yield Unread(path, line, one) if isinstance(one, Misread) else Located(path, line, one, blob)


def _unchanged(opened: Opened, paths: Sequence[str]) -> dict[str, str]:
    """Return the blob ids of files that are what the index read last."""
    indexed = opened.mirror.stamps_of(paths) if len(paths) < _FEW else opened.mirror.stamps()
    found: dict[str, str] = {}
    for path in paths:
        row = indexed.get(path)
        if row is None:
            continue
        status = (opened.root / path).stat()
        if (status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns) == tuple(row[:4]):
            found[path] = row[4]
    return found


def kept(blob: str, record: Record) -> tuple[str, str]:
    """Return under which key of the facts a record is kept, by the blob that holds it, and as what."""
    return blob + _KEPT, dump_record(record)


def records_kept(opened: Opened, blobs: Iterable[str]) -> dict[str, Record]:
    """Return the records of those blobs that were read before, by blob."""
    found = opened.mirror.facts(blob + _KEPT for blob in blobs)
    return {key.removesuffix(_KEPT): load_record(text) for key, text in found.items()}


def dump_record(record: Record) -> str:
    """Return a record as text for a cache: its values in the order of its fields, without their names."""
    values = [getattr(record, name) for name in Record.__slots__]
    stamps = [getattr(record.stamps, name) for name in Stamps.__slots__]
    return json.dumps([*values[:-1], stamps], separators=(",", ":"))


def load_record(text: str) -> Record:
    """Return the record that `dump_record` wrote."""
    values = json.loads(text)
    for place in _TUPLES:
        values[place] = tuple(values[place])
    values[-1] = Stamps(*values[-1])
    return Record(*values)


_TUPLES = tuple(Record.__slots__.index(name) for name in ("supersedes", "derived_from", "sources"))
