"""The tables of the mirror, and opening them: what cannot be used is moved away and made again."""

import sqlite3
from contextlib import suppress
from pathlib import Path

from vaultd.errors import StorageError

FILE = "index.db"
_APPLICATION = 0x76617531
SCHEMA = 6
_HEADER = 512
_BUSY_SECONDS = 5.0
_TABLES = """
CREATE TABLE files (
    path TEXT PRIMARY KEY, mtime_ns INTEGER NOT NULL, size INTEGER NOT NULL, ino INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL, key TEXT NOT NULL, title TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE names (number INTEGER PRIMARY KEY, path TEXT NOT NULL) STRICT;
CREATE INDEX names_of_lines ON names (path) WHERE path LIKE '%.jsonl';
CREATE TABLE touched (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE outlines (note INTEGER NOT NULL UNIQUE, links TEXT NOT NULL, outline TEXT NOT NULL) STRICT;
CREATE TABLE mentions (
    key TEXT NOT NULL, note INTEGER NOT NULL, doubtful INTEGER NOT NULL, PRIMARY KEY (key, note)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_in_doubt ON mentions (note) WHERE doubtful;
CREATE TABLE properties (
    note INTEGER NOT NULL, place INTEGER NOT NULL, folded TEXT NOT NULL, name TEXT NOT NULL, line INTEGER NOT NULL,
    item INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, number REAL, PRIMARY KEY (note, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX properties_by_name ON properties (folded);
CREATE TABLE tags (
    note INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL, line INTEGER NOT NULL,
    column INTEGER NOT NULL, PRIMARY KEY (note, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_name ON tags (folded);
CREATE TABLE walked (stamps BLOB NOT NULL) STRICT;
CREATE TABLE pending (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE states (
    path TEXT PRIMARY KEY, state TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, project TEXT NOT NULL,
    type TEXT NOT NULL, superseded_by TEXT NOT NULL, rejected TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE facts (key TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE folds (
    since TEXT NOT NULL, oid TEXT NOT NULL, parent TEXT NOT NULL, delta TEXT NOT NULL, PRIMARY KEY (since, oid)
) STRICT, WITHOUT ROWID;
CREATE TABLE happened (
    since TEXT NOT NULL, oid TEXT NOT NULL, events TEXT NOT NULL, PRIMARY KEY (since, oid)
) STRICT, WITHOUT ROWID;
CREATE TABLE snapshots (
    number INTEGER PRIMARY KEY AUTOINCREMENT, since TEXT NOT NULL, oid TEXT NOT NULL, text TEXT NOT NULL
) STRICT;
CREATE TABLE small (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""
_VIEWS = {
    "links": (
        "links",
        "$",
        *("line", "column", "target", "key", "resolved", "rivals"),
        *("kind:'wiki'", "embed:0", "subpath:''", "display", "property"),
    ),
    "headings": ("outline", "$[0]", "level", "text", "line"),
    "blocks": ("outline", "$[1]", "id", "line", "last_line"),
    "tasks": (
        "outline",
        "$[2]",
        *("line", "column", "status", "type", "text"),
        *("due", "scheduled", "start", "done", "priority:'normal'", "more:''"),
    ),
}
"""What a note holds much of and mostly is asked for by note: kept in lists, in one row a note, and seen as rows.

