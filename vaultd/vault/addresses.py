"""Where a vault's daemon listens, found with `os.path` alone: what only asks a daemon must not wait for imports."""

# ruff: noqa: PTH100, PTH111, PTH112, PTH113, PTH116, PTH118, PTH120, PTH123  -- pathlib takes as long to import as a daemon takes to answer

import json
import os
import sys
from collections.abc import Iterator

RECORD = "folder.json"
_KEY = 26
_NAME = 12
_SOCKET_LONGEST = 100
"""A socket's path fits in 104 bytes on macOS and 108 on Linux, with the closing zero."""


def root_above(start: str) -> str | None:
    """Return the vault that a path lies in: the nearest folder with `.vaultd`, else the nearest with `.obsidian`."""
    folders = list(_upwards(os.path.abspath(start)))  # the spelling the user chose, links unresolved
    for mark in (".vaultd", ".obsidian"):
        for folder in folders:
            if os.path.isdir(os.path.join(folder, mark)):
                return folder
    return None


def git_dir_above(root: str) -> str | None:
    """Return the git directory of a work tree by looking, without asking git."""
    for folder in _upwards(root):
        mark = os.path.join(folder, ".git")
        if os.path.isdir(mark):
            return mark
        if os.path.isfile(mark):
            with open(mark, encoding="utf-8", errors="surrogateescape") as reading:
                target = reading.read().removeprefix("gitdir:").strip()
            return os.path.realpath(os.path.join(folder, target))
    return None


def socket_above(start: str) -> str | None:
    """Return where the daemon of the vault that a path lies in would listen, None where there is no such vault."""
    root = root_above(start)
    git_dir = git_dir_above(root) if root is not None else None
    return socket_of(clone_of(root, git_dir)) if root is not None and git_dir is not None else None


def clone_of(root: str, git_dir: str | None) -> str:
    """Return the id on record of this clone, or a digest of the folder where it has none that is its own."""
    clone_id = recorded_id(git_dir) if git_dir is not None else ""
    return clone_id if clone_id and not copied_from(root, clone_id) else _folder_digest(root)


def recorded_id(git_dir: str) -> str:
    """Return the clone id that a git directory holds, empty where it holds none."""
    try:
        with open(os.path.join(git_dir, "vaultd", "clone-id"), encoding="ascii") as reading:
            text = reading.read().strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return text if text.isalnum() else ""


def copied_from(root: str, clone_id: str) -> bool:
    """Tell whether this id belongs to another folder that is still there.

    A folder found under its recorded path is the same one even if its device number changed, as happens at a restart;
    one whose recorded path is gone or holds another folder was moved.
    """
    try:
        with open(os.path.join(state_of(clone_id), RECORD), encoding="utf-8") as reading:
            record = json.load(reading)
        key, recorded = (record["device"], record["inode"]), str(record["root"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if key == folder_key(root) or os.path.realpath(recorded) == os.path.realpath(root):
        return False
    try:
        return folder_key(recorded) == key
    except OSError:
        return False


def folder_key(root: str) -> tuple[int, int]:
    """Return the device and inode of a folder."""
    status = os.stat(root)
    return (status.st_dev, status.st_ino)


def state_of(clone_id: str) -> str:
    """Return the folder where a clone's index, sidecar and log lie."""
    return os.path.join(_state_home(), "vaultd", clone_id)


def socket_of(clone_id: str) -> str:
    """Return where the daemon of a clone listens."""
    # an id that we minted is chance already, and a digest of it would be no better a name
    name = (clone_id if _is_key(clone_id) else _digest(clone_id))[:_NAME] + ".sock"
    for folder in _socket_folders(state_of(clone_id)):
        place = os.path.join(folder, name)
        if len(os.fsencode(place)) <= _SOCKET_LONGEST:
            return place
    return f"/tmp/vaultd-{_user()}/{name}"  # noqa: S108 - the daemon makes this folder 0700 and checks it


def _upwards(folder: str) -> Iterator[str]:
    yield folder
    while (above := os.path.dirname(folder)) != folder:
        yield (folder := above)


def _state_home() -> str:
    home = os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    named = os.environ.get("XDG_STATE_HOME", "")
    # the XDG rules: a relative path is to be ignored
    return named if named.startswith("/") else os.path.join(home, ".local", "state")


def _socket_folders(state: str) -> Iterator[str]:
    runtime = os.environ.get("TMPDIR" if sys.platform == "darwin" else "XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        yield os.path.join(runtime, "vaultd")
    yield state
    from tempfile import gettempdir  # noqa: PLC0415  -- rarely reached, and slow to import

    yield os.path.join(gettempdir(), f"vaultd-{_user()}")


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


def _folder_digest(root: str) -> str:
    device, inode = folder_key(root)
    return _digest(f"{device}:{inode}")[:_KEY]


def _is_key(clone_id: str) -> bool:
    return len(clone_id) == _KEY and not clone_id.strip("0123456789abcdef")


def _digest(text: str) -> str:
    import hashlib  # noqa: PLC0415  -- loads OpenSSL, and an id that we minted needs none of it

    return hashlib.sha256(text.encode()).hexdigest()
