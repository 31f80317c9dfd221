"""A real daemon in a process of its own, as a person starts it in a terminal."""

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.vaults import Ran, Vault
from vaultd.app import open_app
from vaultd.daemon.loop import Daemon

PATIENCE = 45.0
"""Seconds after which something that should have happened has not; only a test that fails waits for them.

Less than the minute after which a daemon walks the vault, and would find what it did not hear of.
"""

STARTING = 240.0
"""Seconds that a daemon has to be ready, which nothing else hangs on."""


@dataclass
class Running:
    """A daemon, and every line it said."""

    vault: Vault
    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    def hear(self) -> None:
        """Collect what it says until it ends."""
        assert self.process.stdout is not None
        self.lines.extend(line.rstrip("\n") for line in self.process.stdout)

    def said(self, text: str) -> bool:
        """Tell whether a line begins with a text."""
        return any(line.startswith(text) for line in self.lines)

    def status(self) -> dict:
        """Return what the daemon answers, not what another process finds out that was not answered at once."""
        documents: list[dict] = []

        def answered() -> bool:
            documents.append(self.vault.does("status", "--json").json)
            assert documents[-1]["pid"] == self.process.pid, documents[-1]
            return documents[-1]["state"] != "silent"

        until(answered)
        return documents[-1]

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()


def until(true: Callable[[], object], patience: float = PATIENCE) -> float:
    """Return how many seconds it took until something was true."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < patience, "it never came true"
        time.sleep(0.02)
    return time.monotonic() - began


def sweep(folder: Path) -> None:
    """Delete a folder that a daemon may be writing into, as a person would: once more where `rm -rf` found a new file."""

    def gone() -> bool:
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)
        return not folder.exists()

    until(gone)


def spawn(vault: Vault, *words: str, **env: str) -> subprocess.Popen[str]:
    """Start a vaultd command line as a process."""
    return subprocess.Popen(
        [sys.executable, "-m", "vaultd", *words],
        cwd=vault.root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finished(vault: Vault, *words: str, **env: str) -> Ran:
    """Run a vaultd command line in a process of its own, to its end."""
    process = spawn(vault, *words, **env)
    out, _ = process.communicate(timeout=2 * PATIENCE)
    return Ran(process.returncode, out, "")


@contextlib.contextmanager
def daemon(vault: Vault) -> Iterator[Running]:
    """Give a daemon that is ready, and end it."""
    running = Running(vault, spawn(vault, "up"))
    listening = threading.Thread(target=running.hear, daemon=True)
    listening.start()
    try:
        until(lambda: running.said("ready:") or running.process.poll() is not None, STARTING)
        assert running.process.poll() is None, running.lines
        yield running
    finally:
        running.process.kill()
        running.process.wait()
        listening.join(STARTING)
        assert running.process.stdout is not None
        running.process.stdout.close()


@contextlib.contextmanager
def daemon_on(vault: Vault) -> Iterator[Daemon]:
    """Give a daemon that is ready, in this process, and end it."""
    ready = threading.Event()
    app = open_app(vault.root)
    daemon = Daemon(app, lambda line: ready.set() if line.startswith("ready") else None)
    thread = threading.Thread(target=daemon.run, name=os.fspath(vault.root))  # by which its log is told from another's
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield daemon
    finally:
        daemon.stop()
        thread.join(PATIENCE)
        app.close()
