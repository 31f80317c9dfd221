"""Answers questions from the index as it stands, with a view of its own: nobody waits for what the loop is working on."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from vaultd.app import App
from vaultd.documents import Document
from vaultd.errors import BrokenIndexError, ConflictError, StorageError, VaultdError
from vaultd.judging.opened import Opened

_TICK = 0.5


class Answering:
    """Opens a vault that a loop keeps a second time, as another process would, and answers one question after the other."""

    def __init__(self, kept: App, mend: Callable[[VaultdError | None], bool]) -> None:
        """Make it.

        Args:
            kept: the vault as the loop has it open.
            mend: makes the index again where it is gone, or where an error asks for that, and says whether it did;
                called by whoever asks, who holds nothing meanwhile.
        """
        self._kept = kept
        self._mend = mend
        self._turn = threading.Lock()
        self._own: App | None = None
        self._begun = threading.Event()
        self._ended = threading.Event()

    def begin(self) -> None:
        """Let questions be answered: everything has been looked at once."""
        self._begun.set()

    def end(self) -> None:
        """Let whoever still waits for the beginning go, and let go of the index."""
        self._ended.set()
        with self.paused():
            pass

    def ask(self, answer: Callable[[App], Document]) -> Document:
        """Return an answer; where the index vanishes or breaks it is made again first.

        Raises:
            ConflictError: the daemon ends before it has looked at everything once.
            VaultdError: what the answer raises.
        """
        self._await_begin()
        if self._kept.index_is_gone():
            self._mend(None)
        try:
            found = self._answered(answer)
        except (BrokenIndexError, StorageError) as exc:
            if not self._mend(exc) and not self._lost():
                raise
        else:
            if not self._kept.index_is_gone():
                return found
            self._mend(None)  # it went while we read, and what was opened in its place is empty
        return self._answered(answer)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Have questions wait, and none read an index that is thrown away meanwhile."""
        with self._turn:
            own, self._own = self._own, None
            if own is not None:
                with suppress(VaultdError):  # what is gone cannot be closed, and is no loss
                    own.close()
            yield

    def _await_begin(self) -> None:
        while not self._begun.wait(_TICK):
            if self._ended.is_set():
                raise ConflictError("the daemon is on its way out", "run it again")

    def _answered(self, answer: Callable[[App], Document]) -> Document:
        with self._turn:
            if self._own is None:
                kept = self._kept.opened
                self._own = App(Opened(kept.root, kept.settings, kept.repo, kept.places), self._kept.clock)
            self._own.forget_lost()
            return answer(self._own)

    def _lost(self) -> bool:
        """Tell whether the index was exchanged under the last question."""
        with self._turn:
            return self._own is not None and self._own.index_is_gone()
