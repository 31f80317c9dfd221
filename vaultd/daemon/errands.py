"""What callers ask the daemon's one thread to do at once, and wait for."""

import threading
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
    """A queue that any thread fills and one empties."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[Errand] = []

    def add(self, paths: list[str]) -> Errand:
        """Queue an errand; whoever waits for `done` is told when it was run, whatever came of it."""
        errand = Errand(frozenset(path for path in paths if _is_note(path)))
        with self._lock:
            self._waiting.append(errand)
        return errand

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