For each view the column of `outlines`, where the list stands in it, and what its items hold, with what is left out at
their end. A row for each link, heading and checkbox took three times as long to write.
"""
_NOT_BROKEN = frozenset(
    {
        *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN),
        *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM),
    }
)
"""What SQLite says where the file may be whole: another process has it, or the disk refuses. A new file helps nobody."""
DISK_HINT = "free space on its disk, or check its permissions, then run it again"
DERIVED = ("properties", "tags", *_VIEWS)
"""What a note's text says, as tables: each row begins with the note's number and its place in the note."""
OF_NOTES = ("outlines", "mentions", "properties", "tags")
"""The tables in which that is kept; each row has the number of its note."""
_NAMES = (
    "files",
    "names",
    "touched",
    "walked",
    *OF_NOTES,
    *_VIEWS,
    "pending",
    "states",
    "facts",
    "folds",
    "happened",
    "snapshots",
    "small",
)


def open_tables(folder: Path) -> tuple[sqlite3.Connection, bool]:
    """Return the open mirror in the folder, and whether it had to be made again.

    Raises:
        StorageError: the folder cannot be written, or even a new file cannot be used.
    """
    file = folder / FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        inode = file.stat().st_ino if file.exists() else 0
        try:
            _refuse_stump(file)
            return _usable(file), False
        except sqlite3.DatabaseError as exc:
            if primary_code(exc) in _NOT_BROKEN:
                raise
        rebuilt = _move_away(file, inode)
        return _usable(file), rebuilt
    except (OSError, sqlite3.DatabaseError) as exc:
        raise StorageError(f"the index in {folder} cannot be opened: {exc}", DISK_HINT) from exc


def _refuse_stump(file: Path) -> None:
    # SQLite takes a file shorter than its header for a new one, and says nothing.
    if file.exists() and 0 < file.stat().st_size < _HEADER:
        raise sqlite3.DatabaseError(f"{file} was cut short")


def primary_code(error: sqlite3.DatabaseError) -> int:
    """Return SQLite's primary result code, 0 for an error that SQLite did not raise itself."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _usable(file: Path) -> sqlite3.Connection:
    """Return the open file, new or of this schema; anything else is a DatabaseError."""
    sql = sqlite3.connect(file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON", "mmap_size = 268435456"):
            sql.execute(f"PRAGMA {pragma}")
        if _number(sql, "PRAGMA schema_version") == 0:
            _make(sql)
        _prove(sql, file)
    except sqlite3.DatabaseError:
        sql.close()
        raise
    return sql


def _make(sql: sqlite3.Connection) -> None:
    sql.execute("BEGIN IMMEDIATE")
    # Somebody else may have made the tables while we waited for the lock.
    if _number(sql, "PRAGMA schema_version") == 0:
        for statement in (*_TABLES.split(";\n"), *map(_view, _VIEWS)):
            sql.execute(statement)
        sql.execute(f"PRAGMA application_id = {_APPLICATION}")
        sql.execute(f"PRAGMA user_version = {SCHEMA}")
    sql.execute("COMMIT")


def _view(name: str) -> str:
    """Return the statement that makes the view: its columns are what the rows of a list in JSON hold, in their order."""
    kept, place, *columns = _VIEWS[name]
    named = (column.partition(":") for column in columns)
    values = [
        f"coalesce(json_extract(j.value, '$[{at}]'), {or_else or 'NULL'}) AS {column}"
        for at, (column, _, or_else) in enumerate(named)
    ]
    return (
        f"CREATE VIEW {name} AS SELECT o.note AS note, j.key AS place, {', '.join(values)}"  # noqa: S608 — names are ours
        f" FROM outlines o, json_each(o.{kept}, '{place}') j"
    )


def _prove(sql: sqlite3.Connection, file: Path) -> None:
    if (_number(sql, "PRAGMA application_id"), _number(sql, "PRAGMA user_version")) != (_APPLICATION, SCHEMA):
        raise sqlite3.DatabaseError(f"{file} has another schema")
    for name in _NAMES:
        # of a view only that it can be asked: where no note has any of its rows, it would look through all of them
        first = 0 if name in _VIEWS else 1
        sql.execute(f"SELECT 1 FROM {name} LIMIT {first}").fetchall()  # noqa: S608 — names are ours
    sql.execute("SELECT count(*) FROM files").fetchall()
    expected = _number(sql, "PRAGMA page_count") * _number(sql, "PRAGMA page_size")
    log = file.with_name(FILE + "-wal")
    # While a log is waiting the file may be behind; without one it must be whole.
    if file.stat().st_size < expected and not (log.exists() and log.stat().st_size):
        raise sqlite3.DatabaseError(f"{file} was cut short")


def _number(sql: sqlite3.Connection, statement: str) -> int:
    return int(sql.execute(statement).fetchone()[0])


def _move_away(file: Path, inode: int) -> bool:
    """Move the file examined aside, keeping the last such one for whoever wonders."""
    with suppress(FileNotFoundError):
        # Another process may have found it broken too, and have made a new one already.
        if file.stat().st_ino == inode:
            file.replace(file.with_name(FILE + ".broken"))
            for end in ("-wal", "-shm"):
                file.with_name(FILE + end).unlink(missing_ok=True)
    return True
