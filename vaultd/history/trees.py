"""New trees from old ones: only the folders along the changed paths are written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO

from vaultd.errors import StorageError
from vaultd.history.objects import Objects
from vaultd.history.process import decoded, encoded
from vaultd.history.repository import Repository

_FOLDER = b"40000"


@dataclass(frozen=True, slots=True)
class Item:
    """What stands under one name in a tree."""

    mode: str
    oid: str


@dataclass(slots=True)
class _Folder:
    """The changes below one folder: files by name, None where one is taken away, and folders by name."""

    files: dict[bytes, Item | None] = field(default_factory=dict)
    folders: dict[bytes, "_Folder"] = field(default_factory=dict)


def items_at(objects: Objects, commit: str | None, full_paths: list[str]) -> dict[str, Item | None]:
    """Return what a commit holds at these paths, None where there is nothing or a folder."""
    trees: dict[str, dict[bytes, Item]] = {"": _root(objects, commit)}
    return {path: _item_at(objects, trees, path) for path in full_paths}


def _item_at(objects: Objects, trees: dict[str, dict[bytes, Item]], path: str) -> Item | None:
    folder, _, name = path.rpartition("/")
    item = _tree_at(objects, trees, folder).get(encoded(name))
    return item if item is not None and item.mode != decoded(_FOLDER) else None


def _tree_at(objects: Objects, trees: dict[str, dict[bytes, Item]], folder: str) -> dict[bytes, Item]:
    if folder not in trees:
        above, _, name = folder.rpartition("/")
        item = _tree_at(objects, trees, above).get(encoded(name))
        trees[folder] = _below(objects, item)
    return trees[folder]


def tree_with(repo: Repository, objects: Objects, commit: str | None, changes: Mapping[str, Item | None]) -> str:
    """Return the tree that is a commit's (None: the empty one) with these full paths put there or taken away."""
    wanted = _Folder()
    for path, item in changes.items():
        *above, name = encoded(path).split(b"/")
        folder = wanted
        for step in above:
            folder = folder.folders.setdefault(step, _Folder())
        folder.files[name] = item
    with repo.git.started("mktree", "-z", "--missing", "--batch") as child:
        if child.stdin is None or child.stdout is None or child.stderr is None:
            raise StorageError("git was started without pipes")
        maker = _Maker(objects, child.stdin, child.stdout)
        oid = maker.make(_root(objects, commit), wanted)
        if not oid:
            raise StorageError(decoded(child.stderr.read()).strip() or "git mktree ended")
        return oid


@dataclass(frozen=True, slots=True)
class _Maker:
    objects: Objects
    writing: IO[bytes]
    reading: IO[bytes]

    def make(self, items: dict[bytes, Item], wanted: _Folder) -> str:
        """Return the name of the tree that is `items` with the wanted changes, deepest folders written first."""
        for name, item in wanted.files.items():
            if item is None:
                items.pop(name, None)
            else:
                items[name] = item
        for name, folder in wanted.folders.items():
            before = items.get(name)
            below = _below(self.objects, before)
            made = self.make(below, folder)
            if not made:
                return ""
            if below:
                items[name] = Item(decoded(_FOLDER), made)
            elif before is not None and before.mode == decoded(_FOLDER):
                # git keeps no empty folders.
                del items[name]
        return self._write(items)

    def _write(self, items: dict[bytes, Item]) -> str:
        lines = [
            b"%s %s %s\t%s\0" % (item.mode.encode(), _kind(item.mode), item.oid.encode(), name)
            for name, item in items.items()
        ]
        try:
            self.writing.write(b"".join(lines) + b"\0")
            self.writing.flush()
        except BrokenPipeError:
            return ""
        return self.reading.readline().decode().strip()


def _kind(mode: str) -> bytes:
    return {"40000": b"tree", "160000": b"commit"}.get(mode, b"blob")


def _root(objects: Objects, commit: str | None) -> dict[bytes, Item]:
    return _parsed(objects.read(f"{commit}^{{tree}}"), len(commit) // 2) if commit else {}


def _below(objects: Objects, item: Item | None) -> dict[bytes, Item]:
    if item is None or item.mode != decoded(_FOLDER):
        return {}
    return _parsed(objects.read(item.oid), len(item.oid) // 2)


def _parsed(raw: bytes | None, width: int) -> dict[bytes, Item]:
    """Return the entries of a tree object: `mode name NUL` and the name of the object, `width` bytes long."""
    if raw is None:
        raise StorageError("a tree of HEAD is missing", "git fsck")
    items = {}
    position = 0
    while position < len(raw):
        space = raw.index(b" ", position)
        nul = raw.index(b"\0", space)
        oid = raw[nul + 1 : nul + 1 + width].hex()
        items[raw[space + 1 : nul]] = Item(raw[position:space].decode(), oid)
        position = nul + 1 + width
    return items
