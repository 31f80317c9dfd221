"""What the daemon does for agents: serves their connections, and keeps the sidecar in order."""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from vaultd.commands.ledger_follow import SOURCE, follow_ledger
from vaultd.commands.state_export import commit_export, export_state, own_export
from vaultd.daemon.life import Life
from vaultd.daemon.listening import Stream
from vaultd.errors import StorageError, VaultdError
from vaultd.history.repository import head_quick
from vaultd.judging.opened import Opened, opened_vault
from vaultd.mcp_server.desk import Answer, Desk
from vaultd.mcp_server.streams import Speaker
from vaultd.state.sidecar import Sidecar, open_sidecar
from vaultd.values import dataclass

log = logging.getLogger("vaultd")
ENDING = 10.0
"""Seconds that what is being done has at the end."""
_TICK = 20.0
_VERIFY_EVERY = 15
"""Turns between two looks at every page: what is in memory by then hides that the disk has it no more."""
_REAP_EVERY = 60.0
_PRUNE_EVERY = 3_600.0
_FOLLOW_EVERY = 60.0


@dataclass(frozen=True, slots=True)
class Agents:
    """What serves agents' connections, by the verb that asks for it, or why nothing does."""

    streams: Mapping[str, Stream]
    refused: str = ""


@contextlib.contextmanager
def agents_served(opened: Opened, answer: Answer, life: Life) -> Iterator[Agents]:
    """Give what serves agents, and look after the sidecar meanwhile; what cannot be done is told in the daemon's status.

    Nothing is served where the sidecar cannot be used: the notes are watched all the same.
    """
    try:
        sidecar = open_sidecar(opened.places.state)
    except StorageError as exc:
        log.warning("event=sidecar-unusable error=%s", exc.message)
        life.lasting = (f"agents are not served: {exc.message}; {exc.hint}",)
        yield Agents({}, f"agents are not served: {exc.message}\n  hint: {exc.hint}")
        return
    speaker = Speaker(lambda: Desk(opened.root, sidecar, answer), opened.settings.mcp_tools)
    tending = Tending(opened, sidecar, life)
    tending.start()
    try:
        yield Agents({"mcp": lambda line, arguments: speaker.serve(line, str(arguments.get("connection", "")))})
    finally:
        speaker.stop()
        tending.stop()
        sidecar.close()


class Tending:
    """Ends sessions that nobody holds, follows the ledger, forgets old calls, and exports what changed."""

    def __init__(self, opened: Opened, sidecar: Sidecar, life: Life) -> None:
        self._opened = opened
        self._sidecar = sidecar
        self._life = life
        self._turns = 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="vaultd-tending", daemon=True)

    def start(self) -> None:
        """Begin; what is due is done at once."""
        self._thread.start()

    def stop(self) -> None:
        """End, after what is being done."""
        self._stopping.set()
        self._thread.join(ENDING)

    def tend(self) -> None:
        """Do what is due, or have the status say why nothing can be kept, until it can again."""
        try:
            self.turn()
            if self._life.lasting or self._turns % _VERIFY_EVERY == 0:
                self._sidecar.database.verify()
        except VaultdError as exc:
            log.warning("event=tending-failed error=%s", exc.message)
            self._life.lasting = (f"what agents do cannot be kept: {exc.message}; {exc.hint}",)
        else:
            self._life.lasting = ()
        self._turns += 1

    def turn(self) -> None:
        """Do what is due, and have it done again later."""
        if not self._sidecar.jobs.counts():  # so it is in a new file only: something always waits
            self._restore()
        self._due("reap", _REAP_EVERY, self._sidecar.sessions.reap)
        self._due("follow", _FOLLOW_EVERY, self._follow)
        self._due("prune", _PRUNE_EVERY, self._sidecar.activity.prune)
        every = self._opened.settings.state_export
        if every:
            self._due("export", every, self._export)

    def _run(self) -> None:
        while True:
            self.tend()
            if self._stopping.wait(_TICK):
                return

    def _due(self, kind: str, every: float, run: Callable[[], object]) -> None:
        jobs = self._sidecar.jobs
        jobs.add(kind, "daemon")
        job = jobs.take(kind)
        if job is None:
            return
        try:
            run()
        except VaultdError as exc:
            log.warning("event=job-failed job=%s error=%s", kind, exc.message)
            jobs.failed(job, exc.message)
        else:
            jobs.done(job)
            jobs.add(kind, "daemon", after=every)

    def _restore(self) -> None:
        """Take in what this clone exported before its state.db was lost: the next export would write over it."""
        try:
            with opened_vault(self._opened.root) as opened:
                files = own_export(opened)
            came = self._sidecar.carrying.take_in(files)
        except VaultdError as exc:
            log.warning("event=state-not-restored error=%s", exc.message)
        else:
            if came.added:
                log.warning("event=state-restored rows=%d", came.added)

    def _follow(self) -> None:
        """Follow the ledger where HEAD has moved since the last look; a vault is not opened to learn that it has not."""
        if self._opened.judged and head_quick(self._opened.recorded) == self._sidecar.activity.followed(SOURCE):
            return
        with opened_vault(self._opened.root) as opened:
            follow_ledger(opened, self._sidecar)

    def _export(self) -> None:
        """Export what changed, unless the file is damaged: the last good export must outlive it."""
        self._sidecar.database.verify()
        files = self._sidecar.carrying.export()
        with opened_vault(self._opened.root) as opened:
            written = export_state(opened, files)
            commit = commit_export(opened, datetime.now(UTC))
        if written:
            log.info("event=state-exported files=%d commit=%s", len(written), commit[:10])
