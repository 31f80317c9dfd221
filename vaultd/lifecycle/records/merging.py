"""What two clones made of one slot, put together: every record stays, and whoever merges whom gets the same files."""

from collections.abc import Iterable, Mapping, Sequence

from vaultd.lifecycle.records.envelope import read_record
from vaultd.lifecycle.records.places import SlotPlace
from vaultd.lifecycle.records.seals import pieces_of
from vaultd.lifecycle.records.slots import current
from vaultd.lifecycle.records.values import Record
from vaultd.notes.note import parse

Side = Mapping[str, bytes]
"""The files of a slot, or one other file, as one side has them."""
_REVIEWS = ("approved", "rejected", "pending")


def merged_slot(place: SlotPlace, sides: Sequence[Side]) -> dict[str, bytes | None] | None:
    """Return a slot's files, None where one is to go; no answer where a file is no record or says another thing there.

    What answers on both sides by `current` lies at the slot's path; what else was written lies in its history.
    """
    chosen = _by_id(data for side in sides for data in side.values())
    if chosen is None:
        return None
    answer = current(record for record, _ in chosen.values()).answer
    files: dict[str, bytes | None] = dict.fromkeys(path for side in sides for path in side)
    for id_, (_, data) in chosen.items():
        files[place.head if answer is not None and answer.id == id_ else place.past(id_)] = data
    return files


def merged_file(versions: Iterable[bytes]) -> bytes | None:
    """Return the one record that both sides have, with the stamps that hold; no answer where they differ otherwise."""
    chosen = _by_id(versions)
    return next(iter(chosen.values()))[1] if chosen is not None and len(chosen) == 1 else None


def _by_id(versions: Iterable[bytes]) -> dict[str, tuple[Record, bytes]] | None:
    found: dict[str, tuple[Record, bytes]] = {}
    for data in versions:
        record = read_record(parse(data))
        if not isinstance(record, Record):
            return None
        known = found.setdefault(record.id, (record, data))
        if pieces_of(known[0]) != pieces_of(record):
            return None
        found[record.id] = min(known, (record, data), key=_rank)
    return found


def _rank(version: tuple[Record, bytes]) -> tuple[bool, str, str, int, bytes]:
    """Order versions by value, never by side: stamped before unstamped, earlier before later, decided before waiting."""
    stamps = version[0].stamps
    by = stamps.superseded_by
    return (by is None, stamps.invalid_at or "", by or "", _REVIEWS.index(stamps.review), version[1])
