"""Rules about records and the catalog, applied to what is on disk or to what git would commit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote

from vaultd.catalog.hashing import contract_hash
from vaultd.catalog.lock import LOCK, Lock, load_lock
from vaultd.catalog.schemas import content_problems
from vaultd.errors import NoteFormatError
from vaultd.history.repository import head_quick
from vaultd.history.snapshots import entries_at, sparse
from vaultd.index.mirror import State
from vaultd.judging.designs import catalog_files, closed, declared
from vaultd.judging.opened import Opened
from vaultd.judging.records.accepted import as_sealed
from vaultd.judging.records.located import Located, Unread
from vaultd.judging.records.memory import Misfit
from vaultd.judging.records.presence import keeps_records
from vaultd.judging.records.seals import seals_at
from vaultd.judging.records.survey import survey_indexed
from vaultd.lifecycle.records.rules import (
    Shelf,
    heads_lie_at_their_paths,
    record_violations,
    records_stay_as_they_were,
    slots_have_one_head,
    standing_violations,
    what_changed,
)
from vaultd.lifecycle.records.seals import Seal
from vaultd.lifecycle.records.values import Record
from vaultd.lifecycle.violations import Severity, Violation
from vaultd.values import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found about all records: broken rules, and what each file is worth in a search."""

    violations: tuple[Violation, ...] = ()
    states: Mapping[str, State] = field(default_factory=dict)


def judge_records(opened: Opened, others: Iterable[str] = ()) -> Judged:
    """Return every broken rule about the records and the catalog on disk, and which records answer.

    Args:
        opened: the vault, its index caught up.
        others: the files that lie in it and are no notes; lines of events are among them.
    """
    if not keeps_records(opened):
        return Judged()
    top = opened.settings.folders.records + "/"
    found = survey_indexed(opened, [path for path in others if path.startswith(top) and path.endswith(".jsonl")])
    shelf = Shelf(found.records, opened.settings.folders.records, _seals(opened), _obeys(opened), closed(opened))
    lock, problems = lock_of(opened.read(LOCK))
    told = _without_sparse(opened, shelf, record_violations(shelf))
    counting: Sequence[Located] = found.records
    if any(one.code == "V402" for one in told):
        counting = as_sealed(opened, found.records, shelf.seals, [shelf.records])
        told = [*(one for one in told if one.code not in _ANSWERS), *_answers(shelf, counting)]
    sheets = catalog_files(opened)
    violations = (
        *told,
        *_unread(found.unread),
        *catalog_violations(sheets),
        *problems,
        *([LOST_LOCK] if sheets and _lost_its_lock(opened) else ()),
        *_misfits(found.records, lock, opened.record_memory.misfits),
    )
    states = _states(counting, replace(shelf, placed=counting))
    lying = {one.path for one in found.records}
    return Judged(violations, {path: state for path, state in states.items() if path in lying})


def _without_sparse(opened: Opened, shelf: Shelf, found: Iterable[Violation]) -> list[Violation]:
    """Return what was found, without records that the sparse checkout leaves out: they are not gone."""
    told = list(found)
    lying = {one.path for one in shelf.placed}
    if not any(one.code == "V402" and one.path not in lying for one in told):
        return told
    left_out = sparse(opened.recorded) - lying
    ids = {id_ for id_, seal in shelf.seals.items() if seal.path in left_out}
    return [one for one in told if one.path not in left_out and not (one.code in _RESTING and one.subject in ids)]


_RESTING = frozenset({"V406", "V407"})
"""What names another record that has to be there."""
_ANSWERS = frozenset({"V410", "V412"})


def _answers(shelf: Shelf, counting: Sequence[Located]) -> Iterator[Violation]:
    """Give what is wrong with what answers, where edits decide nothing about that."""
    lying = {one.path for one in shelf.placed}
    counted = replace(shelf, placed=counting)
    for one in (*slots_have_one_head(counted), *heads_lie_at_their_paths(counted)):
        if one.path in lying and one.line:  # what is gone stands on no line
            yield one


def _states(counting: Sequence[Located], shelf: Shelf) -> dict[str, State]:
    corrected = {one.record.corrects for one in counting}
    return {one.path: _state(one, shelf, corrected) for one in counting if one.path.endswith(".md")}


def _state(one: Located, shelf: Shelf, corrected: set[str | None]) -> State:
    """Return what a search makes of a record: what answers its slot, and events that stand uncorrected, hold."""
    by = one.record.stamps.superseded_by or ""
    word = _word(one.record, shelf, corrected) or ("superseded" if by else "archived")
    return State(word, one.record.id, type="record", superseded_by=by, rejected=one.rejected)


def _word(record: Record, shelf: Shelf, corrected: set[str | None]) -> str:
    """Return `active` or `draft` for what stands, nothing for what is over."""
    if record.status == "draft":
        waits = record.stamps.review == "pending" and record.stamps.superseded_by is None
        return "draft" if waits else ""
    answer = shelf.current[record.slot].answer if record.slot is not None else record
    holds = answer is not None and answer.id == record.id and record.id not in corrected
    return "active" if holds else ""


