"""How often a plugin fails before it is left alone."""

import threading
import time
from pathlib import Path

from vaultd.host.kept import read_object, write_object
from vaultd.values import dataclass

FILE = "quarantine.json"
WINDOW = 600.0
MOST = 3
_WRITING = threading.Lock()
"""Held while the record is read and written: several plugins may fail at once."""
BACK_OFF = (0.0, 1.0, 2.0, 4.0)
"""Seconds before a start, by the number of crashes in the window."""


@dataclass(frozen=True, slots=True)
class Crash:
    """One failure: when, in seconds since 1970, and of what."""

    at: float
    why: str


def recent(crashes: tuple[Crash, ...], now: float) -> tuple[Crash, ...]:
    """Return the failures that still count."""
    return tuple(crash for crash in crashes if now - crash.at < WINDOW)


def pause_before_start(crashes: tuple[Crash, ...], now: float) -> float:
    """Return the seconds to wait before a plugin that failed is started again."""
    counted = recent(crashes, now)
    if not counted:
        return 0.0
    wait = BACK_OFF[min(len(counted), len(BACK_OFF) - 1)]
    return max(0.0, counted[-1].at + wait - now)


class Quarantine:
    """Remembers failures across processes, so that the command line and the daemon count alike."""

    def __init__(self, state: Path) -> None:
        self._file = state / FILE

    def crashed(self, id_: str, why: str) -> bool:
        """Note a failure and say whether the plugin is to be left alone from now on."""
        with _WRITING:
            now = time.time()
            crashes = (*recent(self.crashes(id_), now), Crash(now, why))
            said = read_object(self._file)
            held = len(crashes) >= MOST
            said[id_] = {"held": held, "crashes": [[crash.at, crash.why] for crash in crashes]}
            write_object(self._file, said, 0o600)
        return held

    def crashes(self, id_: str) -> tuple[Crash, ...]:
        """Return the failures of a plugin that are on record."""
        entry = read_object(self._file).get(id_)
        rows: object = entry.get("crashes") if isinstance(entry, dict) else None
        if not isinstance(rows, list):
            return ()
        pairs = [row for row in rows if isinstance(row, list) and len(row) == 2 and isinstance(row[0], int | float)]
        return tuple(Crash(float(at), str(why)) for at, why in pairs)

    def why_held(self, id_: str) -> str:
        """Return why a plugin is left alone, empty where it is not."""
        entry = read_object(self._file).get(id_)
        if not isinstance(entry, dict) or entry.get("held") is not True:
            return ""
        crashes = self.crashes(id_)
        return f"failed {len(crashes)} times in ten minutes, last: {crashes[-1].why}" if crashes else "failed too often"

    def clear(self, id_: str) -> None:
        """Forget the failures of a plugin."""
        with _WRITING:
            said = read_object(self._file)
            if said.pop(id_, None) is not None:
                write_object(self._file, said, 0o600)
