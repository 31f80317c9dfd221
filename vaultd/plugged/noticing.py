"""What the index took in, as events: created, modified, deleted or renamed, and by whom."""

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping

from vaultd.history.repository import head_quick
from vaultd.history.snapshots import changed_between, tree
from vaultd.host.events import NoteEvent, NoteEventName
from vaultd.host.hosted import Asking
from vaultd.judging.opened import Opened
from vaultd.vault import intents

_ECHO = 30.0
"""Seconds for which a plugin's write is remembered as its own."""
_WRITTEN_BY_US = "\nVaultd-Actor: "


class Echoes:
    """Which paths plugins wrote lately; filled by their threads, asked by the daemon's."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._wrote: dict[str, tuple[float, str, int]] = {}

    def wrote(self, path: str, asking: Asking) -> None:
        """Remember that a plugin writes a path, and how many writes led to that."""
        with self._guard:
            self._wrote[path] = self._clock(), asking.plugin, asking.depth + 1

    def of(self, path: str) -> tuple[str, int] | None:
        """Return whose echo a change is and how deep, None where it is nobody's; a write echoes once."""
        with self._guard:
            at, plugin, depth = self._wrote.pop(path, (0.0, "", 0))
        return (f"plugin:{plugin}", depth) if plugin and self._clock() - at < _ECHO else None


