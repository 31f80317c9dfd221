"""Claims of tasks: who works on what until when, taken and given back by one compare-and-swap."""

import sqlite3
from datetime import datetime, timedelta

from vaultd.state.activity import Happening, note
from vaultd.state.means import Means, stored

LEASE_LONGEST = 86_400
_AHEAD = timedelta(seconds=LEASE_LONGEST + 3_600)
HELD = (
    "status = 'in_progress' AND claimed_by <> '' AND COALESCE(lease_expires_at, '') > :now"
    " AND lease_expires_at < strftime('%Y-%m-%dT%H:%M:%f', :now, '+25 hours')"
)
"""The one definition of a task that somebody holds; a lease that ends just now is over.

So is one that ends later than any that is given: the clock was ahead then, and would keep the task for as long.
"""


def is_held(status: str, claimed_by: str, lease_expires_at: str | None, now: datetime) -> bool:
    """Return whether somebody holds a task: what `HELD` says, of one that was read."""
    if status != "in_progress" or not claimed_by or lease_expires_at is None:
        return False
    return stored(now) < lease_expires_at < stored(now + _AHEAD)


def release_all(sql: sqlite3.Connection, means: Means, session: str) -> list[str]:
    """Give back everything that a session claimed and return the tasks' ids."""
    query = "SELECT id, project FROM tasks WHERE claimed_by = ? AND status = 'in_progress' ORDER BY id"
    found = sql.execute(query, (session,)).fetchall()
    for row in found:
        give_back(sql, means, row["id"])
        payload = {"to": "open", "reason": "session ended"}
        note(sql, means, Happening("task.transition", session, row["project"], row["id"], payload))
    return [row["id"] for row in found]


def give_back(sql: sqlite3.Connection, means: Means, task: str) -> None:
    """Open a task again and forget its claim."""
    sql.execute(
        "UPDATE tasks SET status = 'open', claimed_by = '', lease_expires_at = NULL, updated_at = ? WHERE id = ?",
        (means.now(), task),
    )
