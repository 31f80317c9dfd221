"""What callers ask the daemon's one thread to do at once, and wait for."""

import threading
from collections.abc import Callable
from pathlib import PurePosixPath

from vaultd.values import dataclass, field
from vaultd.vault.scanning import is_note_name

PATIENCE = 5.0
"""Seconds that a caller waits."""


@dataclass(frozen=True, slots=True)
class Errand:
    """Notes to look at now; without paths, everything."""

    paths: frozenset[str]
    done: threading.Event = field(default_factory=threading.Event)


class Errands:
    """A queue that any thread fills and one, which is woken, empties."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._waiting: list[Errand] = []

    def run(self, paths: list[str]) -> bool:
        """Have an errand run, whatever comes of it, and say whether it was, within the patience."""
        errand = Errand(frozenset(path for path in paths if _is_note(path)))
        with self._lock:
            self._waiting.append(errand)
        self._wake()
        return errand.done.wait(PATIENCE)

    def take(self) -> list[Errand]:
        """Return what waits and begin anew."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        return waiting


def _is_note(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return (
        bool(parts) and parts[0] != "/" and not any(part.startswith(".") for part in parts) and is_note_name(parts[-1])
    )
