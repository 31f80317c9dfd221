"""Writing notes: every call is a compare-and-swap that leaves the old file or the new one, and nobody's bytes lost."""

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from vaultd.errors import ConflictError, StorageError, mend_of
from vaultd.vault import crashing, exchanging
from vaultd.vault.folders import fsync_folder, make_folders, unmake
from vaultd.vault.looks import Look, look_of
from vaultd.vault.reading import Stamp, contained, open_regular, read_all, stamp_of
from vaultd.vault.temporaries import Draft, aside, drafted, sweep_temporaries
from vaultd.vault.writers import still_written

__all__ = ["Settle", "make_last", "remove", "rename", "sweep_temporaries", "write"]

Settle = Callable[[Path], object]
"""Makes the names in a folder last, at once or later."""
_AGAIN = "read it again and repeat the command"
_PATIENCE = 2.0
_PAUSE = 0.002


def write(
    root: Path, path: str, new: bytes, base: bytes | None, settle: Settle = fsync_folder, look: Look | None = None
) -> Stamp:
    """Put `new` at `path` if it still holds `base`, or if nothing is there and `base` is None.

    The folder is given to `settle`, to be fsynced at once or, where an intent tells of it, with others.

    Mode, owner and extended attributes stay, or are those of `look`: of the file that gets this name. A link inside the vault stays a link. Where the file system can neither
    swap names nor report open writers, a save that lands between the last comparison and the rename is lost.

    Raises:
        ConflictError: the file holds something else, is gone, is there already, or a program has it open for writing.
        StorageError: the disk refused, or the file is read-only, has other hard links, or is no regular file.
        UsageError: the path leaves the vault.
    """
    place = contained(root, path)
    with _refusals(path):
        if base is None:
            return _create(place, path, new, settle, look)
        return _swap(_followed(root, place), path, new, base, settle, look)


def remove(root: Path, path: str, base: bytes, settle: Settle = fsync_folder) -> None:
    """Remove the note if it still holds `base`.

    Raises:
        ConflictError: it holds something else, is gone, or a program has it open for writing.
        StorageError: the disk refused.
    """
    place = contained(root, path)
    with _refusals(path), _opened(place, path) as old:
        _expect(old, base, path)
        _wait_for_writers(old, path)
        away = aside(place)
        _set_aside(place, away, path)
        crashing.point("remove:aside")
        if not _holds(away, path, {base}):
            raise _returned(away, place, path)
        crashing.point("remove:verified")
        away.unlink()
        settle(place.parent)
        crashing.point("remove:done")


def make_last(folders: Iterable[Path]) -> None:
    """Make the names in these folders last.

    Raises:
        StorageError: the disk refused.
    """
    for folder in folders:
        with _refusals(folder.name):
            fsync_folder(folder)


def rename(root: Path, old: str, new: str, base: bytes) -> None:
    """Give the note that still holds `base` another name, which nothing may hold yet; a change of case is fine.

    Raises:
        ConflictError: it holds something else or is gone, or the new name is taken.
        StorageError: the disk refused.
    """
    source, target = contained(root, old), contained(root, new)
    with _refusals(old), _opened(source, old) as fd:
        _expect(fd, base, old)
        made = make_folders(target.parent)
        try:
            _move(source, target, old, new)
        except BaseException:
            unmake(made)
            raise
        crashing.point("rename:moved")
        if not _holds(target, new, {base}):
            exchanging.move_new(target, source)
            unmake(made)
            raise _moved_on(old)
        for folder in {source.parent, target.parent}:
            fsync_folder(folder)
        crashing.point("rename:done")


@contextlib.contextmanager
def _refusals(path: str) -> Iterator[None]:
    """Turn what the system refuses into the error that says so."""
    try:
        yield
    except OSError as exc:
        hint = mend_of(exc, "check permissions and the disk")
        raise StorageError(f"{path} cannot be written: {exc.strerror}", hint) from exc


def _followed(root: Path, place: Path) -> Path:
    """Return the file a linked note stands for; `contained` has shown that it lies in the vault."""
    if not place.is_symlink():
        return place
    real = os.path.relpath(os.path.realpath(place), os.path.realpath(root))
    return contained(root, real)


@contextlib.contextmanager
def _opened(place: Path, path: str) -> Iterator[int]:
    """Hold the note open, and locked against other writers of this kind, while its name leads to it.

    The lock is on the file itself: without it two swaps at once could each displace the other's text, and a third
    writer could read a text that is about to be put back.
    """
    deadline = time.monotonic() + _PATIENCE
    while True:
        fd = _open_if_free(place, path)
        try:
            if fd is not None and _locked(fd) and _leads_to(place, fd):
                yield fd
                return
        finally:
            if fd is not None:
                os.close(fd)
        if time.monotonic() > deadline:
            raise ConflictError(f"{path} is being written by another process", _AGAIN)
        time.sleep(_PAUSE)


def _open_if_free(place: Path, path: str) -> int | None:
    try:
        return open_regular(place, path)
    except BlockingIOError:
        return None
    except FileNotFoundError as exc:
        raise ConflictError(f"{path} is not there any more", _AGAIN) from exc


