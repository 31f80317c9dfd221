"""Which files a renaming writes: those that move, and every note and canvas whose links follow them."""

import json
import re
from collections.abc import Callable, Iterator, Mapping

from vaultd.commands.records.guard import keeps_link
from vaultd.errors import NoteFormatError, StorageError
from vaultd.index.derived import plain
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Write
from vaultd.notes.canvas import relink_canvas
from vaultd.notes.relinking import Relinked, relink, relink_property
from vaultd.notes.resolution import Names
from vaultd.notes.retargeting import Renaming
from vaultd.values import dataclass, field
from vaultd.vault.obsidian import link_forms
from vaultd.vault.reading import Stamp
from vaultd.vault.scanning import Scan

Edit = Callable[[bytes], bytes]
_CANVAS = ".canvas"
_NEW = (0, 0, 0, 0, "")
_WORD = re.compile(r"[a-z0-9]+")
_DISGUISED = re.compile(rb"&#|%[3-7][0-9A-Fa-f]")
"""Letters and digits that are written as something else."""


@dataclass(frozen=True, slots=True)
class Following:
    """What a renaming does to files: their bytes before and after, and how many links of each follow."""

    moves: Mapping[str, str]
    before: Mapping[str, bytes]
    """By the path a file had."""
    after: Mapping[str, bytes]
    """The same files, by the path they will have."""
    links: Mapping[str, int] = field(default_factory=dict)
    """By the path they will have, of the files in which a link follows."""
    unread: tuple[str, ...] = ()
    """Notes that could not be read, so that their links stay as they are."""
    records: tuple[str, ...] = ()
    """Records with such links: what they said stays as it was said, and only their sources follow."""

    def writes(self) -> tuple[Write, ...]:
        """Return the files to write: first those that leave a path, then the rest."""
        paths = dict.fromkeys((*self.moves, *self.after))
        sources = {new: old for old, new in self.moves.items()}
        return tuple(Write(path, self.before.get(path), self.after.get(path), sources.get(path, "")) for path in paths)

    def told(self) -> tuple[str, ...]:
        """Return what will happen to each file, a line each."""
        moved = tuple(f"move {old} to {new}" for old, new in self.moves.items())
        return (*moved, *(f"relink {path} ({_links(count)})" for path, count in sorted(self.links.items())))

    def notices(self) -> tuple[str, ...]:
        """Return how many links follow, and which cannot be known of."""
        files = "1 file" if len(self.links) == 1 else f"{len(self.links)} files"
        counted = (f"{_links(sum(self.links.values()))} in {files} changed",) if self.links else ()
        unread = (f"{path} cannot be read: its links stay as they are" for path in self.unread)
        said = (f"{path} is a record: links in what it said stay as they were written" for path in self.records)
        return (*counted, *unread, *said)


def follow_moves(opened: Opened, moves: Mapping[str, str], edits: Mapping[str, Edit]) -> Following:
    """Return what moving these files, each with an edit of its own, does to the vault's files.

    Raises:
        NoteFormatError: a link that must follow cannot be written, or an edit cannot be made.
        StorageError: a file that moves cannot be read.
    """
    found = opened.scan()
    paths = [*found.notes, *found.others]
    forms = link_forms(opened.root)
    after = Names([*(path for path in paths if path not in moves), *moves.values()])
    renaming = Renaming(moves, Names(paths), after, forms.wiki, forms.markdown)
    moved = {path: _moved(opened, path) for path in moves}
    linking = {path: sure for path, sure in _concerned(opened, found, renaming) if path not in moves}
    return _followed(opened, renaming, moved, linking, edits)


def follow_moved(opened: Opened, moves: Mapping[str, str]) -> Following:
    """Return what mending the links does that files broke which were moved already by something else.

    Raises:
        NoteFormatError: a link that must follow cannot be written.
        StorageError: a file that moved cannot be read.
    """
    found = opened.scan()
    paths = [*found.notes, *found.others]
    forms = link_forms(opened.root)
    arrived = set(moves.values())
    before = Names([*(path for path in paths if path not in arrived), *moves])
    renaming = Renaming(moves, before, Names(paths), forms.wiki, forms.markdown)
    moved = {old: _moved(opened, new) for old, new in moves.items()}
    linking = {path: sure for path, sure in _concerned(opened, found, renaming) if path not in arrived}
    return _followed(opened, renaming, moved, linking, {})


