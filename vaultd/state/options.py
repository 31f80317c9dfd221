"""Settings that are changed while vaultd runs, each a JSON value under a key."""

import json
import sqlite3
from collections.abc import Callable

from vaultd.state.means import Means
from vaultd.values import dataclass

_PUT = "INSERT INTO settings VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at"


@dataclass(frozen=True, slots=True)
class Options:
    """What is set, and what changes it."""

    means: Means

    def get(self, key: str) -> object:
        """Return a value, None where none is set."""
        found = self.means.database.rows("SELECT value FROM settings WHERE key = ?", key)
        return json.loads(found[0]["value"]) if found else None

    def put(self, key: str, value: object) -> None:
        """Set a value."""
        self.change(key, lambda _before: value)

    def change(self, key: str, how: Callable[[object], object]) -> object:
        """Set a value made of the one before, with nobody's change in between, and return it."""

        def put(sql: sqlite3.Connection) -> object:
            row = sql.execute("SELECT value FROM settings WHERE key = ?", (key,)).fetchone()
            value = how(json.loads(row["value"]) if row is not None else None)
            text = json.dumps(value, ensure_ascii=False, sort_keys=True)
            sql.execute(_PUT, (key, text, self.means.now()))
            return value

        return self.means.database.write(put)