def _locked(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a disk without locks: the comparison of the displaced bytes has to do
    return True


def _leads_to(place: Path, fd: int) -> bool:
    try:
        named, held = place.lstat(), os.fstat(fd)
    except FileNotFoundError:
        return False
    return (named.st_ino, named.st_dev) == (held.st_ino, held.st_dev)


def _expect(fd: int, base: bytes, path: str) -> None:
    if read_all(fd, len(base)) != base:
        raise _moved_on(path)


def _moved_on(path: str) -> ConflictError:
    return ConflictError(f"{path} changed since it was read", _AGAIN)


def _wait_for_writers(fd: int, path: str) -> None:
    if still_written(fd):
        raise ConflictError(f"another program has {path} open for writing", "close it there, or wait, and repeat")


def _create(place: Path, path: str, new: bytes, settle: Settle, look: Look | None) -> Stamp:
    if os.path.lexists(place):
        raise ConflictError(f"{path} is there already", _AGAIN)
    made = make_folders(place.parent)
    try:
        with drafted(place, new, look) as draft:
            try:
                exchanging.move_new(draft.path, place)
            except FileExistsError as exc:
                raise ConflictError(f"{path} is there already", _AGAIN) from exc
            draft.owned = False
            crashing.point("write:created")
            settle(place.parent)
            crashing.point("write:done")
            return stamp_of(os.fstat(draft.fd))
    except BaseException:
        unmake(made)
        raise


def _swap(place: Path, path: str, new: bytes, base: bytes, settle: Settle, look: Look | None) -> Stamp:
    with _opened(place, path) as old:
        _expect(old, base, path)
        status = os.fstat(old)
        if new == base:
            return stamp_of(status)
        _refuse_unwritable(place, path, status)
        _wait_for_writers(old, path)
        with drafted(place, new, look or look_of(old)) as draft:
            if _exchanged(draft, place, path):
                _drop_displaced(draft, place, path, new, base)
            else:
                _replace(draft, place, path, base)
            settle(place.parent)
            crashing.point("write:done")
            return stamp_of(os.fstat(draft.fd))


def _refuse_unwritable(place: Path, path: str, status: os.stat_result) -> None:
    if status.st_nlink > 1:
        raise StorageError(
            f"{path} is one file under {status.st_nlink} names (hard links)", "make it a file of its own first"
        )
    if not os.access(place, os.W_OK):
        raise StorageError(f"{path} is read-only", "allow writing to it first")


def _exchanged(draft: Draft, place: Path, path: str) -> bool:
    """Swap the draft with the note; False where the file system cannot."""
    try:
        swapped = exchanging.exchange(draft.path, place)
    except FileNotFoundError as exc:
        raise ConflictError(f"{path} is not there any more", _AGAIN) from exc
    draft.owned = not swapped
    if swapped:
        crashing.point("write:exchanged")
    return swapped


def _drop_displaced(draft: Draft, place: Path, path: str, new: bytes, base: bytes) -> None:
    if not _holds(draft.path, path, {base, new}):
        raise _put_back(draft, place, path, new)
    crashing.point("write:verified")
    draft.path.unlink()
    crashing.point("write:unlinked")


def _holds(place: Path, path: str, wanted: set[bytes]) -> bool:
    """Tell whether a name that only we use holds one of these texts and nobody is still writing to it."""
    try:
        fd = open_regular(place, path)
    except (StorageError, BlockingIOError):
        return False
    try:
        return not still_written(fd) and read_all(fd, os.fstat(fd).st_size) in wanted
    finally:
        os.close(fd)


def _put_back(draft: Draft, place: Path, path: str, new: bytes) -> ConflictError:
    """Undo a swap that displaced somebody's save, and return the error to raise."""
    try:
        exchanging.exchange(draft.path, place)
    except FileNotFoundError:
        # ours was deleted in the meantime; the displaced save is the only text left
        exchanging.move_new(draft.path, place)
        return _moved_on(path)
    crashing.point("write:put-back")
    if _holds(draft.path, path, {new}):
        draft.owned = True
        return _moved_on(path)
    # somebody saved over our text too: the later save keeps the name, the earlier one stays beside it
    exchanging.exchange(draft.path, place)
    return ConflictError(
        f"{path} was saved twice while it was being written; the earlier save is in {draft.path.name}",
        "compare the two and keep what you want",
    )


def _replace(draft: Draft, place: Path, path: str, base: bytes) -> None:
    """Rename over the note after one more comparison: all that a file system without swapping allows."""
    if not _holds(place, path, {base}):
        raise _moved_on(path)
    draft.path.replace(place)
    draft.owned = False
    crashing.point("write:replaced")


def _set_aside(place: Path, away: Path, path: str) -> None:
    try:
        exchanging.move_new(place, away)
    except FileNotFoundError as exc:
        raise ConflictError(f"{path} is not there any more", _AGAIN) from exc


def _returned(away: Path, place: Path, path: str) -> ConflictError:
    try:
        exchanging.move_new(away, place)
    except FileExistsError:
        return ConflictError(
            f"{path} was saved while it was being removed; the earlier save is in {away.name}",
            "compare the two and keep what you want",
        )
    return _moved_on(path)


def _move(source: Path, target: Path, old: str, new: str) -> None:
    try:
        exchanging.move_new(source, target)
    except FileExistsError as exc:
        if not _one_file(source, target):
            raise ConflictError(f"{new} is there already", "choose another name") from exc
        source.rename(target)
    except FileNotFoundError as exc:
        raise ConflictError(f"{old} is not there any more", _AGAIN) from exc


def _one_file(source: Path, target: Path) -> bool:
    """Tell whether both names are one directory entry, as two cases of a name are where case does not count."""
    one, other = source.lstat(), target.lstat()
    return (one.st_ino, one.st_dev, one.st_nlink) == (other.st_ino, other.st_dev, 1) and stat.S_ISREG(one.st_mode)
