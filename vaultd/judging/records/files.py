"""Records on disk: which file or line holds one, found by its id."""

import os
from collections.abc import Iterable, Iterator, Sequence

from vaultd.errors import UsageError
from vaultd.index.rows import unstored
from vaultd.judging.opened import Opened
from vaultd.lifecycle.records.envelope import Misread, lines_of, read_record
from vaultd.lifecycle.records.places import distinct_name, entity_folder, plain_name
from vaultd.lifecycle.records.values import Record
from vaultd.notes.note import parse
from vaultd.values import dataclass

_SHORTEST = 6
"""Characters of an id that are enough to look for."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A record and the file that holds it, with its bytes."""

    path: str
    data: bytes
    record: Record


def placed_at(path: str, data: bytes) -> Placed | Misread:
    """Return the record that a Markdown file holds, or why it holds none."""
    found = read_record(parse(data))
    if isinstance(found, Record):
        return Placed(path, data, found)
    return found if found is not None else Misread("frontmatter", "has no id and collection, or cannot be read")


def placed_in(path: str, data: bytes) -> Iterator[Placed]:
    """Give the records that a file holds; what cannot be read is left out."""
    if path.endswith(".jsonl"):
        yield from (Placed(path, data, one) for _, one in lines_of(data) if isinstance(one, Record))
    elif path.endswith(".md") and isinstance(found := placed_at(path, data), Placed):
        yield found


def record_files(opened: Opened, folders: Iterable[str] = ()) -> Iterator[str]:
    """Give the paths of the files below some folders that may hold records; without folders of all, drafts too."""
    for top in folders or (opened.settings.folders.records, opened.settings.folders.review):
        for folder, below, names in os.walk(opened.root / top):
            below[:] = sorted(name for name in below if not name.startswith("."))
            inside = os.path.relpath(folder, opened.root).replace(os.sep, "/")
            yield from (f"{inside}/{name}" for name in sorted(names) if name.endswith((".md", ".jsonl")))


def folders_of(opened: Opened, entity: str, collections: Sequence[str] = ()) -> list[str]:
    """Return where the records of an entity may lie, in some collections or in all that there are."""
    records = opened.settings.folders.records
    top = opened.root / records
    known = sorted(place.name for place in top.iterdir() if place.is_dir()) if top.is_dir() else []
    names = dict.fromkeys((plain_name(entity), distinct_name(entity)))
    return [
        entity_folder(records, one, name) for one in known if not collections or one in collections for name in names
    ]


def find_record(opened: Opened, ref: str) -> Placed:
    """Return the record with an id, or with an id that begins so; a path of a record means that record.

    Raises:
        UsageError: none is meant, or several are.
    """
    found = {one.record.id: one for one in _matching(opened, ref.strip())}
    if ref.strip() in found:
        return found[ref.strip()]
    if not found:
        raise UsageError(f"no record is {ref!r}", "vaultd timeline ENTITY and vaultd history ENTITY KEY show ids")
    if len(found) > 1:
        raise UsageError(f"{ref!r} means several records: {', '.join(sorted(found))}", "write more of the id")
    return next(iter(found.values()))


def _matching(opened: Opened, ref: str) -> Iterator[Placed]:
    if ref.endswith(".md"):
        yield from placed_in(ref, opened.read(ref) or b"")
        return
    if len(ref) < _SHORTEST:
        raise UsageError(f"{ref!r} is too little of an id", f"write {_SHORTEST} letters of it, or all")
    whole = list(_indexed(opened, ref))
    yield from whole or _searched(opened, ref)


def lies_indexed(opened: Opened, id_: str) -> bool:
    """Return whether a record lies where the index says it does."""
    return any(True for _ in _indexed(opened, id_))


def _indexed(opened: Opened, ref: str) -> Iterator[Placed]:
    """Give the record of a whole id where the index says it lies, if the file says so too."""
    for (path,) in opened.mirror.rows("SELECT path FROM states WHERE id = ?", ref):
        there = unstored(str(path))
        yield from (one for one in placed_in(there, opened.read(there) or b"") if one.record.id == ref)


def _searched(opened: Opened, ref: str) -> Iterator[Placed]:
    wanted = ref.encode()
    for path in record_files(opened):
        data = opened.read(path)
        if data is not None and wanted in data:
            yield from (one for one in placed_in(path, data) if one.record.id.startswith(ref))
