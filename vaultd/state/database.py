"""The file behind the sidecar: one writer thread that commits many changes at once, and a pool of readers."""

import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Generic, TypeVar

from vaultd.errors import StorageError, VaultdError, mend_of
from vaultd.state.tables import APPLICATION, MIGRATIONS
from vaultd.values import dataclass, field

_T = TypeVar("_T")
PATIENCE = 30.0
"""Seconds to wait for another process that is writing."""
_AT_ONCE = 256
_READERS_KEPT = 8
_NO_VERSION_YET = 0
Change = Callable[[sqlite3.Connection], _T]


@dataclass(slots=True)
class _Wish(Generic[_T]):
    """A change that a caller waits for, and what came of it."""

    change: Change[_T]
    done: threading.Event = field(default_factory=threading.Event)
    result: list[_T] = field(default_factory=list)
    error: BaseException | None = None

    def __enter__(self) -> None:
        """Begin to note what comes of it."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Keep an error for the one who waits: it is not the writer's."""
        self.error = self.error or error
        return True

    def outcome(self, file: Path) -> _T:
        self.done.wait()
        if self.error is not None:
            raise _translated(self.error, file) from self.error
        return self.result[0]


@dataclass(frozen=True, slots=True)
class _Line:
    """A connection, and the file it was opened on."""

    sql: sqlite3.Connection
    inode: int


class Database:
    """An open `state.db`; any thread may read and write. A file that is taken away meanwhile is made anew, empty."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._inode = _inode(file)
        self._wishes: queue.SimpleQueue[_Wish[object] | None] = queue.SimpleQueue()
        self._readers: queue.LifoQueue[_Line] = queue.LifoQueue(_READERS_KEPT)
        self._lock = threading.Lock()
        self._writer: threading.Thread | None = None

    def write(self, change: Change[_T]) -> _T:
        """Run a change and return its result once it is safe on disk; it happens whole or not at all.

        Raises:
            VaultdError: the change raised it.
            StorageError: the disk refused.
        """
        wish: _Wish[_T] = _Wish(change)
        self._put(wish)
        return wish.outcome(self.file)

    def later(self, change: Change[object]) -> None:
        """Have a change run soon, after those asked for before; nobody waits for it, or hears that it failed.

        For figures and the log of calls: an answer must not wait for the disk because somebody counts it.
        """
        self._put(_Wish(change))

    def settle(self) -> None:
        """Wait until all that was asked for before is done.

        Raises:
            StorageError: the disk refused.
        """
        self.write(lambda _sql: None)

    def _put(self, wish: "_Wish[_T]") -> None:
        with self._lock:
            if self._writer is None:
                self._writer = threading.Thread(target=self._serve, name="vaultd-state", daemon=True)
                self._writer.start()
            self._wishes.put(wish)  # type: ignore[arg-type]  # the queue does not look at results

    def change(self, statement: str, *values: object) -> None:
        """Carry out one statement, safe on disk when it returns.

        Raises:
            StorageError: the disk refused.
        """
        self.write(lambda sql: sql.execute(statement, values).rowcount)

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that sees one moment and cannot write."""
        line = self._reader()
        sql = line.sql
        try:
            sql.execute("BEGIN")
            yield sql
        except sqlite3.Error as exc:
            raise _translated(exc, self.file) from exc
        finally:
            sql.rollback()
            try:
                self._readers.put_nowait(line)
            except queue.Full:
                sql.close()

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        """Return what a query finds."""
        with self.read() as sql:
            return sql.execute(query, values).fetchall()

    def backup(self, target: Path) -> None:
        """Copy everything as it is at one moment, while others go on reading and writing.

        Raises:
            StorageError: the target is there already, or cannot be written, or the copy is not whole.
        """
        try:
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except OSError as exc:
            raise StorageError(f"{target} cannot be made: {exc.strerror}", "name a file that is not there yet") from exc
        try:
            with closing(sqlite3.connect(target)) as copy, self.read() as sql:
                sql.rollback()
                sql.backup(copy)
                _refuse_damage(copy, target)
        except sqlite3.Error as exc:
            raise _translated(exc, target) from exc

    def verify(self) -> None:
        """Read every page.

        Raises:
            StorageError: something is damaged.
        """
        with self.read() as sql:
            _refuse_damage(sql, self.file)

    def close(self) -> None:
        """Finish what waits and let go of the file."""
        with self._lock:
            writer, self._writer = self._writer, None
            if writer is not None:
                self._wishes.put(None)
        if writer is not None:
            writer.join()
        while not self._readers.empty():
            self._readers.get_nowait().sql.close()

    def _reader(self) -> _Line:
        inode = self._standing()
        while True:
            try:
                line = self._readers.get_nowait()
            except queue.Empty:
                line = _Line(connect(self.file), inode)
                line.sql.execute("PRAGMA query_only = ON")
                return line
            if line.inode == inode:
                return line
            line.sql.close()

    def _standing(self) -> int:
        """Return which file is there, made anew where the one that was opened is gone: it would be written for nobody."""
        inode = _inode(self.file)
        if inode != self._inode:
            if not inode:
                for end in ("-wal", "-shm"):  # what is left of the old file is no part of the new one
                    self.file.with_name(self.file.name + end).unlink(missing_ok=True)
            _prepare(self.file)
            self._inode = inode = _inode(self.file)
        return inode

    def _serve(self) -> None:
        line: _Line | None = None
        batch: list[_Wish[object]] = []
        try:
            going = True
            while going:
                batch, going = self._taken()
                inode = self._standing()
                if line is None or line.inode != inode:
                    if line is not None:
                        line.sql.close()
                    line = None
                    line = _Line(connect(self.file), inode)
                _commit(line.sql, batch)
        except StorageError as exc:
            self._give_up(exc, batch)
        finally:
            if line is not None:
                line.sql.close()

    def _taken(self) -> tuple[list[_Wish[object]], bool]:
        """Wait for wishes; return them, and whether there will be more."""
        first = self._wishes.get()
        batch = [first] if first is not None else []
        going = first is not None
        while len(batch) < _AT_ONCE and not self._wishes.empty():
            if (wish := self._wishes.get()) is not None:
                batch.append(wish)
            else:
                going = False
        return batch, going

    def _give_up(self, exc: StorageError, batch: Sequence[_Wish[object]]) -> None:
        """Tell everybody who waits that the file cannot be opened; whoever comes next has it tried again."""
        for taken in batch:
            taken.error = exc
            taken.done.set()
        with self._lock:
            if self._writer is threading.current_thread():
                self._writer = None
            while not self._wishes.empty():
                if (wish := self._wishes.get()) is not None:
                    wish.error = exc
                    wish.done.set()


