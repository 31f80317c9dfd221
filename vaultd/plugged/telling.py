"""Tells plugins what happens while a daemon runs: a thread each, so that no plugin waits for another, and nobody for them."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping

from vaultd.app import App, Overview
from vaultd.errors import PluginError, VaultdError
from vaultd.history.repository import head_quick
from vaultd.host.discovery import FOLDER
from vaultd.host.events import Event, LifecycleEvent, NoteEvent, Queue, Resync
from vaultd.host.hosted import EVENT, Hosted
from vaultd.host.process import PluginCrashError
from vaultd.host.protocol import Message
from vaultd.host.trees import DATA
from vaultd.index.fields import drop_fields_of
from vaultd.judging.ledger import LedgerEntry, entries
from vaultd.plugged.indexing import index_some
from vaultd.plugged.noticing import Noticing
from vaultd.plugged.plugins import stamp_of
from vaultd.plugged.validating import Validating

log = logging.getLogger("vaultd")
_LIFECYCLE = ("created", "superseded", "archived", "restored")
_RESOLVED = "metadata.resolved"
_IDLE = 1.0
_LOOKED_AT = 200


class Listening:
    """One plugin that is told what happens, in a thread of its own, until it is stopped or fails for good."""

    def __init__(
        self,
        app: App,
        hosted: Hosted,
        noticing: Noticing,
        validating: Validating,
        seen: threading.Event,
        say: Callable[[str], None],
    ) -> None:
        self.hosted = hosted
        self.queue = Queue()
        self._wants: frozenset[str] | None = None
        """The events it signed up for; None until it is loaded."""
        self._seen = seen
        """Set once the whole vault was seen."""
        self._app = app
        self._noticing = noticing
        self._validating = validating
        self._say = say
        self._due: list[float] = []
        self._data = app.opened.root / FOLDER / hosted.id / DATA
        self._data_stamp = stamp_of(self._data)
        self._stale = True
        """Whether notes may have changed of which it has not said its fields, and what is wrong with them, yet."""
        self._busy = threading.Event()
        self._busy.set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._live, name=f"vaultd-plugin-{hosted.id}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after what is under way."""
        self._ended.set()
        self.queue.wake()

    def join(self, seconds: float) -> None:
        """Wait until it has ended."""
        self._thread.join(seconds)

    def put(self, event: NoteEvent | LifecycleEvent) -> None:
        """Have it told, where it wants to be."""
        if self._wants is None or not self._wants.isdisjoint(_names(event)):
            self.queue.put(event)

    def touch(self) -> None:
        """Have it say its fields of notes that changed."""
        self._stale = True
        self.queue.wake()

    @property
    def idle(self) -> bool:
        """Return whether nothing waits and nothing is under way; so it is where it has ended."""
        return not self._thread.is_alive() or self._has_told()

    def _has_told(self) -> bool:
        return not len(self.queue) and not self._busy.is_set() and not self._stale and not self.hosted.unfit

    def _live(self) -> None:
        try:
            self._begin()
            while not self._ended.is_set() and not self.hosted.held and not self.hosted.unfit:
                self._busy.clear()
                event = self.queue.take(0.0 if self._stale else self._pause())
                self._busy.set()
                self._mind_settings()
                if event is not None:
                    self._deliver(event)
                self._keep_time()
                if not len(self.queue) and self._stale:
                    self._index()
        except PluginError as exc:
            self._failed(exc)
        except Exception as exc:
            log.exception("event=bug plugin=%s", self.hosted.id)
            self.hosted.refuse(f"{self.hosted.id}: vaultd failed on it: {type(exc).__name__}: {exc}")
        self._forget_unfit()
        self._busy.clear()
        self._stale = False
        if self.hosted.held:
            self._say(f"plugin {self.hosted.id} is quarantined: {self.hosted.held}")
            log.warning("event=plugin-quarantined id=%s", self.hosted.id)

    def _begin(self) -> None:
        registered = self._registered()
        while not self._seen.wait(_IDLE) and not self._ended.is_set():
            pass
        events = registered.get("events")
        wants = frozenset(str(one) for one in events) if isinstance(events, list) else frozenset[str]()
        known = self._noticing.begin() if any(not one.startswith("lifecycle.") for one in wants) else []
        self._wants = wants
        intervals = registered.get("intervals")
        self._due = [time.monotonic() + float(one) for one in intervals] if isinstance(intervals, list) else []
        if registered.get("ready") is True:
            self._call("ready", {}, 0)
        if registered.get("replay") is True:
            for path in known:
                self._call("event", {"event": "vault.create", "path": path, "origin": "reconcile", "replay": True}, 0)

    def _registered(self) -> Message:
        """Load it, again after a failure, until it is loaded or left alone."""
        while not self._ended.is_set():
            try:
                return self.hosted.registered
            except PluginError as exc:
                if self.hosted.held or self.hosted.unfit:
                    raise
                self._failed(exc)
        raise PluginError(f"{self.hosted.id} was stopped")

    def _deliver(self, event: Event) -> None:
        own = not isinstance(event, Resync) and event.own(self.hosted.id)
        depth = event.depth if isinstance(event, NoteEvent) else 0
        wants = self._wants or frozenset()
        for name in _names(event):
            if name in wants and name != _RESOLVED:
                self._call("event", {"event": name, "own": own, **_told(event)}, depth)
        if not len(self.queue) and not isinstance(event, LifecycleEvent) and _RESOLVED in wants:
            self._call("event", {"event": _RESOLVED}, depth)

    def _call(self, name: str, args: Message, depth: int) -> None:
        """Call it; what ended its process is told it once more and not for ever."""
        for _ in range(2):
            try:
                self.hosted.call(name, args, EVENT, depth)
            except PluginCrashError as exc:
                self._failed(exc)
                if self.hosted.held or self._ended.is_set():
                    return
            except VaultdError as exc:
                self._failed(exc)
                return
            else:
                return

    def _mind_settings(self) -> None:
        """Let it know that `data.json` was changed, unless it saved that itself."""
        stamp = stamp_of(self._data)
        if stamp != self._data_stamp:
            self._data_stamp = stamp
            if self._noticing.echoes.of(f"{FOLDER}/{self.hosted.id}/{DATA}") is None:
                self._call("settings_changed", {}, 0)

    def _failed(self, exc: VaultdError) -> None:
        if not self._ended.is_set():
            log.warning("event=plugin-failed id=%s why=%r", self.hosted.id, exc.message)

    def _pause(self) -> float:
        soon = min(self._due, default=time.monotonic() + _IDLE) - time.monotonic()
        return max(0.0, min(_IDLE, soon))

    def _keep_time(self) -> None:
        now = time.monotonic()
        for number, due in enumerate(self._due):
            if due <= now:
                intervals = self.hosted.registered.get("intervals")
                seconds = float(intervals[number]) if isinstance(intervals, list) else 3600.0
                self._call("interval", {"number": number}, 0)
                self._due[number] = time.monotonic() + seconds

    def _index(self) -> None:
        self._stale = False
        try:
            more = index_some(self._app, self.hosted)
            self._stale = self._validating.look(self._app.opened, self.hosted, _LOOKED_AT) or more
        except VaultdError as exc:
            self._failed(exc)

    def _forget_unfit(self) -> None:
        """Forget what it said of notes if it cannot run as things are: here, behind the last that it may have said."""
        if self.hosted.unfit and not self._ended.is_set():
            try:
                drop_fields_of(self._app.opened.mirror, self.hosted.id)
            except VaultdError as exc:
                self._failed(exc)


