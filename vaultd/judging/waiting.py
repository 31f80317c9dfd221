"""How long accepted hand edits have been quiet: nothing is final until their values stand still for a while."""

from collections.abc import Iterable, Mapping

from vaultd.lifecycle.batches import Batch
from vaultd.lifecycle.ground import Ground
from vaultd.values import dataclass, field

SAVED_LATELY = 2.0
"""Seconds: an editor that saved this recently may be in the middle of a sentence."""
AT_MOST = 300.0
"""Seconds after which a file that is saved all the time is committed all the same."""


@dataclass(slots=True)
class Waiting:
    """Remembers since when each memory's accepted values have not changed."""

    quiet: float
    _since: dict[str, tuple[object, float]] = field(default_factory=dict)
    _head: str | None = None
    _begun: bool = False

    def observe(
        self, head: str | None, ground: Ground, ids: Iterable[str], saved: Mapping[str, float], now: float
    ) -> None:
        """Note what is accepted now and not yet committed.

        Args:
            head: where HEAD stands; when it moved, every count starts again.
            ground: what is accepted now.
            ids: the memories that wait for their commit.
            saved: for each of them when its files were saved last; a first observation counts from there.
            now: the clock.
        """
        if self._begun and head != self._head:
            self._since.clear()
        fresh: dict[str, tuple[object, float]] = {}
        for id_ in ids:
            standing = ground.standings.get(id_)
            values = (standing.state, standing.path, standing.gone) if standing is not None else None
            known = self._since.get(id_)
            if known is not None and known[0] == values:
                fresh[id_] = known
            else:
                fresh[id_] = (values, now if self._begun else min(now, saved.get(id_, now)))
        self._since = fresh
        self._head = head
        self._begun = True

    def left(self, batch: Batch, saved: Mapping[str, float], now: float) -> float:
        """Return how many seconds a commit still waits, 0 when it may be made."""
        ids = [event.id for event in batch.events]
        since = max((self._since[id_][1] for id_ in ids if id_ in self._since), default=now)
        values = max(0.0, since + self.quiet - now)
        latest = max((saved.get(id_, 0.0) for id_ in ids), default=0.0)
        typing = max(0.0, min(latest + SAVED_LATELY, since + AT_MOST) - now)
        return max(values, typing)
