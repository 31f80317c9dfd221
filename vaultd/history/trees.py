"""New trees from old ones: only the folders along the changed paths are written."""

import re
from collections.abc import Iterable, Mapping

from vaultd.errors import StorageError
from vaultd.history.objects import Objects
from vaultd.history.repository import Repository
from vaultd.history.spelling import decoded, encoded
from vaultd.values import dataclass, field

_FOLDER = b"40000"


@dataclass(frozen=True, slots=True)
class Item:
    """What stands under one name in a tree."""

    mode: str
    oid: str


@dataclass(slots=True)
class _Changes:
    """The changes below one folder: files by name, None where one is taken away, and folders by name."""

    files: dict[bytes, Item | None] = field(default_factory=dict)
    folders: dict[bytes, "_Changes"] = field(default_factory=dict)


_Names = dict[bytes, tuple[bytes, bytes]]
"""A tree: name to mode and raw object name."""


class Trees:
    """Reads the trees of commits, each once, and writes new ones."""

    def __init__(self, repo: Repository, objects: Objects) -> None:
        self._repo = repo
        self.objects = objects
        self._width = len(repo.no_object) // 2
        self._pattern = re.compile(rb"([0-7]+) ([^\0]+)\0(.{%d})" % self._width, re.DOTALL)
        self._known: dict[str, _Names] = {}

    def items(self, commit: str | None, full_paths: Iterable[str]) -> dict[str, Item | None]:
        """Return what a commit holds at these paths, None where there is nothing or a folder."""
        return {path: self._item(commit, encoded(path).split(b"/")) for path in full_paths}

    def differing(self, one: str, other: str, below: str) -> dict[str, tuple[Item | None, Item | None]]:
        """Return, by path below a folder (`""`, or with a slash at its end), what two commits hold differently."""
        steps = encoded(below).split(b"/")[:-1]
        found: dict[bytes, tuple[Item | None, Item | None]] = {}
        self._differ(self._folder(one, steps), self._folder(other, steps), b"", found)
        return {decoded(path): items for path, items in found.items()}

    def below(self, commit: str, folder: str) -> dict[str, Item]:
        """Return the files that a commit holds in a folder and below it, by their paths from the top."""
        waiting = [(encoded(folder), self._folder(commit, encoded(folder).split(b"/")))]
        found: dict[str, Item] = {}
        while waiting:
            above, names = waiting.pop()
            for name, entry in names.items():
                if (item := _file(entry)) is not None:
                    found[decoded(above + b"/" + name)] = item
                else:
                    waiting.append((above + b"/" + name, self._below(entry)))
        return found

    def with_changes(self, commit: str | None, changes: Mapping[str, Item | None]) -> str:
        """Return the tree that is a commit's (None: the empty one) with these paths put there or taken away."""
        wanted = _Changes()
        for path, item in changes.items():
            *above, name = encoded(path).split(b"/")
            folder = wanted
            for step in above:
                folder = folder.folders.setdefault(step, _Changes())
            folder.files[name] = item
        made: dict[str, bytes] = {}
        top, _ = self._changed(self._root(commit), wanted, made)
        self._write(made)
        return top

    def _item(self, commit: str | None, steps: list[bytes]) -> Item | None:
        return _file(self._folder(commit, steps[:-1]).get(steps[-1]))

    def _folder(self, commit: str | None, steps: list[bytes]) -> _Names:
        names = self._root(commit)
        for step in steps:
            names = self._below(names.get(step))
        return names

    def _differ(
        self, one: _Names, other: _Names, above: bytes, found: dict[bytes, tuple[Item | None, Item | None]]
    ) -> None:
        for name in one.keys() | other.keys():
            before, after = one.get(name), other.get(name)
            if before == after:
                continue
            if (files := (_file(before), _file(after))) != (None, None):
                found[above + name] = files
            self._differ(self._below(before), self._below(after), above + name + b"/", found)

    def _changed(self, before: _Names, wanted: _Changes, made: dict[str, bytes]) -> tuple[str, bool]:
        """Return the changed tree's name and whether anything is left in it; its bytes are put into `made`."""
        names = dict(before)
        for name, item in wanted.files.items():
            if item is None:
                # A folder of that name is not the file that is gone.
                if names.get(name, (_FOLDER, b""))[0] != _FOLDER:
                    del names[name]
            else:
                names[name] = (item.mode.encode(), bytes.fromhex(item.oid))
        for name, folder in wanted.folders.items():
            there = names.get(name)
            oid, filled = self._changed(self._below(there), folder, made)
            if filled:
                names[name] = (_FOLDER, bytes.fromhex(oid))
            elif there is not None and there[0] == _FOLDER:
                # git keeps no empty folders.
                del names[name]
        raw = _raw(names)
        import hashlib  # noqa: PLC0415 -- slow to load, and whoever only reads trees needs none of it

        oid = hashlib.new(self._repo.object_format, b"tree %d\0" % len(raw) + raw, usedforsecurity=False).hexdigest()
        made[oid] = raw
        return oid, bool(names)

    def _write(self, made: Mapping[str, bytes]) -> None:
        from vaultd.history.loose import write_loose  # noqa: PLC0415 -- whoever only reads trees does without both
        from vaultd.history.packs import write_unpacked  # noqa: PLC0415

        if not write_loose(self._repo, self.objects, "tree", made):
            write_unpacked(self._repo, "tree", made)

    def _root(self, commit: str | None) -> _Names:
        return self._parsed(f"{commit}^{{tree}}") if commit else {}

    def _below(self, entry: tuple[bytes, bytes] | None) -> _Names:
        return self._parsed(entry[1].hex()) if entry is not None and entry[0] == _FOLDER else {}

    def _parsed(self, name: str) -> _Names:
        if name not in self._known:
            raw = self.objects.read(name)
            if raw is None:
                raise StorageError(f"the tree {name} is missing", "git fsck")
            self._known[name] = {entry: (mode, oid) for mode, entry, oid in self._pattern.findall(raw)}
        return self._known[name]


def _file(entry: tuple[bytes, bytes] | None) -> Item | None:
    return None if entry is None or entry[0] == _FOLDER else Item(entry[0].decode(), entry[1].hex())


def _raw(names: _Names) -> bytes:
    ordered = sorted((name + b"/" if mode == _FOLDER else name, mode, name, oid) for name, (mode, oid) in names.items())
    return b"".join(b"%s %s\0%s" % (mode, name, oid) for _, mode, name, oid in ordered)
