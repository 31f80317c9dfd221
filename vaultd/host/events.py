"""What happened in the vault, as plugins are told it, and the queue in which it waits for one of them."""

import threading
from collections import deque
from typing import Literal

from vaultd.values import dataclass, replace

NoteEventName = Literal["create", "modify", "delete", "rename"]
DEEPEST = 4
"""How many writes of plugins may answer each other before the next is refused."""
MOST = 1_000
"""Paths that wait for one plugin; more become one `resync`."""


@dataclass(frozen=True, slots=True)
class NoteEvent:
    """Something that happened to a note."""

    name: NoteEventName
    path: str
    old_path: str = ""
    """Of a rename."""
    origin: str = "external"
    """`external`, `vaultd`, `git`, `reconcile`, or `plugin:ID`."""
    depth: int = 0
    """How many writes of plugins led here, one to the next."""

    def own(self, plugin: str) -> bool:
        """Say whether it is the echo of what a plugin wrote itself."""
        return self.origin == f"plugin:{plugin}"


@dataclass(frozen=True, slots=True)
class LifecycleEvent:
    """Something that happened to a memory, and is committed; or an edit that is not accepted."""

    name: str
    path: str
    successor: str = ""
    """Of a supersession: the path of the memory that replaced it."""
    code: str = ""
    """Of a rejection: the rule."""
    origin: str = "external"

    def own(self, plugin: str) -> bool:
        """Say whether a plugin did it itself."""
        return self.origin == f"plugin:{plugin}"


@dataclass(frozen=True, slots=True)
class Resync:
    """Too much happened to tell it one by one."""


Event = NoteEvent | LifecycleEvent | Resync


@dataclass(frozen=True, slots=True)
class _Known:
    """A path about which something is to be told: whether the plugin knows a note there, and whether one is there now."""

    was: bool
    now: bool
    edited: bool
    origin: str
    depth: int


class Queue:
    """What one plugin is still to be told: coalesced per path, bounded, filled by one thread and emptied by another."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._paths: dict[str, _Known] = {}
        self._came_from: dict[str, str] = {}
        """Of renames: the new path to the one that the plugin knows."""
        self._lifecycle: deque[LifecycleEvent] = deque(maxlen=most)
        self._resync = False
        self._woken = threading.Condition()
        self._awake = False
        """Whether the one that takes was woken, and has not looked since."""

    def put(self, event: NoteEvent | LifecycleEvent) -> None:
        """Have an event wait."""
        with self._woken:
            if isinstance(event, LifecycleEvent):
                self._lifecycle.append(event)
            elif not self._resync:
                self._put_note(event)
            self._woken.notify_all()

    def wake(self) -> None:
        """Have whoever takes look at the clock, now or when it would next wait."""
        with self._woken:
            self._awake = True
            self._woken.notify_all()

    def take(self, seconds: float) -> Event | None:
        """Return the next event, None where none came within some seconds or before it was woken."""
        with self._woken:
            if not len(self) and not self._awake:
                self._woken.wait(seconds)
            self._awake = False
            if self._resync:
                self._resync = False
                return Resync()
            while self._paths:
                if (event := self._next_note()) is not None:
                    return event
            return self._lifecycle.popleft() if self._lifecycle else None

    def __len__(self) -> int:
        return len(self._paths) + len(self._lifecycle) + self._resync

    def _put_note(self, event: NoteEvent) -> None:
        match event.name:
            case "create":
                self._note(event, event.path, was=False, now=True, edited=True)
            case "modify":
                self._note(event, event.path, was=True, now=True, edited=True)
            case "delete":
                self._note(event, event.path, was=True, now=False, edited=False)
            case "rename":
                moved = self._paths.get(event.old_path)
                self._note(event, event.old_path, was=True, now=False, edited=False)
                self._note(event, event.path, was=False, now=True, edited=moved is not None and moved.edited)
                self._came_from[event.path] = self._came_from.pop(event.old_path, event.old_path)
        if len(self._paths) > self._most:
            self._paths.clear()
            self._came_from.clear()
            self._resync = True

    def _note(self, event: NoteEvent, path: str, *, was: bool, now: bool, edited: bool) -> None:
        before = self._paths.pop(path, None)
        if event.name in ("create", "delete"):
            self._came_from.pop(path, None)
        if before is None:
            self._paths[path] = _Known(was, now, edited, event.origin, event.depth)
            return
        # an edit behind an echo is no echo, and an echo behind an edit is none either
        external = before.origin != event.origin and event.origin.startswith("plugin:")
        self._paths[path] = _Known(
            before.was,
            now,
            edited or (before.edited and now),
            before.origin if external else event.origin,
            max(before.depth, event.depth),
        )

    def _next_note(self) -> NoteEvent | None:
        path, known = next(iter(self._paths.items()))
        if (renamed := self._rename_of(path)) is not None:
            return renamed
        del self._paths[path]
        self._came_from.pop(path, None)
        if not known.was and not known.now:
            return None
        name: NoteEventName = "delete" if not known.now else "modify" if known.was else "create"
        return NoteEvent(name, path, origin=known.origin, depth=known.depth)

    def _rename_of(self, path: str) -> NoteEvent | None:
        """Return the rename that a path is an end of, where that is all that happened to both of its ends."""
        new = path if path in self._came_from else next((n for n, o in self._came_from.items() if o == path), path)
        old = self._came_from.get(new, "")
        there, left = self._paths.get(new), self._paths.get(old)
        if there is None or left is None or there.was or not there.now or not left.was or left.now:
            return None
        del self._paths[old], self._paths[new], self._came_from[new]
        if there.edited:
            self._paths = {new: replace(there, was=True), **self._paths}
        return NoteEvent("rename", new, old, there.origin, there.depth)
