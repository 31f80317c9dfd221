"""A vault that was opened: its folder, its history and the cache between them, as the verbs need them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from vaultd.errors import StorageError, UsageError
from vaultd.history.repository import Repository, head_quick, open_repository
from vaultd.index.mirror import Mirror, open_mirror
from vaultd.index.tables import FILE
from vaultd.judging.marks import CONFIG, MARKER
from vaultd.judging.records.memory import RecordMemory
from vaultd.lifecycle.events import NOTHING_EXPLAINED, Explained, explained_by
from vaultd.settings import Settings, parse_settings
from vaultd.vault.places import Places, claim_clone, find_root, places
from vaultd.vault.reading import read_stable

# ruff: noqa: PLC0415  -- a start that finds nothing changed, and a hook, do without most of what a vault can do

if TYPE_CHECKING:
    from datetime import datetime

    from vaultd.history.objects import Objects
    from vaultd.judging.checking import Snapshot
    from vaultd.judging.folding import Fold
    from vaultd.judging.gists import Gists
    from vaultd.judging.present import Presence, Present
    from vaultd.lifecycle.facts import Facts
    from vaultd.vault.scanning import Scan


class Opened:
    """One vault, open; every part is made when it is first asked for."""

    def __init__(self, root: Path, settings: Settings, repo: Repository | None, where: Places) -> None:
        self.root = root
        self.settings = settings
        self.repo = repo
        self.places = where
        self.record_memory = RecordMemory()
        self._mirror_inode = 0

    @property
    def started(self) -> bool:
        """Return whether `init` made this folder a vault with a history."""
        return self.repo is not None and (self.root / MARKER).is_file()

    @property
    def judged(self) -> bool:
        """Return whether there is a history to judge by, also where the marker that began it is gone since."""
        return self.started or self._began

    @cached_property
    def _began(self) -> bool:
        from vaultd.history.walk import first_adding

        at = head_quick(self.repo) if self.repo is not None else None
        return self.repo is not None and at is not None and first_adding(self.repo, at, MARKER) is not None

    @cached_property
    def mirror(self) -> Mirror:
        """Return the SQLite half of the index."""
        mirror = open_mirror(self.places.index)
        self._mirror_inode = _inode(self.places.index / FILE)
        return mirror

    def mirror_is_gone(self) -> bool:
        """Tell whether somebody took away the file of the index that is open here."""
        return "mirror" in self.__dict__ and _inode(self.places.index / FILE) != self._mirror_inode

    @cached_property
    def objects(self) -> "Objects":
        """Return a reader of git objects."""
        from vaultd.history.objects import Objects

        return Objects(self.recorded)

    @cached_property
    def fold(self) -> "Fold":
        """Return the fold over this vault's history."""
        from vaultd.judging.folding import Fold

        return Fold(self.recorded, self.objects, self.mirror, self.settings.zone)

    @cached_property
    def presence(self) -> "Presence":
        """Return what judges the working tree and the index of git."""
        from vaultd.judging.present import Presence

        return Presence(self.recorded, self.fold, self.settings.folders.memory, self.settings.zone)

    @cached_property
    def gists(self) -> "Gists":
        """Return what is remembered of every note."""
        from vaultd.judging.gists import Gists

        return Gists(self.settings, self.facts)

    @property
    def recorded(self) -> Repository:
        """Return the repository.

        Raises:
            UsageError: the folder has no history to write to.
        """
        if self.repo is None:
            raise UsageError(f"{self.root} is in no git repository", "vaultd init --git makes one and the vault in it")
        return self.repo

    def require_started(self) -> Repository:
        """Return the repository of a vault that `init` made.

        Raises:
            UsageError: it is none yet.
        """
        repo = self.recorded
        if not self.started:
            raise UsageError(f"{self.root} is no vault yet", "vaultd init shows what it adds, and asks")
        return repo

    def claim(self) -> None:
        """Give this clone its own id and state, before anything of it is written."""
        self.places = claim_clone(self.root, self.require_started().git_dir)

    def close(self) -> None:
        """Let go of the database and of git."""
        for part in ("mirror", "objects"):
            if part in self.__dict__:
                self.__dict__.pop(part).close()
        for part in ("fold", "presence"):
            self.__dict__.pop(part, None)

    def forget_index(self) -> None:
        """Open the database again when it is asked for, and close nothing that another thread may be reading."""
        for part in ("mirror", "fold", "presence"):
            self.__dict__.pop(part, None)

    # Reading ----------------------------------------------------------------------------------------------------------

    def scan(self) -> "Scan":
        """Return what lies in the folder now."""
        from vaultd.vault.ignoring import load_ignore
        from vaultd.vault.scanning import scan

        return scan(self.root, load_ignore(self.root), self.settings.folders, self.settings.large_bytes)

    def read(self, path: str) -> bytes | None:
        """Return a note's bytes, None where it is gone or cannot be read."""
        try:
            return read_stable(self.root, path).data
        except (FileNotFoundError, StorageError):
            return None

    def blob_id(self, data: bytes) -> str:
        """Return the name that git would give to bytes."""
        from vaultd.history.objects import blob_id

        return blob_id(data, self.repo.object_format if self.repo is not None else "sha1")

    def keys(self) -> dict[str, str]:
        """Return path to blob id of every note as it was indexed."""
        return {path: row[4] for path, row in self.mirror.stamps().items()}

    def facts(self, keys: Mapping[str, str]) -> "dict[str, Facts]":
        """Return the facts of indexed notes, given their blob ids."""
        from vaultd.lifecycle.facts import UNREADABLE, dump_facts, facts_of, load_facts
        from vaultd.notes.note import parse

        cached = self.mirror.facts(set(keys.values()))
        known = {key: load_facts(text) for key, text in cached.items()}
        fresh: dict[str, Facts] = {}
        found: dict[str, Facts] = {}
        for path, key in keys.items():
            facts = known.get(key) or fresh.get(key)
            if facts is None:
                data = self.read(path)
                facts = facts_of(parse(data)) if data is not None else UNREADABLE
                if data is not None and self.blob_id(data) == key:
                    fresh[key] = facts
            found[path] = facts
        if fresh:
            self.mirror.add_facts({key: dump_facts(facts) for key, facts in fresh.items()})
        return found

    def explained(self) -> Explained:
        """Return what live intents tell of the working tree."""
        folder = self.places.intents
        if folder is None or not folder.is_dir() or not any(folder.iterdir()):
            return NOTHING_EXPLAINED
        from vaultd.vault.intents import live

        return explained_by([event for intent in live(folder) for event in intent.events], reverts=False)

    def present(self, keys: Mapping[str, str], now: "datetime") -> "Present":
        """Return what is accepted on disk, given the blob ids of its notes."""
        from vaultd.judging.present import MARKER_GONE, shape_only
        from vaultd.lifecycle.places import place_of
        from vaultd.lifecycle.transitions import Clock
        from vaultd.values import replace

        folder = self.settings.folders.memory
        memories = {path: key for path, key in keys.items() if place_of(path, folder) is not None}
        if self.judged:
            found = self.presence.of_tree(
                memories, lambda paths: self.facts({path: memories[path] for path in paths}), now, self.explained()
            )
            if found is not None:
                return found if self.started else replace(found, notices=(*found.notices, MARKER_GONE))
        return shape_only(self.facts(memories), folder, Clock(now, self.settings.zone))

    def snapshot(self, keys: Mapping[str, str], present: "Present") -> "Snapshot":
        """Return the vault as `check` looks at it."""
        from vaultd.judging.checking import Snapshot

        nothing = self.blob_id(b"")
        stored = present.stored
        emptied = tuple(p for p, key in keys.items() if key == nothing and p in stored and stored[p].oid != nothing)
        return Snapshot(present, self.gists.at(keys, present.ground), emptied)


