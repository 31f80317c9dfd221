"""Reading a note's exact bytes: never a half-saved file, never a pipe, never anything outside the vault."""

import errno
import os
import stat
import sys
import time
from pathlib import Path
from typing import NamedTuple

from vaultd.errors import StorageError, UsageError
from vaultd.values import dataclass

_ATTEMPTS = 6
_PAUSE = 0.004
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Stamp(NamedTuple):
    """What a directory walk can tell about a file; two equal stamps mean that it was not written in between.

    A tuple, for a walk makes one for every note, and a frozen class takes three times as long to fill.
    """

    mtime_ns: int
    size: int
    ino: int
    ctime_ns: int


@dataclass(frozen=True, slots=True)
class Text:
    """A note's bytes with the stamp that was true before and after they were read."""

    data: bytes
    stamp: Stamp


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the stamp that a stat result stands for."""
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns)


def stamp_at(root: Path, path: str) -> Stamp | None:
    """Return the stamp of what stands at a path, None where nothing does."""
    try:
        return stamp_of(os.stat(root / path))  # noqa: PTH116  -- one of very many
    except OSError:
        return None


def contained(root: Path, path: str) -> Path:
    """Return where a vault-relative path lies on disk, whether or not anything is there.

    Raises:
        UsageError: it leaves the vault by its spelling or through a link, or enters git's own folder.
    """
    if _parents_hold_link(root, path) or _is_link(f"{root}/{path}", path):
        _refuse_escape(root, path)
    return root / path


def _parents_hold_link(root: Path, path: str) -> bool:
    """Refuse what is spelled out of the vault, then tell whether a folder on the way is a link."""
    framed = f"/{path}/"
    if "//" in framed or "/./" in framed or "/../" in framed or "\0" in framed:
        raise UsageError(f"{path!r} is not a path inside the vault", "give a path relative to the vault, without ..")
    if "/.git/" in framed.lower():
        raise UsageError(f"{path}: git's own folder holds no notes")
    top = str(root)
    end = path.find("/")
    while end >= 0:
        if _is_link(f"{top}/{path[:end]}", path):
            return True
        end = path.find("/", end + 1)
    return False


def _is_link(place: str, path: str) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(place).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as exc:
        raise unreadable(path, exc) from exc


def _refuse_escape(root: Path, path: str) -> None:
    real_root = os.path.realpath(root)
    real = os.path.realpath(root / path)
    if real != real_root and not real.startswith(real_root.rstrip("/") + "/"):
        raise UsageError(f"{path} leads out of the vault through a link", "move the file into the vault")
    if "/.git/" in real[len(real_root) :].lower() + "/":
        raise UsageError(f"{path} leads into git's own folder through a link")


def read_stable(root: Path, path: str) -> Text:
    """Return a note's bytes as they were at one moment.

    Raises:
        FileNotFoundError: nothing is there.
        StorageError: it is not a regular file, not on this disk, not readable, or changes faster than it can be read.
        UsageError: the path leaves the vault.
    """
    if _parents_hold_link(root, path):
        _refuse_escape(root, path)
    place = f"{root}/{path}"
    for attempt in range(_ATTEMPTS):
        text = _read_once(place, path)
        if text is not None:
            return text
        time.sleep(_PAUSE * (attempt + 1))
    raise StorageError(
        f"{path} changes or is locked while it is being read", "try again when the other program is done"
    )


def _read_once(place: str, path: str) -> Text | None:
    if sys.platform != "linux":
        # opening an evicted file can block for a download, so it is refused by its status before it is opened
        _refuse_evicted(os.lstat(place), path)
    try:
        fd, before = _opened(place, path)
    except BlockingIOError:
        return None  # another program holds a lease on the file and is being asked to let go
    try:
        if sys.platform == "linux" and before.st_blocks == 0 and before.st_size > 0 and _is_one_hole(fd):
            _refuse_evicted(before, path)
        data = read_all(fd, before.st_size)
        # by its name: an atomic save puts another file there
        after = os.lstat(place)
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise unreadable(path, exc) from exc
    finally:
        os.close(fd)
    if _identity(before) != _identity(after) or len(data) != after.st_size:
        return None
    return Text(data, stamp_of(after))


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    """Return what stays while a name leads to one file that nobody writes."""
    return status.st_ino, status.st_dev, status.st_size, status.st_mtime_ns


def open_regular(place: Path | str, path: str) -> int:
    """Return a descriptor for reading a regular file; a pipe or device neither blocks nor opens.

    Raises:
        FileNotFoundError: nothing is there.
        BlockingIOError: another program holds a lease on it.
        StorageError: it is a link, a folder, a pipe, or may not be read.
    """
    return _opened(place, path)[0]


def _opened(place: Path | str, path: str) -> tuple[int, os.stat_result]:
    try:
        fd = os.open(place, _FLAGS)
    except (FileNotFoundError, BlockingIOError):
        raise
    except OSError as exc:
        if exc.errno == errno.ENOTDIR:
            raise FileNotFoundError(exc.errno, os.strerror(errno.ENOENT), str(place)) from exc
        if exc.errno == errno.ELOOP:
            raise StorageError(f"{path} is a link, not a file", "links are not followed; name the file itself") from exc
        raise unreadable(path, exc) from exc
    status = os.fstat(fd)
    if stat.S_ISREG(status.st_mode):
        return fd, status
    os.close(fd)
    raise StorageError(f"{path} is not a regular file", "only regular files are notes")


def read_all(fd: int, expected: int) -> bytes:
    """Return every byte from the descriptor's start, however many there turn out to be."""
    chunks: list[bytes] = []
    offset = 0
    while True:
        chunk = os.pread(fd, max(expected - offset, 0) + 4096, offset)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
        offset += len(chunk)
        if offset == expected:
            return b"".join(chunks)


def unreadable(path: str, exc: OSError) -> StorageError | UsageError:
    """Return the error for a file that the system would not let us read."""
    if exc.errno == errno.ENAMETOOLONG:
        return UsageError(f"no file can have a name this long: {path[-60:]!r}", "255 bytes for a name is the limit")
    return StorageError(f"{path} cannot be read: {exc.strerror}", "check its permissions and the disk")


def _refuse_evicted(status: os.stat_result, path: str) -> None:
    if status.st_blocks == 0 and status.st_size > 0 and stat.S_ISREG(status.st_mode):
        raise StorageError(f"{path} is not available on this disk", "download it in the program that syncs the folder")


def _is_one_hole(fd: int) -> bool:
    """Tell whether no byte of the file is on disk.

    Some file systems keep small files in the inode and count no blocks for them, so the count alone proves nothing.
    """
    try:
        os.lseek(fd, 0, os.SEEK_DATA)
    except OSError as exc:
        return exc.errno == errno.ENXIO
    return False
