"""The catalog of a vault: what its YAML files declare, what is in force, and which records stand under it."""

import os
from collections.abc import Mapping

from vaultd.catalog.changes import Change, changes, selected
from vaultd.catalog.compiling import compile_catalog
from vaultd.catalog.definitions import Catalog, Problem
from vaultd.catalog.lock import LOCK, Lock, load_lock
from vaultd.catalog.schemas import content_problem
from vaultd.errors import NoteFormatError
from vaultd.judging.opened import Opened
from vaultd.judging.records.files import placed_in, record_files
from vaultd.judging.records.presence import CATALOG
from vaultd.notes.scalars import Value
from vaultd.values import replace


def catalog_files(opened: Opened) -> dict[str, bytes]:
    """Return the YAML files of the catalog by path."""
    found: dict[str, bytes] = {}
    for folder, below, names in os.walk(opened.root / CATALOG):
        below[:] = sorted(name for name in below if not name.startswith("."))
        inside = os.path.relpath(folder, opened.root).replace(os.sep, "/")
        for path in (f"{inside}/{name}" for name in sorted(names) if name.endswith((".yaml", ".yml"))):
            data = opened.read(path)
            if data is not None:
                found[path] = data
    return found


def declared(files: Mapping[str, bytes]) -> Catalog:
    """Return what catalog files declare, with everything that is wrong with them."""
    texts: dict[str, str] = {}
    unread: list[Problem] = []
    for path, data in files.items():
        try:
            texts[path] = data.decode()
        except UnicodeDecodeError as exc:
            unread.append(Problem(path, data.count(b"\n", 0, exc.start) + 1, "", "is not UTF-8"))
    catalog = compile_catalog(texts)
    return replace(catalog, problems=(*unread, *catalog.problems)) if unread else catalog


def in_force(opened: Opened) -> Lock:
    """Return what was published last.

    Raises:
        NoteFormatError: the lock was damaged.
    """
    return load_lock(opened.read(LOCK))


def closed(opened: Opened) -> dict[str, frozenset[str]]:
    """Return, for collections that are closed, which properties are content; none where the lock was damaged."""
    try:
        collections = in_force(opened).catalog.collections
    except NoteFormatError:
        return {}
    return {name: one.declared for name, one in collections.items() if one.declared is not None}


def would_change(opened: Opened, catalog: Catalog) -> list[Change]:
    """Return what publishing a catalog would change, measured on the records that are there."""
    stored = contents(opened)

    def fits(schema: Mapping[str, Value], content: Mapping[str, Value]) -> bool:
        return content_problem(schema, content) is None

    return changes(in_force(opened), selected(catalog), lambda name: stored.get(name, []), fits)


def contents(opened: Opened) -> dict[str, list[Mapping[str, Value]]]:
    """Return the contents of all records, by the `name@version` they stand under; retractions have none."""
    found: dict[str, list[Mapping[str, Value]]] = {}
    for path in record_files(opened):
        for one in placed_in(path, opened.read(path) or b""):
            if not one.record.retracted:
                found.setdefault(one.record.contract, []).append({**one.record.content, "text": one.record.text})
    return found