def sealed_violations(opened: Opened, records: Sequence[Located], touched: Iterable[str]) -> Iterator[Violation]:
    """V402: what a commit would do to records that may not change, given the files it touches."""
    paths, ids = {*touched}, {one.record.id for one in records}
    seals = {id_: seal for id_, seal in _seals(opened).items() if seal.path in paths or id_ in ids}
    yield from records_stay_as_they_were(
        Shelf(records, opened.settings.folders.records, seals, _obeys(opened), closed(opened))
    )


def standing(opened: Opened, records: Sequence[Located], unread: Iterable[Unread], lock: Lock) -> Iterator[Violation]:
    """Return the rules that records break as they stand, under the collections that are in force with them."""
    shelf = Shelf(records, opened.settings.folders.records, decided_in_notes=_obeys(opened))
    yield from standing_violations(shelf)
    yield from _unread(unread)
    yield from _misfits(records, lock, opened.record_memory.misfits)


def committed_breaches(opened: Opened, head: str, within: frozenset[str] | None = None) -> list[Violation]:
    """V402: what commits made of records that never change, and HEAD still holds.

    Args:
        opened: the vault.
        head: the commit that is looked at.
        within: only what these commits did; None for all.
    """
    if not keeps_records(opened):
        return []
    return [
        Violation(
            "V402",
            "error",
            seal.path,
            1,
            f"commit {seal.commit[:10]} holds {what_changed(seal.changed)} of the record {id_}, which never changes",
            f"vaultd revert {quote(seal.path)} takes it back",
            subject=id_,
        )
        for id_, seal in seals_at(opened, head).items()
        if seal.changed and (within is None or seal.commit in within)
    ]


def _obeys(opened: Opened) -> bool:
    return opened.settings.review == "in-notes"


def _seals(opened: Opened) -> Mapping[str, Seal]:
    head = head_quick(opened.recorded) if opened.started else None
    return seals_at(opened, head) if head is not None else {}


def _unread(unread: Iterable[Unread]) -> Iterator[Violation]:
    """V403: what lies among records can be read as one."""
    for one in unread:
        message = f"{one.misread.key} {one.misread.what}"
        yield Violation(
            "V403", "error", one.path, one.line, message, "docs/reference/records.md", subject=one.misread.key
        )


def catalog_violations(files: Mapping[str, bytes]) -> Iterator[Violation]:
    """V501: a catalog can be read."""
    for problem in declared(files).problems:
        severity: Severity = "error" if problem.error else "warning"
        message = f"{problem.where}: {problem.what}" if problem.where else problem.what
        hint = "vaultd catalog check"
        yield Violation("V501", severity, problem.file, problem.line, message, hint, subject=problem.where)


LOST_LOCK = Violation(
    "V501",
    "error",
    LOCK,
    1,
    "the lock is gone: nothing that was published is in force any more",
    f"git restore --source=HEAD --staged --worktree {LOCK}",
    subject="lock",
)


def _lost_its_lock(opened: Opened) -> bool:
    head = head_quick(opened.recorded) if opened.started and opened.read(LOCK) is None else None
    return head is not None and LOCK in entries_at(opened.recorded, head, [LOCK])


def lock_of(data: bytes | None) -> tuple[Lock, tuple[Violation, ...]]:
    """Return what is in force; a damaged lock is V501, and declares nothing."""
    try:
        return load_lock(data), ()
    except NoteFormatError as exc:
        return Lock(), (Violation("V501", "error", exc.path, 1, exc.reason, exc.hint, subject="lock"),)


def _misfits(records: Iterable[Located], lock: Lock, known: dict[tuple[str, str], Misfit]) -> Iterator[Violation]:
    """V405: a record is what its collection says. V415: its collection is in force."""
    if not lock.declares:
        return
    problems = {name: content_problems(one.schema) for name, one in lock.catalog.collections.items()}
    contracts = {name: contract_hash(one) for name, one in lock.catalog.collections.items()}
    for one in records:
        record = one.record
        design = lock.catalog.collections.get(record.contract)
        if design is None:
            message = f"no collection {record.contract} is in force"
            yield Violation("V415", "error", one.path, one.line, message, "vaultd catalog publish", subject=record.id)
            continue
        found = known.get((contracts[record.contract], one.blob)) if one.blob else None
        if not one.blob or (contracts[record.contract], one.blob) not in known:
            content = {key: value for key, value in record.content.items() if design.open or key in design.properties}
            found = None if record.retracted else problems[record.contract]({**content, "text": record.text})
            known[contracts[record.contract], one.blob] = found
        if found is not None:
            message = f"{found[0]}: {found[1]}" if found[0] else found[1]
            hint = "see the collection's schema"
            yield Violation("V405", "error", one.path, one.line, message, hint, subject=record.id)
