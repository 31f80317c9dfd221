"""What is on disk once saves have settled: half-finished ones as they were, and a mass disappearance not believed."""

import stat
from collections.abc import Set as AbstractSet
from pathlib import Path

from vaultd.app import Overview
from vaultd.errors import VaultdError
from vaultd.history.repository import head_quick
from vaultd.history.snapshots import entries_at, tree
from vaultd.judging.opened import Opened
from vaultd.values import replace
from vaultd.vault.ignoring import Ignore, load_ignore
from vaultd.vault.reading import Stamp, stamp_of
from vaultd.vault.scanning import Scan, is_walked
from vaultd.vault.settling import Doubts, too_many_gone


class Vanished(Exception):  # noqa: N818  -- something that happened, not an error of anybody's
    """So much is gone at once that the disk, not the person, took it."""


class Settled:
    """Remembers what was on disk, and what looks gone or emptied only since a moment."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._doubts = Doubts()
        self._seen: Scan | None = None
        self._head: str | None = None
        """What HEAD was when that was seen."""

    @property
    def doubted(self) -> frozenset[str]:
        """Return the notes to look at again."""
        return self._doubts.doubted()

    def wait(self, now: float) -> float | None:
        """Return in how many seconds to look at doubted notes again, None where there are none."""
        return self._doubts.wait(now)

    def whole(self, now: float, *, believing: bool = False) -> Scan:
        """Walk the folder and return what is there.

        Raises:
            Vanished: too much of what HEAD holds is gone, unless `believing`: a person said it is meant.
        """
        return self._believed(self._opened.scan(), now, believing=believing)

    def some(self, paths: frozenset[str], now: float) -> Scan:
        """Look at some notes again, all doubted ones among them, and return everything as it is then known.

        Raises:
            Vanished: too much of what HEAD holds is gone.
        """
        if self._seen is None:
            return self.whole(now)
        notes = dict(self._seen.notes)
        ignore: Ignore | None = None
        for path in paths:
            stamp = _stamp(self._opened.root / path)
            if stamp is not None and path not in notes:
                ignore = ignore or load_ignore(self._opened.root).sparing(self._opened.settings.folders)
                stamp = stamp if is_walked(self._opened.root, ignore, path) else None
            if stamp is None:
                notes.pop(path, None)
            else:
                notes[path] = stamp
        return self._believed(replace(self._seen, notes=notes), now, believing=False)

    def _believed(self, found: Scan, now: float, *, believing: bool) -> Scan:
        head = head_quick(self._opened.recorded)
        if believing:
            # A person said so: waiting for notes to come back would only end in the same question.
            self._doubts = Doubts()
        elif self._seen is not None:
            self._refuse_vanishing(self._seen, found)
            missing = self._seen.notes.keys() - found.notes.keys()
            left = self._committed_away(missing, head) | _renamed(self._seen, found, missing) if missing else missing
            found = self._spared(self._seen, found, missing, left, now)
        self._seen, self._head = found, head
        return found

    def _refuse_vanishing(self, before: Scan, found: Scan) -> None:
        gone = before.notes.keys() - found.notes.keys()
        if too_many_gone(len(before.notes), len(gone)):
            # a folder that got another name holds the same files
            there = {_file(stamp) for stamp in found.notes.values()}
            gone = {path for path in gone if _file(before.notes[path]) not in there}
        if not too_many_gone(len(before.notes), len(gone)):
            return
        head = head_quick(self._opened.recorded)
        missed = gone & tree(self._opened.recorded, head).keys() if head is not None else gone
        if too_many_gone(len(before.notes), len(missed)):
            raise Vanished(f"{len(missed)} of {len(before.notes)} notes are gone that HEAD still holds")

    def _committed_away(self, missing: AbstractSet[str], head: str | None) -> AbstractSet[str]:
        """Return the notes that are missing on disk and left with a commit: that is no half of a save."""
        if head is None or self._head is None or head == self._head:
            return frozenset()
        repo, paths = self._opened.recorded, sorted(missing)
        try:
            return entries_at(repo, self._head, paths).keys() - entries_at(repo, head, paths).keys()
        except VaultdError:  # git swept away what HEAD was
            return frozenset()

    def _spared(self, before: Scan, found: Scan, missing: AbstractSet[str], left: AbstractSet[str], now: float) -> Scan:
        notes = dict(found.notes)
        for path in missing:
            if path in left or self._doubts.gone(path, now):
                self._doubts.cleared(path)
            else:
                notes[path] = before.notes[path]
        for path, stamp in found.notes.items():
            known = before.notes.get(path)
            if known is None or known == stamp:
                continue
            if known.size and not stamp.size:
                if self._doubts.emptied(path, now):
                    self._doubts.cleared(path)
                else:
                    notes[path] = known
        for path in self._doubts.doubted() & found.notes.keys():
            if found.notes[path].size:
                self._doubts.cleared(path)
        return replace(found, notes=notes)


def _renamed(before: Scan, found: Scan, missing: AbstractSet[str]) -> AbstractSet[str]:
    """Return the notes that are missing because they have another name now."""
    arrived = {_file(found.notes[path]) for path in found.notes.keys() - before.notes.keys()}
    return {path for path in missing if _file(before.notes[path]) in arrived}


def _file(stamp: Stamp) -> tuple[int, int, int]:
    """Return what a file keeps when it is renamed."""
    return stamp.ino, stamp.size, stamp.mtime_ns


def _stamp(place: Path) -> Stamp | None:
    try:
        status = place.lstat()
    except OSError:
        return None
    return stamp_of(status) if stat.S_ISREG(status.st_mode) else None


def saved_at(seen: Overview) -> dict[str, float]:
    """Return, by id, when the files of what waits were saved last."""
    found: dict[str, float] = {}
    for batch in seen.waiting:
        latest = max((seen.notes[path].mtime_ns / 1e9 for path in batch.paths if path in seen.notes), default=0.0)
        found |= {event.id: latest for event in batch.events}
    return found
