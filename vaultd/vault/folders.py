"""Folders made, unmade and made to last."""

import contextlib
import errno
import os
from collections.abc import Iterable
from pathlib import Path

from vaultd.vault import crashing


def fsync_folder(folder: Path) -> None:
    """Make the names in a folder last; without it the rename itself may be lost in a power cut."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as exc:
        if exc.errno != errno.EINVAL:  # some network file systems cannot, and say so in this way
            raise
    finally:
        os.close(fd)


def make_folders(folder: Path) -> list[Path]:
    """Make the missing folders of a path and return them, deepest first."""
    missing: list[Path] = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for name in reversed(missing):
        with contextlib.suppress(FileExistsError):
            name.mkdir()
        crashing.point("write:folder")
        fsync_folder(name.parent)
    return missing


def unmake(made: list[Path]) -> None:
    """Remove those of these folders, deepest first, that nobody has put anything into."""
    for folder in made:
        with contextlib.suppress(OSError):
            folder.rmdir()


def above(root: Path, paths: Iterable[str]) -> list[Path]:
    """Return the folders of a vault on the way to these paths, deepest first: what their leaving may have emptied."""
    left = {root / parent for path in paths for parent in Path(path).parents if parent != Path()}
    return sorted(left, key=lambda folder: len(folder.parts), reverse=True)
