"""Exports of the sidecar on their way into history: with the next commit of ours, and alone once a day at the most."""

import contextlib
from collections.abc import Mapping
from pathlib import Path

from vaultd.history.committing import obstacle
from vaultd.judging.opened import Opened

STATE = ".vaultd/state"
"""Where exports lie in the vault, a folder for each clone."""
_SIGN = "export-waits"
"""A file in the state folder that stands there from a changed export until its commit."""


def exported_folder(opened: Opened) -> str:
    """Return where this clone's exports lie, relative to the vault."""
    return f"{STATE}/{opened.places.clone_id}"


def waiting_sign(opened: Opened) -> Path:
    """Return the file whose time says since when an export waits for its commit."""
    return opened.places.state / _SIGN


def riding(opened: Opened, beside: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """Return the exported files that go along with a commit; none where git would refuse them."""
    if not waiting_sign(opened).exists():
        return {}
    folder = exported_folder(opened)
    files = {
        path: data
        for place in sorted((opened.root / folder).glob("*.jsonl"))
        if (path := f"{folder}/{place.name}") not in beside and (data := opened.read(path)) is not None
    }
    return files if files and obstacle(opened.recorded, files) is None else {}


def arrived(opened: Opened, riders: Mapping[str, bytes]) -> None:
    """Forget that an export waits: a commit took it along."""
    if riders:
        with contextlib.suppress(OSError):
            waiting_sign(opened).unlink(missing_ok=True)
