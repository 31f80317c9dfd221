"""Renames that something else made: of notes by what the index saw move, an id, their bytes, or most of their lines; of
other files by kind and size.
"""

from collections.abc import Iterable, Mapping
from shlex import quote
from typing import TypeVar

from vaultd.history.renames import renamed_lately
from vaultd.history.repository import head_quick
from vaultd.history.snapshots import Entry, sizes, tree
from vaultd.index.moving_files import moves_seen
from vaultd.judging.opened import Opened
from vaultd.lifecycle.violations import Violation
from vaultd.notes.resolution import Names
from vaultd.values import replace

_BROKEN = "V301"
_Mark = TypeVar("_Mark", str, str | None)
_ALIKE = 0.5
"""The part of their lines that two texts of one note share at least; git takes the same."""
_COMPARED = 40
"""Notes that left, or came, beyond which texts are not compared."""


def renamed_outside(opened: Opened, keys: Mapping[str, str], others: Iterable[str]) -> dict[str, str]:
    """Return old path to new path of what lies elsewhere than HEAD, or one of the last commits before it, holds it.

    `keys` are the blob ids of the notes on disk, `others` the files that are none.
    """
    head = head_quick(opened.recorded) if opened.repo is not None else None
    if head is None:
        return {}
    stored = tree(opened.recorded, head)
    beside = frozenset(others)
    moved = _moved_notes(opened, stored, keys) | _moved_files(opened, stored, beside)
    found: dict[str, str] = {}
    for old, new in renamed_lately(opened.recorded, head):
        found = {first: new if last == old else last for first, last in found.items()} | {old: new}
    there = keys.keys() | beside
    gone = {old: moved.get(new, new) for old, new in found.items() if old not in there}
    return {old: new for old, new in gone.items() if new in there} | moved


def _moved_notes(opened: Opened, stored: Mapping[str, Entry], keys: Mapping[str, str]) -> dict[str, str]:
    left = {path: entry.oid for path, entry in stored.items() if path.endswith(".md") and path not in keys}
    arrived = {path: key for path, key in keys.items() if path not in stored}
    if not left or not arrived:
        return {}
    facts = opened.fold.blobs.facts(left.items())
    ids = {path: facts[path, oid].id for path, oid in left.items()}
    new_ids = {path: found.id for path, found in opened.facts(arrived).items()}
    seen = moves_seen(opened.mirror)
    found = {old: seen[old] for old in left if seen.get(old) in arrived and _may_be_one(ids[old], new_ids[seen[old]])}
    found |= _paired(*_without(found, ids, new_ids))
    found |= _paired(*_without(found, left, arrived))
    return found | _alike(opened, *_without(found, left, arrived))


def _may_be_one(id_: str | None, other: str | None) -> bool:
    """Say whether ids let two files be one: a file that moved may have got the text of another memory since."""
    return id_ is None or other is None or id_ == other


def _without(
    found: Mapping[str, str], left: Mapping[str, _Mark], arrived: Mapping[str, _Mark]
) -> tuple[dict[str, _Mark], dict[str, _Mark]]:
    new = set(found.values())
    return (
        {path: oid for path, oid in left.items() if path not in found},
        {path: key for path, key in arrived.items() if path not in new},
    )


def _alike(opened: Opened, left: Mapping[str, str], arrived: Mapping[str, str]) -> dict[str, str]:
    """Return the pairs of notes that are each other's most similar text, and similar enough."""
    if not left or not arrived or max(len(left), len(arrived)) > _COMPARED:
        return {}
    old = {path: _lines(opened.fold.blobs.data(path, oid)) for path, oid in left.items()}
    new = {path: _lines(opened.read(path)) for path in arrived}
    shared = {(one, two): _shared(old[one], new[two]) for one in old for two in new}
    best = {one: _best({two: shared[one, two] for two in new}) for one in old}
    back = {two: _best({one: shared[one, two] for one in old}) for two in new}
    return {one: two for one, two in best.items() if two is not None and back[two] == one}


def _best(shared: Mapping[str, float]) -> str | None:
    """Return what is most similar, None where that is not enough or two are."""
    most = max(shared.values())
    found = [path for path, part in shared.items() if part == most]
    return found[0] if most >= _ALIKE and len(found) == 1 else None


def _lines(data: bytes | None) -> frozenset[bytes]:
    return frozenset(line.strip() for line in (data or b"").splitlines() if line.strip())


def _shared(one: frozenset[bytes], two: frozenset[bytes]) -> float:
    return len(one & two) / max(len(one), len(two), 1)


def _moved_files(opened: Opened, stored: Mapping[str, Entry], others: frozenset[str]) -> dict[str, str]:
    """Return the pairs of files that are no notes, of one kind and size; their content is never looked at."""
    left = {path: entry.oid for path, entry in stored.items() if not path.endswith(".md") and _is_gone(opened, path)}
    arrived = [path for path in others if path not in stored]
    if not left or not arrived:
        return {}
    told = sizes(opened.recorded, left.values())
    return _paired(
        {path: f"{_kind(path)} {told[oid]}" if oid in told else None for path, oid in left.items()},
        {path: f"{_kind(path)} {_size(opened, path)}" for path in arrived},
    )


def _is_gone(opened: Opened, path: str) -> bool:
    hidden = any(part.startswith(".") for part in path.split("/"))
    return not hidden and not (opened.root / path).exists()


def _kind(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def _size(opened: Opened, path: str) -> int:
    try:
        return (opened.root / path).stat().st_size
    except OSError:
        return -1


def _paired(left: Mapping[str, str | None], arrived: Mapping[str, str | None]) -> dict[str, str]:
    """Return the pairs of paths that one mark, and no other path, belongs to."""
    old, new = _sole(left), _sole(arrived)
    return {path: new[mark] for mark, path in old.items() if mark in new}


def _sole(marks: Mapping[str, str | None]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for path, mark in marks.items():
        if mark:
            found.setdefault(mark, []).append(path)
    return {mark: paths[0] for mark, paths in found.items() if len(paths) == 1}


def with_renames(opened: Opened, violations: Iterable[Violation]) -> list[Violation]:
    """Return violations with those links told apart that a rename broke: they name it, and the verb that mends them."""
    found = list(violations)
    if all(violation.code != _BROKEN for violation in found):
        return found
    there = opened.scan()
    renames = renamed_outside(opened, opened.keys(), there.others)
    if not renames:
        return found
    arrived = {new: old for old, new in renames.items()}
    before = Names([*(path for path in (*there.notes, *there.others) if path not in arrived), *renames])
    return [_explained(violation, renames, arrived, before) for violation in found]


def _explained(
    violation: Violation, renames: Mapping[str, str], arrived: Mapping[str, str], before: Names
) -> Violation:
    if violation.code != _BROKEN:
        return violation
    target = violation.subject.partition("#")[0]
    source = arrived.get(violation.path, violation.path)
    old = before.resolve(target, source)
    if old not in renames:
        old = source if old is not None and source in renames else None
    if old is None:
        return violation
    new = renames[old]
    message = f"{target!r} meant something until {old} became {new}"
    return replace(violation, message=message, hint=f"vaultd note relink {quote(old)} {quote(new)}")
