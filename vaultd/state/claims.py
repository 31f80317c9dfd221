"""Claims of tasks: who works on what until when, taken and given back by one compare-and-swap."""

import sqlite3

from vaultd.state.activity import Happening, note
from vaultd.state.means import Means

HELD = "status = 'in_progress' AND claimed_by <> '' AND COALESCE(lease_expires_at, '') > :now"
"""The one definition of a task that somebody holds; a lease that ends just now is over."""


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
