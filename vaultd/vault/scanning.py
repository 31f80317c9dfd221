"""One walk over the vault: every note with its stamp, and what is wrong with names and kinds of files."""

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

from vaultd.errors import StorageError
from vaultd.lifecycle.violations import Severity, Violation
from vaultd.notes.names import collision_key, conflict_original, is_temporary, portable, unportable
from vaultd.settings import Folders
from vaultd.values import dataclass, field
from vaultd.vault.ignoring import Ignore
from vaultd.vault.reading import Stamp

LARGE_BYTES = 2_000_000
_NEW = tuple.__new__
_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_ -]{3,180}[A-Za-z0-9_-]\.md")
"""Names that need no closer look: most of them, and looking closer is most of a walk's time."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What a walk found; `notes` are regular Markdown files that lie in the vault and are not left alone."""

    notes: dict[str, Stamp]
    problems: tuple[Violation, ...]
    folders: int
    """How many folders were walked, the root among them."""
    others: frozenset[str] = frozenset()
    """Files that are no notes and that links may mean."""


def is_note_name(name: str) -> bool:
    """Tell whether a file of this name is a note: Markdown, not hidden, not an editor's or a sync tool's leftover."""
    return name[-3:].lower() == ".md" and not is_temporary(name)


def is_note(path: str) -> bool:
    """Tell whether a file at this path is a note, where it is not ignored."""
    return is_note_name(path.rpartition("/")[2])


def is_walked(root: Path, ignore: Ignore, path: str) -> bool:
    """Tell whether a walk comes by a file of this name: no folder above it is ignored, a link or a repository of its own."""
    if ignore.note(path):
        return False
    folders = [path[: match.start()] for match in re.finditer("/", path)]
    places = [f"{root}/{folder}" for folder in folders]
    return not any(
        ignore.folder(folder) or os.path.islink(place) or os.path.lexists(f"{place}/.git")  # noqa: PTH114
        for folder, place in zip(folders, places, strict=True)
    )


def scan(root: Path, ignore: Ignore, folders: Folders, large_bytes: int = LARGE_BYTES) -> Scan:
    """Return every note under `root`; links, hidden folders and nested git repositories are not entered.

    Raises:
        StorageError: the vault's own folder is missing or unreadable, which says nothing about its notes.
    """
    heeded = ignore.sparing(folders)
    walk = _Walk(str(root), heeded, large_bytes, heeds=bool(heeded))
    try:
        walk.enter("")
    except OSError as exc:
        raise StorageError(f"the vault {root} cannot be read: {exc.strerror}", "is its disk mounted?") from exc
    while walk.pending:
        path = walk.pending.pop()
        try:
            walk.enter(path)
        except FileNotFoundError:
            continue
        except OSError as exc:
            walk.report("V224", path, f"this folder cannot be read: {exc.strerror}", "check its permissions")
    walk.problems.extend(collisions(walk.notes))
    return Scan(
        walk.notes,
        tuple(sorted(walk.problems, key=lambda found: (found.path, found.code))),
        walk.folders,
        frozenset(walk.others),
    )


