"""The file that says a changeset is being written, so that a killed command is finished or undone at the next start."""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path

from vaultd.errors import StorageError
from vaultd.values import dataclass, field
from vaultd.vault import crashing
from vaultd.vault.folders import fsync_folder
from vaultd.vault.looks import Look, as_row, of_row

_SIZES = "sizes"
_TEXTS = "texts"


@dataclass(frozen=True, slots=True)
class Step:
    """One path of a changeset: the sha256 of its bytes before and after, None where nothing is there."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Intent:
    """What a command is about to write, and what its commit will say."""

    id: str
    at: str
    pid: int
    subject: str
    events: tuple[tuple[str, str], ...]
    """Pairs of lifecycle event and memory id."""
    steps: tuple[Step, ...]
    message: str
    """The whole commit message; empty where what is written is what HEAD holds, so that there is no commit."""
    lock: str = ""
    """The `index.lock` that this command holds, or empty."""
    unrecorded: tuple[str, ...] = ()
    """Paths of steps that its commit does not hold."""
    looks: Mapping[str, Look] = field(default_factory=dict)
    """What files that move are beside their bytes, by the path they get."""


@dataclass(frozen=True, slots=True)
class Held:
    """An intent on disk that this process owns until it forgets it."""

    intent: Intent
    folder: Path
    fd: int


def digest(data: bytes | None) -> str | None:
    """Return the hash a step holds for these bytes."""
    return None if data is None else hashlib.sha256(data).hexdigest()


def record(folder: Path, intent: Intent, contents: Mapping[str, bytes]) -> Held:
    """Put an intent on disk, before anything else is written, with the bytes each path will hold.

    `contents` maps the path of every step that leaves a file to those bytes.

    Raises:
        StorageError: the git directory cannot be written.
    """
    try:
        return _recorded(folder, intent, contents)
    except OSError as exc:
        _erase(folder, intent.id)
        raise StorageError(
            f"the intent of {intent.subject!r} cannot be written: {exc.strerror}", "free space; nothing changed"
        ) from exc


def _recorded(folder: Path, intent: Intent, contents: Mapping[str, bytes]) -> Held:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = folder / f"{intent.id}.draft"
    fd = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        crashing.point("intent:draft")
        after = _after_folder(folder, intent.id)
        after.mkdir(mode=0o700)
        # one file: a thousand of them would take a thousand waits for the disk
        held = [contents[step.path] for step in intent.steps if step.after is not None]
        _write_synced(after / _SIZES, json.dumps([len(data) for data in held]).encode())
        _write_synced(after / _TEXTS, b"".join(held))
        fsync_folder(after)
        crashing.point("intent:contents")
        _write_all(fd, json.dumps(_as_table(intent)).encode())
        os.fsync(fd)
        draft.rename(folder / f"{intent.id}.json")
        fsync_folder(folder)
        crashing.point("intent:recorded")
    except BaseException:
        os.close(fd)
        raise
    return Held(intent, folder, fd)


def name_lock(held: Held, lock: str) -> None:
    """Add to the intent, once it is taken, the `index.lock` we hold, so that a killed run's lock can be told from others.

    Raises:
        StorageError: the git directory cannot be written.
    """
    try:
        status = os.lstat(lock)
        said = json.dumps({"lock": lock, "device": status.st_dev, "inode": status.st_ino})
        _write_synced(_lock_file(held.folder, held.intent.id), said.encode())
    except OSError as exc:
        raise StorageError(f"{lock} cannot be noted: {exc.strerror}", "check the disk") from exc
    crashing.point("intent:lock-named")


def forget(held: Held) -> None:
    """Remove an intent whose changeset is committed or undone."""
    _erase(held.folder, held.intent.id)
    os.close(held.fd)
    crashing.point("intent:forgotten")


def release(held: Held) -> None:
    """Leave an intent to whoever recovers next."""
    os.close(held.fd)


def live(folder: Path) -> list[Intent]:
    """Return the intents whose writers are at work now, oldest first; dead ones wait for recovery."""
    found: list[Intent] = []
    for file in listed(folder):
        held = claim(file)
        if held is not None:
            os.close(held.fd)
            continue
        with contextlib.suppress(OSError, StorageError):
            found.append(read_intent(file))
    return found


def listed(folder: Path) -> list[Path]:
    """Return the intent files in a folder, oldest first."""
    return sorted(folder.glob("*.json"))


def claim(file: Path) -> Held | None:
    """Take over an intent whose writer is gone, or None where it lives or the file is gone or no intent."""
    try:
        fd = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if file.stat().st_ino != os.fstat(fd).st_ino:
            raise FileNotFoundError(errno.ENOENT, "another recovery finished it", str(file))
        return Held(read_intent(file), file.parent, fd)
    except (OSError, StorageError):
        os.close(fd)
        return None


def read_intent(file: Path) -> Intent:
    """Return the intent in a file.

    Raises:
        OSError: the file is gone.
        StorageError: it is no intent.
    """
    try:
        said = json.loads(file.read_bytes())
        return Intent(
            id=said["id"],
            at=said["at"],
            pid=said["pid"],
            subject=said["subject"],
            events=tuple((event, memory) for event, memory in said["events"]),
            steps=tuple(Step(path, before, after) for path, before, after in said["steps"]),
            message=said["message"],
            lock=_named_lock(file.parent, said["id"])[0],
            unrecorded=tuple(said.get("unrecorded", ())),
            looks={path: of_row(row) for path, row in said.get("looks", {}).items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        raise StorageError(f"{file} is no intent", "look at it, then delete it") from exc


def contents_of(held: Held) -> dict[str, bytes]:
    """Return the bytes that the intent wants at each path that is to hold a file."""
    after = _after_folder(held.folder, held.intent.id)
    sizes: list[int] = json.loads((after / _SIZES).read_bytes())
    texts = (after / _TEXTS).read_bytes()
    ends = accumulate(sizes)
    paths = (step.path for step in held.intent.steps if step.after is not None)
    return {path: texts[end - size : end] for path, size, end in zip(paths, sizes, ends, strict=True)}


def drop_lock(held: Held) -> bool:
    """Remove the `index.lock` that the intent's own writer left; a lock of any other program stays."""
    lock, device, inode = _named_lock(held.folder, held.intent.id)
    if not lock:
        return False
    try:
        status = os.lstat(lock)
        if (status.st_dev, status.st_ino) != (device, inode):
            return False
        Path(lock).unlink()
    except OSError:
        return False
    return True


