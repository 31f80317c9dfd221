"""An index that somebody deletes or breaks under the daemon is made again, before the next answer and without being asked.

Everything here is done by whoever holds the daemon's guard.
"""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager

from vaultd.app import App, Overview
from vaultd.errors import BrokenIndexError, VaultdError

log = logging.getLogger("vaultd")


class IndexKeeping:
    """Makes the index of one vault again when it has to be, and tells what it saw then."""

    def __init__(
        self,
        app: App,
        progress: Callable[[int, int], None],
        renewed: Callable[[Overview], None],
        alone: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """Make it.

        Args:
            app: the vault.
            progress: hears how much of the index is made.
            renewed: hears what was seen.
            alone: keeps everybody away from an index that is half made.
        """
        self._app = app
        self._progress = progress
        self._renewed = renewed
        self._alone = alone

    def renew_lost(self) -> None:
        """Make the index again if it was taken away."""
        if self._app.index_is_gone():
            log.warning("event=index-gone")
            with self._alone():
                self._renewed(self._app.renew(self._progress))

    def rebuild(self) -> Overview:
        """Throw the index away and make it again."""
        with self._alone():
            seen = self._app.rebuild(self._progress)
            self._renewed(seen)
            return seen

    def mend(self, exc: VaultdError | None) -> bool:
        """Make the index again if it is gone or that is what an error asks for, and say whether it is."""
        if self._app.index_is_gone():
            self.renew_lost()
        elif isinstance(exc, BrokenIndexError):
            log.warning("event=index-broken")
            self.rebuild()
        else:
            return False
        return True

    def left_of(self, exc: VaultdError) -> VaultdError | None:
        """Make the index again if that is what an error asks for; return what is wrong after that, None for nothing."""
        try:
            return None if self.mend(exc) else exc
        except VaultdError as worse:
            return worse