def _concerned(opened: Opened, found: Scan, renaming: Renaming) -> Iterator[tuple[str, bool]]:
    """Give the files to look into, and whether the index holds such a link of theirs; else it does not know them as they are.

    A moving note's own links are looked into in any case.
    """
    indexed = opened.mirror.stamps()
    names = opened.mirror.paths()
    keys = json.dumps(sorted(plain(key) for key in renaming.keys))
    rows = opened.mirror.rows("SELECT DISTINCT note FROM mentions WHERE key IN (SELECT value FROM json_each(?))", keys)
    linking = {names.get(int(str(number))) for (number,) in rows}
    for path, stamp in found.notes.items():
        if path in linking:
            yield path, True
        elif stamp.size > opened.settings.large_bytes or indexed.get(path, _NEW)[:4] != _told(stamp):
            yield path, False
    yield from ((path, False) for path in sorted(found.others) if path.endswith(_CANVAS))


def _told(stamp: Stamp) -> tuple[int, int, int, int]:
    return stamp.mtime_ns, stamp.size, stamp.ino, stamp.ctime_ns


def _moved(opened: Opened, path: str) -> bytes:
    data = opened.read(path)
    if data is None:
        raise StorageError(f"{path} cannot be read", "check its permissions; nothing changed")
    return data


def _followed(
    opened: Opened,
    renaming: Renaming,
    moved: Mapping[str, bytes],
    linking: Mapping[str, bool],
    edits: Mapping[str, Edit],
) -> Following:
    before: dict[str, bytes] = dict(moved)
    after: dict[str, bytes] = {}
    links: dict[str, int] = {}
    unread: list[str] = []
    records: list[str] = []
    for old, data in moved.items():
        done = _relinked(data, old, renaming)
        after[renaming.now(old)] = edits[old](done.data) if old in edits else done.data
        if done.links:
            links[renaming.now(old)] = done.links
    hint = _Hint(renaming)
    for path, sure in linking.items():
        text = opened.read(path)
        if text is None:
            unread.append(path)
        elif (sure or hint.may_concern(path, text)) and (done := _relinked(text, path, renaming)).links:
            if keeps_link(opened, path, text, done.data):
                records.append(path)
                done = relink_property(text, path, renaming, "sources")
                if not done.links or keeps_link(opened, path, text, done.data):
                    continue
            before[path], after[path], links[path] = text, done.data, done.links
    return Following(renaming.moves, before, after, links, tuple(unread), tuple(records))


def _relinked(data: bytes, path: str, renaming: Renaming) -> Relinked:
    done = relink_canvas(data, path, renaming) if path.endswith(_CANVAS) else Relinked(data)
    if path[-3:].lower() == ".md":
        done = relink(data, path, renaming)
    for refused in done.refused:
        raise NoteFormatError(refused.reason, f"{refused.mend}; nothing changed", path=path, line=refused.line)
    return done


def _links(count: int) -> str:
    return "1 link" if count == 1 else f"{count} links"


class _Hint:
    """Tells at a glance which files hold no link to what is renamed: most of a vault."""

    def __init__(self, renaming: Renaming) -> None:
        words = [max(_WORD.findall(key), key=len, default="") for key in renaming.keys]
        wanted = sorted(set(words))
        self._words = re.compile(b"|".join(re.escape(word.encode()) for word in wanted)) if all(wanted) else None

    def may_concern(self, path: str, data: bytes) -> bool:
        if self._words is None or path.endswith(_CANVAS) or _DISGUISED.search(data):
            return True
        if data.isascii():
            return self._words.search(data.lower()) is not None
        folded = data.decode("utf-8", "replace").casefold()
        return self._words.search(folded.encode("utf-8", "replace")) is not None
