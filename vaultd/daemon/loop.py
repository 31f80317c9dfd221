"""watch → settle → judge → accept → catch up, until told to stop.

One thread does all of it; others only hear the file system and answer questions from what the loop saw last.
"""

import contextlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping

from vaultd.answers import check, search, status
from vaultd.app import App, Overview
from vaultd.commands.accept import Accepted, Pending
from vaultd.daemon.agents import agents_served
from vaultd.daemon.answering import Answering
from vaultd.daemon.errands import PATIENCE, Errand, Errands
from vaultd.daemon.keeping import IndexKeeping
from vaultd.daemon.life import Life
from vaultd.daemon.listening import Listener
from vaultd.daemon.milestones import Milestones
from vaultd.daemon.orders import Orders
from vaultd.daemon.requests import question_of, severity_of, strings
from vaultd.daemon.settled import Settled, Vanished, saved_at
from vaultd.daemon.systemd import Systemd, systemd_of
from vaultd.daemon.verdicts import Verdicts
from vaultd.daemon.writing import IndexWriting
from vaultd.documents import Document
from vaultd.errors import ConflictError, UsageError, VaultdError
from vaultd.history.repository import head_quick
from vaultd.judging.folding import MARKER
from vaultd.judging.waiting import Waiting
from vaultd.lifecycle.batches import Batch
from vaultd.lifecycle.ground import Ground
from vaultd.listings import LISTINGS, listed
from vaultd.plugged.company import VERBS as PLUGIN_VERBS
from vaultd.plugged.company import Company
from vaultd.values import asdict
from vaultd.vault.locks import hold, holder
from vaultd.vault.scanning import Scan, is_note
from vaultd.vault.settling import Settling
from vaultd.vault.watching import Dirty, Watch, head_stamp

log = logging.getLogger("vaultd")

TEXT_PAUSE = 0.02
"""Seconds after a save before its text is read into the index: an editor closes the file within them."""
BUSY_PATIENCE = 10.0
"""Seconds to wait for somebody else's `index.lock` before judging all the same."""
LOOKED_AT = 1.0
"""Seconds to wait for the lock: who asks whose it is has it for a moment."""
_TICK = 1.0
_SLICE = 0.0005


