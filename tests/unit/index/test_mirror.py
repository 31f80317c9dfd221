"""The mirror remembers what was indexed and derived, and is made again when it cannot be used."""

import os
import sqlite3
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from vaultd.errors import BrokenIndexError, ConflictError, StorageError
from vaultd.index.mirror import FileRow, Mirror, State, open_mirror
from vaultd.index.rows import row_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def mirror(folder: Path):
    opened = open_mirror(folder)
    yield opened
    opened.close()


def a_file(path: str, key: str = "k", ino: int = 7) -> FileRow:
    return FileRow(path, 1, 2, ino, 3, key, "A title")


def test_a_new_mirror_is_empty_and_not_rebuilt(mirror: Mirror):
    assert (mirror.rebuilt, mirror.documents(), mirror.stamps(), mirror.generation()) == (False, 0, {}, 0)


def test_what_was_recorded_is_there_after_opening_again(folder: Path, mirror: Mirror):
    mirror.record([a_file("a.md", "k1"), a_file("b.md", "k2")], [])
    mirror.close()
    again = open_mirror(folder)
    assert again.stamps() == {"a.md": (1, 2, 7, 3, "k1"), "b.md": (1, 2, 7, 3, "k2")}
    assert not again.rebuilt
    again.close()


def test_each_record_is_a_new_generation(mirror: Mirror):
    first = mirror.record([a_file("a.md")], [])
    assert mirror.record([], ["a.md"]) == first + 1
    assert mirror.documents() == 0


@pytest.mark.parametrize("path", ["plain.md", "ünï/日本.md", os.fsdecode(b"caf\xe9/x.md"), "it's 100%.md"])
def test_any_path_survives(mirror: Mirror, path: str):
    mirror.record([a_file(path)], [])
    assert list(mirror.stamps()) == [path]
    assert list(mirror.stamps_of([path])) == [path]
    assert mirror.titles([path]) == {path: "A title"}


def test_an_inode_number_of_64_bits_keeps_its_lower_63(mirror: Mirror):
    mirror.record([a_file("a.md", ino=2**64 - 5)], [])
    assert mirror.stamps()["a.md"][2] == 2**63 - 5


def test_titles_are_given_for_more_paths_than_a_statement_takes(mirror: Mirror):
    paths = [f"{number}.md" for number in range(1200)]
    mirror.record([a_file(path) for path in paths], [])
    assert mirror.titles(paths).keys() == set(paths)


def test_expected_paths_stay_until_they_are_recorded(mirror: Mirror):
    mirror.expect(["a.md", "b.md", "c.md"])
    mirror.record([a_file("a.md")], ["b.md"])
    assert mirror.expected() == {"c.md"}


def test_forgetting_the_files_keeps_the_facts(mirror: Mirror):
    mirror.record([a_file("a.md")], [])
    mirror.add_facts({"k": "fact"})
    mirror.forget_files("another")
    assert (mirror.documents(), mirror.facts(["k", "other"]), mirror.get("fulltext")) == (0, {"k": "fact"}, "another")


def test_all_facts_are_given(mirror: Mirror):
    facts = {f"{number:040x}": f"text {number}" for number in range(1500)}
    mirror.add_facts(facts)
    assert mirror.all_facts() == facts
    assert mirror.facts(list(facts)[:900]) == dict(list(facts.items())[:900])


def test_a_small_value_is_replaced(mirror: Mirror):
    mirror.put("head", "1")
    mirror.put("head", "2")
    assert (mirror.get("head"), mirror.get("nothing")) == ("2", None)


CHAIN = {"c1": ("", "d1"), "c2": ("c1", "d2"), "c3": ("c2", "d3"), "c4": ("c3", "d4")}


