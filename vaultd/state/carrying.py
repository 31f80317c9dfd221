"""The sidecar as JSON lines, a file a table: what another machine can start from."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

from vaultd.errors import NoteFormatError, StorageError
from vaultd.state.activity import TRANSPORT_KINDS
from vaultd.state.means import Means
from vaultd.values import dataclass

CARRIED: Mapping[str, str] = {
    "projects": "slug",
    "families": "name, project",
    "repositories": "path",
    "sessions": "id",
    "tasks": "id",
    "task_deps": "task, depends_on",
    "trials": "id",
    "proposals": "id",
    "artifact_uses": "id",
    "activity_days": "day, kind, project",
    "retrieval": "item",
    "settings": "key",
}
"""Table to its order. Not carried: `jobs` and `cursors` are made anew, `tokens` are secrets, `activity` goes by months."""


_KNOWN = "SELECT 1 FROM sessions WHERE id = ?"
_RECOUNT = f"""\
INSERT INTO activity_days SELECT substr(at, 1, 10), kind, project, COUNT(*) FROM activity
WHERE kind NOT IN ({", ".join("?" * len(TRANSPORT_KINDS))}) GROUP BY 1, 2, 3
ON CONFLICT DO UPDATE SET number = MAX(number, excluded.number)
"""
"""Counts of days on which something was done on both machines; what is pruned by age cannot be counted again."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came in, and what was here already and stayed."""

    added: int
    kept: int


@dataclass(frozen=True, slots=True)
class Carrying:
    """The way out and the way in."""

    means: Means

    def export(self) -> dict[str, bytes]:
        """Return everything as files, all of one moment; the same state gives the same bytes."""
        with self.means.database.read() as sql:
            files = {
                f"{table}.jsonl": _lines(sql.execute(f"SELECT * FROM {table} ORDER BY {order}"))
                for table, order in CARRIED.items()
            }
            marks = ", ".join("?" * len(TRANSPORT_KINDS))
            log = f"SELECT * FROM activity WHERE kind NOT IN ({marks}) ORDER BY at, id"
            months: dict[str, list[sqlite3.Row]] = {}
            for row in sql.execute(log, TRANSPORT_KINDS):
                months.setdefault(row["at"][:7], []).append(row)
        files |= {f"activity-{month}.jsonl": _lines(rows) for month, rows in months.items()}
        return {name: data for name, data in files.items() if data}

    def take_in(self, files: Mapping[str, bytes]) -> Imported:
        """Add what files hold and is not here; what is here stays as it is. All of it or nothing.

        Raises:
            NoteFormatError: a line is none that an export has.
            StorageError: a newer vaultd exported it, or rows belong to others that are not there.
        """
        rows = [row for name in sorted(files) for row in _parsed(name, files[name])]

        def change(sql: sqlite3.Connection) -> Imported:
            sql.execute("PRAGMA defer_foreign_keys = ON")
            added = sum(_put(sql, table, values, name, number) for table, values, name, number in rows)
            if sql.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise StorageError("the export is not whole: a task waits for one that is not in it", "export it again")
            sql.execute(_RECOUNT, TRANSPORT_KINDS)
            return Imported(added, len(rows) - added)

        return self.means.database.write(change)


def _lines(rows: Iterable[sqlite3.Row]) -> bytes:
    return b"".join(json.dumps(dict(row), ensure_ascii=False, sort_keys=True).encode() + b"\n" for row in rows)


def _parsed(name: str, data: bytes) -> Iterator[tuple[str, Mapping[str, object], str, int]]:
    table = "activity" if name.startswith("activity-") else name.removesuffix(".jsonl")
    if table != "activity" and table not in CARRIED:
        raise StorageError(f"{name} is no table that this vaultd knows", "a newer one may have exported it: update")
    for number, line in enumerate(data.splitlines(), 1):
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as exc:
            raise NoteFormatError("a line is no JSON", "export it again", path=name, line=number) from exc
        if not isinstance(values, dict) or not values:
            raise NoteFormatError("a line is no JSON object", "export it again", path=name, line=number)
        yield table, values, name, number


def _put(sql: sqlite3.Connection, table: str, values: Mapping[str, object], name: str, number: int) -> int:
    known = {row["name"] for row in sql.execute(f"PRAGMA table_info({table})")}
    if unknown := sorted(values.keys() - known):
        raise StorageError(f"{name}:{number}: this vaultd knows no {unknown[0]!r}", "a newer one exported it: update")
    try:
        if added := _added(sql, table, values):
            return added
        if table != "sessions" or sql.execute(_KNOWN, (values.get("id"),)).fetchone():
            return 0
        # another machine's session of a name that one has here: tasks name it all the same
        named = f"{values.get('name')} ({str(values.get('id'))[-6:]})"
        return _added(sql, table, {**values, "name": named})
    except (sqlite3.Error, OverflowError, UnicodeEncodeError) as exc:
        raise NoteFormatError(str(exc), "export it again", path=name, line=number) from exc


def _added(sql: sqlite3.Connection, table: str, values: Mapping[str, object]) -> int:
    """Insert a row and return 1, or 0 where one like it is here."""
    columns = list(values)
    put = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    return max(0, sql.execute(put, _cells(values, columns)).rowcount)


def _cells(values: Mapping[str, object], columns: Sequence[str]) -> list[object]:
    return [int(value) if isinstance(value, bool) else value for value in (values[one] for one in columns)]
