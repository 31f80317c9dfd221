"""Files that only got another name: one that left and one that came with the same inode, size and time of writing.

A file system gives the number of a file that left to the next one, but not its time to the nanosecond. What was seen is kept
as a hint, for what an index could tell later is only where a file is now; a new index knows nothing of it.
"""

import json
from collections.abc import Iterable, Mapping

from vaultd.index.mirror import Indexed, Mirror

_NAME = "moved"
_KEPT = 500
"""Moves that are remembered; check names what moved lately."""

File = tuple[int, int, int]
"""The lower 63 bits of the inode number, bytes, nanoseconds: they stay when a file gets another name."""


def remember_moves(mirror: Mirror, gone: Mapping[str, Indexed], came: Mapping[str, File]) -> None:
    """Remember which of the files that are gone came under another name."""
    left = _sole((_known_file(stamp), path) for path, stamp in gone.items())
    new = _sole((file, path) for path, file in came.items())
    pairs = [[path, new[file]] for file, path in left.items() if file in new]
    if pairs:
        mirror.put(_NAME, json.dumps([*_remembered(mirror), *pairs][-_KEPT:]))


def moves_seen(mirror: Mirror) -> dict[str, str]:
    """Return old path to the path that the file got last, of the moves that were seen."""
    found: dict[str, str] = {}
    for old, new in _remembered(mirror):
        found = {first: new if last == old else last for first, last in found.items() if first != new}
        found[old] = new
    return {old: new for old, new in found.items() if old != new}


def _remembered(mirror: Mirror) -> list[list[str]]:
    found: list[list[str]] = json.loads(mirror.get(_NAME) or "[]")
    return found


def _known_file(stamp: Indexed) -> File:
    mtime_ns, size, ino, _, _ = stamp
    return ino, size, mtime_ns


def _sole(files: Iterable[tuple[File, str]]) -> dict[File, str]:
    """Return the files that one path alone has; hard links are several."""
    found: dict[File, list[str]] = {}
    for file, path in files:
        found.setdefault(file, []).append(path)
    return {file: paths[0] for file, paths in found.items() if len(paths) == 1 and file[0]}