def set_aside(held: Held) -> Path:
    """Move an intent that cannot be finished out of the way, with its bytes, and return where it went."""
    away = held.folder / "set-aside"
    away.mkdir(mode=0o700, exist_ok=True)
    with contextlib.suppress(OSError, ValueError):
        _unpack(held)
    for source in _files(held.folder, held.intent.id):
        if source.exists():
            source.rename(away / source.name)
    os.close(held.fd)
    return away / f"{held.intent.id}.json"


def _unpack(held: Held) -> None:
    """Give each text a file of its own, by the number of its step: people may want them."""
    after = _after_folder(held.folder, held.intent.id)
    contents = contents_of(held)
    for number, step in enumerate(held.intent.steps):
        if step.after is not None:
            _write_synced(after / str(number), contents[step.path])
    for packed in (_SIZES, _TEXTS):
        (after / packed).unlink()


def sweep_drafts(folder: Path) -> None:
    """Remove what a process killed while it recorded an intent left; such an intent had written nothing yet."""
    for draft in folder.glob("*.draft"):
        with contextlib.suppress(OSError), _locked(draft):
            _erase(folder, draft.stem)
    for after in folder.glob("*.after"):
        if not (folder / f"{after.stem}.json").exists() and not (folder / f"{after.stem}.draft").exists():
            shutil.rmtree(after, ignore_errors=True)


@contextlib.contextmanager
def _locked(file: Path) -> Iterator[None]:
    fd = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(fd)


def _after_folder(folder: Path, name: str) -> Path:
    return folder / f"{name}.after"


def _lock_file(folder: Path, name: str) -> Path:
    return folder / f"{name}.lock"


def _files(folder: Path, name: str) -> list[Path]:
    return [folder / f"{name}.json", folder / f"{name}.draft", _lock_file(folder, name), _after_folder(folder, name)]


def _erase(folder: Path, name: str) -> None:
    # the .json goes first: without it there is no intent, whatever a crash leaves of the rest
    *files, after = _files(folder, name)
    for file in files:
        file.unlink(missing_ok=True)
    shutil.rmtree(after, ignore_errors=True)


def _named_lock(folder: Path, name: str) -> tuple[str, int, int]:
    try:
        said = json.loads(_lock_file(folder, name).read_bytes())
        return str(said["lock"]), int(said["device"]), int(said["inode"])
    except (OSError, ValueError, KeyError, TypeError):
        return "", 0, 0


def _as_table(intent: Intent) -> dict[str, object]:
    return {
        "id": intent.id,
        "at": intent.at,
        "pid": intent.pid,
        "subject": intent.subject,
        "events": [list(pair) for pair in intent.events],
        "steps": [[step.path, step.before, step.after] for step in intent.steps],
        "message": intent.message,
        "unrecorded": list(intent.unrecorded),
        "looks": {path: as_row(look) for path, look in intent.looks.items()},
    }


def _write_synced(file: Path, data: bytes) -> None:
    fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        _write_all(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