class TestFolds:
    def test_a_delta_belongs_to_its_start(self, mirror: Mirror):
        mirror.add_folds("s", CHAIN, {"c2": "e2"})
        assert [mirror.fold_events("s", commit) for commit in ("c2", "c3", "c9")] == ["e2", "", None]
        assert (mirror.eventful("s"), mirror.eventful("other")) == (["c2"], [])

    def test_the_chain_goes_back_to_the_first_commit(self, mirror: Mirror):
        mirror.add_folds("s", CHAIN, {})
        expected = [("c4", "c3", "d4"), ("c3", "c2", "d3"), ("c2", "c1", "d2"), ("c1", "", "d1")]
        assert mirror.fold_chain("s", "c4") == expected

    def test_the_chain_stops_above_a_snapshot(self, mirror: Mirror):
        mirror.add_folds("s", CHAIN, {})
        mirror.put_fold_snapshot("s", "c2", "whole")
        assert mirror.fold_chain("s", "c4") == [("c4", "c3", "d4"), ("c3", "c2", "d3")]
        assert mirror.fold_snapshot("s", "c2") == "whole"

    def test_a_commit_with_a_snapshot_needs_no_chain(self, mirror: Mirror):
        mirror.add_folds("s", CHAIN, {})
        mirror.put_fold_snapshot("s", "c4", "whole")
        assert mirror.fold_chain("s", "c4") == []

    def test_an_unknown_commit_has_no_chain(self, mirror: Mirror):
        assert mirror.fold_chain("s", "nowhere") == []

    def test_a_chain_of_25_000_commits_is_followed(self, mirror: Mirror):
        mirror.add_folds("s", {f"c{n}": (f"c{n - 1}" if n else "", "d") for n in range(25_000)}, {})
        assert len(mirror.fold_chain("s", "c24999")) == 25_000

    def test_the_newest_four_snapshots_of_a_start_are_kept(self, mirror: Mirror):
        mirror.put_fold_snapshot("other", "c0", "kept")
        for number in range(6):
            mirror.put_fold_snapshot("s", f"c{number}", f"t{number}")
        kept = [mirror.fold_snapshot("s", f"c{number}") for number in range(6)]
        assert kept == [None, None, "t2", "t3", "t4", "t5"]
        assert mirror.fold_snapshot("other", "c0") == "kept"


class TestStates:
    def test_only_what_differs_is_written(self, mirror: Mirror):
        active, ended = State("active", "i1", "decision", "p", "memory"), State("archived", "i2")
        assert mirror.set_states({"a.md": active, "b.md": ended}) == 2
        assert mirror.set_states({"a.md": active, "b.md": ended}) == 0
        assert mirror.set_states({"a.md": active, "b.md": active}) == 1

    def test_a_note_that_has_no_state_any_more_loses_it(self, mirror: Mirror):
        mirror.set_states({"a.md": State("active"), "b.md": State("active")})
        mirror.set_states({"a.md": State("active")})
        assert mirror.states(["a.md", "b.md"]) == {"a.md": State("active")}
        assert row_of("b.md") not in mirror.states_by_row()

    def test_what_left_is_known_by_row(self, mirror: Mirror):
        mirror.set_states({"a.md": State("active"), "b.md": State("superseded"), "c.md": State("archived")})
        assert mirror.left_rows() == {row_of("b.md"), row_of("c.md")}
        mirror.set_states({"a.md": State("active"), "b.md": State("active"), "c.md": State("archived")})
        assert mirror.left_rows() == {row_of("c.md")}

    def test_a_state_set_by_another_process_is_seen(self, folder: Path, mirror: Mirror):
        assert mirror.states(["a.md"]) == {}
        other = open_mirror(folder)
        other.set_states({"a.md": State("archived", rejected="V102")})
        other.close()
        assert mirror.states(["a.md"]) == {"a.md": State("archived", rejected="V102")}
        assert mirror.left_rows() == {row_of("a.md")}