@dataclass(slots=True)
class _Walk:
    """One walk, and what it has found so far."""

    root: str
    ignore: Ignore
    large_bytes: int
    notes: dict[str, Stamp] = field(default_factory=dict)
    problems: list[Violation] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    folders: int = 0
    others: list[str] = field(default_factory=list)
    heeds: bool = False
    """Whether the user wants anything ignored."""

    def enter(self, folder: str) -> None:
        with os.scandir(f"{self.root}/{folder}") as entries:
            found = list(entries)
        if folder and any(entry.name == ".git" for entry in found):
            return
        self.folders += 1
        prefix = folder + "/" if folder else ""
        is_plain, heeds = _PLAIN.fullmatch, self.heeds
        for entry in found:
            name = entry.name
            if name[0] == ".":
                continue
            if is_plain(name) and entry.is_file(follow_symlinks=False):
                if not heeds or not self.ignore.note(prefix + name):
                    self.plain_note(entry, prefix + name)
            elif entry.is_symlink():
                self.link(entry, prefix + name)
            elif entry.is_dir():
                self.folder(name, prefix + name)
            elif is_note_name(name):
                self.note(entry, prefix + name)
            elif not is_temporary(name) and not (self.ignore and self.ignore.note(prefix + name)):
                self.others.append(prefix + name)

    def folder(self, name: str, path: str) -> None:
        if self.ignore and self.ignore.folder(path):
            return
        self.pending.append(path)
        if _PLAIN.fullmatch(name + ".md"):
            return  # a name that travels as a note's does as a folder's
        self.name(name, path)
        if is_note_name(name):
            self.report("V227", path, "this is a folder with the name of a note", "rename the folder")

    def plain_note(self, entry: os.DirEntry[str], path: str) -> bool:
        """Take the note with its stamp; False where it is gone or no regular file."""
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return False
        if not stat.S_ISREG(status.st_mode):
            self.report("V227", path, "this is not a regular file, so it is not read", "move it out of the vault")
            return False
        size = status.st_size
        # what `Stamp(…)` does, without a call in Python between
        self.notes[path] = _NEW(Stamp, (status.st_mtime_ns, size, status.st_ino, status.st_ctime_ns))
        if size > self.large_bytes:
            self.report(
                "V225", path, f"{size:,} bytes are more than the limit of {self.large_bytes:,}", "split the note"
            )
        return True

    def note(self, entry: os.DirEntry[str], path: str) -> None:
        if (self.heeds and self.ignore.note(path)) or not self.plain_note(entry, path):
            return
        self.name(entry.name, path)
        if (original := conflict_original(entry.name)) is not None:
            self.report("V222", path, f"a sync tool kept this as a conflict copy of {original}", _MERGE)

    def link(self, entry: os.DirEntry[str], path: str) -> None:
        if self.ignore and (self.ignore.note(path) or self.ignore.folder(path)):
            return
        leads_to_folder = _is_folder(entry)
        if not leads_to_folder and not is_note_name(entry.name):
            return
        real_root, real = os.path.realpath(self.root), os.path.realpath(entry.path)
        if real != real_root and not real.startswith(real_root.rstrip("/") + "/"):
            self.report("V223", path, "this link leads out of the vault and is not followed", _MOVE)
        elif leads_to_folder:
            self.report("V227", path, "this link leads to a folder of this vault and is not followed", _UNLINK)
        elif not os.path.exists(real):  # noqa: PTH110  -- false for a link that leads to itself, too
            self.report("V227", path, "this link leads nowhere", _UNLINK)
        else:
            self.report("V227", path, "this link leads to another file of this vault and is not followed", _UNLINK)

    def name(self, name: str, path: str) -> None:
        if (reason := unportable(name)) is not None:
            self.report(
                "V221", path, f"this name does not travel: {reason}", f"rename it, for example to {portable(name)!r}"
            )

    def report(self, code: str, path: str, message: str, hint: str) -> None:
        severity: Severity = "info" if code == "V225" else "warning"
        self.problems.append(Violation(code, severity, path, 1, message, hint))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link that leads to itself, or through a folder that may not be entered


_MERGE = "take over what is new in it, then delete it"
_MOVE = "move the file into the vault, or list the link in .vaultdignore"
_UNLINK = "remove the link, or list it in .vaultdignore"


def collisions(paths: Iterable[str]) -> list[Violation]:
    """V220: two notes are one file where case or Unicode form does not count."""
    every = list(paths)
    keys = _collision_keys(every)
    if len(set(keys)) == len(keys):
        return []
    groups: dict[str, list[str]] = {}
    for path, key in zip(every, keys, strict=True):
        groups.setdefault(key, []).append(path)
    found: list[Violation] = []
    for group in groups.values():
        first, *others = sorted(group)
        message = f"this is the same file as {first!r} where case or Unicode form does not count"
        found.extend(Violation("V220", "error", path, 1, message, _RENAME, subject=first) for path in others)
    return found


def _collision_keys(paths: list[str]) -> list[str]:
    whole = "\0".join(paths)  # one call for all of them, where they are plain
    if whole.isascii():
        return whole.lower().split("\0")
    return [path.lower() if path.isascii() else collision_key(path) for path in paths]


_RENAME = "rename one of the two"
