"""A sidecar whose clock stands still until a test moves it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from vaultd.state.sidecar import Sidecar, open_sidecar


@dataclass
class Clock:
    """A clock that a test moves."""

    now: datetime = field(default_factory=lambda: datetime(2026, 11, 30, 12, tzinfo=UTC))

    def __call__(self) -> datetime:
        """Return the moment at which it stands."""
        return self.now

    def pass_by(self, **how: float) -> None:
        """Let time go by."""
        self.now += timedelta(**how)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sidecar(tmp_path: Path, clock: Clock) -> Iterator[Sidecar]:
    opened = open_sidecar(tmp_path / "state", clock)
    yield opened
    opened.close()
