"""A daemon in which every hostile plugin runs at once, asked in turns with one that has none."""

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.daemons import daemon, until
from tests.unit.host.strangers import HOSTILE, write_plugin
from tests.vaults import Vault
from vaultd.daemon.wire import ask
from vaultd.vault.addresses import socket_above

ALL = ["vault:read", "vault:write:**", "lifecycle", "git"]
STRANGERS = {**HOSTILE, "spins-loading": "class P(Plugin):\n async def onload(self):\n  while True: pass"}
QUARANTINED = {
    "crash-import",
    "crash-onload",
    "leaves",
    "segfault",
    "closes-pipes",
    "half-line",
    "false-number",
    "forks",
}
"""Those that fail at once, each time."""
_PATIENCE = 240.0
"""Seconds; they are twenty on a processor or two that some of them never let go of."""


@dataclass(slots=True)
class Siege:
    """How long the two daemons took to answer, in seconds, and how the plugins stood in the end."""

    took: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)
    states: dict[str, str] = field(default_factory=dict)
    saves: int = 0
    """How often the plugins had something to be told of."""

    @property
    def quarantined(self) -> set[str]:
        """The plugins that are left alone."""
        return {id_ for id_, state in self.states.items() if state == "quarantined"}


def trusted(vault: Vault, *ids: str, **codes: str) -> Vault:
    """Put plugins into a vault, and have it want and this machine trust them."""
    for id_, code in codes.items():
        write_plugin(vault.root / ".vaultd/plugins" / id_, code, permissions=ALL)
    for id_ in (*ids, *codes):
        vault.does("plugin", "enable", id_)
        vault.does("plugin", "approve", id_, "--yes")
    vault.does("plugin", "restrict", "off")
    vault.commit()
    return vault


@contextlib.contextmanager
def besieged(vault: Vault, calm: Vault) -> Iterator[Siege]:
    """Save notes, and ask both daemons, until the first has left alone what fails at once; give that, while they run.

    Both vaults are to hold the word frost.
    """
    siege = Siege()
    with daemon(calm), daemon(vault) as running:
        until(lambda: len(plugin_processes(running.process.pid)) > 2)
        began = time.monotonic()
        while time.monotonic() - began < _PATIENCE and not siege.quarantined >= QUARANTINED:
            siege.saves += 1
            vault.write("b.md", f"edit {siege.saves}\n")
            for _ in range(5):
                for verb in ("status", "search"):
                    siege.took.append(_asked(vault, verb))
                    siege.beside.append(_asked(calm, verb))
                time.sleep(0.02)
            siege.states = {row["id"]: row["state"] for row in running.status()["plugins"]}
        yield siege


def plugin_processes(parent: int) -> list[int]:
    """Return the processes that a daemon runs for plugins."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            command = (stat.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z" and b"vaultd.host.worker" in command:
            found.append(int(stat.parent.name))
    return found


def _asked(vault: Vault, verb: str) -> float:
    """Return how many seconds a daemon took to answer."""
    place = socket_above(os.fspath(vault.root))
    assert place is not None
    at = time.monotonic()
    answer = ask(place, verb, {"query": "frost"} if verb == "search" else {})
    spent = time.monotonic() - at
    assert answer is not None
    assert "error" not in answer
    return spent
