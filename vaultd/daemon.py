"""watch → settle → judge → accept → catch up, until told to stop.

One thread does all of it; others only hear the file system and answer questions from what the loop saw last.
"""

import contextlib
import logging
import os
import signal
import stat
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from vaultd.answers import Document, check, search, status
from vaultd.app import App, Overview
from vaultd.commands.accept import Accepted, Pending
from vaultd.errors import ConflictError, UsageError, VaultdError
from vaultd.history.repository import head_quick
from vaultd.history.snapshots import tree
from vaultd.index.catch_up import catch_up_some
from vaultd.judging.folding import MARKER
from vaultd.judging.waiting import Waiting
from vaultd.lifecycle.batches import Batch
from vaultd.listening import Listener
from vaultd.requests import question_of, severity_of, strings
from vaultd.vault.locks import hold
from vaultd.vault.reading import Stamp, stamp_of
from vaultd.vault.scanning import Scan
from vaultd.vault.settling import Doubts, Settling, too_many_gone
from vaultd.vault.watching import Dirty, Watch, head_stamp

log = logging.getLogger("vaultd")

BUSY_PATIENCE = 10.0
"""Seconds to wait for somebody else's `index.lock` before judging all the same."""
_TICK = 0.5


@dataclass(slots=True)
class Life:
    """What a running daemon knows beside the vault: replaced whole, never changed under a reader."""

    state: str = "starting"
    overview: Overview | None = None
    pending: tuple[Pending, ...] = ()
    last_event_at: str | None = None
    last_reconcile: Document | None = None
    note: str = ""
    """Why it is suspended or degraded."""


