"""The file: brought forward, refused where it is newer, whole after a kill, copied while it is used."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from vaultd.errors import StorageError, UsageError
from vaultd.state import database
from vaultd.state.database import open_database
from vaultd.state.sidecar import Sidecar, open_sidecar
from vaultd.state.tables import FILE, MIGRATIONS
from vaultd.state.tasks import Wish


def test_a_new_file_is_its_users_alone_and_at_the_latest_version(tmp_path: Path) -> None:
    open_sidecar(tmp_path / "s").close()
    file = tmp_path / "s" / FILE
    assert file.stat().st_mode & 0o777 == 0o600
    assert sqlite3.connect(file).execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)


def test_an_older_file_is_brought_forward_and_keeps_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_task = open_sidecar(tmp_path)
    task = with_task.tasks.add(Wish("from before"))
    with_task.close()
    later = (*MIGRATIONS, "ALTER TABLE tasks ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey';\n")
    monkeypatch.setattr(database, "MIGRATIONS", later)
    newer = open_database(tmp_path / FILE)
    assert [tuple(row) for row in newer.rows("SELECT id, colour FROM tasks")] == [(task.id, "grey")]
    newer.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_sidecar(tmp_path).close()
    monkeypatch.setattr(database, "MIGRATIONS", (*MIGRATIONS, "CREATE TABLE x (a TEXT);\nNONSENSE;\n"))
    with pytest.raises(StorageError):
        open_database(tmp_path / FILE)
    monkeypatch.setattr(database, "MIGRATIONS", MIGRATIONS)
    again = open_database(tmp_path / FILE)
    assert again.rows("SELECT name FROM sqlite_master WHERE name = 'x'") == []
    again.close()


def test_a_newer_file_is_refused_and_not_touched(tmp_path: Path) -> None:
    open_sidecar(tmp_path).close()
    with sqlite3.connect(tmp_path / FILE) as sql:
        sql.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    sql.close()
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(StorageError, match="newer vaultd"):
        open_sidecar(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before


def test_a_file_that_is_no_database_is_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"not a database at all, but long enough to be read as one" * 40)
    with pytest.raises(StorageError) as caught:
        open_sidecar(tmp_path)
    assert "vaultd state import" in caught.value.hint


def test_damage_is_found_when_it_is_looked_for(tmp_path: Path) -> None:
    made = open_sidecar(tmp_path)
    for number in range(200):
        made.tasks.add(Wish(f"task {number}", "x" * 500))
    made.close()
    file = tmp_path / FILE
    data = bytearray(file.read_bytes())
    data[40_960:57_344] = os.urandom(16_384)
    file.write_bytes(data)
    damaged = open_database(file)
    with pytest.raises(StorageError, match=r"damaged|malformed"):
        damaged.verify()
    damaged.close()


def test_a_change_that_fails_takes_no_other_with_it(sidecar: Sidecar) -> None:
    def fails(sql: sqlite3.Connection) -> None:
        sql.execute("INSERT INTO settings VALUES ('half', '1', '')")
        raise UsageError("no")

    with pytest.raises(UsageError, match="no"):
        sidecar.database.write(fails)
    sidecar.options.put("whole", 1)
    assert sidecar.options.get("half") is None
    assert sidecar.options.get("whole") == 1


def test_many_threads_writing_at_once_all_find_their_rows(sidecar: Sidecar) -> None:
    threads = [threading.Thread(target=sidecar.options.put, args=(f"k{n}", n)) for n in range(32)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert [sidecar.options.get(f"k{n}") for n in range(32)] == list(range(32))


def test_b29_a_reader_sees_what_is_done_while_somebody_writes(sidecar: Sidecar) -> None:
    sidecar.options.put("a", 1)
    inside, go = threading.Event(), threading.Event()

    def slow(sql: sqlite3.Connection) -> None:
        sql.execute("UPDATE settings SET value = '2'")
        inside.set()
        go.wait(60)

    writing = threading.Thread(target=sidecar.database.write, args=(slow,))
    writing.start()
    assert inside.wait(60)
    assert sidecar.options.get("a") == 1
    go.set()
    writing.join()
    assert sidecar.options.get("a") == 2


def test_a_reader_cannot_write(sidecar: Sidecar) -> None:
    with pytest.raises(StorageError, match="readonly"), sidecar.database.read() as sql:
        sql.execute("DELETE FROM tasks")


def test_a_backup_is_whole_and_stands_alone(sidecar: Sidecar, tmp_path: Path) -> None:
    task = sidecar.tasks.add(Wish("keep me"))
    sidecar.database.backup(tmp_path / "copy" if (tmp_path / "copy").mkdir() else tmp_path / "copy" / FILE)
    copy = open_sidecar(tmp_path / "copy")
    assert copy.tasks.show(task.id).title == "keep me"
    copy.close()


def test_a_backup_overwrites_nothing(sidecar: Sidecar, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    with pytest.raises(StorageError, match="cannot be made"):
        sidecar.database.backup(tmp_path / "there")
    assert (tmp_path / "there").read_text() == "mine"


_WRITER = """
import sys
from pathlib import Path
from vaultd.state.sidecar import open_sidecar
sidecar = open_sidecar(Path(sys.argv[1]))
for number in range(100_000):
    sidecar.options.put("n", number)
    print(number, flush=True)
