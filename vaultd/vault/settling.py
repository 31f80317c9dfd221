"""When a change is ready to be believed: pure decisions over times that are passed in."""

from vaultd.values import dataclass, field

_EMPTY_TRIES = 3


@dataclass(frozen=True, slots=True)
class Settling:
    """Changes settle when nothing was heard for `quiet` seconds, and at the latest `cap` seconds after the first."""

    quiet: float = 0.3
    cap: float = 2.0

    def ready(self, first: float, last: float, now: float) -> bool:
        """Tell whether changes heard between `first` and `last` may be acted on now."""
        return self.wait(first, last, now) <= 0

    def wait(self, first: float, last: float, now: float) -> float:
        """Return how many seconds are left until then; 0 or less when it has come."""
        return min(last + self.quiet, first + self.cap) - now


@dataclass(slots=True)
class Doubts:
    """Notes that look gone or emptied, which may be half of a save, and for how long they have looked so."""

    grace: float = 1.5
    """Seconds after which a missing note is gone."""
    pause: float = 0.5
    """Seconds between two looks at an empty one."""
    _gone: dict[str, float] = field(default_factory=dict)
    _empty: dict[str, tuple[float, int]] = field(default_factory=dict)

    def gone(self, path: str, now: float) -> bool:
        """Tell whether a note that is missing now has been missing long enough to be believed gone."""
        return now - self._gone.setdefault(path, now) >= self.grace

    def emptied(self, path: str, now: float) -> bool:
        """Tell whether a note that had text and reads empty now has done so often enough to be believed empty."""
        since, looks = self._empty.get(path, (now - self.pause, 0))
        if now - since >= self.pause:
            since, looks = now, looks + 1
        self._empty[path] = (since, looks)
        return looks > _EMPTY_TRIES

    def cleared(self, path: str) -> None:
        """Forget what was doubted: the note is there and has text, or its loss was believed."""
        self._gone.pop(path, None)
        self._empty.pop(path, None)

    def doubted(self) -> frozenset[str]:
        """Return the paths to look at again."""
        return frozenset(self._gone) | frozenset(self._empty)

    def wait(self, now: float) -> float | None:
        """Return in how many seconds to look again, or None when nothing is doubted."""
        due = [since + self.grace for since in self._gone.values()]
        due += [since + self.pause for since, _ in self._empty.values()]
        return max(0.0, min(due) - now) if due else None


def too_many_gone(before: int, gone: int) -> bool:
    """Tell whether so many of the notes vanished at once that the disk is more likely gone than the notes."""
    return gone > max(20, before / 10)
