"""The sidecar of one vault with all its parts: the one thing that callers hold."""

import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from vaultd.lifecycle.ids import new_id
from vaultd.state.activity import Activity
from vaultd.state.carrying import Carrying
from vaultd.state.database import Database, open_database
from vaultd.state.jobs import Jobs
from vaultd.state.means import Means
from vaultd.state.options import Options
from vaultd.state.plans import Plans
from vaultd.state.projects import Projects
from vaultd.state.retrieval import Retrieval
from vaultd.state.sessions import Sessions
from vaultd.state.tables import FILE
from vaultd.state.tasks import Tasks
from vaultd.state.tokens import Tokens
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Sidecar:
    """Everything of record that is not a file of the vault."""

    database: Database
    sessions: Sessions
    tasks: Tasks
    plans: Plans
    projects: Projects
    options: Options
    activity: Activity
    retrieval: Retrieval
    jobs: Jobs
    tokens: Tokens
    carrying: Carrying

    def close(self) -> None:
        """Finish what waits and let go of the file."""
        self.database.close()


def open_sidecar(folder: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Sidecar:
    """Open the sidecar in a vault's state folder.

    Raises:
        StorageError: a newer vaultd wrote it, it is damaged, or the disk refuses.
    """
    means = Means(open_database(folder / FILE), clock, _Ids(clock).fresh)
    return Sidecar(
        means.database,
        Sessions(means),
        Tasks(means),
        Plans(means),
        Projects(means),
        Options(means),
        Activity(means),
        Retrieval(means),
        Jobs(means),
        Tokens(means),
        Carrying(means),
    )


class _Ids:
    """Ids that sort in the order in which they were made, also within a millisecond."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last = (0, 0)

    def fresh(self) -> str:
        """Return an id that no other is."""
        with self._lock:
            moment, number = int(self._clock().timestamp() * 1000), int.from_bytes(os.urandom(9), "big")
            if moment == self._last[0]:
                number = self._last[1] + 1
            self._last = (moment, number)
        return new_id(moment, number.to_bytes(10, "big"))
