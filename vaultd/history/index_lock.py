"""The user's index, held while HEAD moves, so that index and HEAD change together or not at all."""

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vaultd.errors import StorageError
from vaultd.history.repository import Repository, head_quick
from vaultd.history.walk import is_ancestor
from vaultd.values import dataclass

_PATIENCE = 2.0


@dataclass(frozen=True, slots=True)
class Held:
    """`index.lock` is ours; `copy` becomes the index when it is published."""

    index: Path
    lock: Path
    note: Path
    """The same file as the lock, under a name that says whose it is."""
    copy: Path
    descriptor: int

    def promise(self, commit: str) -> None:
        """Write down which commit makes the copy true, so that a killed run can be finished."""
        os.write(self.descriptor, f"{commit}\n".encode())

    def publish(self) -> None:
        """Make the copy the index."""
        if self.copy.exists():
            self.copy.replace(self.index)


@contextmanager
def held_index(repo: Repository, on_lock: Callable[[str], None]) -> Iterator[Held | None]:
    """Hold `index.lock` with a private copy of the index beside it; None when somebody else has it for over 2 s."""
    try:
        held = _take(repo)
    except OSError as exc:
        raise StorageError(f"{repo.git_dir}: the index cannot be locked: {exc.strerror}") from exc
    if held is None:
        yield None
        return
    try:
        on_lock(str(held.lock))
        yield held
    finally:
        _release(held)


def _take(repo: Repository) -> Held | None:
    folder = repo.git_dir / "vaultd"
    folder.mkdir(mode=0o700, exist_ok=True)
    name = f"commit-{os.getpid()}-{os.urandom(4).hex()}"
    index, note = repo.git_dir / "index", folder / f"{name}.lock"
    draft = folder / f"{name}.new"
    descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    # Only now under the name others look for: nobody finds a note that is not locked by its living owner.
    draft.rename(note)
    held = Held(index, repo.git_dir / "index.lock", note, folder / f"{name}.index", descriptor)
    try:
        if not _linked(repo, held):
            _discard(held)
            return None
        os.write(descriptor, f"{stamp_of(index)}\n".encode())
        if index.exists():
            # With its time: git takes an entry for clean by its stamp only where the index is younger than the file.
            shutil.copy2(index, held.copy)
    except OSError:
        _release(held)
        raise
    return held


def _linked(repo: Repository, held: Held) -> bool:
    deadline = time.monotonic() + _PATIENCE
    pause = 0.005
    while True:
        try:
            os.link(held.note, held.lock)
        except FileExistsError:
            heal(repo)
        else:
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
        pause = min(pause * 2, 0.1)


def is_held(repo: Repository) -> bool:
    """Say whether somebody keeps hold of the index for longer than a command takes."""
    deadline = time.monotonic() + _PATIENCE
    while (repo.git_dir / "index.lock").exists():
        heal(repo)
        if time.monotonic() > deadline:
            return True
        time.sleep(0.02)
    return False


def stamp_of(index: Path) -> str:
    """Return what is another text for each file that was ever the index: git replaces it, and never writes into it."""
    with suppress(FileNotFoundError):
        found = index.stat()
        return f"{found.st_ino} {found.st_mtime_ns} {found.st_size}"
    return "none"


def _release(held: Held) -> None:
    # Only our own lock: should somebody have taken it away by hand, another's may stand there now.
    if _same(held.lock, held.note):
        held.lock.unlink(missing_ok=True)
    _discard(held)


def _discard(held: Held) -> None:
    held.copy.unlink(missing_ok=True)
    held.note.unlink(missing_ok=True)
    os.close(held.descriptor)


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except FileNotFoundError:
        return False


def heal(repo: Repository) -> list[str]:
    """Finish or undo what killed commits of ours left locked; return the commits whose index was put in place."""
    folder = repo.git_dir / "vaultd"
    try:
        notes = sorted(folder.glob("commit-*.lock"))
    except FileNotFoundError:
        return []
    healed = [commit for commit in (_heal(repo, note) for note in notes) if commit]
    _sweep_copies(folder)
    return healed


def _sweep_copies(folder: Path) -> None:
    """Remove copies of the index without a note: a git that outlived our killed run wrote them once more."""
    for copy in folder.glob("commit-*.index"):
        # A living owner has its note before its copy, and lets go of the copy first.
        if not copy.with_suffix(".lock").exists():
            copy.unlink(missing_ok=True)


def _heal(repo: Repository, note: Path) -> str:
    try:
        descriptor = os.open(note, os.O_RDWR)
    except FileNotFoundError:
        return ""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        # Its owner lives.
        os.close(descriptor)
        return ""
    held = Held(repo.git_dir / "index", repo.git_dir / "index.lock", note, note.with_suffix(".index"), descriptor)
    if not _same(held.lock, note) and not _retaken(held):
        os.close(descriptor)
        return ""
    try:
        return _finished(repo, held, os.pread(descriptor, 4096, 0).decode("ascii", "replace"))
    finally:
        _release(held)


def _retaken(held: Held) -> bool:
    """Take the lock again where somebody removed it from under the dead run."""
    try:
        os.link(held.note, held.lock)
    except (FileExistsError, FileNotFoundError):
        return False
    return True


def _finished(repo: Repository, held: Held, text: str) -> str:
    stamp, _, rest = text.partition("\n")
    commits = [line for line in rest.split("\n")[:-1] if line]
    now = head_quick(repo)
    if now is None or not commits or stamp_of(held.index) != stamp:
        return ""
    if commits[-1] != now and not is_ancestor(repo, commits[-1], now):
        return ""
    held.publish()
    return commits[-1]