def _names(event: Event) -> tuple[str, ...]:
    match event:
        case NoteEvent(name="delete"):
            return "vault.delete", "metadata.deleted", _RESOLVED
        case NoteEvent(name="rename"):
            return "vault.rename", "metadata.resolve", _RESOLVED
        case NoteEvent(name=name):
            return f"vault.{name}", "metadata.changed", "metadata.resolve", _RESOLVED
        case LifecycleEvent(name=name):
            return (f"lifecycle.{name}",)
        case Resync():
            return ("vault.resync",)


def _told(event: Event) -> Message:
    match event:
        case NoteEvent():
            return {"path": event.path, "old_path": event.old_path, "origin": event.origin}
        case LifecycleEvent():
            return {"path": event.path, "successor": event.successor, "code": event.code, "origin": event.origin}
        case Resync():
            return {}


class Ledger:
    """What happened to memories since it was looked last, also while no daemon ran."""

    _KEPT = "plugins_told"

    def __init__(self, app: App) -> None:
        self._app = app
        self._rejected: Mapping[str, str] | None = None

    def news(self, seen: Overview) -> list[LifecycleEvent]:
        """Return what is new."""
        before = self._rejected
        self._rejected = seen.rejected
        told = [] if before is None else [p for p, code in seen.rejected.items() if before.get(p) != code]
        rejections = [LifecycleEvent("rejected", path, code=seen.rejected[path]) for path in told]
        return [*self._committed(), *rejections]

    def _committed(self) -> list[LifecycleEvent]:
        opened = self._app.opened
        head = head_quick(opened.recorded)
        last = opened.mirror.get(self._KEPT)
        if head is None or head == last:
            return []
        opened.mirror.put(self._KEPT, head)
        if last is None:
            return []
        paths = {state.id: path for path, state in opened.mirror.states(opened.mirror.paths().values()).items()}
        new = _since(entries(opened, limit=500), opened.recorded.git.text("rev-list", f"{last}..{head}"))
        return [_happened(entry, paths) for entry in reversed(new) if entry.event in _LIFECYCLE and entry.id in paths]


def _since(found: Iterable[LedgerEntry], commits: str) -> list[LedgerEntry]:
    new = set(commits.split())
    return [entry for entry in found if entry.commit in new]


def _happened(entry: LedgerEntry, paths: Mapping[str, str]) -> LifecycleEvent:
    origin = entry.actor if entry.actor.startswith("plugin:") else "vaultd"
    return LifecycleEvent(entry.event, paths[entry.id], paths.get(entry.successor, entry.successor), origin=origin)
