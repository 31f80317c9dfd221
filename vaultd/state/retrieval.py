"""How often an item was shown to somebody and how often it was read, counted soon after it happens."""

from collections.abc import Sequence

from vaultd.state.means import Means
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Retrieved:
    """An item's figures."""

    item: str
    injected: int
    read: int
    last_injected_at: str | None
    last_read_at: str | None


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The figures of all items."""

    means: Means

    def shown(self, items: Sequence[str]) -> None:
        """Count that items were put before somebody who asked for something else."""
        self._count(items, "injected", "last_injected_at")

    def read(self, items: Sequence[str]) -> None:
        """Count that items were read by whoever asked for them."""
        self._count(items, "read", "last_read_at")

    def _count(self, items: Sequence[str], number: str, last: str) -> None:
        if not items:
            return
        put = (
            f"INSERT INTO retrieval (item, {number}, {last}) VALUES (?, 1, ?) ON CONFLICT DO UPDATE SET"
            f" {number} = {number} + 1, {last} = excluded.{last}"
        )
        rows = [(item, self.means.now()) for item in items]
        self.means.database.later(lambda sql: sql.executemany(put, rows))

    def top(self, limit: int = 10) -> list[Retrieved]:
        """Return the items that were read most."""
        query = (
            "SELECT item, injected, read, last_injected_at, last_read_at FROM retrieval"
            " WHERE read > 0 ORDER BY read DESC, last_read_at DESC, item LIMIT ?"
        )
        return [Retrieved(**dict(row)) for row in self.means.database.rows(query, limit)]
