"""The folder of the full text as files: its marker, its lock, and what makes it whole."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import lru_cache
from pathlib import Path

FOLDER = "fulltext"
"""Its name in the folder of the index."""
_FORMAT = 1
_MARKER = "vaultd.json"
_META = "meta.json"
_LOCK = ".tantivy-writer.lock"


def is_whole(folder: Path) -> bool:
    """Say whether the folder holds a full text of ours with all that tantivy would not miss when it opens it.

    Without meta.json tantivy opens an empty index, without positions it fails at the first phrase.
    """
    try:
        meta = json.loads((folder / _META).read_bytes())
        segments = [segment["segment_id"].replace("-", "") for segment in meta["segments"]]
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return False
    return bool(identity(folder)) and all((folder / f"{segment}.pos").exists() for segment in segments)


def counted(folder: Path) -> int:
    """Return how many documents a whole full text holds, by its own account."""
    segments = json.loads((folder / _META).read_bytes())["segments"]
    deleted = sum(segment["deletes"]["num_deleted_docs"] for segment in segments if segment["deletes"])
    return int(sum(segment["max_doc"] for segment in segments) - deleted)


def commit_stamp(folder: Path) -> tuple[int, int]:
    """Return what changes with every commit; a folder without one has nothing to wait for."""
    try:
        stat = (folder / _META).stat()
    except FileNotFoundError:
        return (0, 0)
    return (stat.st_mtime_ns, stat.st_ino)


def identity(folder: Path) -> str:
    """Return the name the full text got when it was made, or nothing where none of this format is there."""
    try:
        status = (folder / _MARKER).stat()
        return _identity(folder, status.st_ino, status.st_mtime_ns, status.st_size)
    except FileNotFoundError:
        return ""


@lru_cache(maxsize=8)  # asked before and after every answer of a daemon; another marker is another file
def _identity(folder: Path, _ino: int, _mtime_ns: int, _size: int) -> str:
    try:
        marker = json.loads((folder / _MARKER).read_bytes())
    except ValueError:
        return ""
    if isinstance(marker, dict) and marker.get("format") == _FORMAT:
        return str(marker.get("identity", ""))
    return ""


def mark(folder: Path) -> None:
    """Give the full text a new name."""
    import secrets  # noqa: PLC0415  -- once in the life of an index, and slow to import

    marker = folder / f".tmp-{_MARKER}"
    marker.write_text(json.dumps({"format": _FORMAT, "identity": secrets.token_hex(16)}), encoding="ascii")
    marker.replace(folder / _MARKER)


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Hold the lock that tantivy's writers take, and say whether it was free."""
    with (folder / _LOCK).open("a") as lock:
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def is_empty(folder: Path) -> bool:
    """Say whether nothing but locks is there."""
    return all(file.name.endswith(".lock") for file in folder.iterdir())


def clear_out(folder: Path) -> None:
    """Remove everything but the locks; the caller holds the lock."""
    for file in folder.iterdir():
        # A lock that another process waits for must stay the same file.
        if not file.name.endswith(".lock"):
            file.unlink()


def sweep(folder: Path) -> None:
    """Remove what a killed writer left; the caller is the writer."""
    for file in folder.glob(".tmp*"):
        file.unlink(missing_ok=True)
