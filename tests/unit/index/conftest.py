"""A folder of notes, and the index of it, driven the way the vault does."""

import hashlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from vaultd.index.catch_up import CaughtUp, catch_up
from vaultd.index.fulltext import FullText, open_fulltext
from vaultd.index.mirror import Mirror, open_mirror

LATER_NS = 10_000_000_000


@dataclass(frozen=True, slots=True)
class Stamp:
    mtime_ns: int
    size: int
    ino: int
    ctime_ns: int


def stamp_of(file: Path) -> Stamp:
    stat = file.stat()
    return Stamp(stat.st_mtime_ns, stat.st_size, stat.st_ino, stat.st_ctime_ns)


def blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def later() -> int:
    """A clock that stands well after every save, so that no stamp is too young to be believed."""
    return time.time_ns() + LATER_NS


@dataclass
class Notes:
    """A folder of notes that counts what was read."""

    root: Path
    reads: list[str] = field(default_factory=list)

    def write(self, path: str, text: str | bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def remove(self, path: str) -> None:
        (self.root / path).unlink()

    def read(self, path: str) -> bytes | None:
        self.reads.append(path)
        try:
            return (self.root / path).read_bytes()
        except OSError:
            return None

    def found(self) -> dict[str, Stamp]:
        files = (Path(folder) / name for folder, _, names in os.walk(self.root) for name in names)
        return {str(file.relative_to(self.root)): stamp_of(file) for file in files if file.suffix == ".md"}


@dataclass
class Index:
    """An open index over a folder of notes."""

    folder: Path
    notes: Notes
    mirror: Mirror
    fulltext: FullText

    def catch_up(self, clock_ns=later) -> CaughtUp:
        self.notes.reads.clear()
        return catch_up(self.mirror, self.fulltext, self.notes.found(), self.notes.read, blob_id, clock_ns=clock_ns)

    def paths(self, query: str) -> list[str]:
        return [hit.path for hit in self.fulltext.search(query, 1000)]

    def close(self) -> None:
        self.fulltext.close()
        self.mirror.close()

    def reopen(self) -> None:
        self.close()
        self.mirror, self.fulltext = open_mirror(self.folder), open_fulltext(self.folder)


def open_index(folder: Path, notes: Notes) -> Index:
    return Index(folder, notes, open_mirror(folder), open_fulltext(folder))


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    root = tmp_path / "vault"
    root.mkdir()
    return Notes(root)


@pytest.fixture
def index(tmp_path: Path, notes: Notes) -> Iterator[Index]:
    opened = open_index(tmp_path / "index", notes)
    yield opened
    opened.close()