def open_vault(start: Path) -> Opened:
    """Return the vault that a folder lies in, opened for reading; nothing is made or changed.

    Raises:
        UsageError: the folder is in no vault, or its config is broken.
    """
    root = find_root(start) or (start if start.is_dir() else None)
    if root is None:
        raise UsageError(f"{start} is no folder", "vaultd -C PATH …")
    repo = open_repository(root)
    return Opened(root, settings_of(root), repo, places(root, repo.git_dir if repo is not None else None))


def settings_of(root: Path) -> Settings:
    """Return the settings that a vault's config declares.

    Raises:
        UsageError: the config is broken.
        StorageError: it cannot be read.
    """
    try:
        return parse_settings((root / CONFIG).read_text("utf-8"))
    except FileNotFoundError:
        return Settings()
    except UnicodeDecodeError as exc:
        raise UsageError(f"{CONFIG} is not UTF-8", "save it as UTF-8") from exc
    except OSError as exc:
        raise StorageError(f"{CONFIG} cannot be read: {exc.strerror}", "check its permissions") from exc


@contextmanager
def opened_vault(start: Path) -> Iterator[Opened]:
    """Give an open vault and close it in the end."""
    opened = open_vault(start)
    try:
        yield opened
    finally:
        opened.close()


def _inode(file: Path) -> int:
    """Return what tells a file from another that takes its place while it is open; 0 where it is gone."""
    try:
        return file.stat().st_ino
    except OSError:
        return 0
