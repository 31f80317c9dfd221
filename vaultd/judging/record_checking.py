"""Rules about records and the catalog, applied to what is on disk or to what git would commit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote

from vaultd.catalog.lock import Lock
from vaultd.catalog.schemas import content_problem
from vaultd.errors import NoteFormatError
from vaultd.history.repository import head_quick
from vaultd.index.mirror import State
from vaultd.judging.designs import catalog_files, declared, in_force
from vaultd.judging.opened import Opened
from vaultd.judging.record_presence import keeps_records
from vaultd.judging.record_seals import seals_at
from vaultd.judging.record_survey import Located, Unread, survey
from vaultd.lifecycle.records.envelope import Misread, read_record
from vaultd.lifecycle.records.rules import Shelf, record_violations, records_stay_as_they_were, what_changed
from vaultd.lifecycle.records.seals import Seal
from vaultd.lifecycle.violations import Severity, Violation
from vaultd.notes.note import parse


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found about all records: broken rules, and what each file is worth in a search."""

    violations: tuple[Violation, ...] = ()
    states: Mapping[str, State] = field(default_factory=dict)


def judge_records(opened: Opened) -> Judged:
    """Return every broken rule about the records and the catalog on disk, and which records answer."""
    if not keeps_records(opened):
        return Judged()
    found = survey(opened)
    shelf = Shelf(found.records, opened.settings.folders.records, _seals(opened), _declared(opened))
    violations = (*record_violations(shelf), *_unread(found.unread), *_designs(opened, found.records))
    edited = {violation.path for violation in violations if violation.code == "V402"}
    corrected = {one.record.corrects for one in found.records}
    states = {
        one.path: _state(one, shelf, corrected, "V402" if one.path in edited else "")
        for one in found.records
        if one.path.endswith(".md") and one.record.status == "active"
    }
    return Judged(violations, states)


def _state(one: Located, shelf: Shelf, corrected: set[str | None], rejected: str) -> State:
    """Return what a search makes of a record: only what answers its slot, and events that stand uncorrected, hold."""
    record = one.record
    answer = shelf.current[record.slot].answer if record.slot is not None else record
    holds = answer is not None and answer.id == record.id and record.id not in corrected
    by = record.stamps.superseded_by or ""
    return State(
        "active" if holds else "superseded" if by else "archived", record.id, superseded_by=by, rejected=rejected
    )


def check_staged_records(opened: Opened, staged: Iterable[tuple[str, str | None, str | None]]) -> list[Violation]:
    """Return what committing the index would do to records that may not change, and what it holds that is none.

    Args:
        opened: the vault.
        staged: path, blob at HEAD and blob in the index of what differs between the two.
    """
    folders = opened.settings.folders
    tops = (folders.records + "/", folders.review + "/")
    changes = [change for change in staged if change[0].startswith(tops) and change[0].endswith(".md")]
    if not changes:
        return []
    records: list[Located] = []
    unread: list[Unread] = []
    for path, _, oid in changes:
        data = opened.fold.blobs.data(path, oid) if oid is not None else None
        one = read_record(parse(data)) if data is not None else None
        if isinstance(one, Misread):
            unread.append(Unread(path, 1, one))
        elif one is not None:
            records.append(Located(path, 1, one))
    touched = {change[0] for change in changes}
    ids = {one.record.id for one in records}
    seals = {id_: seal for id_, seal in _seals(opened).items() if seal.path in touched or id_ in ids}
    shelf = Shelf(records, folders.records, seals, _declared(opened))
    return [*records_stay_as_they_were(shelf), *_unread(unread)]


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
            f"git restore --source={seal.commit[:10]}^ {quote(seal.path)}",
            subject=id_,
        )
        for id_, seal in seals_at(opened, head).known.items()
        if seal.changed and (within is None or seal.commit in within)
    ]


def _declared(opened: Opened) -> dict[str, frozenset[str]]:
    """Return, for collections that are closed, which properties are content."""
    try:
        collections = in_force(opened).catalog.collections
    except NoteFormatError:
        return {}
    return {name: one.declared for name, one in collections.items() if one.declared is not None}


def _seals(opened: Opened) -> dict[str, Seal]:
    head = head_quick(opened.recorded) if opened.started else None
    return seals_at(opened, head).known if head is not None else {}


def _unread(unread: Iterable[Unread]) -> Iterator[Violation]:
    """V403: what lies among records can be read as one."""
    for one in unread:
        message = f"{one.misread.key} {one.misread.what}"
        yield Violation(
            "V403", "error", one.path, one.line, message, "docs/reference/records.md", subject=one.misread.key
        )


def _designs(opened: Opened, records: Sequence[Located]) -> Iterator[Violation]:
    """V501: a catalog can be read. V405, V415: records are what their collection says."""
    for problem in declared(catalog_files(opened)).problems:
        severity: Severity = "error" if problem.error else "warning"
        message = f"{problem.where}: {problem.what}" if problem.where else problem.what
        hint = "vaultd catalog check"
        yield Violation("V501", severity, problem.file, problem.line, message, hint, subject=problem.where)
    try:
        lock = in_force(opened)
    except NoteFormatError as exc:
        yield Violation("V501", "error", exc.path, 1, exc.reason, exc.hint, subject="lock")
        return
    if lock.declares:
        for one in records:
            yield from _designed(one, lock)


def _designed(one: Located, lock: Lock) -> Iterator[Violation]:
    record = one.record
    design = lock.catalog.collections.get(record.contract)
    if design is None:
        message = f"no collection {record.contract} is in force"
        yield Violation("V415", "error", one.path, one.line, message, "vaultd catalog publish", subject=record.id)
        return
    content = {key: value for key, value in record.content.items() if design.open or key in design.properties}
    found = None if record.retracted else content_problem(design.schema, {**content, "text": record.text})
    if found is not None:
        message = f"{found[0]}: {found[1]}" if found[0] else found[1]
        yield Violation("V405", "error", one.path, one.line, message, "see the collection's schema", subject=record.id)
