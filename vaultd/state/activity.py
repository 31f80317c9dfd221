"""The activity log: what was done, append-only, with bounded payloads, counted by day as it is written."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import timedelta

from vaultd.state.means import Means, stored
from vaultd.values import dataclass, field

PAYLOAD_LONGEST = 2_000
"""Bytes of the longest payload that is kept whole."""
TRANSPORT_KINDS = ("tool.call", "hook.prompt", "recall.miss", "hook.error")
"""Kinds that say how something was asked, not what was done: they are pruned."""
TRANSPORT_DAYS = 30
_VALUE_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that was done."""

    kind: str
    session: str = ""
    project: str = ""
    item: str = ""
    payload: Mapping[str, object] = field(default_factory=dict)
    at: str = ""
    """When, as it is stored; empty for this very moment."""
    id: str = ""
    """What tells it from all else, where it may be told more than once; empty for a fresh one."""


def note(sql: sqlite3.Connection, means: Means, happened: Happening) -> int:
    """Append to the log and to its day's count, in the transaction of what happened; 0 where it is there already."""
    at = happened.at or means.now()
    row = (happened.id or means.new_id(), at, happened.kind, happened.session, happened.project, happened.item)
    put = "INSERT OR IGNORE INTO activity VALUES (?, ?, ?, ?, ?, ?, ?)"
    new = sql.execute(put, (*row, bounded(happened.payload))).rowcount
    if new:
        sql.execute(
            "INSERT INTO activity_days VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET number = number + 1",
            (at[:10], happened.kind, happened.project),
        )
    return new


def bounded(payload: Mapping[str, object]) -> str:
    """Return a payload as JSON; one that is too long keeps its keys and the beginning of its values."""
    text = json.dumps(payload, ensure_ascii=False, sort_keys=True)
    if len(text.encode()) <= PAYLOAD_LONGEST:
        return text
    kept: dict[str, object] = {"cut": True}
    for key, value in payload.items():
        short = value if isinstance(value, int | float | None) else str(value)[:_VALUE_LONGEST]
        if len(json.dumps({**kept, key: short}, ensure_ascii=False).encode()) > PAYLOAD_LONGEST:
            break
        kept[key] = short
    return json.dumps(kept, ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Activity:
    """The log as callers see it."""

    means: Means

    def record(self, happened: Happening) -> None:
        """Append one thing."""
        self.means.database.write(lambda sql: note(sql, self.means, happened))

    def record_once(self, happened: Happening) -> bool:
        """Append something that can happen to an item only once; say whether it was the first time."""

        def latch(sql: sqlite3.Connection) -> bool:
            seen = "SELECT 1 FROM activity WHERE kind = ? AND item = ? LIMIT 1"
            if sql.execute(seen, (happened.kind, happened.item)).fetchone():
                return False
            note(sql, self.means, happened)
            return True

        return self.means.database.write(latch)

    def followed(self, source: str) -> str:
        """Return how far something that is told elsewhere has been taken in, empty where nothing has."""
        found = self.means.database.rows("SELECT value FROM cursors WHERE name = ?", source)
        return str(found[0]["value"]) if found else ""

    def follow(self, source: str, mark: str, happened: Sequence[Happening]) -> int:
        """Take in what is told elsewhere up to a mark, each thing once; return how much was new."""

        def take_in(sql: sqlite3.Connection) -> int:
            put = (
                "INSERT INTO cursors VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET"
                " value = excluded.value, updated_at = excluded.updated_at"
            )
            sql.execute(put, (source, mark, self.means.now()))
            return sum(note(sql, self.means, one) for one in happened)

        return self.means.database.write(take_in)

    def latest(self, limit: int = 50, kind: str = "") -> list[dict[str, object]]:
        """Return the newest entries, newest first."""
        found = self.means.database.rows(
            "SELECT * FROM activity WHERE ? IN ('', kind) ORDER BY at DESC, id DESC LIMIT ?", kind, limit
        )
        return [{**row, "payload": json.loads(row["payload"])} for row in map(dict, found)]

    def counts(self, days: int = 30) -> dict[str, int]:
        """Return how often each kind of thing happened within some days, from the counts kept by day."""
        since = stored(self.means.clock() - timedelta(days=days))[:10]
        query = "SELECT kind, SUM(number) AS number FROM activity_days WHERE day > ? GROUP BY kind ORDER BY 2 DESC, 1"
        return {row["kind"]: row["number"] for row in self.means.database.rows(query, since)}

    def prune(self, kinds: Sequence[str] = TRANSPORT_KINDS, days: int = TRANSPORT_DAYS, at_most: int = 5_000) -> int:
        """Forget old entries that only say how something was asked, a bounded number at a time; counts stay."""
        before = stored(self.means.clock() - timedelta(days=days))
        marks = ", ".join("?" * len(kinds))
        some = f"SELECT id FROM activity WHERE at < ? AND kind IN ({marks}) LIMIT ?"
        return self.means.database.write(
            lambda sql: sql.execute(f"DELETE FROM activity WHERE id IN ({some})", (before, *kinds, at_most)).rowcount
        )
