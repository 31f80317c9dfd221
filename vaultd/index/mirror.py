"""What was indexed, and what others derived from files and git, in one disposable SQLite file."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from vaultd.errors import BrokenIndexError, ConflictError, StorageError
from vaultd.index.rows import row_of, stored, unstored
from vaultd.index.tables import DISK_HINT, FILE, OF_NOTES, SCHEMA, open_tables, primary_code
from vaultd.values import dataclass

if TYPE_CHECKING:
    from vaultd.index.derived import Cell, Derived, Row

FULLTEXT = "fulltext"
"""The small value that names the full text whose documents `files` lists."""
_SNAPSHOTS_KEPT = 4
_AT_ONCE = 500
_ROOM = 98_304
"""Kilobytes."""
Indexed = tuple[int, int, int, int, str]
"""mtime_ns, size, the lower 63 bits of ino, ctime_ns, key"""
INO_BITS = (1 << 63) - 1
"""Some file systems use all 64 bits of an inode number; SQLite keeps 63."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A note as it was indexed; `key` is the blob id of its bytes."""

    path: str
    mtime_ns: int
    size: int
    ino: int
    ctime_ns: int
    key: str
    title: str


@dataclass(frozen=True, slots=True)
class State:
    """What search needs to know of a note's lifecycle; a note without one has the defaults."""

    state: str = ""
    """`active`, `superseded`, `archived`, `draft`, or nothing: the note has no lifecycle."""
    id: str = ""
    kind: str = ""
    project: str = ""
    type: str = "note"
    """`memory`, `work`, `record` or `note`."""
    superseded_by: str = ""
    rejected: str = ""
    """The code of the rule that keeps the file's own values from being accepted."""


def open_mirror(folder: Path) -> "Mirror":
    """Return the mirror in the folder; one that cannot be used is moved away and made again (`rebuilt`)."""
    sql, rebuilt = open_tables(folder)
    return Mirror(folder / FILE, sql, rebuilt=rebuilt)