class TestMadeAgain:
    def filled(self, folder: Path) -> Path:
        mirror = open_mirror(folder)
        mirror.record([a_file(f"{number}.md") for number in range(500)], [])
        mirror.tidy()
        mirror.close()
        return folder / "index.db"

    def opens_empty(self, folder: Path) -> None:
        mirror = open_mirror(folder)
        assert (mirror.rebuilt, mirror.documents()) == (True, 0)
        mirror.record([a_file("new.md")], [])
        mirror.close()
        again = open_mirror(folder)
        assert (again.rebuilt, again.documents()) == (False, 1)
        again.close()

    @pytest.mark.parametrize("keep", [1, 50, 512, 4096, 4097, 20_000])
    def test_a_file_cut_short(self, folder: Path, keep: int):
        os.truncate(self.filled(folder), keep)
        self.opens_empty(folder)

    def test_a_file_that_is_no_database(self, folder: Path):
        self.filled(folder).write_bytes(b"not a database, but long enough to be taken for one\n" * 200)
        self.opens_empty(folder)
        assert (folder / "index.db.broken").exists()

    @pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY])
    def test_a_file_that_the_disk_refuses_is_left_where_it_is(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, code: int
    ):
        file = self.filled(folder)
        refused = sqlite3.OperationalError("disk I/O error")
        refused.sqlite_errorcode = code

        def connect(*_args: object, **_named: object) -> sqlite3.Connection:
            raise refused

        monkeypatch.setattr(sqlite3, "connect", connect)
        with pytest.raises(StorageError, match="cannot be opened") as told:
            open_mirror(folder)
        monkeypatch.undo()
        assert told.value.hint.startswith("free space")
        assert (file.exists(), list(folder.glob("*.broken"))) == (True, [])
        mirror = open_mirror(folder)
        assert not mirror.rebuilt
        mirror.close()

    def test_a_file_of_another_schema(self, folder: Path):
        with sqlite3.connect(self.filled(folder)) as sql:
            sql.execute("PRAGMA user_version = 99")
        sql.close()
        self.opens_empty(folder)

    def test_a_database_of_somebody_else(self, folder: Path):
        folder.mkdir()
        with sqlite3.connect(folder / "index.db") as sql:
            sql.execute("CREATE TABLE theirs (x)")
        sql.close()
        self.opens_empty(folder)

    def test_a_deleted_folder_opens_as_new(self, folder: Path):
        self.filled(folder).unlink()
        mirror = open_mirror(folder)
        assert (mirror.rebuilt, mirror.documents()) == (False, 0)
        mirror.close()

    def test_a_page_destroyed_while_open_is_a_broken_index(self, folder: Path):
        file = self.filled(folder)
        mirror = open_mirror(folder)
        mirror.close()
        with file.open("r+b") as raw:
            raw.seek(4096 * 3)
            raw.write(b"\xff" * 4096 * 20)
        # Whichever page it was, the answer is a new mirror or an error of ours, never a wrong row.
        opened = open_mirror(folder)
        with suppress(BrokenIndexError):
            assert opened.rebuilt or opened.stamps().keys() == {f"{number}.md" for number in range(500)}
        opened.close()


def test_a_writer_that_waits_in_vain_is_a_conflict(folder: Path, mirror: Mirror):
    holder = sqlite3.connect(folder / "index.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    mirror._sql.execute("PRAGMA busy_timeout = 10")
    with pytest.raises(ConflictError):
        mirror.put("x", "y")
    holder.execute("ROLLBACK")
    mirror.put("x", "y")
    holder.close()


def test_two_readers_and_a_writer_do_not_wait_for_each_other(folder: Path, mirror: Mirror):
    counts: list[int] = []
    stop = threading.Event()

    def count() -> None:
        reader = open_mirror(folder)
        while not stop.is_set():
            counts.append(reader.documents())
        counts.append(reader.documents())
        reader.close()

    readers = [threading.Thread(target=count) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(50):
        mirror.record([a_file(f"{number}-{part}.md") for part in range(10)], [])
    stop.set()
    for reader in readers:
        reader.join()
    assert counts[-1] == 500
    assert all(count % 10 == 0 for count in counts)


def test_a_broken_transaction_leaves_nothing_behind(mirror: Mirror):
    with pytest.raises(BrokenIndexError):
        mirror.record([a_file("a.md"), FileRow("b.md", 1, 2, 3, 4, None, "t")], [])
    assert mirror.documents() == 0
    mirror.record([a_file("a.md")], [])
    assert mirror.documents() == 1
