"""What was believed at a time: the memories valid then by accepted history, and the records that answered then."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from vaultd.errors import UsageError
from vaultd.history.repository import head_quick
from vaultd.history.snapshots import entries_at
from vaultd.index.rows import row_of
from vaultd.judging.opened import Opened
from vaultd.judging.records.located import Located
from vaultd.judging.records.presence import keeps_records
from vaultd.judging.records.survey import survey
from vaultd.lifecycle.records.slots import current
from vaultd.lifecycle.records.values import Record, Slot
from vaultd.lifecycle.states import Active, Standing
from vaultd.notes.times import parse_moment, render
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Then:
    """A moment of the past."""

    believed: frozenset[int]
    """The numbers of the memories that were valid, and of the records that answered."""
    read: Callable[[str], bytes | None]
    """Gives a memory's text as the last commit at or before the moment holds it, by its path of today."""
    notices: tuple[str, ...]
    known: Callable[[Record], bool]
    """Says of a record whether it was written down by then."""
    corrected: frozenset[str] = frozenset()
    """Ids of events that were corrected by then."""


def as_of(opened: Opened, time: str) -> Then:
    """Return what was believed at a time.

    Raises:
        UsageError: the text is no time, or the vault has no history.
    """
    moment = parse_moment(time, opened.settings.zone)
    if moment is None or moment.utc is None:
        raise UsageError(f"{time!r} is not a time", "write it as 2026-11-30 or 2026-11-30T18:00:00Z")
    repo = opened.require_started()
    head = head_quick(repo)
    standings = opened.fold.at(head).ground.standings if head is not None else {}
    valid = [*_valid(opened, head or "", standings, moment.utc)]
    known = _known(opened, moment.utc)
    records = _records(opened) if keeps_records(opened) else ()
    there = [one for one in records if known(one.record)]
    rows = _rows(valid) | frozenset(
        row_of(one.path) for one in _holding(there) if one.path.endswith(".md") and not one.gone
    )
    corrected = frozenset(one.record.corrects for one in there if one.record.corrects is not None)
    told = f"--as-of {render(moment.utc)}: memories and records only, found and ranked by the words they have today"
    commit = repo.git.text("rev-list", "-1", f"--before={int(moment.utc.timestamp())}", "HEAD") if head else ""
    if not commit:
        told = f"{told}; no commit is that old, so the text is today's"
        return Then(rows, opened.read, (told,), known, corrected)
    told = f"{told}; the text is that of commit {commit[:10]}"
    return Then(rows, _reader(opened, commit, valid), (told,), known, corrected)


def _records(opened: Opened) -> Sequence[Located]:
    from vaultd.judging.records.accepted import accepted  # noqa: PLC0415  -- most vaults hold no record

    return accepted(opened, survey(opened).records)


def _known(opened: Opened, at: datetime) -> Callable[[Record], bool]:
    def known(record: Record) -> bool:
        created = _utc(opened, record.created)
        return created is not None and created <= at

    return known


def _holding(there: Sequence[Located]) -> Iterator[Located]:
    """Give, of the records that were there, what answered its slot, and the events that nothing had corrected."""
    slots: dict[Slot, list[Record]] = {}
    for one in there:
        if one.record.slot is not None:
            slots.setdefault(one.record.slot, []).append(one.record)
    answers = {slot: current(records).answer for slot, records in slots.items()}
    corrected = {one.record.corrects for one in there}
    for one in there:
        answer = answers[one.record.slot] if one.record.slot is not None else one.record
        if one.record.status == "active" and answer is one.record and one.record.id not in corrected:
            yield one


def _valid(opened: Opened, head: str, standings: Mapping[str, Standing], at: datetime) -> Iterator[Standing]:
    """Yield the memories whose time began at or before the moment and had not ended."""
    here = [standing for standing in standings.values() if not standing.gone]
    stored = entries_at(opened.recorded, head, [standing.path for standing in here]) if here else {}
    facts = opened.fold.blobs.facts((path, entry.oid) for path, entry in stored.items())
    begun = {path: one.valid_from or one.created for (path, _), one in facts.items()}
    for standing in here:
        start = _utc(opened, begun.get(standing.path))
        end = None if isinstance(standing.state, Active) else _utc(opened, standing.state.at)
        if (start is None or start <= at) and (end is None or at < end):
            yield standing


def _utc(opened: Opened, text: str | None) -> datetime | None:
    moment = parse_moment(text, opened.settings.zone) if text else None
    return moment.utc if moment is not None else None


def _rows(valid: list[Standing]) -> frozenset[int]:
    return frozenset(row_of(standing.path) for standing in valid)


def _reader(opened: Opened, commit: str, valid: list[Standing]) -> Callable[[str], bytes | None]:
    before = opened.fold.elsewhere(commit).standings
    then = {standing.path: before[standing.id].path for standing in valid if standing.id in before}
    stored = entries_at(opened.recorded, commit, sorted(set(then.values()))) if then else {}

    def read(path: str) -> bytes | None:
        entry = stored.get(then.get(path, ""))
        # What was written down later was valid already: then its first text is the only one there is.
        return opened.objects.read_filtered(entry.oid, entry.path) if entry is not None else opened.read(path)

    return read
