"""How far long work is, shown on a terminal while it lasts and gone when it is done."""

import time
from collections.abc import Callable
from typing import TextIO

_LATE = 0.5
"""Seconds of work before anything is shown: most is over by then."""
_OFTEN = 0.1
_WIDTH = 30
_CLEAR = "\r\x1b[K"


class Bar:
    """A line that is written over; what is printed beside it needs `clear` first."""

    def __init__(self, out: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._clock = clock
        self._done = 0
        self._began = self._drawn = 0.0
        self._stands = False

    def __call__(self, done: int, everything: int) -> None:
        """Show that so many of all are done."""
        now = self._clock()
        if done <= self._done or not self._began:
            self._began = now
        self._done = done
        if done >= everything:
            self._began = 0.0
            self.clear()
        elif now - self._began >= _LATE and now - self._drawn >= _OFTEN:
            self._drawn, self._stands = now, True
            filled = _WIDTH * done // everything
            self._out.write(
                f"{_CLEAR}indexing {'#' * filled}{'.' * (_WIDTH - filled)} {done:,} of {everything:,} notes"
            )
            self._out.flush()

    def clear(self) -> None:
        """Take the line away where it stands."""
        if self._stands:
            self._stands = False
            self._out.write(_CLEAR)
            self._out.flush()
