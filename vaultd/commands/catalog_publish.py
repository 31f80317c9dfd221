"""Put what the catalog declares in force: the lock moves, and no record is touched."""

from vaultd.catalog.changes import published, selected
from vaultd.catalog.lock import LOCK, dump_lock
from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.errors import RejectedError, UsageError
from vaultd.judging.designs import catalog_files, declared, in_force, would_change
from vaultd.judging.opened import Opened
from vaultd.judging.records.presence import CATALOG
from vaultd.lifecycle.changesets import Changeset, Write, digest
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.violations import Violation
from vaultd.notes.times import render
from vaultd.values import replace


def publish_catalog(opened: Opened, asked: Asked, *, reason: str = "") -> Done:
    """Publish the catalog, or refuse it whole; its files go into the same commit.

    Raises:
        UsageError: there is no catalog.
        RejectedError: something in it is wrong, or records that are there would mean something else.
    """
    opened.require_started()
    files = catalog_files(opened)
    if not files:
        raise UsageError(f"there is no catalog in {CATALOG}", f"write {CATALOG}/collections.yaml first")
    catalog = declared(files)
    if not catalog.sound:
        told = "; ".join(str(problem) for problem in catalog.problems if problem.error)
        raise RejectedError(f"V501 {told}", "vaultd catalog check lists what is wrong")
    blocked = [
        Violation("V502", "error", LOCK, 1, f"{change.name}: {change.blocker}", subject=change.name)
        for change in would_change(opened, catalog)
        if change.blocker
    ]
    if blocked:
        told = "; ".join(violation.message for violation in blocked)
        raise RejectedError(f"V502 {told}", "vaultd catalog check", blocked)
    packages = {package.name: package.version for package in catalog.packages.values()}
    lock = in_force(opened)
    after = dump_lock(published(lock, selected(catalog), packages, render(asked.now)))
    before = opened.read(LOCK)
    if after == before:
        return Done(None, "", LOCK, digest(after))
    notices = tuple(str(problem) for problem in catalog.problems)
    names = ", ".join(f"{name} {version}" for name, version in sorted(packages.items())) or "all definitions"
    writes = (Write(LOCK, before, after), *(Write(path, data, data) for path, data in files.items()))
    changeset = Changeset(f"catalog: publish {names}", (Event("published", "", LOCK),), writes, reason=reason)
    done = carry_out(opened, changeset, asked)
    return replace(done, notices=(*done.notices, *notices))
