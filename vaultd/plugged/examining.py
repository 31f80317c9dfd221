"""Start plugins apart from any daemon, and say how they do."""

import time
from collections.abc import Mapping
from pathlib import Path

from vaultd.app import App
from vaultd.documents import Document
from vaultd.errors import PluginError
from vaultd.host.hosted import Hosted
from vaultd.plugged.plugins import plugins_of

_LISTED = ("events", "validators", "indexers", "verbs", "intervals")


def examine(app: App, only: str) -> list[Document]:
    """Return how each plugin does that the vault wants, or the one that is named.

    Raises:
        PluginError: the one that is named does not run.
    """
    with plugins_of(app) as plugins:
        rows = [row for row in plugins.rows() if only in ("", row["id"])]
        if only and not rows:
            plugins.named(only)
        hosted = {one.id: one for one in plugins.running()}
        nothing: Document = {"log": "", "ms": None, "kilobytes": None, "registered": {}}
        return [{**row, **(_started(hosted[str(row["id"])]) if row["id"] in hosted else nothing)} for row in rows]


def _started(hosted: Hosted) -> Document:
    began = time.monotonic()
    try:
        registered: Mapping[str, object] = hosted.registered
    except PluginError as exc:
        state = "incompatible" if hosted.unfit else "quarantined" if hosted.held else "failed"
        failed = {"state": state, "reason": exc.message}
        return {**failed, "log": str(hosted.log), "ms": None, "kilobytes": None, "registered": {}}
    spent = round((time.monotonic() - began) * 1000)
    told: Document = {"schema": registered.get("schema") or {}}
    told |= {name: _names(registered.get(name)) for name in _LISTED}
    return {"log": str(hosted.log), "ms": spent, "kilobytes": memory_of(hosted.pid), "registered": told}


def _names(value: object) -> list[object]:
    return list(value) if isinstance(value, list | dict) else []


def memory_of(pid: int | None) -> int:
    """Return the kilobytes of memory that a process holds, 0 where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text("ascii", "replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), 0)
