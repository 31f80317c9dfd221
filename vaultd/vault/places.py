"""Where a vault begins, and where everything that is not the user's text lives."""

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

from vaultd.errors import StorageError, mend_of
from vaultd.values import dataclass
from vaultd.vault.addresses import (
    RECORD,
    clone_of,
    copied_from,
    folder_key,
    recorded_id,
    root_above,
    socket_of,
    state_of,
)

_ELSEWHERE: list[Path] = []


@contextlib.contextmanager
def index_elsewhere(folder: Path) -> Iterator[None]:
    """Have every vault that is opened meanwhile keep its index in this folder, because its own cannot be used."""
    _ELSEWHERE.append(folder)
    try:
        yield
    finally:
        _ELSEWHERE.pop()


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
    found = root_above(os.fspath(start))
    return Path(found) if found is not None else None


def places(root: Path, git_dir: Path | None) -> Places:
    """Return where this vault's things lie, creating nothing.

    Without a clone id that is this folder's own the key is a digest of the folder's device and inode.
    """
    return _laid_out(root, git_dir, clone_of(os.fspath(root), os.fspath(git_dir) if git_dir is not None else None))


def claim_clone(root: Path, git_dir: Path) -> Places:
    """Return where this vault's things lie, giving the clone its id first where it has none of its own.

    A folder that was copied with its git directory gets a new id and starts empty; one that was moved keeps its id.
    A git directory that may not be written leaves the answer of `places`.

    Raises:
        StorageError: the state folder cannot be made.
    """
    clone_id = recorded_id(os.fspath(git_dir))
    if not clone_id or copied_from(os.fspath(root), clone_id):
        try:
            clone_id = _mint(git_dir, clone_id)
        except OSError:
            return places(root, git_dir)
    found = _laid_out(root, git_dir, clone_id)
    try:
        found.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        _record_folder(found.state, root)
    except OSError as exc:
        raise StorageError(f"{found.state} cannot be written: {exc.strerror}", mend_of(exc)) from exc
    return found


def _laid_out(root: Path, git_dir: Path | None, clone_id: str) -> Places:
    state = Path(state_of(clone_id))
    own = git_dir / "vaultd" if git_dir is not None else None
    return Places(
        root=root,
        git_dir=git_dir,
        clone_id=clone_id,
        state=state,
        index=_ELSEWHERE[-1] if _ELSEWHERE else state / "index",
        log=state / "log",
        socket=Path(socket_of(clone_id)),
        intents=own / "intents" if own else None,
        lock=own / "lock" if own else None,
        locks=own / "locks" if own else None,
    )


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
    return recorded_id(os.fspath(git_dir))


def _record_folder(state: Path, root: Path) -> None:
    device, inode = folder_key(os.fspath(root))
    text = json.dumps({"device": device, "inode": inode, "root": os.path.realpath(root)})
    record = state / RECORD
    if record.exists() and record.read_text("utf-8") == text:
        return
    fresh = state / f"{RECORD}.{os.getpid()}.{time.monotonic_ns():x}"
    fresh.write_text(text, "utf-8")
    fresh.replace(record)
