"""Bring the index to what is on disk; the only writer of the index."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Protocol

from vaultd.index.derived import Derived, derivations
from vaultd.index.fulltext import FullText
from vaultd.index.linking import Linking
from vaultd.index.mirror import FULLTEXT, INO_BITS, FileRow, Indexed, Mirror
from vaultd.index.moving_files import File, remember_moves
from vaultd.index.projection import Projected, projections
from vaultd.notes.note import Note, parse
from vaultd.notes.structure import structures
from vaultd.values import dataclass

# Each commit makes a segment. Small ones are made with a fifth less work, and tantivy merges as soon as there are eight of a
# size, which costs as much as making them: so a whole vault is at most seven, unless that would be too much in memory.
_BATCH = 2_500
_LARGEST_BATCH = 16_000
_SEGMENTS = 7
# One step for many notes and then the next costs two thirds of all steps for each note: the code of a step and what it
# works on stay near the processor. Few enough bytes at once, so that large notes are not in memory together.
_TOGETHER = 64
_TOGETHER_BYTES = 1 << 20
# Coarser than any file system in use keeps times: within it, a second save can leave the same stamp.
_RACY_NS = 2_000_000_000
Describe = Callable[[str, Note], Iterable[tuple[str, str]]]
"""What is to be kept of a note, by its blob id: keys of facts, and facts."""


class Stamped(Protocol):
    """What a directory says of a file without opening it."""

    @property
    def mtime_ns(self) -> int:
        """Nanoseconds since 1970."""

    @property
    def size(self) -> int:
        """Bytes."""

    @property
    def ino(self) -> int:
        """Inode number."""

    @property
    def ctime_ns(self) -> int:
        """Nanoseconds since 1970."""


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """What was brought into the index."""

    changed: tuple[str, ...]
    """Notes whose text is new to the index."""
    removed: tuple[str, ...]
    """Notes that left the index, those that cannot be read any more among them."""
    unreadable: tuple[str, ...]
    """Notes that are there and could not be read: out of the index, and tried again next time."""
    generation: int
    rebuilt: bool
    """Everything was read again, because the text index was not the one the mirror knows."""


def catch_up(
    mirror: Mirror,
    fulltext: FullText,
    found: Mapping[str, Stamped],
    read: Callable[[str], bytes | None],
    blob_id: Callable[[bytes], str],
    progress: Callable[[int, int], None] = lambda _done, _all: None,
    *,
    clock_ns: Callable[[], int] = time.time_ns,
    describe: Describe | None = None,
    linking: Linking | None = None,
    others: Iterable[str] = (),
    doubted: Collection[str] = (),
) -> CaughtUp:
    """Make the index answer for exactly the files found, reading only those whose stamps moved and that nobody doubts.

    The full text's writer stays open: who is done with writing releases it.

    `others` are the files that links may mean beside notes. What `describe` says of a note that is read, given its blob id, is kept as facts, so that nobody reads it again for that.

    Raises:
        ConflictError: another process is writing the index.
    """
    linking = linking or Linking(mirror)
    work = _Work(mirror, fulltext, read, blob_id, linking, progress=progress, clock_ns=clock_ns, describe=describe)
    paths = {*found, *others}
    try:
        rebuilt = _agree(mirror, fulltext)
        if rebuilt:
            linking.forget()
        linking.paths_are(paths)
        recovering = work.bring(found, mirror.stamps(), doubted)
        if recovering and fulltext.count() != mirror.documents():
            _start_over(mirror, fulltext)
            linking.forget()
            linking.paths_are(paths)
            work.bring(found, {})
            rebuilt = True
        linking.settle()
        return work.result(rebuilt=rebuilt)
    except BaseException:
        fulltext.release()
        raise


def catch_up_some(
    mirror: Mirror,
    fulltext: FullText,
    some: Mapping[str, Stamped | None],
    read: Callable[[str], bytes | None],
    blob_id: Callable[[bytes], str],
    *,
    clock_ns: Callable[[], int] = time.time_ns,
    describe: Describe | None = None,
    linking: Linking | None = None,
) -> CaughtUp:
    """Bring a few files into an index that was caught up before, at a cost that does not grow with the vault.

    A path without a stamp is a file that is gone. Where the index does not agree with itself nothing is done:
    `rebuilt` is then True, and `catch_up` with every file is due. The full text's writer stays open as above.

    Raises:
        ConflictError: another process is writing the index.
    """
    linking = linking or Linking(mirror)
    work = _Work(mirror, fulltext, read, blob_id, linking, progress=_silent, clock_ns=clock_ns, describe=describe)
    if not _same(mirror, fulltext) or mirror.expected():
        return work.result(rebuilt=True)
    found = {path: stamp for path, stamp in some.items() if stamp is not None}
    try:
        linking.paths_change(found, some.keys() - found.keys())
        work.bring(found, mirror.stamps_of(some))
        linking.settle()
    except BaseException:
        fulltext.release()
        raise
    return work.result(rebuilt=False)


def _silent(done: int, everything: int) -> None:
    del done, everything


def _agree(mirror: Mirror, fulltext: FullText) -> bool:
    """Start both over where the full text is not the one, or not the size, that the mirror knows; say whether."""
    if _same(mirror, fulltext):
        return False
    # Another process may be between its two commits; who holds the lock knows that nobody is.
    fulltext.begin(0)
    try:
        if _same(mirror, fulltext):
            return False
        had_files = mirror.documents() > 0 or fulltext.count() > 0
        _start_over(mirror, fulltext)
        return had_files
    finally:
        # What follows may be the whole vault, and wants a writer of another size.
        fulltext.release()


def _same(mirror: Mirror, fulltext: FullText) -> bool:
    if mirror.get(FULLTEXT) != fulltext.identity():
        return False
    return fulltext.count() == mirror.documents() or bool(mirror.expected())


def _start_over(mirror: Mirror, fulltext: FullText) -> None:
    if fulltext.count():
        fulltext.clear()
    mirror.forget_files(fulltext.identity())


class _Work:
    """One catching up: what was found to do, done in batches, and what came of it."""

    def __init__(
        self,
        mirror: Mirror,
        fulltext: FullText,
        read: Callable[[str], bytes | None],
        blob_id: Callable[[bytes], str],
        linking: Linking,
        *,
        progress: Callable[[int, int], None],
        clock_ns: Callable[[], int],
        describe: Describe | None,
    ) -> None:
        self._mirror = mirror
        self._fulltext = fulltext
        self._read = read
        self._blob_id = blob_id
        self._linking = linking
        self._progress = progress
        self._clock_ns = clock_ns
        self._describe = describe
        self._said: dict[str, str] = {}
        self._derived: list[Derived] = []
        self._known: Mapping[str, Indexed] = {}
        self._from_nothing = False
        self._changed: list[str] = []
        self._removed: list[str] = []
        self._unreadable: list[str] = []

    def bring(self, found: Mapping[str, Stamped], stamps: Mapping[str, Indexed], doubted: Collection[str] = ()) -> bool:
        """Index what moved, take out what is gone, and say whether a writer had been killed before us.

        Of files in doubt that are known nothing is read: half of a save, or a file that may be back, says nothing.
        """
        expected = self._mirror.expected()
        # What the full text holds of these is anybody's guess, so nothing is known of them.
        self._known = {path: known for path, known in stamps.items() if path not in expected} if expected else stamps
        stale = [path for path, stamp in found.items() if _moved(stamp, self._known.get(path))]
        if doubted:
            stale = [path for path in stale if path not in doubted or path not in self._known]
        gone = {path: known for path, known in stamps.items() if path not in found}
        if gone and stale:
            came = (path for path in stale if path not in stamps)
            remember_moves(self._mirror, gone, {path: _file(found[path]) for path in came})
        self._remove(sorted(gone.keys() | (expected - found.keys())))
        self._from_nothing = not self._fulltext.count()
        size = min(max(_BATCH, -(-len(stale) // _SEGMENTS)), _LARGEST_BATCH)
        for start in range(0, len(stale), size):
            self._index(found, stale, start, start + size)
        return bool(expected)

    def result(self, *, rebuilt: bool) -> CaughtUp:
        changed, removed, unreadable = tuple(self._changed), tuple(self._removed), tuple(self._unreadable)
        return CaughtUp(changed, removed, unreadable, self._mirror.generation(), rebuilt)

    def _remove(self, gone: list[str]) -> None:
        if gone:
            self._fulltext.begin(0)
            self._mirror.expect(gone)
            self._fulltext.delete(gone)
            self._fulltext.commit()
            self._mirror.record((), gone)
            self._removed += gone

    def _index(self, found: Mapping[str, Stamped], stale: list[str], start: int, end: int) -> None:
        paths = stale[start:end]
        self._fulltext.begin(len(stale))
        self._mirror.expect(paths)
        titles = self._mirror.titles(path for path in paths if path in self._known)
        rows: list[FileRow] = []
        lost: list[str] = []
        told = partial(self._progress_from, start, len(stale))
        put = self._fulltext.add if self._from_nothing else self._fulltext.upsert
        put(self._documents(found, paths, titles, rows, lost, told))
        self._fulltext.delete(lost)
        self._fulltext.commit()
        self._mirror.add_facts(self._said)
        self._said = {}
        self._mirror.record(rows, lost, self._derived)
        self._derived = []
        self._unreadable += lost
        self._removed += [path for path in lost if path in self._known]

    def _documents(
        self,
        found: Mapping[str, Stamped],
        paths: list[str],
        titles: Mapping[str, str],
        rows: list[FileRow],
        lost: list[str],
        told: Callable[[int], None],
    ) -> Iterator[tuple[str, Projected]]:
        """Yield what is new, noting in `rows` what the mirror must know and in `lost` what could not be read."""
        done = 0
        for some in _together(found, paths):
            fresh: dict[str, bytes] = {}
            keys: dict[str, str] = {}
            for path in some:
                data = self._read(path)
                if data is None:
                    lost.append(path)
                    continue
                known = self._known.get(path)
                if known is not None and not data and found[path].size:
                    # Emptied since it was looked at: half of a save, whose other half will be heard.
                    rows.append(FileRow(path, *known, titles[path]))
                    continue
                keys[path] = key = self._blob_id(data)
                if known is not None and known[4] == key:
                    rows.append(self._row(path, found[path], key, titles[path]))
                else:
                    fresh[path] = data
            for path, projected in self._understood(fresh, keys):
                rows.append(self._row(path, found[path], keys[path], projected.title))
                self._changed.append(path)
                yield path, projected
            done += len(some)
            told(done)

    def _progress_from(self, start: int, everything: int, done: int) -> None:
        self._progress(start + done, everything)

    def _understood(self, fresh: Mapping[str, bytes], keys: Mapping[str, str]) -> Iterable[tuple[str, Projected]]:
        """Return what the full text is to know of notes, and keep what the mirror is to."""
        paths, notes = [*fresh], [*map(parse, fresh.values())]
        found = structures(notes)
        self._derived += derivations(paths, notes, found, self._linking.resolve)
        if self._describe is not None:
            for path, note in zip(paths, notes, strict=True):
                self._said.update(self._describe(keys[path], note))
        return zip(paths, projections(paths, notes, found), strict=True)

    def _row(self, path: str, stamp: Stamped, key: str, title: str) -> FileRow:
        racy = stamp.mtime_ns > self._clock_ns() - _RACY_NS
        # A stamp that no file has makes the next catching up read the file again.
        ctime_ns = -1 if racy else stamp.ctime_ns
        return FileRow(path, stamp.mtime_ns, stamp.size, stamp.ino, ctime_ns, key, title)


def _together(found: Mapping[str, Stamped], paths: list[str]) -> Iterator[list[str]]:
    """Yield the paths in portions, in order."""
    some, size = list[str](), 0
    for path in paths:
        some.append(path)
        size += found[path].size
        if len(some) == _TOGETHER or size > _TOGETHER_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some


def _file(stamp: Stamped) -> File:
    return stamp.ino & INO_BITS, stamp.size, stamp.mtime_ns


def _moved(stamp: Stamped, known: Indexed | None) -> bool:
    return known is None or known[:4] != (stamp.mtime_ns, stamp.size, stamp.ino & INO_BITS, stamp.ctime_ns)
