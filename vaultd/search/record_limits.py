"""Which records a search may find: of which collection, entity and type, in which lane, and whether history counts."""

from collections.abc import Iterator
from functools import reduce

from vaultd.index.mirror import Mirror
from vaultd.index.rows import row_of, unstored
from vaultd.lifecycle.records.values import Record, Status
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class RecordLimits:
    """What a search for records is limited to; nothing set is no search for records."""

    collections: tuple[str, ...] = ()
    """Each a `name`, or a `name@version`."""
    entity: str | None = None
    type: str | None = None
    status: Status | None = None
    """None: active ones."""
    every_version: bool | None = None
    """Whether what was superseded, retracted or corrected counts too; None: not said, so it does not."""

    def __bool__(self) -> bool:
        return self != RecordLimits()

    def allow(self, record: Record) -> bool:
        """Return whether a record is of the collections, the entity and the type asked for."""
        named = not self.collections or any(one in (record.collection, record.contract) for one in self.collections)
        return named and self.entity in (None, record.entity) and self.type in (None, record.type)


def limited(mirror: Mirror, limits: RecordLimits, records: str, review: str) -> frozenset[int]:
    """Return the numbers of the files that hold a record asked for."""
    top = review if limits.status == "draft" else records
    return reduce(frozenset.__and__, _each(mirror, limits), _below(mirror, top))


def _each(mirror: Mirror, limits: RecordLimits) -> Iterator[frozenset[int]]:
    records = mirror.rows("SELECT path FROM states WHERE type = 'record'")
    yield frozenset(row_of(unstored(str(path))) for (path,) in records)
    if limits.collections:
        yield frozenset().union(*(_collection(mirror, name) for name in limits.collections))
    for name, value in (("entity", limits.entity), ("type", limits.type)):
        if value is not None:
            yield _saying(mirror, name, "text = ?", value)


def _collection(mirror: Mirror, name: str) -> frozenset[int]:
    if "@" in name:
        return _saying(mirror, "collection", "text = ?", name)
    return _saying(mirror, "collection", "text >= ? || '@' AND text < ? || 'A'", name, name)


def _saying(mirror: Mirror, name: str, test: str, *values: str) -> frozenset[int]:
    if any("\ud800" <= character <= "\udfff" for value in values for character in value):
        return frozenset()  # half a character stands in no file that can be read
    rows = mirror.rows(f"SELECT note FROM properties WHERE folded = ? AND {test}", name, *values)  # noqa: S608 — ours
    return frozenset(int(note or 0) for (note,) in rows)


def _below(mirror: Mirror, folder: str) -> frozenset[int]:
    return frozenset(row_of(path) for path in mirror.paths().values() if path.startswith(folder + "/"))
