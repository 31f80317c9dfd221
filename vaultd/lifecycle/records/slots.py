"""Which record answers a slot now: one function for every reader."""

from collections.abc import Iterable

from vaultd.lifecycle.records.values import Record, Status
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Current:
    """What one lane of a slot holds: the heads, the winner first."""

    heads: tuple[Record, ...]

    @property
    def answer(self) -> Record | None:
        """Return the record that answers; None where nothing does, or a retraction emptied the slot."""
        return self.heads[0] if self.heads and not self.heads[0].retracted else None

    @property
    def forked(self) -> bool:
        """Return whether several records answer that do not know of each other."""
        return len(self.heads) > 1

    @property
    def ids(self) -> tuple[str, ...]:
        """Return what a successor has to supersede."""
        return tuple(sorted(head.id for head in self.heads))


def current(records: Iterable[Record], lane: Status = "active") -> Current:
    """Return what holds among the records of one slot.

    Heads are those of the lane that no other record of it supersedes. Of several the later one wins, by `created` and
    then by id: the same on every clone. `occurred`, type, version, path and the time of a file decide nothing. A draft
    that was decided on is in no lane any more.
    """
    inside = {record.id: record for record in records if record.status == lane and _counts(record)}
    replaced = {old for record in inside.values() for old in record.supersedes if old != record.id}
    heads = [record for id_, record in inside.items() if id_ not in replaced]
    return Current(tuple(sorted(heads, key=lambda record: record.order, reverse=True)))


def _counts(record: Record) -> bool:
    return record.status == "active" or record.stamps.review == "pending"
