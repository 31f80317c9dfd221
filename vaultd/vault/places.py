"""Where a vault begins, and where everything that is not the user's text lives."""

import contextlib
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vaultd.errors import StorageError

_SOCKET_LONGEST = 100
"""A socket's path fits in 104 bytes on macOS and 108 on Linux, with the closing zero."""
_RECORD = "folder.json"


@dataclass(frozen=True, slots=True)
class Places:
    """Every path that belongs to one clone of one vault; none of them need exist."""

    root: Path
    git_dir: Path | None
    clone_id: str
    state: Path
    index: Path
    log: Path
    socket: Path
    intents: Path | None
    lock: Path | None
    locks: Path | None
    """Folder of the writers' path locks."""


def find_root(start: Path) -> Path | None:
    """Return the vault that a path lies in: the nearest folder with `.vaultd`, else the nearest with `.obsidian`."""
    start = Path(os.path.abspath(start))  # noqa: PTH100 - the spelling the user chose, links unresolved
    folders = (start, *start.parents)
    for mark in (".vaultd", ".obsidian"):
        for folder in folders:
            if (folder / mark).is_dir():
                return folder
    return None


def places(root: Path, git_dir: Path | None) -> Places:
    """Return where this vault's things lie, creating nothing.

    Without a clone id that is this folder's own the key is a digest of the folder's device and inode.
    """
    clone_id = _recorded_id(git_dir) if git_dir is not None else ""
    if not clone_id or _copied_from(root, clone_id):
        clone_id = _folder_digest(root)
    return _laid_out(root, git_dir, clone_id)


def claim_clone(root: Path, git_dir: Path) -> Places:
    """Return where this vault's things lie, giving the clone its id first where it has none of its own.

    A folder that was copied with its git directory gets a new id and starts empty; one that was moved keeps its id.
    A git directory that may not be written leaves the answer of `places`.

    Raises:
        StorageError: the state folder cannot be made.
    """
    clone_id = _recorded_id(git_dir)
    if not clone_id or _copied_from(root, clone_id):
        try:
            clone_id = _mint(git_dir, clone_id)
        except OSError:
            return places(root, git_dir)
    found = _laid_out(root, git_dir, clone_id)
    try:
        found.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        _record_folder(found.state, root)
    except OSError as exc:
        raise StorageError(f"{found.state} cannot be written: {exc.strerror}", "check its permissions") from exc
    return found


def _laid_out(root: Path, git_dir: Path | None, clone_id: str) -> Places:
    state = _state_home() / "vaultd" / clone_id
    own = git_dir / "vaultd" if git_dir is not None else None
    return Places(
        root=root,
        git_dir=git_dir,
        clone_id=clone_id,
        state=state,
        index=state / "index",
        log=state / "log",
        socket=_socket(clone_id, state),
        intents=own / "intents" if own else None,
        lock=own / "lock" if own else None,
        locks=own / "locks" if own else None,
    )


def _state_home() -> Path:
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    named = os.environ.get("XDG_STATE_HOME", "")
    # the XDG rules: a relative path is to be ignored
    return Path(named) if named.startswith("/") else home / ".local" / "state"


def _socket(clone_id: str, state: Path) -> Path:
    name = hashlib.sha256(clone_id.encode()).hexdigest()[:12] + ".sock"
    for folder in _socket_folders(state):
        if len(os.fsencode(folder / name)) <= _SOCKET_LONGEST:
            return folder / name
    return Path("/tmp") / f"vaultd-{_user()}" / name  # noqa: S108 - the daemon makes this folder 0700 and checks it


def _socket_folders(state: Path) -> Iterator[Path]:
    runtime = os.environ.get("TMPDIR" if sys.platform == "darwin" else "XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        yield Path(runtime) / "vaultd"
    yield state
    from tempfile import gettempdir  # noqa: PLC0415  -- rarely reached, and slow to import

    yield Path(gettempdir()) / f"vaultd-{_user()}"


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


def _folder_key(root: Path) -> tuple[int, int]:
    status = root.stat()
    return (status.st_dev, status.st_ino)


def _folder_digest(root: Path) -> str:
    device, inode = _folder_key(root)
    return hashlib.sha256(f"{device}:{inode}".encode()).hexdigest()[:26]


def _recorded_id(git_dir: Path) -> str:
    try:
        text = (git_dir / "vaultd" / "clone-id").read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return text if text.isalnum() else ""


def _copied_from(root: Path, clone_id: str) -> bool:
    """Tell whether this id belongs to another folder that is still there.

    A folder found under its recorded path is the same one even if its device number changed, as happens at a restart;
    one whose recorded path is gone or holds another folder was moved.
    """
    try:
        record = json.loads((_state_home() / "vaultd" / clone_id / _RECORD).read_text("utf-8"))
        key, recorded = (record["device"], record["inode"]), Path(record["root"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if key == _folder_key(root) or os.path.realpath(recorded) == os.path.realpath(root):
        return False
    try:
        return _folder_key(recorded) == key
    except OSError:
        return False


def _mint(git_dir: Path, old: str) -> str:
    """Give the clone a fresh id in place of `old`; of two at once the first wins and both return its id."""
    import secrets  # noqa: PLC0415  -- once in the life of a clone, and slow to import

    own = git_dir / "vaultd"
    own.mkdir(mode=0o700, exist_ok=True)
    target = own / "clone-id"
    fresh = own / f"clone-id.{os.getpid()}.{secrets.token_hex(4)}"
    fresh.touch(mode=0o600)
    fresh.write_text(secrets.token_hex(13) + "\n", "ascii")
    try:
        if old:
            fresh.replace(target)
        else:
            with contextlib.suppress(FileExistsError):
                os.link(fresh, target)
    finally:
        fresh.unlink(missing_ok=True)
    return _recorded_id(git_dir)


def _record_folder(state: Path, root: Path) -> None:
    device, inode = _folder_key(root)
    text = json.dumps({"device": device, "inode": inode, "root": os.path.realpath(root)})
    record = state / _RECORD
    if record.exists() and record.read_text("utf-8") == text:
        return
    fresh = state / f"{_RECORD}.{os.getpid()}.{time.monotonic_ns():x}"
    fresh.write_text(text, "utf-8")
    fresh.replace(record)
