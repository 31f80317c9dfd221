"""How far long work is, as lines of a log: few, however often somebody says how far it is."""

from collections.abc import Callable

_LONG = 2_000
_STEP = 5_000


class Milestones:
    """Says of work on many notes when another 5,000 are done, and when all are."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said = 0

    def __call__(self, done: int, everything: int) -> None:
        """Hear that so many of all are done."""
        if done < self._said:
            self._said = 0
        if everything > _LONG and (done >= self._said + _STEP or done == everything > self._said):
            self._said = done
            self._say(f"indexing: {done:,} of {everything:,}")
        if done == everything:
            self._said = 0
