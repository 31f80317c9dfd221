"""A plugin's files as one value with one hash, and the private copy of them that its process runs."""

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from vaultd.errors import PluginError, StorageError
from vaultd.host.kept import read_file
from vaultd.values import dataclass

DATA = "data.json"
_LEFT_OUT = frozenset({"__pycache__", ".git", ".DS_Store", ".hotreload", DATA})
_MOST_FILES = 1_000
_MOST_BYTES = 16_000_000


@dataclass(frozen=True, slots=True)
class Tree:
    """The bytes of a plugin's files, by path; what it saves for itself is not among them."""

    files: dict[str, bytes]

    @property
    def hash(self) -> str:
        """Return what an approval is about: it changes with every name and every byte."""
        whole = sha256()
        for path in sorted(self.files):
            name = path.encode("utf-8", "surrogateescape")
            whole.update(b"%d:%s %s\n" % (len(name), name, sha256(self.files[path]).hexdigest().encode()))
        return whole.hexdigest()


def read_tree(folder: Path) -> Tree:
    """Return a plugin's files.

    Raises:
        PluginError: a link leads out of the folder, or there is more than a plugin may hold.
        StorageError: a file cannot be read.
    """
    files: dict[str, bytes] = {}
    size = 0
    try:
        for path in _paths(folder):
            files[path] = read_file(folder / path, _MOST_BYTES)
            size += len(files[path])
            if len(files) > _MOST_FILES or size > _MOST_BYTES:
                raise PluginError(f"{folder.name} holds more than {_MOST_FILES} files or {_MOST_BYTES:,} bytes")
    except OSError as exc:
        raise StorageError(f"{folder.name} cannot be read: {exc.strerror}", "check its permissions") from exc
    return Tree(files)


def stamp_tree(folder: Path) -> tuple[tuple[str, int, int, int], ...]:
    """Return what tells, without reading, whether a plugin's files may have changed; empty where they cannot be listed."""
    try:
        return tuple(_stamps(folder))
    except (OSError, PluginError):
        return ()


def _stamps(folder: Path) -> Iterator[tuple[str, int, int, int]]:
    for path in _paths(folder):
        status = (folder / path).stat()
        yield path, status.st_mtime_ns, status.st_size, status.st_ino


def _paths(folder: Path) -> Iterator[str]:
    root = os.path.realpath(folder)
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted((*folders, *names)):
            path = Path(place, name)
            if name in _LEFT_OUT:
                continue
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                _refuse_leaving(root, path)
            if path.is_file():
                yield path.relative_to(folder).as_posix()


def _refuse_leaving(root: str, path: Path) -> None:
    if path.is_dir() or not os.path.realpath(path).startswith(root + os.sep):
        raise PluginError(f"{path.name} is a link that leads out of the plugin", "put the file itself there")


def sweep_copies(folder: Path) -> None:
    """Remove the copies that processes left which are gone."""
    try:
        left = [entry for entry in folder.iterdir() if not _is_alive(entry.name.split(".")[1:2])]
    except OSError:
        return
    for entry in left:
        shutil.rmtree(entry, ignore_errors=True)


def _is_alive(named: list[str]) -> bool:
    if not named or not named[0].isdecimal():
        return True
    try:
        os.kill(int(named[0]), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def copy_for_running(tree: Tree, folder: Path) -> Path:
    """Return a folder with exactly these files, written anew: what runs is what was approved.

    Raises:
        StorageError: it cannot be written.
    """
    fresh = folder / f"{tree.hash[:16]}.{os.getpid()}.{secrets.token_hex(4)}"
    try:
        for path, data in tree.files.items():
            target = fresh / path
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            target.write_bytes(data)
    except OSError as exc:
        shutil.rmtree(fresh, ignore_errors=True)
        raise StorageError(f"{fresh} cannot be written: {exc.strerror}", "check its permissions") from exc
    return fresh
