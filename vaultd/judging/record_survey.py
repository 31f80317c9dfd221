"""All records of a vault as they are on disk; a file that did not change since it was read is not read again."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from vaultd.judging.opened import Opened
from vaultd.judging.record_files import record_files
from vaultd.lifecycle.records.envelope import Misread, lines_of, read_record
from vaultd.lifecycle.records.values import Record, Stamps
from vaultd.notes.note import parse

_FEW = 2_000
"""Files; of more it costs less to ask for all that are indexed."""
_KEPT = "#record"
"""Marks a record in the cache of facts, behind the id of its blob."""


@dataclass(frozen=True, slots=True)
class Located:
    """A record and where it stands; a record of its own file stands on line 1."""

    path: str
    line: int
    record: Record


@dataclass(frozen=True, slots=True)
class Unread:
    """What claims to be a record, or lies where only records lie, and cannot be read as one."""

    path: str
    line: int
    misread: Misread


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
    keys = _unchanged(opened, [path for path in paths if path.endswith(".md")])
    cached = opened.mirror.facts({key + _KEPT for key in keys.values()})
    fresh: dict[str, str] = {}
    records: list[Located] = []
    unread: list[Unread] = []
    for path in paths:
        text = cached.get(keys.get(path, "") + _KEPT)
        found: list[tuple[int, Record | Misread]]
        if text is not None:
            found = [(1, load_record(text))]
        elif path.endswith(".md"):
            found = [(1, _read(opened, path, fresh))]
        else:
            found = list(lines_of(opened.read(path) or b""))
        for line, one in found:
            if isinstance(one, Misread):
                unread.append(Unread(path, line, one))
            else:
                records.append(Located(path, line, one))
    if fresh:
        opened.mirror.add_facts(fresh)
    return Survey(tuple(records), tuple(unread))


def _read(opened: Opened, path: str, fresh: dict[str, str]) -> Record | Misread:
    data = opened.read(path)
    found = read_record(parse(data)) if data is not None else None
    if found is None:
        return Misread("id", "or collection is missing: this is no record")
    if data is not None and isinstance(found, Record):
        fresh[opened.blob_id(data) + _KEPT] = dump_record(found)
    return found


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


def dump_record(record: Record) -> str:
    """Return a record as text for a cache."""
    return json.dumps(asdict(record), separators=(",", ":"))


def load_record(text: str) -> Record:
    """Return the record that `dump_record` wrote."""
    raw = json.loads(text)
    for key in ("supersedes", "derived_from", "sources"):
        raw[key] = tuple(raw[key])
    raw["stamps"] = Stamps(**raw["stamps"])
    return Record(**raw)