"""


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    for _ in range(50):
        writer.stdout.readline()
    writer.send_signal(signal.SIGKILL)
    said = writer.stdout.read().split()
    writer.wait()
    writer.stdout.close()
    after = open_sidecar(tmp_path)
    after.database.verify()
    assert int(str(after.options.get("n"))) >= (int(said[-1]) if said else 49)
    after.close()


def test_a_file_that_is_taken_away_is_made_anew_and_loses_nothing_from_then_on(sidecar: Sidecar) -> None:
    sidecar.options.put("a", 1)
    assert sidecar.options.get("a") == 1
    shutil.rmtree(sidecar.database.file.parent)
    assert sidecar.options.get("a") is None
    sidecar.options.put("b", 2)
    sidecar.database.file.unlink()
    sidecar.options.put("c", 3)
    sidecar.close()
    with closing(sqlite3.connect(sidecar.database.file)) as sql:
        assert sql.execute("SELECT key FROM settings").fetchall() == [("c",)]
        assert sql.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_file_that_cannot_be_opened_any_more_is_an_error_and_holds_nobody_up(
    sidecar: Sidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    sidecar.database.close()
    broken = StorageError("state.db: unable to open database file")

    def refuse(_file: Path) -> None:
        raise broken

    with monkeypatch.context() as patch:
        patch.setattr(database, "connect", refuse)
        with pytest.raises(StorageError, match="unable to open"):
            sidecar.options.put("a", 1)
    sidecar.options.put("a", 2)
    assert sidecar.options.get("a") == 2


def test_a_newer_vaultd_that_came_first_is_not_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / FILE
    open_database(file).close()
    with closing(sqlite3.connect(file)) as sql:
        sql.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    looked = iter([0, len(MIGRATIONS) + 1])
    monkeypatch.setattr(database, "_version", lambda _sql: next(looked))  # it came between the look and the turn
    with pytest.raises(StorageError, match="newer vaultd"):
        open_database(file)
    with closing(sqlite3.connect(file)) as sql:
        assert sql.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS) + 1


def test_what_nobody_waits_for_is_done_in_its_turn_and_before_the_end(tmp_path: Path) -> None:
    found = open_database(tmp_path / FILE)
    held = threading.Event()
    found.later(lambda _sql: held.wait(60))
    found.later(lambda sql: sql.execute("INSERT INTO settings VALUES ('a', '1', '')"))
    found.later(lambda sql: sql.execute("NONSENSE"))  # nobody hears of it, and it is in nobody's way
    assert found.rows("SELECT key FROM settings") == []
    held.set()
    found.write(lambda sql: sql.execute("INSERT INTO settings VALUES ('b', '1', '')").rowcount)
    assert [row["key"] for row in found.rows("SELECT key FROM settings ORDER BY key")] == ["a", "b"]
    found.later(lambda sql: sql.execute("INSERT INTO settings VALUES ('c', '1', '')"))
    found.close()
    again = open_database(tmp_path / FILE)
    assert len(again.rows("SELECT key FROM settings")) == 3
    again.close()
