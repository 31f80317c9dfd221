"""Locks that end with the process that holds them: one daemon a clone, one writer a path."""

import contextlib
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from vaultd.errors import ConflictError, StorageError, mend_of
from vaultd.notes.names import collision_key
from vaultd.values import dataclass

_PAUSE = 0.005
_LONGEST_PAUSE = 0.05


@dataclass(frozen=True, slots=True)
class Holder:
    """Who says, in a lock's file, that they took it."""

    host: str
    pid: int
    start: str
    """RFC 3339 UTC."""

    @property
    def lives(self) -> bool:
        """Return whether it runs, as far as can be told: a program that it was just starting has its locks for a moment more."""
        return not self.pid or self.host != this_host() or pid_lives(self.pid)

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.start}"


@contextlib.contextmanager
def hold(path: Path, wait: float) -> Iterator[None]:
    """Hold the lock file, with our name in it, waiting at most `wait` seconds for whoever has it.

    Raises:
        ConflictError: it is still taken; the message names the holder.
        StorageError: the file cannot be made.
    """
    fd = _taken(path, wait)
    try:
        with contextlib.suppress(OSError):  # a full disk takes no name, and the lock holds without one
            os.ftruncate(fd, 0)
            os.pwrite(fd, _signature(), 0)
        yield
        os.ftruncate(fd, 0)
    finally:
        os.close(fd)


@contextlib.contextmanager
def hold_paths(locks: Path, paths: Iterable[str], wait: float) -> Iterator[None]:
    """Hold the writers' locks of these notes, in one order for everybody, so that two writers cannot block each other.

    Paths that are one file where case or Unicode form does not count share a lock; so may unrelated ones.

    Raises:
        ConflictError: another writer has one of them for longer than `wait` seconds.
        StorageError: the lock files cannot be made.
    """
    # a fixed number of lock files, so that they need never be deleted: deleting a lock file in use breaks the lock
    slots = {hashlib.sha256(_bytes(path)).hexdigest()[:2] for path in paths}
    with contextlib.ExitStack() as stack:
        for slot in sorted(slots):
            stack.enter_context(hold(locks / f"{slot}.lock", wait))
        yield


def holder(path: Path) -> Holder | None:
    """Return who holds the lock now, or None if nobody does; waits for nothing and creates nothing."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _named(fd) or Holder("this machine or another", 0, "an unknown time")
    finally:
        os.close(fd)
    return None


def this_host() -> str:
    """Return the name of this machine, which `socket` says too and takes long to import for."""
    return os.uname().nodename


def pid_lives(pid: int) -> bool:
    """Tell whether a process with this number runs on this machine."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _bytes(path: str) -> bytes:
    return collision_key(path).encode("utf-8", "surrogateescape")


def _taken(path: Path, wait: float) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as exc:
        raise StorageError(f"{path} cannot be made: {exc.strerror}", mend_of(exc)) from exc
    deadline, pause = time.monotonic() + wait, _PAUSE
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < deadline:
                time.sleep(pause)
                pause = min(pause * 1.5, _LONGEST_PAUSE)
                continue
            who = _named(fd)
            os.close(fd)
            raise ConflictError(
                f"{path.name} is held by {who or 'another process'}", "wait until it is done, then repeat"
            ) from None
        except OSError as exc:
            os.close(fd)
            raise StorageError(f"{path} cannot be locked: {exc.strerror}", "use a disk that has locks") from exc
        return fd


def _signature() -> bytes:
    start = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return json.dumps({"host": this_host(), "pid": os.getpid(), "start": start}).encode()


def _named(fd: int) -> Holder | None:
    try:
        said = json.loads(os.pread(fd, 4096, 0))
        return Holder(str(said["host"]), int(said["pid"]), str(said["start"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
