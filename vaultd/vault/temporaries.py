"""The dot files a write leaves for a moment beside the note, and what becomes of those a crash left behind."""

import contextlib
import fcntl
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from vaultd.errors import StorageError
from vaultd.quickly import pattern
from vaultd.values import dataclass
from vaultd.vault import crashing, exchanging
from vaultd.vault.locks import pid_lives
from vaultd.vault.looks import Look, wear
from vaultd.vault.reading import open_regular, read_all

_MARK = ".vaultd-tmp-"
_ASIDE = "-aside"
_SHAPE = pattern(r"\.(?P<name>.+)\.vaultd-tmp-(?P<pid>\d+)(?:\.\d+)?(?P<aside>-aside)?", re.DOTALL)
_LONGEST = 255
_SUFFIX_ROOM = 30
_UNLOCKED_FOR = 2.0
"""Seconds within which a writer that lives has surely locked the file that it made."""


@dataclass(slots=True)
class Draft:
    """New bytes on disk under a temporary name, and the lock that says their writer lives."""

    path: Path
    fd: int
    owned: bool = True
    """Whether the temporary name still holds our bytes, so that they go with it."""


@contextlib.contextmanager
def drafted(place: Path, data: bytes, look: Look | None) -> Iterator[Draft]:
    """Hold `data`, safely on disk, under a temporary name beside `place`; the name is gone afterwards while owned.

    `look` is what the new file is beside its bytes; None is what the system gives a new one.
    """
    path, writing = _created(place, 0o666 if look is None else 0o600)
    draft = Draft(path, -1)
    try:
        try:
            draft.fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            fcntl.flock(draft.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            crashing.point("write:temp")
            _fill(writing, data, look)
        finally:
            os.close(writing)
        crashing.point("write:synced")
        yield draft
    finally:
        if draft.owned:
            path.unlink(missing_ok=True)
        if draft.fd >= 0:
            os.close(draft.fd)


def _created(place: Path, mode: int) -> tuple[Path, int]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    for path in _names(place, ""):
        with contextlib.suppress(FileExistsError):
            return path, os.open(path, flags, mode)
    raise AssertionError("names never run out")


def _fill(fd: int, data: bytes, look: Look | None) -> None:
    if look is not None:
        wear(fd, look)
    view = memoryview(data)
    half = len(data) // 2
    for part in (view[:half], view[half:]):
        offset = 0
        while offset < len(part):
            offset += os.write(fd, part[offset:])
        crashing.point("write:part")
    os.fsync(fd)


def aside(place: Path) -> Path:
    """Return a free temporary name that says: this is the note itself, moved aside on its way out."""
    for path in _names(place, _ASIDE):
        if not os.path.lexists(path):
            return path
    raise AssertionError("names never run out")


def _names(place: Path, suffix: str) -> Iterator[Path]:
    name = place.name
    while len(os.fsencode(name)) > _LONGEST - _SUFFIX_ROOM:
        name = name[:-1]
    number = 0
    while True:
        extra = f".{number}" if number else ""
        yield place.with_name(f".{name}{_MARK}{os.getpid()}{extra}{suffix}")
        number += 1


def is_temporary_of(temporary: Path, note: Path) -> bool:
    """Tell whether a file is one that a write of this note leaves for a moment."""
    return temporary.parent == note.parent and temporary.name.startswith(f".{note.name}{_MARK}")


def nobody_knows(_path: str, _data: bytes) -> bool:
    """Answer for a sweep without intents: no bytes are known to be vaultd's own."""
    return False


def sweep_temporaries(root: Path, known: Callable[[str, bytes], bool] = nobody_knows) -> list[str]:
    """Clear what killed writes left behind and return the temporaries that were kept.

    A leftover goes only when its bytes are empty, stand in the note as well, or are `known(path of the note, bytes)`
    to be vaultd's own or the text it replaced. A note that was moved aside goes back to its name when that is free.
    Anything else stays and is returned, as vault-relative paths.
    """
    kept: list[str] = []
    for place in _leftovers(root):
        shape = _SHAPE.fullmatch(place.name)
        if shape is None or _lives(place, int(shape["pid"])):
            continue
        note = place.with_name(shape["name"])
        if not _cleared(place, note, str(note.relative_to(root)), aside=shape["aside"] is not None, known=known):
            kept.append(str(place.relative_to(root)))
    return sorted(kept)


def _leftovers(root: Path) -> Iterator[Path]:
    pending = [str(root)]
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                found = list(entries)
        except OSError:
            continue
        for entry in found:
            if _MARK in entry.name and entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
                yield Path(entry.path)
            elif entry.name != ".git" and entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)


def _lives(place: Path, pid: int) -> bool:
    """Tell whether the writer of a temporary still runs, here or on another machine that shares the folder."""
    try:
        fd = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        age = time.time() - os.fstat(fd).st_mtime
    except OSError:
        return True
    finally:
        os.close(fd)
    # A writer locks its file as soon as it has made it: after that only the lock tells, since numbers are used again.
    return age < _UNLOCKED_FOR and pid != os.getpid() and pid_lives(pid)


def _cleared(place: Path, note: Path, path: str, *, aside: bool, known: Callable[[str, bytes], bool]) -> bool:
    data = _bytes_at(place)
    if data is None:
        return False
    if aside and not known(path, data):
        try:
            exchanging.move_new(place, note)
        except OSError:
            return data == _bytes_at(note) and _unlinked(place)
        return True
    if not data or data == _bytes_at(note) or known(path, data):
        return _unlinked(place)
    return False


def _bytes_at(place: Path) -> bytes | None:
    try:
        fd = open_regular(place, place.name)
    except (OSError, StorageError):
        return None
    try:
        return read_all(fd, os.fstat(fd).st_size)
    except OSError:
        return None
    finally:
        os.close(fd)


def _unlinked(place: Path) -> bool:
    try:
        place.unlink()
    except OSError:
        return False
    return True
