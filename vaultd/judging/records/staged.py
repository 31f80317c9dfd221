"""Rules about records between two states that git holds: what a commit, or a stretch of history, would newly break."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from vaultd.catalog.lock import LOCK, Lock
from vaultd.history.repository import merge_heads
from vaultd.history.snapshots import Entry, entries_at, tree
from vaultd.judging.opened import Opened
from vaultd.judging.records.checking import LOST_LOCK, catalog_violations, lock_of, sealed_violations, standing
from vaultd.judging.records.located import Located, Unread
from vaultd.judging.records.presence import CATALOG
from vaultd.judging.records.survey import survey_stored
from vaultd.lifecycle.violations import Violation
from vaultd.values import dataclass

_Holds = Mapping[str, Sequence[Located | Unread]]


@dataclass(frozen=True, slots=True)
class _Stored:
    """What one state of the vault holds: records by path, and what is in force."""

    files: _Holds
    lock: Lock
    problems: tuple[Violation, ...]


def check_staged_records(
    opened: Opened, head: str, staged: Sequence[tuple[str, str | None, str | None]]
) -> list[Violation]:
    """Return the rules about records and the catalog that committing the index would break, and that HEAD keeps.

    Args:
        opened: the vault.
        head: the commit that HEAD means.
        staged: path, blob at HEAD and blob in the index of what differs between the two.
    """
    changes = [change for change in staged if _is_record(opened, change[0]) or change[0] == LOCK]
    sheets = {path: new for path, _, new in staged if path.startswith(CATALOG + "/") and path.endswith(_SHEETS)}
    found = [*_staged_catalog(opened, head, sheets)] if sheets else []
    if any(path == LOCK and oid is None for path, _, oid in staged) and _sheets_left(opened, head, sheets):
        found.append(LOST_LOCK)
    if not changes:
        return found
    before = _stored(opened, _records_at(opened, head))
    new = {path: Entry(path, oid, "100644") for path, _, oid in changes if oid is not None}
    gone = {path for path, _, oid in changes if oid is None}
    after = _stored(opened, new, before, gone)
    touched = [one for path in new for one in after.files.get(path, ()) if isinstance(one, Located)]
    paths = [path for path, *_ in changes]
    return [*found, *sealed_violations(opened, touched, paths), *_newly(opened, after, (before, *_sides(opened)))]


def standing_at(opened: Opened, commit: str, excluded: Iterable[str] = ()) -> list[Violation]:
    """Return the rules about records and the catalog that a commit breaks, and none of the others that are named."""
    before = (_stored(opened, _records_at(opened, one)) for one in excluded)
    return _newly(opened, _stored(opened, _records_at(opened, commit)), before)


def _sides(opened: Opened) -> Iterator[_Stored]:
    """Give what the other parents of a merge hold."""
    return (_stored(opened, _records_at(opened, side)) for side in merge_heads(opened.recorded))


_SHEETS = (".yaml", ".yml")
_Name = tuple[str, str, str]


def _newly(opened: Opened, after: _Stored, before: Iterable[_Stored]) -> list[Violation]:
    found = list(_named(opened, after))
    if not found:
        return []  # as nearly always, and then it does not matter what was wrong before
    known = {name for one in before for name in _names(opened, one)}
    return [violation for name, violation in found if name not in known]


def _names(opened: Opened, stored: _Stored) -> Iterator[_Name]:
    return (name for name, _ in _named(opened, stored))


def _named(opened: Opened, stored: _Stored) -> Iterator[tuple[_Name, Violation]]:
    """Give what is wrong with a name that stays when a file moves: the code, what it is about, and the record."""
    everything = [one for found in stored.files.values() for one in found]
    records = [one for one in everything if isinstance(one, Located)]
    ids = {(one.path, one.line): one.record.id for one in records}
    unread = [one for one in everything if isinstance(one, Unread)]
    for found in (*stored.problems, *standing(opened, records, unread, stored.lock)):
        yield (found.code, found.subject, ids.get((found.path, found.line), found.path)), found


def _records_at(opened: Opened, commit: str) -> dict[str, Entry]:
    folders = opened.settings.folders
    tops = (folders.records, folders.review)
    entries = {path: entry for top in tops for path, entry in tree(opened.recorded, commit, top).items()}
    kept = {path: entry for path, entry in entries.items() if _is_record(opened, path)}
    return kept | entries_at(opened.recorded, commit, [LOCK])


def _is_record(opened: Opened, path: str) -> bool:
    folders = opened.settings.folders
    if any(part.startswith(".") for part in path.split("/")):
        return False
    if path.endswith(".jsonl"):
        return path.startswith(folders.records + "/")
    return path.endswith(".md") and path.startswith((folders.records + "/", folders.review + "/"))


def _stored(
    opened: Opened, entries: Mapping[str, Entry], before: _Stored | None = None, gone: Iterable[str] = ()
) -> _Stored:
    """Return what entries hold; with what was there before, what holds once they take its place."""
    left = {*gone}
    files = {path: held for path, held in before.files.items() if path not in left} if before is not None else {}
    files |= survey_stored(opened, {path: entry for path, entry in entries.items() if path != LOCK})
    if before is not None and LOCK not in entries and LOCK not in left:
        return _Stored(files, before.lock, before.problems)
    data = opened.fold.blobs.data(LOCK, entries[LOCK].oid) if LOCK in entries else None
    return _Stored(files, *lock_of(data))


def _staged_catalog(opened: Opened, head: str, sheets: Mapping[str, str | None]) -> Iterator[Violation]:
    """V501: what is wrong with the catalog that would be committed, and not with that of HEAD."""
    entries = {path: one.oid for path, one in tree(opened.recorded, head, CATALOG).items() if path.endswith(_SHEETS)}
    known = {violation.identity for violation in catalog_violations(_sheets(opened, entries))}
    left = {path: oid for path, oid in {**entries, **sheets}.items() if oid is not None}
    yield from (one for one in catalog_violations(_sheets(opened, left)) if one.identity not in known)


def _sheets_left(opened: Opened, head: str, sheets: Mapping[str, str | None]) -> bool:
    """Tell whether a catalog is still there that a lock would put in force."""
    there = {path for path in tree(opened.recorded, head, CATALOG) if path.endswith(_SHEETS)}
    return bool(there - sheets.keys()) or any(oid is not None for oid in sheets.values())


def _sheets(opened: Opened, entries: Mapping[str, str]) -> dict[str, bytes]:
    return {path: opened.fold.blobs.data(path, oid) or b"" for path, oid in entries.items()}
