"""What a record rests on: how many conclusions lie between it and what was observed."""

from collections.abc import Callable, Iterator

from vaultd.lifecycle.records.values import Record

DEEPEST = 4
Find = Callable[[str], Record | None]


def continues(record: Record, parent: Record) -> bool:
    """Return whether citing the parent adds no conclusion: it is the same slot, or the draft that was approved."""
    return parent.status == "draft" or (record.slot is not None and record.slot == parent.slot)


def depth_of(record: Record, find: Find) -> int:
    """Return how many conclusions a record is away from what was observed; a parent that is not there counts as observed."""
    depths: dict[str, int] = {}
    waiting = [(record, False)]
    begun: set[str] = set()
    while waiting:
        one, ready = waiting.pop()
        parents = [parent for id_ in one.derived_from if (parent := find(id_)) is not None]
        if ready:
            found = [depths.get(p.id, 0) + (0 if continues(one, p) else 1) for p in parents]
            depths[one.id] = max(found, default=0)
        elif one.id not in begun:
            begun.add(one.id)
            waiting.append((one, True))
            waiting += [(parent, False) for parent in parents if parent.id not in begun]
    return depths[record.id]


def evidence(record: Record, find: Find) -> Iterator[tuple[int, str, Record | None]]:
    """Give what a record rests on, down to what was observed: how far below, the id, and the record where it is there."""
    seen = {record.id}
    waiting = [(1, id_) for id_ in reversed(record.derived_from)]
    while waiting:
        below, id_ = waiting.pop()
        found = find(id_)
        yield below, id_, found
        if found is not None and id_ not in seen:
            seen.add(id_)
            waiting += [(below + 1, parent) for parent in reversed(found.derived_from)]


def in_circle(record: Record, find: Find) -> bool:
    """Return whether a record rests, over whatever it cites, on itself."""
    return any(id_ == record.id for _, id_, _ in evidence(record, find))
