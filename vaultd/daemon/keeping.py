"""An index that somebody deletes or breaks under the daemon is made again, before the next answer and without being asked.

Everything here is done by whoever holds the daemon's guard.
"""

import logging
from collections.abc import Callable

from vaultd.app import App, Overview
from vaultd.checks import Document
from vaultd.errors import BrokenIndexError, StorageError, VaultdError

log = logging.getLogger("vaultd")


class IndexKeeping:
    """Makes the index of one vault again when it has to be, and tells what it saw then."""

    def __init__(self, app: App, progress: Callable[[int, int], None], renewed: Callable[[Overview], None]) -> None:
        self._app = app
        self._progress = progress
        self._renewed = renewed

    def renew_lost(self) -> None:
        """Make the index again if it was taken away."""
        if self._app.index_is_gone():
            log.warning("event=index-gone")
            self._renewed(self._app.renew(self._progress))

    def mend(self, exc: VaultdError) -> bool:
        """Make the index again if that is what an error asks for, and say whether it is."""
        if self._app.index_is_gone():
            self.renew_lost()
        elif isinstance(exc, BrokenIndexError):
            log.warning("event=index-broken")
            self._renewed(self._app.rebuild(self._progress))
        else:
            return False
        return True

    def left_of(self, exc: VaultdError) -> VaultdError | None:
        """Make the index again if that is what an error asks for; return what is wrong after that, None for nothing."""
        try:
            return None if self.mend(exc) else exc
        except VaultdError as worse:
            return worse

    def asked(self, answer: Callable[[], Document]) -> Document:
        """Answer a question from an index that is there; it may also vanish while it is read."""
        self.renew_lost()
        try:
            return answer()
        except (BrokenIndexError, StorageError) as exc:
            if not self.mend(exc):
                raise
            return answer()
