"""Reading a folder that is no part of the vault: its notes, and why a file is none."""

import os
from collections.abc import Iterator
from pathlib import Path

from vaultd.errors import UsageError
from vaultd.values import dataclass

_LARGEST = 10_000_000
"""Bytes; no note that a person wrote is larger."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """A Markdown file outside the vault: its path below the folder, and its bytes or why they are not read."""

    path: str
    data: bytes
    wrong: str = ""


def read_folder(folder: Path) -> Iterator[Foreign]:
    """Give the Markdown files of a folder in the order of their paths; hidden ones are passed over.

    Raises:
        UsageError: it is no folder, or may not be read.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder", "name the folder that holds the notes")
    yield from _below(folder, "")


def _below(folder: Path, prefix: str) -> Iterator[Foreign]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as exc:
        raise UsageError(f"{folder} cannot be read: {exc.strerror}", "check its permissions") from exc
    for entry in entries:
        path = prefix + entry.name
        if entry.name.startswith("."):
            continue
        markdown = entry.name[-3:].lower() == ".md"
        if entry.is_symlink():
            if markdown or entry.is_dir():
                yield Foreign(path, b"", "it is a link")
        elif entry.is_dir():
            yield from _below(folder / entry.name, path + "/")
        elif markdown:
            yield _read(Path(entry.path), path)


def _read(file: Path, path: str) -> Foreign:
    if not file.is_file():
        return Foreign(path, b"", "it is no regular file")
    if not path.endswith(".md"):
        return Foreign(path, b"", f"its name ends in {path[-3:]}: rename it to {path[:-3]}.md")
    try:
        if file.stat().st_size > _LARGEST:
            return Foreign(path, b"", "it is larger than 10 MB")
        return Foreign(path, file.read_bytes())
    except OSError as exc:
        return Foreign(path, b"", f"it cannot be read: {exc.strerror}")
