"""Hearing that something in the vault changed: hints in a set, to be looked at once they settle."""

import ctypes
import logging
import os
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from vaultd.notes.names import is_temporary
from vaultd.values import dataclass, field
from vaultd.vault.scanning import is_note_name

_HEARD: list[type[FileSystemEvent]] = [
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
]
"""Write-class events only: with reads among them a burst of saves overflows the queue and half of it is lost."""
_FOLDER_EVENTS = (DirCreatedEvent, DirDeletedEvent, DirMovedEvent)
_TEXT_EVENTS = (FileClosedEvent, FileModifiedEvent)
_RULES = frozenset({".vaultdignore", ".vaultd/config.toml"})
"""Hidden files whose edits change what counts as a note."""
_CATALOG = ".vaultd/catalog"
"""What records have to be, and its lock."""
_OVERFLOW_LOG = "watchdog.observers.inotify_c"
_DELETED = 0x200
"""An event that asks the kernel for next to nothing."""
_SURE, _DEAF = 60.0, 2.0
"""Seconds between two walks at the least: where all is heard, and where the system has no watch left."""
LACKING = "the system has no watch left for every folder: changes there are found by looking, every few seconds"


@dataclass(frozen=True, slots=True)
class Dirty:
    """What was heard since the last time: hints, not facts. Times are those of the watch's clock."""

    paths: frozenset[str] = frozenset()
    """Vault-relative paths of notes that may have changed, appeared or gone, and of other files that may have come or gone."""
    rescan: bool = False
    """Whether more changed than the paths say: a folder, an overflow, the rules of what counts."""
    first: float = 0.0
    last: float = 0.0
    saves: Mapping[str, float] = field(default_factory=dict)
    """Path to when it was last heard of."""

    def __bool__(self) -> bool:
        return self.rescan or bool(self.paths)


@dataclass(frozen=True, slots=True)
class WatchInfo:
    """How the watch hears; fewer watches than the vault has folders means that some are only found by a scan."""

    kind: str
    """The observer's name, or `none` where the system had no watch left to give."""
    watches: int
    """How many folders the system watches for this process; -1 where it does not say."""
    limit: int
    """How many it would watch for this user; -1 where it does not say."""
    overflows: int
    lacking: bool = False
    """Whether the system had no watch left for some folder: what changes there is found by walks only."""


