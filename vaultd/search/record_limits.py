"""Which records a search may find: of which collection, entity and type, in which lane, and whether history counts."""

from collections.abc import Iterator

from vaultd.index.mirror import Mirror
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
    said = [*_each(mirror, limits)]
    # What the index of properties leaves is a small part of a vault: the rest is not looked at.
    paths = mirror.named(said[0].intersection(*said[1:])) if said else mirror.paths()
    folder = (review if limits.status == "draft" else records) + "/"
    below = {path: number for number, path in paths.items() if path.startswith(folder)}
    return frozenset(below[path] for path, state in mirror.states(below).items() if state.type == "record")


def _each(mirror: Mirror, limits: RecordLimits) -> Iterator[frozenset[int]]:
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
