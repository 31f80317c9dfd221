"""The daemon as the one writer of the index: it stays that for a moment after a save, and lets go when nothing follows.

Every few saves tantivy merges the whole full text. Whoever lets its writer go waits for that, up to a second in a large
vault; a writer that stays open indexes the next save meanwhile.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from vaultd.app import App
from vaultd.errors import ConflictError

PATIENCE = 30.0
"""Seconds to wait for another process that writes the index."""
REST = 0.3
"""Seconds without a save after which others may write; they wait a second before they give up."""


class IndexWriting:
    """Holds the index of one vault against other writers, and the full text's writer a little longer."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._last = 0.0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the index; another process that holds it may be waiting for what we kept, and gets it.

        Raises:
            ConflictError: another process holds it for too long.
        """
        with ExitStack() as stack:
            try:
                stack.enter_context(self._app.writing_index(0.0))
            except ConflictError:
                self._app.rest()
                stack.enter_context(self._app.writing_index(PATIENCE))
            try:
                yield
            finally:
                self._last = time.monotonic()

    def wait(self, now: float) -> float:
        """Return in how many seconds `rest` has something to do; infinite where it has nothing."""
        return max(0.0, self._last + REST - now) if self._app.writes_index else float("inf")

    def rest(self, now: float) -> None:
        """Let other processes write if nothing was written for a moment."""
        if self.wait(now) <= 0:
            self._app.rest()