class Daemon:
    """Keeps one vault honest while it runs."""

    def __init__(self, app: App, say: Callable[[str], None]) -> None:
        self.app = app
        self.opened = app.opened
        self.say = say
        self.life = Life()
        self.wake = threading.Event()
        self.stopping = threading.Event()
        self.guard = threading.RLock()
        self.watch = Watch(self.opened.root, self.wake.set)
        self.settling = Settling()
        self.doubts = Doubts()
        self.waiting = Waiting(self.opened.settings.commit_quiet)
        self.found: Scan | None = None
        self.head: object = None
        self.next_scan = 0.0
        self.busy_since = 0.0
        self.resumed = False

    # Its life ---------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Watch until told to stop.

        Raises:
            ConflictError: another daemon has the vault.
        """
        self.opened.claim()
        lock = self.opened.places.lock
        if lock is None:
            raise UsageError("this vault has no git directory to keep a lock in", "vaultd init --git")
        with hold(lock, 0.0), contextlib.ExitStack() as stack:
            for mended in self.app.mend():
                log.info("event=recovered outcome=%s subject=%r", mended.outcome, mended.subject)
                self.say(f"recovered: {mended.subject}: {mended.outcome}" + "".join(f"\n  {n}" for n in mended.notes))
            self.watch.start()
            stack.callback(self.watch.stop)
            listener = Listener(self.opened.places.socket, self.answer)
            listener.start()
            stack.callback(listener.stop)
            self.reconcile()
            self.say(self.ready_line())
            self.loop()
        self.say("stopped")

    def stop(self) -> None:
        """Ask the loop to end; it commits nothing on its way out."""
        self.stopping.set()
        self.wake.set()

    def ready_line(self) -> str:
        """Return what `up` says once everything was seen."""
        seen = self.life.overview
        notes = len(seen.notes) if seen is not None else 0
        problems = sum(v.severity == "error" for v in seen.violations) if seen is not None else 0
        return f"ready: {notes:,} notes, {problems} problems"

    def loop(self) -> None:
        while not self.stopping.is_set():
            self.wake.wait(self.pause())
            self.wake.clear()
            if self.stopping.is_set():
                return
            try:
                self.turn()
            except VaultdError as exc:
                self.degrade(exc)

    def pause(self) -> float:
        """Return how long nothing needs to be done, in seconds."""
        now = time.monotonic()
        waits = [_TICK]
        dirty = self.watch.peek()
        if dirty:
            waits.append(self.settling.wait(dirty.first, dirty.last, now))
        if (doubt := self.doubts.wait(now)) is not None:
            waits.append(doubt)
        return max(0.01, min(waits))

    def turn(self) -> None:
        """Do what is due now."""
        now = time.monotonic()
        if not self.marked():
            self.suspend(f"{MARKER} is missing: the folder may be unmounted")
            return
        head = head_stamp(self.opened.recorded.git_dir)
        moved = head != self.head
        dirty = self.watch.peek()
        ready = bool(dirty) and self.settling.ready(dirty.first, dirty.last, now)
        doubted = self.doubts.wait(now)
        if self.git_is_busy(now) and (ready or moved):
            return
        if (ready and dirty.rescan) or moved or now >= self.next_scan:
            self.heard(self.watch.take())
            self.reconcile()
        elif ready or (doubted is not None and doubted <= 0):
            self.heard(taken := self.watch.take() if ready else Dirty())
            self.refresh(taken.paths | self.doubts.doubted())
        self.commit_quiet_ones()

    def marked(self) -> bool:
        return (self.opened.root / MARKER).is_file()

    def heard(self, dirty: Dirty) -> None:
        if dirty:
            self.life.last_event_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def git_is_busy(self, now: float) -> bool:
        """Return whether git is at work this very moment: what it writes is judged when it is done."""
        if not (self.opened.recorded.git_dir / "index.lock").exists():
            self.busy_since = 0.0
            return False
        self.busy_since = self.busy_since or now
        return now - self.busy_since < BUSY_PATIENCE

    # Seeing -----------------------------------------------------------------------------------------------------------

    def reconcile(self) -> None:
        """Compare everything on disk with what is known, and judge it."""
        started = time.monotonic()
        self.head = head_stamp(self.opened.recorded.git_dir)
        found = self.opened.scan()
        if self.found is not None and self.vanished(found):
            return
        found = self.spared(found)
        with self.guard:
            with self.app.writing_index(30.0):
                caught = self.app.catch_up(found.notes, self.progress)
            self.found = found
            self.judge()
        spent = time.monotonic() - started
        self.next_scan = time.monotonic() + max(60.0, 500 * spent)
        changed = len(caught.changed) + len(caught.removed)
        self.life.last_reconcile = {"at": _utc(), "ms": round(spent * 1000), "changed": changed}
        log.info("event=reconciled ms=%d changed=%d", round(spent * 1000), changed)

    def vanished(self, found: Scan) -> bool:
        """Return whether so much is gone that the disk, not the person, took it: then nothing is believed."""
        assert self.found is not None  # noqa: S101  -- asked only after a first look
        gone = self.found.notes.keys() - found.notes.keys()
        if self.resumed or not too_many_gone(len(self.found.notes), len(gone)):
            self.resumed = False
            return False
        head = head_quick(self.opened.recorded)
        missed = gone & tree(self.opened.recorded, head).keys() if head is not None else gone
        if not too_many_gone(len(self.found.notes), len(missed)):
            return False
        self.suspend(f"{len(missed)} of {len(self.found.notes)} notes are gone that HEAD still holds")
        return True

    def spared(self, found: Scan) -> Scan:
        """Return what was found, with notes that look gone or emptied only since a moment as they were."""
        if self.found is None:
            return found
        now = time.monotonic()
        notes = dict(found.notes)
        for path in self.found.notes.keys() - notes.keys():
            if not self.doubts.gone(path, now):
                notes[path] = self.found.notes[path]
            else:
                self.doubts.cleared(path)
        for path, stamp in found.notes.items():
            known = self.found.notes.get(path)
            if known is not None and known.size and not stamp.size and not self.doubts.emptied(path, now):
                notes[path] = known
            elif stamp.size or known is None or not known.size:
                self.doubts.cleared(path)
        return replace(found, notes=notes)

    def refresh(self, paths: frozenset[str]) -> None:
        """Look at some notes again and judge what changed."""
        assert self.found is not None  # noqa: S101  -- the loop begins after the first look
        notes = dict(self.found.notes)
        for path in paths:
            stamp = _stamp(self.opened.root / path)
            if stamp is None:
                notes.pop(path, None)
            else:
                notes[path] = stamp
        found = replace(self.found, notes=notes)
        if self.vanished(found):
            return
        found = self.spared(found)
        some = {path: found.notes.get(path) for path in paths}
        with self.guard:
            with self.app.writing_index(30.0):
                opened = self.opened
                caught = catch_up_some(opened.mirror, self.app.fulltext, some, opened.read, opened.blob_id)
                if caught.rebuilt:
                    caught = self.app.catch_up(found.notes, self.progress)
            self.found = found
            if caught.changed or caught.removed or self.life.state != "ready":
                self.judge()

    def judge(self) -> None:
        """Judge what is indexed and remember since when each accepted change stands still."""
        assert self.found is not None  # noqa: S101  -- set by every caller
        seen = self.app.judge(self.found)
        ids = [event.id for batch in seen.waiting for event in batch.events]
        self.waiting.observe(seen.present.head, seen.present.ground, ids, self.saves(seen), time.time())
        self.life.overview = seen
        self.life.state = "ready"
        self.life.note = ""

    def saves(self, seen: Overview) -> dict[str, float]:
        """Return, by id, when the files of what waits were saved last."""
        found: dict[str, float] = {}
        for batch in seen.waiting:
            latest = max((seen.notes[path].mtime_ns / 1e9 for path in batch.paths if path in seen.notes), default=0.0)
            found |= {event.id: latest for event in batch.events}
        return found

    def progress(self, done: int, everything: int) -> None:
        if everything > 2_000:
            self.say(f"indexing: {done:,} of {everything:,}")

    # Recording --------------------------------------------------------------------------------------------------------

    def commit_quiet_ones(self) -> None:
        """Commit what has been quiet long enough; the rest is told as pending."""
        seen = self.life.overview
        if seen is None or not seen.waiting:
            self.life.pending = ()
            return
        now = time.time()
        saves = self.saves(seen)
        ready: list[Batch] = []
        for batch in seen.waiting:
            if self.waiting.left(batch, saves, now) > 0:
                break
            ready.append(batch)
        made: list[Accepted] = []
        refused: list[Pending] = []
        if ready and not self.git_is_busy(time.monotonic()):
            with self.guard:
                made, refused = self.app.accept(seen, ready, self.announce)
        quiet = [Pending(event.path, "quiet") for batch in seen.waiting[len(ready) :] for event in batch.events]
        self.life.pending = tuple(dict.fromkeys((*refused, *quiet)))
        if made or any(one.reason == "moved" for one in refused):
            self.reconcile()

    def announce(self, made: Accepted) -> None:
        for event in made.events:
            log.info("event=%s id=%s path=%r commit=%s", event.name, event.id, event.path, made.commit[:10])
            self.say(f"{event.name}: {event.path} ({made.commit[:10]})")

    def suspend(self, why: str) -> None:
        """Stop believing the disk until a person says so."""
        if self.life.state != "suspended":
            self.say(f"suspended: {why}; vaultd resume when this is meant")
            log.warning("event=suspended")
        self.life.state, self.life.note = "suspended", why

    def degrade(self, exc: VaultdError) -> None:
        if self.life.note != exc.message:
            self.say(f"degraded: {exc.message}" + (f"\n  hint: {exc.hint}" if exc.hint else ""))
            log.warning("event=degraded error=%s", type(exc).__name__)
        self.life.state, self.life.note = "degraded", exc.message
        self.next_scan = time.monotonic() + 5.0

    # Answering --------------------------------------------------------------------------------------------------------

    def answer(self, verb: str, arguments: Mapping[str, object]) -> Document:
        """Answer one request from the socket."""
        match verb:
            case "status":
                return self.status()
            case "search":
                with self.guard:
                    return search(self.app, question_of(arguments), self.notices())
            case "check":
                with self.guard:
                    paths = strings(arguments.get("paths"))
                    return check(self.app, "tree", paths, (), severity_of(arguments), self.overview)
            case "stop":
                self.stop()
                return {"vaultd": 1, "stopping": True}
            case "resume":
                self.resumed = True
                self.next_scan = 0.0
                self.life.state = "starting"
                self.wake.set()
                return {"vaultd": 1, "resumed": True}
            case "rebuild":
                return self.rebuild()
            case _:
                raise UsageError(f"the daemon knows no verb {verb!r}", "vaultd restart: it may be an older version")

    def overview(self) -> Overview:
        seen = self.life.overview
        if seen is None:
            raise ConflictError("the daemon is still starting", "run it again")
        return seen

    def notices(self) -> tuple[str, ...]:
        return (f"the daemon is {self.life.state}: {self.life.note}",) if self.life.note else ()

    def status(self) -> Document:
        with self.guard:
            info = self.watch.info()
            live: Document = {
                "state": "stopping" if self.stopping.is_set() else self.life.state,
                "pid": os.getpid(),
                "last_event_at": self.life.last_event_at,
                "last_reconcile": self.life.last_reconcile,
                "watcher": {
                    "kind": info.kind,
                    "watches": info.watches,
                    "limit": info.limit,
                    "overflows": info.overflows,
                },
            }
            document = status(self.app, self.overview(), live, self.life.pending)
            notices = document["notices"]
            return {**document, "notices": [*self.notices(), *(notices if isinstance(notices, list) else ())]}

    def rebuild(self) -> Document:
        with self.guard:
            seen = self.app.rebuild(self.progress)
            self.life.overview = seen
            return {"vaultd": 1, "rebuilt": True, "notes": len(seen.notes)}


def run_until_told(app: App, say: Callable[[str], None]) -> None:
    """Run a daemon in the foreground until SIGTERM, SIGINT or `vaultd stop`."""
    daemon = Daemon(app, say)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: daemon.stop())
    daemon.run()


def _stamp(place: Path) -> Stamp | None:
    try:
        status_ = place.lstat()
    except OSError:
        return None
    return stamp_of(status_) if stat.S_ISREG(status_.st_mode) else None


def _utc() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
