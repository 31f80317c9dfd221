"""The files of a changeset put in place, many side by side, and taken back where what follows fails."""

import contextlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from shlex import quote

from vaultd.errors import StorageError, VaultdError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Write
from vaultd.vault.folders import fsync_folder
from vaultd.vault.looks import Look, look_at
from vaultd.vault.reading import Stamp, stamp_at
from vaultd.vault.writing import Settle, make_last, remove, write

_MANY = 32
"""From so many on a disk is asked to keep several files at once: it takes hardly longer for all than for one."""
_AT_ONCE = 4
_NO_LOOKS: Mapping[str, Look] = {}


class Placing:
    """What a command has put in place so far."""

    def __init__(self, opened: Opened, looks: Mapping[str, Look] = _NO_LOOKS) -> None:
        """Make it; `looks` is what files that move or leave are beside their bytes, by the path they had."""
        self._opened = opened
        self._looks = looks
        self._placed: list[tuple[Write, Stamp | None]] = []

    def put(self, writes: Iterable[Write]) -> None:
        """Write files; after an error what stands is known, and nothing is written any more.

        Raises:
            ConflictError: a file moved on.
            StorageError: the disk refused.
        """
        unsettled: set[Path] = set()
        wanted = list(writes)
        if len(wanted) >= _MANY:
            # what leaves a path makes room for what comes to it, so that has an order; what stays has none
            self._put_in_turn((one for one in wanted if not _stays(one)), unsettled.add)
            self._put_at_once((one for one in wanted if _stays(one)), unsettled.add)
        else:
            self._put_in_turn(wanted, unsettled.add)
        make_last(unsettled)

    def put_again(self) -> None:
        """Write once more what a `git stash` or `git restore` of the old HEAD took out of the folder before our commit stood.

        Else it would look like an edit that takes the change back. Where anything but the old text stands, it is somebody's.
        """
        for one, stamp in self._placed:
            if stamp_at(self._opened.root, one.path) == stamp:
                continue
            if one.before != one.after and self._opened.read(one.path) == one.before:
                with contextlib.suppress(VaultdError):
                    self._write(one)

    def take_back(self) -> None:
        """Put back what was written, and remember only what the disk refused; where somebody wrote since, their bytes stay."""
        stuck: list[tuple[Write, Stamp | None]] = []
        for one, stamp in reversed(self._placed):
            try:
                self._write(Write(one.path, one.after, one.before, one.path))
            except StorageError:
                stuck.insert(0, (one, stamp))
            except VaultdError:
                continue
        self._placed = stuck

    def stuck(self, error: VaultdError) -> StorageError | None:
        """Return the error that names what could not be taken back, None where all of it was."""
        if not self._placed:
            return None
        paths = " ".join(quote(one.path) for one, _ in self._placed)
        return StorageError(
            f"{error.message}; the disk refused to put back {paths}",
            f"{error.hint}; vaultd revert {paths} takes back what it says of its lifecycle",
        )

    def _put_in_turn(self, writes: Iterable[Write], settle: Settle) -> None:
        for one in writes:
            self._put(one, settle)

    def _put_at_once(self, writes: Iterable[Write], settle: Settle) -> None:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 -- slow to load, and most commands write one file

        pool = ThreadPoolExecutor(_AT_ONCE)
        try:
            for begun in [pool.submit(self._put, one, settle) for one in writes]:
                begun.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _put(self, one: Write, settle: Settle) -> None:
        self._placed.append((one, self._write(one, settle)))

    def _write(self, one: Write, settle: Settle = fsync_folder) -> Stamp | None:
        if one.after is not None:
            return write(self._opened.root, one.path, one.after, one.before, settle, self._looks.get(one.source))
        if one.before is not None:
            remove(self._opened.root, one.path, one.before, settle)
        return None


def _stays(one: Write) -> bool:
    return one.before is not None and one.after is not None and not one.source


def looks_of(opened: Opened, writes: Iterable[Write]) -> dict[str, Look]:
    """Return what the files that move or leave are beside their bytes, for their new path and for a taking back."""
    paths = {path for one in writes for path in (one.source, one.path if one.after is None else "") if path}
    return {path: look for path in paths if (look := look_at(opened.root, path)) is not None}


def missing_folders(opened: Opened, paths: Iterable[str]) -> list[Path]:
    """Return the folders that writing these paths will make, deepest first."""
    folders = {path.rpartition("/")[0] for path in paths}
    above = {opened.root / part for folder in folders for part in (Path(folder), *Path(folder).parents)}
    return sorted((folder for folder in above if not folder.exists()), key=lambda one: len(one.parts), reverse=True)
