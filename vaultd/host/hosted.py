"""One plugin as the host runs it: started when it is first needed, again after a failure, and left alone after three."""

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

from vaultd.errors import PluginError, StorageError
from vaultd.host.crashes import Quarantine, pause_before_start
from vaultd.host.manifest import Manifest
from vaultd.host.permissions import Permissions, permissions_of
from vaultd.host.process import DEFAULT_LIMITS, Limits, PluginCrashError, PluginRaisedError, Process, Program
from vaultd.host.protocol import Message
from vaultd.host.standing import Standing
from vaultd.host.trees import Tree, copy_for_running
from vaultd.values import asdict, dataclass

LOAD = 5.0
UNLOAD = 2.0
EVENT = 5.0
VALIDATE = 2.0
ACT = 30.0
"""Seconds, wall clock: how long a plugin's code has for each."""
FOLDER = "plugins"
COPIES = "plugins/running"
_SETTINGS_ERROR = "SettingsError"


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks the host for something, and on what occasion."""

    plugin: str
    permissions: Permissions
    depth: int
    """How many writes of plugins led, one to the next, to the call in which it is asked; 0 for a call of a person's."""


Answering = Callable[[Asking, str, Message], object]


class Hosted:
    """A plugin that is enabled; any thread may call it, one after the other."""

    def __init__(
        self,
        standing: Standing,
        state: Path,
        vault_name: str,
        answer: Answering,
        limits: Limits = DEFAULT_LIMITS,
        claim: Callable[["Hosted"], None] = lambda _hosted: None,
    ) -> None:
        if standing.tree is None or standing.found.manifest is None or standing.state != "enabled":
            raise PluginError(f"{standing.id} does not run: {standing.reason or standing.state}")
        self.id = standing.id
        self.manifest: Manifest = standing.found.manifest
        self.tree: Tree = standing.tree
        self.folder = standing.found.folder
        self.held = ""
        """Why it is left alone, empty while it is not."""
        self.unfit = ""
        """Why it cannot run as things are: its settings, or what another plugin has signed up for."""
        self.failures = 0
        """How often it failed since it was taken in, its verbs aside."""
        self.failure = ""
        """The last time that it failed in any way."""
        self._state = state
        self._vault_name = vault_name
        self._answer = answer
        self._limits = limits
        self._claim = claim
        """Hears that it is loaded, and raises where another plugin has what it signed up for."""
        self._quarantine = Quarantine(state)
        self._permissions = permissions_of(self.manifest.permissions)
        self._guard = threading.RLock()
        self._process: Process | None = None
        self._copy: Path | None = None
        self._ended = False

    @property
    def registered(self) -> Message:
        """Return what it signed up for, starting it where it does not run.

        Raises:
            PluginError: it cannot be loaded.
        """
        with self._guard:
            return self._started().registered

    @property
    def pid(self) -> int | None:
        """Return its process, None while it has none."""
        process = self._process
        return process.pid if process is not None else None

    @property
    def log(self) -> Path:
        """Return where its output goes."""
        return self._state / FOLDER / f"{self.id}.log"

    def call(self, name: str, args: Message, seconds: float, depth: int = 0) -> object:
        """Return what its code gives.

        Raises:
            PluginRaisedError: its code raised.
            PluginCrashError: its process is gone; the next call starts another.
            PluginError: it is left alone, or cannot be loaded.
        """
        with self._guard:
            process = self._started()
            self._require_reading(process)
            return self._called(process, name, args, seconds, depth)

    @property
    def fields(self) -> frozenset[str]:
        """Return the fields that it adds to notes, none while it is not loaded."""
        process = self._process
        indexers = process.registered.get("indexers") if process is not None else None
        return frozenset(indexers) if isinstance(indexers, dict) else frozenset()

    def refuse(self, why: str) -> None:
        """End it, and have it not start again as things are; from any thread."""
        self.unfit = why
        self.kill()

    def stop(self) -> None:
        """Let it unload, and end it for good; one that is busy for longer than unloading may take is ended as it is."""
        self._ended = True
        if not self._guard.acquire(timeout=UNLOAD):
            self.kill()
            return
        try:
            if self._process is not None:
                self._process.stop(UNLOAD, self._answering(0))
            self._forget()
        finally:
            self._guard.release()

    def kill(self) -> None:
        """End it at once, whatever it does: its trust was taken away."""
        self._ended = True
        process = self._process
        if process is not None:
            process.end()
        if self._guard.acquire(blocking=False):
            try:
                if self._process is not None:
                    self._process.kill()
                self._forget()
            finally:
                self._guard.release()

    def _started(self) -> Process:
        if self._process is not None:
            return self._process
        if self.held or self.unfit or self._ended:
            raise PluginError(f"{self.id} does not run: {self.held or self.unfit or 'it was stopped'}")
        time.sleep(pause_before_start(self._quarantine.crashes(self.id), time.time()))
        self._process = self._begun()
        known = self._state / FOLDER / f"{self.id}.known"
        args: Message = {
            "manifest": asdict(self.manifest),
            "vault": self._vault_name,
            "first": not known.exists(),
        }
        try:
            self._called(self._process, "load", args, LOAD, 0)
            self._require_reading(self._process)
            self._claim(self)
        except PluginCrashError:
            raise
        except PluginError as exc:
            self._process.kill()
            self._forget()
            if isinstance(exc, PluginRaisedError) and exc.kind != _SETTINGS_ERROR:
                self._count(exc)
            else:
                self.unfit = exc.message
            raise
        known.touch()
        return self._process

    def _begun(self) -> Process:
        """Return its process, on a copy of its files.

        Raises:
            PluginCrashError: the machine cannot: no room, too many processes.
        """
        try:
            self._copy = copy_for_running(self.tree, self._state / COPIES)
            return Process(Program(self.id, self._copy, self.manifest.main, self.log, self._limits))
        except (OSError, StorageError, PluginCrashError) as exc:
            self._forget()
            failed = PluginCrashError(f"{self.id}: cannot be started: {getattr(exc, 'strerror', None) or exc}")
            self._count(failed)
            raise failed from exc

    def _require_reading(self, process: Process) -> None:
        """Refuse to tell a plugin of notes that it did not ask to read; it may sign up at any time."""
        told = [key for key in ("validators", "indexers", "events") if process.registered.get(key)]
        if told and not self._permissions.may("vault:read"):
            why = f'{self.id}: {told[0]} are told of notes: "vault:read" is not among its permissions'
            raise PluginError(why, 'add "vault:read" to its manifest, and approve it again')

    def _called(self, process: Process, name: str, args: Message, seconds: float, depth: int) -> object:
        try:
            return process.call(name, args, seconds, self._answering(depth))
        except PluginRaisedError as exc:
            if name != "act":
                # who typed a verb was told how it failed
                self._remember(exc)
            raise
        except PluginCrashError as exc:
            self._forget()
            if not self._ended:
                self._count(exc)
            raise

    def _answering(self, depth: int) -> Callable[[str, Message], object]:
        asking = Asking(self.id, self._permissions, depth)
        return lambda name, args: self._answer(asking, name, args)

    def _remember(self, exc: PluginError) -> None:
        self.failures += 1
        self.failure = exc.message

    def _count(self, exc: PluginError) -> None:
        if not isinstance(exc, PluginRaisedError):
            self._remember(exc)
        if self._quarantine.crashed(self.id, exc.message):
            self.held = self._quarantine.why_held(self.id)

    def _forget(self) -> None:
        self._process = None
        if self._copy is not None:
            shutil.rmtree(self._copy, ignore_errors=True)
            self._copy = None