class Daemon:
    """Keeps one vault honest while it runs."""

    def __init__(self, app: App, say: Callable[[str], None], systemd: Systemd | None = None) -> None:
        self.app = app
        self.life = Life()
        self._say, self._told = say, app.progress or Milestones(say)
        self._systemd = systemd or Systemd()
        self._opened = app.opened
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._guard = threading.RLock()
        """Held while the index or the overview changes; questions are answered without it."""
        self._watch = Watch(self._opened.root, self._wake.set)
        self._settling = Settling()
        self._settled = Settled(self._opened)
        self._unjudged: tuple[float, float] | None = None
        """When the first and the last change was heard that is indexed and not judged yet."""
        self._found: Scan | None = None
        self._names_changed = False
        self._errands = Errands(self._wake.set)
        self._writing = IndexWriting(app)
        self._answering = Answering(app, self._mended)
        self._keeping = IndexKeeping(app, self._progress, self._renewed, self._answering.paused)
        self._plugins = Company(app, say)
        self._orders = Orders(app.opened, say)
        self._verdicts = Verdicts(say)
        self._waiting = Waiting(self._opened.settings.commit_quiet)
        self._head: object = None
        self._next_scan = self._next_walk = self._busy_since = 0.0
        self._resumed = False
        self._meant = False
        """What is gone is meant to be: a person said so, and it is not committed yet."""

    # Its life ---------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Watch until told to stop.

        Raises:
            ConflictError: another daemon has the vault.
        """
        self._opened.claim()
        lock = self._opened.places.lock
        if lock is None:
            raise UsageError("this vault has no git directory to keep a lock in", "vaultd init --git")
        if (who := holder(lock)) is not None:
            raise ConflictError(f"this vault is watched already by {who}", "vaultd status asks it; vaultd stop ends it")
        with hold(lock, LOOKED_AT), contextlib.ExitStack() as stack:
            for mended in self.app.mend():
                log.info("event=recovered outcome=%s subject=%r", mended.outcome, mended.subject)
                self._say(f"recovered: {mended.subject}: {mended.outcome}" + "".join(f"\n  {n}" for n in mended.notes))
            self._watch.start()
            stack.callback(self._watch.stop)
            agents = stack.enter_context(agents_served(self._opened, self.answer, self.life))
            if agents.refused:
                self._say(agents.refused)
            stack.callback(self._answering.end)
            listener = Listener(self._opened.places.socket, self.answer, agents.streams)
            listener.start()
            stack.callback(listener.stop)
            self._plugins.start()
            stack.callback(self._plugins.stop)
            self._reconcile()
            self._tell_systemd()
            self._systemd.ready()
            self._say(self._ready_line())
            with self._guard:
                self.app.warm()
            self._loop(listener)
            self._systemd.stopping()
            stack.close()
            self._say("stopped")  # before the lock goes, by which others see that we have gone

    def stop(self) -> None:
        """Ask the loop to end; it commits nothing on its way out."""
        self._stopping.set()
        self._wake.set()

    def _ready_line(self) -> str:
        seen = self.life.overview
        notes = len(seen.notes) if seen is not None else 0
        problems = sum(v.severity == "error" for v in seen.violations) if seen is not None else 0
        return "; ".join((f"ready: {notes:,} notes, {problems} problems", *self._watch.notices))

    def _loop(self, listener: Listener) -> None:
        while not self._stopping.is_set():
            self._tell_systemd()
            try:
                self._writing.rest(time.monotonic())
                self._wake.wait(self._pause())
                self._wake.clear()
                if not self._stopping.is_set():
                    if listener.tend():
                        self._opened.claim()  # the folder that it lies in may be gone with it
                    self._turn()
            except Vanished as gone:
                self._suspend(str(gone))
            except VaultdError as exc:
                self._mend(exc)

    def _tell_systemd(self) -> None:
        well = self.life.state == "ready"
        self._systemd.status(self._ready_line() if well else f"{self.life.state}: {self.life.note}")
        self._systemd.alive(time.monotonic())

    def _pause(self) -> float:
        """Return how long nothing needs to be done, in seconds."""
        now = time.monotonic()
        waits = [_TICK, self._writing.wait(now)]
        if dirty := self._watch.peek():
            waits.append(self._settling.wait(dirty.first, dirty.last, now) if dirty.rescan else TEXT_PAUSE)
        if self._unjudged is not None:
            waits.append(self._settling.wait(*self._unjudged, now))
        if (doubt := self._settled.wait(now)) is not None:
            waits.append(doubt)
        return max(0.005, min(waits))

    def _turn(self) -> None:
        """Do what is due now: text at once, judgement when the set has settled, commits when they have been quiet."""
        now = time.monotonic()
        if not (self._opened.root / MARKER).is_file():
            raise Vanished(f"{MARKER} is missing: the folder may be unmounted")
        with self._guard:
            self._keeping.renew_lost()
        if errands := self._errands.take():
            self._serve(errands)
        elif self._git_is_busy(now):
            return
        elif self._whole_is_due(now):
            self._heard(self._watch.take())
            self._reconcile()
        else:
            self._index_saved(now)
            if self._judgement_is_due(now):
                (self._reconcile if self._walk_is_due(now) else self._judge)()
        self._commit_quiet_ones()
        self._obey()

    def _serve(self, errands: list[Errand]) -> None:
        """Do what callers wait for, and let them go on whatever comes of it."""
        try:
            if self.life.state != "suspended" and all(one.paths for one in errands) and not self._head_moved():
                self._refresh(frozenset().union(*(errand.paths for errand in errands)), Dirty())
                self._judge()
            else:
                self._reconcile()
        finally:
            for errand in errands:
                errand.done.set()

    def _head_moved(self) -> bool:
        return head_stamp(self._opened.recorded.git_dir) != self._head

    def _whole_is_due(self, now: float) -> bool:
        dirty = self._watch.peek()
        folders = dirty.rescan and self._settling.ready(dirty.first, dirty.last, now)
        walk = now >= self._next_scan or (self._unjudged is None and self._walk_is_due(now))
        return folders or walk or self._head_moved()

    def _walk_is_due(self, now: float) -> bool:
        """Tell whether to find what is wrong with new names and which files links mean, at a twentieth of the time at most."""
        return self._names_changed and now >= self._next_walk

    def _judgement_is_due(self, now: float) -> bool:
        return self._unjudged is not None and self._settling.ready(*self._unjudged, now)

    def _index_saved(self, now: float) -> None:
        """Bring notes into the index that were saved a moment ago, and look again at those that are in doubt."""
        taken = self._watch.take()
        if taken.rescan or self.life.state == "suspended":
            # what vanished is found again by a look at everything, not at the few notes that were heard of
            self._watch.put_back(Dirty(taken.paths, bool(taken), taken.first, taken.last, taken.saves))
            return
        fresh = {path: at for path, at in taken.saves.items() if now - at < TEXT_PAUSE}
        if fresh:
            times = fresh.values()
            self._watch.put_back(Dirty(frozenset(fresh), first=min(times), last=max(times), saves=fresh))
        due = taken.paths - fresh.keys()
        doubt = self._settled.wait(now)
        if due or (doubt is not None and doubt <= 0):
            self._heard(taken)
            self._refresh(due, taken)

    def _heard(self, dirty: Dirty) -> None:
        if dirty:
            self.life.last_event_at = _utc()

    def _git_is_busy(self, now: float) -> bool:
        """Return whether git is at work this very moment: what it writes is believed when it is done."""
        if not (self._opened.recorded.git_dir / "index.lock").exists():
            self._busy_since = 0.0
            return False
        self._busy_since = self._busy_since or now
        return now - self._busy_since < BUSY_PATIENCE

    # Seeing -----------------------------------------------------------------------------------------------------------

    def _reconcile(self) -> None:
        """Compare everything on disk with what is known, and judge it."""
        started = time.monotonic()
        self._head = head_stamp(self._opened.recorded.git_dir)
        believing, self._resumed, self._names_changed = self._resumed, False, False
        self._next_scan = started + 60.0
        found = self._settled.whole(started, believing=believing)
        with self._guard:
            with self._writing.held():
                caught = self.app.catch_up(found, self._progress, self._settled.doubted)
            self._found = found
            self._plugins.caught(caught.changed, caught.removed)
            self._judge()
        spent = time.monotonic() - started
        self._next_scan = time.monotonic() + self._watch.walk_pause(spent)
        self._next_walk = time.monotonic() + 20 * spent
        changed = len(caught.changed) + len(caught.removed)
        self.life.last_reconcile = {"at": _utc(), "ms": round(spent * 1000), "changed": changed}
        log.info("event=reconciled ms=%d changed=%d", round(spent * 1000), changed)

    def _mend(self, exc: VaultdError) -> None:
        """Make an index that cannot be used anew: it is derived, so nothing is lost with it."""
        with self._guard:
            left = self._keeping.left_of(exc)
        if left is not None:
            self._degrade(left)

    def _mended(self, exc: VaultdError | None) -> bool:
        with self._guard:
            return self._keeping.mend(exc)

    def _renewed(self, seen: Overview) -> None:
        self.life.overview, self._next_scan = seen, 0.0

    def _refresh(self, paths: frozenset[str], heard: Dirty) -> None:
        """Look at some notes again and index what changed; judging waits until the set has settled."""
        now = time.monotonic()
        known = self._found.notes if self._found is not None else {}
        # of what is doubted, what is known would pass for what is there now
        notes = frozenset(filter(is_note, paths)) | self._settled.doubted
        found = self._settled.some(notes, now)
        with self._guard, self._writing.held():
            # What is in doubt is not read: half of a save says nothing.
            caught = self.app.catch_up_some(found, notes - self._settled.doubted, self._progress)
        self._found = found
        self._plugins.caught(caught.changed, caught.removed)
        named = bool(paths - notes) or any((path in known) != (path in found.notes) for path in notes)
        self._names_changed |= named
        if named or caught.changed or caught.removed or caught.unreadable or self.life.state != "ready":
            first, last = self._unjudged or (heard.first or now, now)
            self._unjudged = (first, max(last, heard.last or now))

    def _judge(self) -> None:
        """Judge what is indexed and remember since when each accepted change stands still."""
        if self._found is None:
            return
        with self._guard:
            seen = self.app.judge(self._found)
            ids = [event.id for batch in seen.waiting for event in batch.events]
            ground = seen.present.ground if ids else Ground("")
            self._waiting.observe(seen.head, ground, ids, saved_at(seen), time.time())
            self.life.overview, self.life.state, self.life.note = seen, "ready", ""
            self._answering.begin()
        self._plugins.judged(seen)
        self._orders.judged(seen)
        self._verdicts.judged(seen)
        self._unjudged = None

    def _progress(self, done: int, everything: int) -> None:
        self._systemd.alive(time.monotonic())
        self._told(done, everything)

    # Recording --------------------------------------------------------------------------------------------------------

    def _commit_quiet_ones(self) -> None:
        """Commit what has been quiet long enough; the rest is told as pending."""
        seen = self.life.overview
        if seen is None or not seen.waiting or self.life.state != "ready":
            self._meant = self._meant and self._resumed
            self.life.pending = ()
            return
        ready = self._quiet_ones(seen)
        made: list[Accepted] = []
        refused: list[Pending] = []
        if ready and not self._git_is_busy(time.monotonic()):
            with self._guard:
                made, refused = self.app.accept(seen, ready, self._announce, meant=self._meant)
        quiet = [Pending(event.path, "quiet") for batch in seen.waiting[len(ready) :] for event in batch.events]
        self.life.pending = tuple(dict.fromkeys((*refused, *quiet)))
        if made or any(one.reason == "moved" for one in refused):
            self._reconcile()

    def _obey(self) -> None:
        """Carry out the standing orders whose files have been quiet."""
        seen = self.life.overview
        if seen is None or self.life.state != "ready" or not self._orders.pending():
            return
        if not self._git_is_busy(time.monotonic()):
            with self._guard:
                self._orders.carry_out(seen, time.time())
        self.life.pending = (*self.life.pending, *self._orders.pending())

    def _quiet_ones(self, seen: Overview) -> list[Batch]:
        """Return, in order, the commits that no longer wait; one that does holds up those after it."""
        now = time.time()
        saves = saved_at(seen)
        ready: list[Batch] = []
        for batch in seen.waiting:
            if self._waiting.left(batch, saves, now) > 0:
                break
            ready.append(batch)
        return ready

    def _announce(self, made: Accepted) -> None:
        for event in made.events:
            log.info("event=%s id=%s path=%r commit=%s", event.name, event.id, event.path, made.commit[:10])
            self._say(f"{event.name}: {event.path} ({made.commit[:10]})")

    def _suspend(self, why: str) -> None:
        """Stop believing the disk until a person says so."""
        if self.life.state != "suspended":
            self._say(f"suspended: {why}; vaultd resume when this is meant")
            log.warning("event=suspended")
        self._unjudged, self.life.state, self.life.note, self.life.pending = None, "suspended", why, ()

    def _degrade(self, exc: VaultdError) -> None:
        if self.life.note != exc.message:
            self._say(f"degraded: {exc.message}" + (f"\n  hint: {exc.hint}" if exc.hint else ""))
            log.warning("event=degraded error=%s", type(exc).__name__)
        self.life.state, self.life.note = "degraded", exc.message
        self._next_scan = time.monotonic() + 5.0

    # Answering --------------------------------------------------------------------------------------------------------

    def answer(self, verb: str, arguments: Mapping[str, object]) -> Document:
        """Answer one request from the socket.

        Raises:
            UsageError: no such verb.
            ConflictError: the daemon has not seen everything yet.
        """
        match verb:
            case "status":
                return self._status()
            case "search":
                late = self._awaited(arguments.get("min_generation"))
                question = question_of(arguments)
                return self._answering.ask(lambda app: search(app, question, (*self._notices(), *late)))
            case "check":
                self._see_head()
                paths, severity = strings(arguments.get("paths")), severity_of(arguments)
                document = self._answering.ask(lambda app: check(app, "tree", paths, (), severity, self._overview))
                return self._plugins.check(document, "tree", paths, severity)
            case "stop":
                self.stop()
                return {"vaultd": 1, "stopping": True}
            case "resume":
                return self._resume()
            case "rebuild":
                return self._rebuild()
            case "refresh" | "reconcile":
                return self._run_errand(verb, strings(arguments.get("paths")))
            case _ if verb in PLUGIN_VERBS:
                return self._plugins.answer(verb, arguments)
            case _ if verb in LISTINGS:
                return self._answering.ask(lambda app: listed(app, verb, arguments, self._notices()))
            case _:
                raise UsageError(f"the daemon knows no verb {verb!r}", "stop it and run vaultd up: it may be older")

    def _run_errand(self, verb: str, paths: list[str]) -> Document:
        """Have the loop look at some notes, or at everything, and say which generation of the index has seen them."""
        done = self._errands.run(paths if verb == "refresh" else [])
        notices = () if done else ("the daemon is busy: it has not looked yet",)
        with self._guard:
            seen, last = self._overview(), self.life.last_reconcile or {}
            generation = self.app.opened.mirror.generation()
            document: Document = {"vaultd": 1, "generation": generation, "notices": [*self._notices(), *notices]}
            if verb == "refresh":
                return document
            return {**document, "notes": len(seen.notes), "changed": last.get("changed")}

    def _see_head(self) -> None:
        """Have the loop look first where HEAD has moved since: whoever commits and then checks asks about that commit."""
        ready = self.life.state == "ready" and not self._git_is_busy(time.monotonic())
        if ready and self._overview().head != head_quick(self._opened.recorded):
            self._errands.run([])

    def _awaited(self, generation: object) -> tuple[str, ...]:
        """Wait until the index has reached a generation, and say so where it has not."""
        if not isinstance(generation, int):
            return ()
        end = time.monotonic() + PATIENCE
        while self.app.opened.mirror.generation() < generation:
            if time.monotonic() > end:
                return (f"the index has not reached generation {generation} yet",)
            time.sleep(TEXT_PAUSE)
        return ()

    def _overview(self) -> Overview:
        seen = self.life.overview
        if seen is None:
            raise ConflictError("the daemon is still starting", "run it again")
        return seen

    def _notices(self) -> tuple[str, ...]:
        return (f"the daemon is {self.life.state}: {self.life.note}",) if self.life.note else ()

    def _status(self) -> Document:
        live: Document = {
            "state": "stopping" if self._stopping.is_set() else self.life.state,
            "pid": os.getpid(),
            "last_event_at": self.life.last_event_at,
            "last_reconcile": self.life.last_reconcile,
            "watcher": asdict(self._watch.info()),
            **self._plugins.status(),
        }
        document = self._answering.ask(lambda app: status(app, self._overview(), live, self.life.pending))
        notices = document["notices"] if isinstance(document["notices"], list) else []
        return {**document, "notices": [*self._notices(), *self._watch.notices, *self.life.lasting, *notices]}

    def _resume(self) -> Document:
        if self.life.state != "suspended" and all(one.reason != "gone" for one in self.life.pending):
            return {"vaultd": 1, "resumed": False}
        self._resumed, self._meant, self._next_scan = True, True, 0.0
        self._wake.set()
        return {"vaultd": 1, "resumed": True}

    def _rebuild(self) -> Document:
        with self._guard:
            return {"vaultd": 1, "rebuilt": True, "notes": len(self._keeping.rebuild().notes)}


def run_until_told(app: App, say: Callable[[str], None]) -> None:
    """Run a daemon in the foreground until SIGTERM, SIGINT or `vaultd stop`."""
    # Reading a file lets go of the interpreter: who asks would wait for the loop after each, five milliseconds as it comes.
    sys.setswitchinterval(_SLICE)
    daemon = Daemon(app, say, systemd_of(os.environ))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: daemon.stop())
    daemon.run()


def _utc() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
