"""Renames that something else made since HEAD: recognised by a memory's id, then by the bytes of the file."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from shlex import quote

from vaultd.history.repository import head_quick
from vaultd.history.snapshots import tree
from vaultd.judging.opened import Opened
from vaultd.lifecycle.violations import Violation
from vaultd.notes.resolution import Names

_BROKEN = "V301"


def renamed_outside(opened: Opened, keys: Mapping[str, str]) -> dict[str, str]:
    """Return old path to new path of the notes that HEAD holds elsewhere, given the blob ids of those on disk."""
    head = head_quick(opened.recorded) if opened.repo is not None else None
    if head is None:
        return {}
    stored = tree(opened.recorded, head)
    left = {path: entry.oid for path, entry in stored.items() if path.endswith(".md") and path not in keys}
    arrived = {path: key for path, key in keys.items() if path not in stored}
    if not left or not arrived:
        return {}
    facts = opened.fold.blobs.facts(left.items())
    by_id = _paired(
        {path: facts[path, oid].id for path, oid in left.items()},
        {path: found.id for path, found in opened.facts(arrived).items()},
    )
    known = {*by_id, *by_id.values()}
    by_bytes = _paired(
        {path: oid for path, oid in left.items() if path not in known},
        {path: key for path, key in arrived.items() if path not in known},
    )
    return by_id | by_bytes


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
    keys = opened.keys()
    renames = renamed_outside(opened, keys)
    if not renames:
        return found
    arrived = {new: old for old, new in renames.items()}
    there = opened.scan()
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
