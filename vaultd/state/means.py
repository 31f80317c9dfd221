"""What every part of the sidecar is given: the file, the clock and fresh ids."""

from collections.abc import Callable
from datetime import UTC, datetime

from vaultd.state.database import Database
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Means:
    """What parts of the sidecar stand on."""

    database: Database
    clock: Callable[[], datetime]
    new_id: Callable[[], str]

    def now(self) -> str:
        """Return this moment as it is stored."""
        return stored(self.clock())


def stored(moment: datetime) -> str:
    """Return a moment in the one spelling that sorts as text: RFC 3339, UTC, always microseconds."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment_of(text: str) -> datetime:
    """Return a stored moment."""
    return datetime.fromisoformat(text)