class Noticing:
    """Remembers the notes that plugins know of, and says what became of them."""

    def __init__(self, opened: Opened, echoes: Echoes) -> None:
        self._opened = opened
        self.echoes = echoes
        self._guard = threading.Lock()
        self._known: dict[str, tuple[str, str]] | None = None
        """Path to the key of the text and the note's id; None while nobody wants to be told."""
        self._away: dict[str, tuple[str, str]] = {}
        """Old names of renames that are told, while the index still waits for a note of that name to come back."""
        self._head: str | None = None
        self._brought: dict[str, tuple[str | None, str]] = {}
        """Path to the key that a commit gave it, None where it took it away, and whose commit that was."""

    def begin(self) -> list[str]:
        """Take the notes that are indexed for known, and return their paths."""
        with self._guard:
            if self._known is None:
                self._head = head_quick(self._opened.recorded)
                self._known = self._look(self._opened.keys())
            return sorted(self._known)

    def end(self) -> None:
        """Remember nothing any more."""
        with self._guard:
            self._known = None
            self._brought.clear()

    def noticed(self, changed: Iterable[str], removed: Iterable[str]) -> list[NoteEvent]:
        """Return what happened, given the notes whose text is new to the index and those that left it.

        A new note that is one whose file is gone is that one under another name, long before the index believes the
        loss; where a note of the old name comes back after all, it is a new one.
        """
        with self._guard:
            if self._known is None:
                return []
            known = self._known
            left = {*removed}
            stamps = self._opened.mirror.stamps_of(changed)
            now = self._back(left) | self._look({path: stamp[4] for path, stamp in stamps.items()})
            gone = {path: known.pop(path) for path in left if path in known}
            new = {path: mark for path, mark in now.items() if path not in known}
            away = self._missing_ones_like(new)
            edits = [path for path, mark in now.items() if path in known and known[path][0] != mark[0]]
            known |= now
            renames = _pairs(gone | away, new)
            self._away |= {path: known.pop(path) for path in away if path in renames}
            gone |= {path: mark for path, mark in away.items() if path in renames}
            origin = self._origins(now)
            return [
                *(self._event("delete", path, origin) for path in gone if path not in renames),
                *(self._renamed(old, path, origin) for old, path in renames.items()),
                *(self._event("create", path, origin) for path in new if path not in renames.values()),
                *(self._event("modify", path, origin) for path in edits),
                *(self._event("modify", path, origin) for old, path in renames.items() if gone[old][0] != new[path][0]),
            ]

    def _missing_ones_like(self, new: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
        """Return the known notes that new ones may be under another name: the same text or id, and no file any more."""
        if not new or self._known is None:
            return {}
        keys, ids = {key for key, _ in new.values()}, {id_ for _, id_ in new.values() if id_}
        alike = {path: mark for path, mark in self._known.items() if mark[0] in keys or mark[1] in ids}
        return {path: mark for path, mark in alike.items() if not self._is_there(path)}

    def _back(self, removed: set[str]) -> dict[str, tuple[str, str]]:
        """Return the notes whose rename was told and whose old name is there again."""
        settled = [path for path in self._away if path in removed or self._is_there(path)]
        marks = {path: self._away.pop(path) for path in settled}
        return {path: mark for path, mark in marks.items() if path not in removed}

    def _is_there(self, path: str) -> bool:
        return os.path.lexists(f"{self._opened.root}/{path}")

    def _look(self, keys: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        """Return, for notes of these keys, the key and the id."""
        if len(keys) > 500:
            return self._look_at_all(keys)
        facts = self._opened.facts(keys)
        return {path: (key, facts[path].id or "") for path, key in keys.items()}

    def _look_at_all(self, keys: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        mirror = self._opened.mirror
        paths = mirror.paths()
        rows = mirror.rows("SELECT note, text FROM properties WHERE folded = 'id'")
        ids = {paths.get(int(str(note)), ""): str(text) for note, text in rows}
        return {path: (key, ids.get(path, "")) for path, key in keys.items()}

    def _origins(self, now: Mapping[str, tuple[str, str]]) -> Callable[[str], str]:
        """Return what tells who changed a path: git or vaultd where a commit brought the very text, else an editor.

        A command writes first and commits then: until it has, its intent says what it brings.
        """
        at_work = self._at_work()  # before HEAD is asked: a command that is through by now has moved it
        self._hear_of_commits()

        def origin(path: str) -> str:
            key, mover = self._brought.pop(path, ("", ""))
            if mover and key == (now[path][0] if path in now else None):
                return mover
            ours = path in at_work and at_work[path] == intents.digest(self._opened.read(path))
            return "vaultd" if ours else "external"

        return origin

    def _at_work(self) -> dict[str, str | None]:
        """Return path to the hash of what commands at work write there and commit, None where they take it away."""
        folder = self._opened.places.intents
        live = intents.live(folder) if folder is not None else ()
        return {step.path: step.after for intent in live if intent.message for step in intent.steps}

    def _hear_of_commits(self) -> None:
        """Remember what became of notes where HEAD moved: the last of it is noticed seconds later, when it stays gone."""
        repo = self._opened.recorded
        head = head_quick(repo)
        before, self._head = self._head, head
        if head is None or head == before:
            return
        changes = changed_between(repo, before, head) if before else None
        if changes is None:
            changes = {**tree(repo, head)}
        told = repo.git.text("log", "--format=%B%x00", *([f"{before}..{head}"] if before else ["-1", head]), "--")
        messages = [message for message in told.split("\0") if message.strip()]
        mover = "vaultd" if messages and all(_WRITTEN_BY_US in message for message in messages) else "git"
        self._brought |= {path: (entry.oid if entry else None, mover) for path, entry in changes.items()}

    def _event(self, name: NoteEventName, path: str, origin: Callable[[str], str]) -> NoteEvent:
        whose, depth = self.echoes.of(path) or (origin(path), 0)
        return NoteEvent(name, path, "", whose, depth)

    def _renamed(self, old: str, path: str, origin: Callable[[str], str]) -> NoteEvent:
        whose, depth = self.echoes.of(path) or self.echoes.of(old) or (origin(path), 0)
        return NoteEvent("rename", path, old, whose, depth)


def _pairs(gone: Mapping[str, tuple[str, str]], new: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Return old path to new path, of notes that one id, or else the same bytes, belong to and to no other."""
    by_id = _paired({p: id_ for p, (_, id_) in gone.items()}, {p: id_ for p, (_, id_) in new.items()})
    paired = {*by_id, *by_id.values()}
    left = {path: key for path, (key, _) in gone.items() if path not in paired}
    arrived = {path: key for path, (key, _) in new.items() if path not in paired}
    return by_id | _paired(left, arrived)


def _paired(left: Mapping[str, str], arrived: Mapping[str, str]) -> dict[str, str]:
    old, new = _sole(left), _sole(arrived)
    return {path: new[mark] for mark, path in old.items() if mark in new}


def _sole(marks: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for path, mark in marks.items():
        found.setdefault(mark, []).append(path)
    return {mark: paths[0] for mark, paths in found.items() if mark and len(paths) == 1}