def _commit(sql: sqlite3.Connection, batch: Sequence[_Wish[object]]) -> None:
    """Carry out changes in one transaction, each undone alone if it fails, and wake those who wait."""
    whole: _Wish[None] = _Wish(lambda _sql: None)
    with whole:
        sql.execute("BEGIN IMMEDIATE")
        for wish in batch:
            sql.execute("SAVEPOINT wish")
            with wish:
                wish.result.append(wish.change(sql))
            if wish.error is not None:
                sql.execute("ROLLBACK TO wish")
            sql.execute("RELEASE wish")
        sql.execute("COMMIT")
    if whole.error is not None:
        with _Wish(lambda _sql: None):
            sql.rollback()
    for wish in batch:
        wish.error = wish.error or whole.error
        wish.done.set()


def open_database(file: Path) -> Database:
    """Open a state file, made where there is none and brought forward where it is older.

    Raises:
        StorageError: a newer vaultd wrote it, it is damaged, or the disk refuses.
    """
    _prepare(file)
    return Database(file)


def _prepare(file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(file, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    except OSError as exc:
        raise StorageError(f"{file} cannot be opened: {exc.strerror}", mend_of(exc)) from exc
    try:
        with closing(connect(file)) as sql:
            _bring_forward(sql, file)
    except sqlite3.Error as exc:
        raise _translated(exc, file) from exc


def connect(file: Path) -> sqlite3.Connection:
    """Return a connection that waits for others and loses nothing that it says is done.

    Raises:
        StorageError: the file is no database, or cannot be opened.
    """
    try:
        sql = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        sql.row_factory = sqlite3.Row
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "mmap_size = 268435456"):
            sql.execute(f"PRAGMA {pragma}")
    except sqlite3.Error as exc:
        raise _translated(exc, file) from exc
    return sql


def examine(file: Path) -> int:
    """Read every page of a file that is there, and return its version; nothing is brought forward.

    Raises:
        StorageError: a newer vaultd wrote it, or it is damaged.
    """
    try:
        with closing(connect(file)) as sql:
            _refuse_newer(_version(sql), file)
            _refuse_damage(sql, file)
            return _version(sql)
    except sqlite3.Error as exc:
        raise _translated(exc, file) from exc


def _bring_forward(sql: sqlite3.Connection, file: Path) -> None:
    version = _version(sql)
    _refuse_newer(version, file)
    if version == len(MIGRATIONS):
        return
    if version != _NO_VERSION_YET:
        _refuse_damage(sql, file)
    sql.execute("BEGIN IMMEDIATE")
    # Another process may have been here while this one waited for its turn, and a newer one, too.
    version = _version(sql)
    if version > len(MIGRATIONS):
        sql.execute("ROLLBACK")
        _refuse_newer(version, file)
    for number in range(version, len(MIGRATIONS)):
        for statement in MIGRATIONS[number].split(";\n"):
            if statement.strip():
                sql.execute(statement)
    sql.execute(f"PRAGMA application_id = {APPLICATION}")
    sql.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    sql.execute("COMMIT")


def _inode(file: Path) -> int:
    """Return what tells a file from another that takes its place while it is open; 0 where it is gone."""
    try:
        return file.stat().st_ino
    except OSError:
        return 0


def _version(sql: sqlite3.Connection) -> int:
    found: int = sql.execute("PRAGMA user_version").fetchone()[0]
    return found


def _refuse_newer(version: int, file: Path) -> None:
    if version > len(MIGRATIONS):
        raise StorageError(
            f"{file} was written by a newer vaultd (version {version}, this one knows {len(MIGRATIONS)})",
            "update vaultd; nothing was changed",
        )


def _refuse_damage(sql: sqlite3.Connection, file: Path) -> None:
    found = sql.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise StorageError(f"{file} is damaged: {found}", _MEND)


_MEND = "move the file away, then vaultd state import brings back the last export in .vaultd/state/"


def _translated(error: BaseException, file: Path) -> BaseException:
    if isinstance(error, VaultdError) or not isinstance(error, sqlite3.Error):
        return error
    if isinstance(error, sqlite3.OperationalError):
        return StorageError(f"{file}: {error}", "check the disk and its permissions")
    return StorageError(f"{file}: {error}", _MEND)
