"""What is to be done later: each job once, again after a while where it failed."""

import json
import sqlite3
from collections.abc import Mapping
from datetime import timedelta

from vaultd.state.means import Means, stored
from vaultd.values import dataclass

_FIRST_PAUSE = 30.0
_LONGEST_PAUSE = 3_600.0
_TRIES = 8
_ABANDONED = 600.0
"""Seconds after which a job that runs is taken for one whose process was killed."""


@dataclass(frozen=True, slots=True)
class Job:
    """One thing to do; two of a kind with one key are the same."""

    kind: str
    key: str
    payload: Mapping[str, object]
    attempts: int


@dataclass(frozen=True, slots=True)
class Jobs:
    """What waits to be done."""

    means: Means

    def add(self, kind: str, key: str, payload: Mapping[str, object] | None = None, *, after: float = 0.0) -> None:
        """Have something done in some seconds; asked for again before that, it is done once."""
        now = self.means.clock()
        text = json.dumps(payload or {}, ensure_ascii=False, sort_keys=True)
        put = (
            "INSERT INTO jobs VALUES (?, ?, ?, 'waiting', 0, ?, '', ?, ?) ON CONFLICT DO UPDATE SET"
            " payload = excluded.payload, status = 'waiting', attempts = 0, run_after = excluded.run_after,"
            " updated_at = excluded.updated_at WHERE status <> 'waiting'"
        )
        values = (kind, key, text, stored(now + timedelta(seconds=after)), stored(now), stored(now))
        self.means.database.change(put, *values)

    def take(self, kind: str) -> Job | None:
        """Return a job that is due and mark it as running, None where none is; of many at once one gets it."""
        now = self.means.clock()
        lost = stored(now - timedelta(seconds=_ABANDONED))

        def change(sql: sqlite3.Connection) -> Job | None:
            row = sql.execute(
                "SELECT * FROM jobs WHERE kind = ? AND ((status = 'waiting' AND run_after <= ?)"
                " OR (status = 'running' AND updated_at < ?)) ORDER BY run_after, key LIMIT 1",
                (kind, stored(now), lost),
            ).fetchone()
            if row is None:
                return None
            sql.execute(
                "UPDATE jobs SET status = 'running', attempts = attempts + 1, updated_at = ? WHERE kind = ? AND key = ?",
                (stored(now), kind, row["key"]),
            )
            return Job(kind, row["key"], json.loads(row["payload"]), row["attempts"] + 1)

        return self.means.database.write(change)

    def done(self, job: Job) -> None:
        """Forget a job that was done."""
        self.means.database.change("DELETE FROM jobs WHERE kind = ? AND key = ?", job.kind, job.key)

    def failed(self, job: Job, why: str) -> None:
        """Have a job done again later, each time later than the last; given up after some tries, and kept to be seen."""
        pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (job.attempts - 1))
        after = stored(self.means.clock() + timedelta(seconds=pause))
        status = "waiting" if job.attempts < _TRIES else "failed"
        change = "UPDATE jobs SET status = ?, run_after = ?, last_error = ?, updated_at = ? WHERE kind = ? AND key = ?"
        values = (status, after, why[:500], self.means.now(), job.kind, job.key)
        self.means.database.change(change, *values)

    def counts(self) -> dict[str, int]:
        """Return how many jobs wait, run and failed."""
        rows = self.means.database.rows("SELECT status, COUNT(*) AS number FROM jobs GROUP BY status ORDER BY status")
        return {row["status"]: row["number"] for row in rows}