class Watch:
    """A thread-safe set of what changed below `root`; `on_wake` is called, on another thread, when it stops being empty."""

    def __init__(self, root: Path, on_wake: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._root = os.path.realpath(root)  # of a link the system would watch the link itself
        self._on_wake = on_wake
        self._clock = clock
        self._lock = threading.Lock()
        self._saves: dict[str, float] = {}
        self._rescan = False
        self._first = self._last = 0.0
        self._overflows = 0
        self._observer: BaseObserver | None = None
        self._lacking = False
        self._overflow_ear = _OverflowEar(self._overflowed)

    def start(self) -> None:
        """Begin to hear; where the system has no watch left, not everything is heard, and `info` and `notices` say so."""
        # each registers a folder twice when it is made and filled at once, and says so at length
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.")
        logging.getLogger(_OVERFLOW_LOG).addHandler(self._overflow_ear)
        self._lacking = True
        try:
            observer = Observer()
        except OSError:
            return
        observer.schedule(_Ear(self._heard), self._root, recursive=True, event_filter=_HEARD)
        try:
            observer.start()
        except OSError:
            observer.stop()
            return
        self._observer = observer
        self._lacking = not has_room(self._root)

    def stop(self) -> None:
        """Stop hearing; what was heard can still be taken."""
        logging.getLogger(_OVERFLOW_LOG).removeHandler(self._overflow_ear)
        observer, self._observer = self._observer, None
        if observer is not None:
            observer.stop()
            observer.join()

    def take(self) -> Dirty:
        """Return what was heard and begin anew."""
        with self._lock:
            dirty = self._dirty()
            self._saves, self._rescan = {}, False
            return dirty

    def peek(self) -> Dirty:
        """Return what was heard and keep it."""
        with self._lock:
            return self._dirty()

    def put_back(self, dirty: Dirty) -> None:
        """Add what was taken and could not be acted on yet; it keeps the time it was first heard."""
        with self._lock:
            was = self._dirty()
            if not dirty:
                return
            self._saves = {**dirty.saves, **self._saves}
            self._rescan = was.rescan or dirty.rescan
            self._first = min(dirty.first, was.first) if was else dirty.first
            self._last = max(dirty.last, was.last) if was else dirty.last

    def quiet_for(self, now: float) -> float:
        """Return for how many seconds nothing has been heard; infinite before the first time."""
        with self._lock:
            return now - self._last if self._last else float("inf")

    def walk_pause(self, spent: float) -> float:
        """Return for how long nothing but what is heard need be looked at, after a walk that took so many seconds."""
        # a folder that was made meanwhile may have got none, and the observer says nothing of it
        self._lacking = self._lacking or self._observer is None or not has_room(self._root)
        return max(_DEAF, 50 * spent) if self._lacking else max(_SURE, 1_000 * spent)

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know of how this watch hears."""
        return (LACKING,) if self._lacking else ()

    def info(self) -> WatchInfo:
        """Return how this watch hears."""
        observer = self._observer
        kind = type(observer).__name__ if observer is not None and observer.is_alive() else "none"
        return WatchInfo(kind, _inotify_watches(), _inotify_limit(), self._overflows, self._lacking)

    def _dirty(self) -> Dirty:
        if not self._saves and not self._rescan:
            return Dirty()
        return Dirty(frozenset(self._saves), self._rescan, self._first, self._last, dict(self._saves))

    def _heard(self, event: FileSystemEvent) -> None:
        of_folder = isinstance(event, _FOLDER_EVENTS)
        for place in (event.src_path, event.dest_path):
            path = self._relative(place)
            match classify(path, of_folder=of_folder) if path is not None else "nothing":
                case "rescan":
                    self._add(None)
                case "note":
                    self._add(path)
                case "other" if not isinstance(event, _TEXT_EVENTS):
                    self._add(path)
                case _:
                    pass

    def _relative(self, place: bytes | str) -> str | None:
        if not place:
            return None
        prefix = self._root.rstrip("/") + "/"
        text = os.fsdecode(place)
        return text[len(prefix) :] if text.startswith(prefix) else ""

    def _overflowed(self) -> None:
        self._overflows += 1
        self._add(None)

    def _add(self, path: str | None) -> None:
        with self._lock:
            now = self._clock()
            wake = not self._saves and not self._rescan
            self._first = now if wake else self._first
            self._last = now
            if path is None:
                self._rescan = True
            else:
                self._saves[path] = now
        if wake:
            self._on_wake()


def classify(path: str, *, of_folder: bool) -> Literal["note", "other", "rescan", "nothing"]:
    """Say what an event at a vault-relative path asks for; the empty path is the vault's own folder.

    Of other files only the names matter, which links may mean.
    """
    if path in _RULES or not path or path.startswith(_CATALOG):
        return "rescan"
    *folders, name = path.split("/")
    if any(folder.startswith(".") for folder in folders):
        return "nothing"
    if of_folder:
        return "nothing" if name.startswith(".") else "rescan"
    if name.endswith(".jsonl"):
        return "rescan"  # records that are lines: no note, and judged with all the others
    if is_note_name(name):
        return "note"
    return "nothing" if is_temporary(name) else "other"


class _Ear(FileSystemEventHandler):
    def __init__(self, hear: Callable[[FileSystemEvent], None]) -> None:
        self._hear = hear

    def on_any_event(self, event: FileSystemEvent) -> None:
        self._hear(event)


class _OverflowEar(logging.Handler):
    """Learns from the log, the only place where it is said, that the kernel dropped events."""

    def __init__(self, hear: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._hear = hear

    def emit(self, record: logging.LogRecord) -> None:
        if "overflow" in record.getMessage().lower():
            self._hear()


def has_room(folder: str) -> bool:
    """Say whether the system would watch one more folder for this user; True where it is not asked with inotify.

    The observer leaves out folders for which there is no watch, and does not tell.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "inotify_init1"):
        return True
    probe = libc.inotify_init1(os.O_CLOEXEC)
    if probe < 0:
        return False
    try:
        return int(libc.inotify_add_watch(probe, os.fsencode(folder), _DELETED)) >= 0 or not Path(folder).is_dir()
    finally:
        os.close(probe)


_OF_HEAD = (
    *("HEAD", "logs/HEAD", "index", "index.lock", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "ORIG_HEAD"),
    *("rebase-merge", "rebase-apply"),
)


def head_stamp(git_dir: Path) -> tuple[tuple[str, int, int, int], ...]:
    """Return a value that differs when HEAD, its branch, the index or an operation in progress may have changed.

    A few stats, cheap enough to ask several times a second: of an idle daemon it is most of what it does.
    """
    own = os.fspath(git_dir)
    shared = _common_dir(own)
    places = [f"{own}/{name}" for name in _OF_HEAD]
    places += [f"{shared}/packed-refs", f"{shared}/reftable/tables.list"]
    branch = _text(f"{own}/HEAD").removeprefix("ref: ")
    if branch.startswith("refs/"):
        places.append(f"{shared}/{branch}")
    return tuple([_stat(place) for place in places])


def _common_dir(git_dir: str) -> str:
    """Return where a linked worktree's branches live."""
    named = _text(f"{git_dir}/commondir")
    return os.path.join(git_dir, named) if named else git_dir  # noqa: PTH118 -- a Path costs as much as its stat


def _text(file: str | Path) -> str:
    try:
        with open(file, "rb", buffering=0) as reading:  # noqa: PTH123 -- for the same reason
            return os.fsdecode(reading.read()).strip()
    except OSError:
        return ""


def _stat(place: str) -> tuple[str, int, int, int]:
    try:
        status = os.stat(place)  # noqa: PTH116 -- for the same reason
    except OSError:
        return (place, 0, 0, 0)
    return (place, status.st_mtime_ns, status.st_size, status.st_ino)


def _inotify_watches() -> int:
    try:
        files = list(Path("/proc/self/fdinfo").iterdir())
    except OSError:
        return -1
    return sum(_text(file).count("inotify wd:") for file in files)


def _inotify_limit() -> int:
    said = _text(Path("/proc/sys/fs/inotify/max_user_watches"))
    return int(said) if said.isdigit() else -1