class Mirror:
    """The open mirror; safe to share between threads."""

    def __init__(self, file: Path, sql: sqlite3.Connection, *, rebuilt: bool) -> None:
        self.rebuilt = rebuilt
        self._file = file
        self._sql = sql
        self._lock = RLock()
        self._paths: dict[int, str] = {}
        self._paths_version = (-1, -1)
        self._states: dict[str, State] = {}
        self._by_row: dict[int, State] = {}
        self._left: frozenset[int] = frozenset()
        self._left_alone: tuple[int, frozenset[int]] = (-1, frozenset())
        """The same, asked for without all other states, and when."""
        self._states_version = -1

    # files as last indexed

    def stamps(self) -> dict[str, Indexed]:
        """Return path to stamp and key of every file as it was indexed."""
        with self._lock, _translated():
            # Straight into the mapping: a list of all rows in between costs half as much again.
            rows = self._sql.execute("SELECT path, mtime_ns, size, ino, ctime_ns, key FROM files")
            stamps: dict[str, Indexed] = {
                path: (mtime, size, ino, ctime, key) for path, mtime, size, ino, ctime, key in rows
            }
        for (path,) in self._all("SELECT path FROM files WHERE path >= '/' AND path < '0'"):
            stamps[unstored(path)] = stamps.pop(path)
        return stamps

    def stamps_of(self, paths: Iterable[str]) -> dict[str, Indexed]:
        """Return stamp and key of those of the paths that are indexed."""
        found: dict[str, Indexed] = {}
        with self._lock, _translated():
            for path in paths:
                one = "SELECT mtime_ns, size, ino, ctime_ns, key FROM files WHERE path = ?"
                row: Indexed | None = self._sql.execute(one, (stored(path),)).fetchone()
                if row is not None:
                    found[path] = row
        return found

    def titles(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the titles of those of the paths that are indexed."""
        rows = self._among("SELECT path, title FROM files WHERE path IN", (stored(path) for path in paths))
        return {unstored(path): title for path, title in rows}

    def descriptions(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the descriptions of those of the notes, by their numbers, that have one."""
        asked = "SELECT note, text FROM properties WHERE folded = 'description' AND note IN"
        return {int(note): str(text) for note, text in self._among(asked, numbers)}

    def paths(self) -> Mapping[int, str]:
        """Return the path of every indexed note by its number, kept in memory until the index changes."""
        with self._lock:
            version = (self.version(), self.generation())
            if version != self._paths_version:
                rows = self._all("SELECT path FROM files")
                self._paths = {row_of(path): path for path in (unstored(kept) for (kept,) in rows)}
                self._paths_version = version
            return self._paths

    def named(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the paths that have these numbers, of those that it knows."""
        return {
            int(number): unstored(path) for number, path in self._among("SELECT * FROM names WHERE number IN", numbers)
        }

    def modified(self) -> dict[int, float]:
        """Return when each indexed note was saved last, in seconds since 1970, by its number."""
        rows = self.rows("SELECT path, mtime_ns FROM files")
        return {row_of(unstored(str(path))): float(mtime or 0) / 1e9 for path, mtime in rows}

    def record(self, upserts: Iterable[FileRow], deletes: Iterable[str], derived: "Iterable[Derived]" = ()) -> int:
        """Note what the full text now holds, in one transaction, and return the new generation."""
        rows = [_file_values(row) for row in upserts]
        left = [*deletes]
        gone = [(stored(path),) for path in left]
        # In the order of their numbers rows are appended, not inserted here and there.
        said = sorted(derived)
        with self._roomy(len(rows)), self.writing() as sql:
            sql.execute("DELETE FROM walked")
            _replace_derived(sql, [row_of(path) for path in left], said)
            sql.executemany("INSERT OR REPLACE INTO files VALUES (?,?,?,?,?,?,?)", rows)
            sql.executemany("DELETE FROM files WHERE path = ?", gone)
            sql.executemany("DELETE FROM pending WHERE path = ?", [*((row[0],) for row in rows), *gone])
            sql.execute(
                "INSERT INTO small VALUES ('generation', '1')"
                " ON CONFLICT (name) DO UPDATE SET text = CAST(CAST(text AS INTEGER) + 1 AS TEXT)"
            )
        return self.generation()

    def walked(self) -> bytes | None:
        """Return the walk for which the index answers, as `answers_for` was given it."""
        with self._lock, _translated():
            row: tuple[bytes] | None = self._sql.execute("SELECT stamps FROM walked").fetchone()
        return row[0] if row is not None else None

    def answers_for(self, walk: bytes) -> None:
        """Remember a walk all of which is indexed, until anything else is."""
        with self.writing() as sql:
            sql.execute("DELETE FROM walked")
            sql.execute("INSERT INTO walked VALUES (?)", (walk,))

    def expect(self, paths: Iterable[str]) -> None:
        """Note that the full text may hold these paths from now on, whatever happens before `record`."""
        with self.writing() as sql:
            sql.executemany("INSERT OR IGNORE INTO pending VALUES (?)", [(stored(path),) for path in paths])

    def expected(self) -> set[str]:
        """Return the paths a writer meant to index and did not record: it was killed in between."""
        return {unstored(path) for (path,) in self._all("SELECT path FROM pending")}

    def forget_files(self, fulltext: str) -> None:
        """Forget every indexed file: the full text is a new one, of this identity."""
        with self.writing() as sql:
            for table in ("files", "names", "touched", "walked", *OF_NOTES, "pending"):
                sql.execute(f"DELETE FROM {table}")  # noqa: S608 — names are ours
            sql.execute("INSERT OR REPLACE INTO small VALUES (?, ?)", (FULLTEXT, fulltext))

    @property
    def schema(self) -> int:
        """Return the number of the schema that this version reads and writes."""
        return SCHEMA

    def documents(self) -> int:
        """Return how many files are indexed."""
        return self._number("SELECT count(*) FROM files")

    def generation(self) -> int:
        """Return a number that grows with every change of what is indexed."""
        return int(self.get("generation") or 0)

    # facts by blob id

    def facts(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the facts known of these blobs."""
        return _pairs(self._among("SELECT key, text FROM facts WHERE key IN", keys))

    def all_facts(self) -> dict[str, str]:
        """Return every fact."""
        return _pairs(self._all("SELECT key, text FROM facts"))

    def add_facts(self, facts: Mapping[str, str]) -> None:
        """Remember facts; a blob's facts never change."""
        # In the order of their keys, so that each page of a large table is touched once.
        rows = sorted(facts.items())
        with self._roomy(len(rows)), self.writing() as sql:
            sql.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", rows)

    # the fold, by (since, commit)

    def add_folds(self, since: str, folds: Mapping[str, tuple[str, str]], events: Mapping[str, str]) -> None:
        """Remember, for each commit, its first parent, what it changed and, if anything, what happened in it."""
        rows = [(since, commit, parent, delta) for commit, (parent, delta) in folds.items()]
        happened = [(since, commit, text) for commit, text in events.items()]
        with self.writing() as sql:
            sql.executemany("INSERT OR REPLACE INTO folds VALUES (?, ?, ?, ?)", rows)
            sql.executemany("INSERT OR REPLACE INTO happened VALUES (?, ?, ?)", happened)

    def eventful(self, since: str) -> list[str]:
        """Return the commits in which something happened."""
        return [oid for (oid,) in self._all("SELECT oid FROM happened WHERE since = ?", since)]

    def fold_events(self, since: str, commit: str) -> str | None:
        """Return what happened in a commit, empty for nothing, None where it was believed and not judged."""
        happened = self._one("SELECT events FROM happened WHERE since = ? AND oid = ?", since, commit)
        judged = "SELECT '' FROM folds WHERE since = ? AND oid = ? AND parent != ''"
        return happened if happened is not None else self._one(judged, since, commit)

    def fold_snapshot(self, since: str, commit: str) -> str | None:
        """Return the whole fold at the commit, where one is kept."""
        return self._one("SELECT text FROM snapshots WHERE since = ? AND oid = ?", since, commit)

    def put_fold_snapshot(self, since: str, commit: str, text: str) -> None:
        """Keep the whole fold at the commit, and the newest four of this start."""
        with self.writing() as sql:
            sql.execute("DELETE FROM snapshots WHERE since = ? AND oid = ?", (since, commit))
            sql.execute("INSERT INTO snapshots (since, oid, text) VALUES (?, ?, ?)", (since, commit, text))
            sql.execute(
                "DELETE FROM snapshots WHERE since = ?1 AND number NOT IN"
                " (SELECT number FROM snapshots WHERE since = ?1 ORDER BY number DESC LIMIT ?2)",
                (since, _SNAPSHOTS_KEPT),
            )

    def fold_chain(self, since: str, commit: str) -> list[tuple[str, str, str]]:
        """Return (commit, first parent, delta) from the commit back along first parents.

        The chain ends at the commit whose first parent has a snapshot or was not folded; it is empty where the
        commit itself has a snapshot or was not folded.
        """
        rows = self._all(
            "WITH RECURSIVE chain (oid, parent, delta, step) AS ("
            " SELECT oid, parent, delta, 0 FROM folds WHERE since = ?1 AND oid = ?2"
            "  AND NOT EXISTS (SELECT 1 FROM snapshots WHERE since = ?1 AND oid = ?2)"
            " UNION ALL"
            " SELECT f.oid, f.parent, f.delta, step + 1 FROM chain c JOIN folds f ON f.since = ?1 AND f.oid = c.parent"
            "  WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE since = ?1 AND oid = c.parent)"
            ") SELECT oid, parent, delta FROM chain ORDER BY step",
            since,
            commit,
        )
        return [(oid, parent, delta) for oid, parent, delta in rows]

    # small values

    def get(self, name: str) -> str | None:
        """Return a small value by name."""
        return self._one("SELECT text FROM small WHERE name = ?", name)

    def put(self, name: str, text: str) -> None:
        """Keep a small value."""
        with self.writing() as sql:
            sql.execute("INSERT OR REPLACE INTO small VALUES (?, ?)", (name, text))

    # states of notes

    def set_states(self, states: Mapping[str, State]) -> int:
        """Make these the states of all notes, write only what differs, and return how many did."""
        with self._lock:
            old = self._all_states()
            new = {path: state for path, state in states.items() if old.get(path) != state}
            gone = old.keys() - states.keys()
            if new or gone:
                with self.writing() as sql:
                    rows = [_state_values(path, state) for path, state in new.items()]
                    sql.executemany("INSERT OR REPLACE INTO states VALUES (?,?,?,?,?,?,?,?)", rows)
                    sql.executemany("DELETE FROM states WHERE path = ?", [(stored(path),) for path in gone])
                self._remember(new, gone)
        return len(new) + len(gone)

    def states(self, paths: Iterable[str]) -> dict[str, State]:
        """Return the states of those of the paths that have one; a few are asked for, where all are not known yet."""
        with self._lock:
            if self._number("PRAGMA data_version") == self._states_version:
                return {path: self._states[path] for path in paths if path in self._states}
            rows = self._among("SELECT * FROM states WHERE path IN", (stored(path) for path in paths))
            return {unstored(path): State(*rest) for path, *rest in rows}

    def states_by_row(self) -> Mapping[int, State]:
        """Return every state by the row number of its path, kept in memory until a state changes anywhere."""
        with self._lock:
            self._all_states()
            return self._by_row

    def left_rows(self) -> frozenset[int]:
        """Return the row numbers of what was superseded or archived, and of drafts: out of default search."""
        with self._lock:
            version = self._number("PRAGMA data_version")
            if version == self._states_version:
                return self._left
            if version != self._left_alone[0]:
                rows = self._all("SELECT path FROM states WHERE state IN ('superseded', 'archived', 'draft')")
                self._left_alone = version, frozenset(row_of(unstored(path)) for (path,) in rows)
            return self._left_alone[1]

    def _all_states(self) -> dict[str, State]:
        version = self._number("PRAGMA data_version")
        if version != self._states_version:
            self._states = {unstored(path): State(*rest) for path, *rest in self._all("SELECT * FROM states")}
            self._by_row = {row_of(path): state for path, state in self._states.items()}
            self._left = _left(self._by_row)
            self._states_version = version
        return self._states

    def _remember(self, new: dict[str, State], gone: Iterable[str]) -> None:
        # Copies: a search may be reading the old ones in another thread.
        self._states = {path: state for path, state in self._states.items() if path not in gone} | new
        rows = {row_of(path) for path in gone}
        self._by_row = {row: state for row, state in self._by_row.items() if row not in rows}
        self._by_row.update((row_of(path), state) for path, state in new.items())
        self._left = _left(self._by_row)

    # the file itself

    def bytes(self) -> int:
        """Return how much disk the mirror takes."""
        files = (self._file, *(self._file.with_name(self._file.name + end) for end in ("-wal", "-shm")))
        return sum(file.stat().st_size for file in files if file.exists())

    def tidy(self) -> None:
        """Fold the write-ahead log back into the file; for idle moments."""
        self._all("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._sql.close()

    # for the modules that keep tables of their own here

    def rows(self, statement: str, *values: "Cell") -> "list[Row]":
        """Return what a question in SQL finds."""
        with self._lock, _translated():
            found: list[Row] = self._sql.execute(statement, values).fetchall()
            return found

    def version(self) -> int:
        """Return a number that changes when another process has written here."""
        return self._number("PRAGMA data_version")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection inside one transaction, undone where it ends in an error."""
        with self._lock, _translated():
            self._sql.execute("BEGIN IMMEDIATE")
            try:
                yield self._sql
                self._sql.execute("COMMIT")
            finally:
                if self._sql.in_transaction:
                    self._sql.execute("ROLLBACK")

    @contextmanager
    def _roomy(self, rows: int) -> Iterator[None]:
        """Have room for the pages that very many rows touch: with SQLite's own two megabytes each is written many times."""
        if rows < _AT_ONCE:
            yield
            return
        with self._lock, _translated():
            self._sql.execute(f"PRAGMA cache_size = -{_ROOM}")
            try:
                yield
            finally:
                self._sql.execute("PRAGMA cache_size = -2000")
                self._sql.execute("PRAGMA shrink_memory")

    def _all(self, statement: str, *values: str | int) -> list[tuple[str, ...]]:
        with self._lock, _translated():
            rows: list[tuple[str, ...]] = self._sql.execute(statement, values).fetchall()
            return rows

    def _among(self, statement: str, values: Iterable[str | int]) -> Iterator[tuple[str, ...]]:
        wanted = [*values]
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            yield from self._all(f"{statement} ({','.join('?' * len(some))})", *some)

    def _one(self, statement: str, *values: str) -> str | None:
        rows = self._all(statement, *values)
        return rows[0][0] if rows else None

    def _number(self, statement: str) -> int:
        return int(self._all(statement)[0][0])


def _replace_derived(sql: sqlite3.Connection, left: list[int], said: "list[Derived]") -> None:
    from vaultd.index.derived import keys_in  # noqa: PLC0415 -- who records has it, and who only asks does without

    numbers = json.dumps([*left, *(one.note for one in said)])
    there = "SELECT note, links FROM outlines WHERE note IN (SELECT value FROM json_each(?))"
    known: list[tuple[int, str]] = sql.execute(there, (numbers,)).fetchall()
    mentioned = ((key, note) for note, links in known for key in keys_in(links))
    sql.executemany("DELETE FROM mentions WHERE key = ? AND note = ?", mentioned)
    outdated = [(note,) for note, _ in known]
    for table in ("outlines", "properties", "tags"):
        sql.executemany(f"DELETE FROM {table} WHERE note = ?", outdated)  # noqa: S608 — names are ours
    sql.executemany("INSERT INTO outlines VALUES (?,?,?)", ((one.note, one.links, one.outline) for one in said))
    sql.executemany("INSERT INTO mentions VALUES (?,?,?)", sorted(mention for one in said for mention in one.mentions))
    sql.executemany(
        "INSERT INTO properties VALUES (?,?,?,?,?,?,?,?,?)", (row for one in said for row in one.properties)
    )
    sql.executemany("INSERT INTO tags VALUES (?,?,?,?,?,?)", (row for one in said for row in one.tags))


def _pairs(rows: Iterable[tuple[str, ...]]) -> dict[str, str]:
    return {row[0]: row[1] for row in rows}


def _file_values(row: FileRow) -> tuple[str, int, int, int, int, str, str]:
    return (stored(row.path), row.mtime_ns, row.size, row.ino & INO_BITS, row.ctime_ns, row.key, row.title)


def _left(states: Mapping[int, State]) -> frozenset[int]:
    return frozenset(row for row, state in states.items() if state.state in {"superseded", "archived", "draft"})


def _state_values(path: str, state: State) -> tuple[str, ...]:
    return (
        stored(path),
        state.state,
        state.id,
        state.kind,
        state.project,
        state.type,
        state.superseded_by,
        state.rejected,
    )


@contextmanager
def _translated() -> Iterator[None]:
    """Turn SQLite's errors into ours: busy is a conflict, a full or read-only disk is storage, the rest is broken."""
    try:
        yield
    except sqlite3.DatabaseError as exc:
        match primary_code(exc):
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                raise ConflictError("another process is writing the index", "try again") from exc
            case sqlite3.SQLITE_FULL | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_IOERR | sqlite3.SQLITE_CANTOPEN:
                raise StorageError(f"the index cannot be written: {exc}", DISK_HINT) from exc
            case _:
                raise BrokenIndexError(f"the index cannot be used: {exc}") from exc
