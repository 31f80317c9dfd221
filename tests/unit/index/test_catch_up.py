"""Catching up makes the index answer for exactly the files that are there, whatever happened before."""

import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.bench.generate import generate
from tests.unit.index.conftest import Index, Notes, blob_id, open_index, stamp_of
from vaultd.errors import ConflictError
from vaultd.index.catch_up import catch_up, catch_up_some
from vaultd.index.fulltext import open_fulltext
from vaultd.index.tables import DERIVED
from vaultd.search import listing


def test_new_notes_are_found_by_their_words(index: Index):
    index.notes.write("a.md", "# One\nthe quick fox")
    index.notes.write("sub/b.md", "a slow bear")
    assert set(index.catch_up().changed) == {"a.md", "sub/b.md"}
    assert index.paths("fox") == ["a.md"]
    assert index.paths("bear") == ["sub/b.md"]


def test_nothing_is_read_when_nothing_changed(index: Index):
    index.notes.write("a.md", "text")
    index.catch_up()
    assert index.catch_up().changed == ()
    assert index.notes.reads == []


def test_an_edit_replaces_the_old_words(index: Index):
    index.notes.write("a.md", "before")
    index.catch_up()
    index.notes.write("a.md", "afterwards")
    assert index.catch_up().changed == ("a.md",)
    assert (index.paths("before"), index.paths("afterwards")) == ([], ["a.md"])


def test_a_deleted_note_leaves_the_index(index: Index):
    index.notes.write("only/one.md", "lonely words")
    index.notes.write("two.md", "others")
    index.catch_up()
    index.notes.remove("only/one.md")
    assert index.catch_up().removed == ("only/one.md",)
    assert index.paths("lonely") == []
    assert (index.fulltext.count(), index.mirror.documents()) == (1, 1)


def test_a_moved_note_is_found_where_it_is_now(index: Index):
    index.notes.write("old.md", "wandering")
    index.catch_up()
    (index.notes.root / "old.md").rename(index.notes.root / "new.md")
    index.catch_up()
    assert index.paths("wandering") == ["new.md"]


def test_a_touched_note_is_read_and_not_indexed_again(index: Index):
    index.notes.write("a.md", "# Same\nsame")
    index.catch_up()
    os.utime(index.notes.root / "a.md", ns=(1, 1))
    assert index.catch_up().changed == ()
    assert index.notes.reads == ["a.md"]
    assert index.mirror.titles(["a.md"]) == {"a.md": "Same"}
    index.catch_up()
    assert index.notes.reads == []


def test_a_note_saved_just_now_is_read_once_more(index: Index):
    index.notes.write("a.md", "young")
    index.catch_up(clock_ns=time.time_ns)
    index.catch_up()
    assert index.notes.reads == ["a.md"]
    index.catch_up()
    assert index.notes.reads == []


def test_a_second_save_that_leaves_the_same_stamp_is_not_missed(index: Index):
    index.notes.write("a.md", "words one")
    stamps = index.notes.found()
    catch_up(index.mirror, index.fulltext, stamps, index.notes.read, blob_id, clock_ns=time.time_ns)
    index.notes.write("a.md", "words two")
    catch_up(index.mirror, index.fulltext, stamps, index.notes.read, blob_id)
    assert (index.paths("one"), index.paths("two")) == ([], ["a.md"])


def test_an_unreadable_note_is_left_out_and_tried_again(index: Index):
    index.notes.write("a.md", "hidden")
    index.catch_up()
    found = index.notes.found()
    (index.notes.root / "a.md").rename(index.notes.root / "aside")
    index.notes.write("aside", "hidden longer")
    found = {"a.md": stamp_of(index.notes.root / "aside")}
    caught = catch_up(index.mirror, index.fulltext, found, index.notes.read, blob_id)
    assert (caught.unreadable, caught.removed, index.paths("hidden")) == (("a.md",), ("a.md",), [])
    (index.notes.root / "aside").rename(index.notes.root / "a.md")
    assert index.catch_up().changed == ("a.md",)
    assert index.paths("hidden") == ["a.md"]


@pytest.mark.parametrize("gone", [True, False], ids=["gone", "emptied"])
def test_a_note_in_doubt_stays_as_it_is_known_however_young_its_stamp(index: Index, gone: bool):
    index.notes.write("a.md", "word")
    catch_up(index.mirror, index.fulltext, index.notes.found(), index.notes.read, blob_id)
    before = index.notes.found()
    (index.notes.root / "a.md").unlink() if gone else index.notes.write("a.md", "")
    caught = catch_up(index.mirror, index.fulltext, before, index.notes.read, blob_id, doubted={"a.md"})
    assert (caught.changed, caught.removed, caught.unreadable) == ((), (), ())
    assert index.paths("word") == ["a.md"]
    caught = catch_up(index.mirror, index.fulltext, index.notes.found(), index.notes.read, blob_id)
    assert (caught.removed, caught.changed) == ((("a.md",), ()) if gone else ((), ("a.md",)))
    assert index.paths("word") == []


def test_names_that_are_not_utf8_are_indexed_and_removed(index: Index):
    path = os.fsdecode(b"caf\xe9.md")
    index.notes.write(path, "latin name")
    index.catch_up()
    assert index.paths("latin") == [path]
    index.notes.remove(path)
    index.catch_up()
    assert index.paths("latin") == []


@pytest.mark.parametrize(
    "data",
    [b"", b"\x00\x00", b"\xff\xfe words", b"---\nid: [\n---\nwords", b'---\nx: "\\ud800"\n---\nwords', b"---\n" * 50],
)
def test_no_bytes_stop_the_index(index: Index, data: bytes):
    index.notes.write("odd.md", data)
    index.notes.write("good.md", "sound")
    index.catch_up()
    assert index.fulltext.count() == 2
    assert index.paths("sound") == ["good.md"]


def test_progress_is_told_while_notes_are_read(index: Index):
    for number in range(150):
        index.notes.write(f"{number}.md", "x")
    told: list[tuple[int, int]] = []
    catch_up(
        index.mirror,
        index.fulltext,
        index.notes.found(),
        index.notes.read,
        blob_id,
        lambda done, of: told.append((done, of)),
    )
    assert told == [(64, 150), (128, 150), (150, 150)]


class TestSome:
    def some(self, index: Index, *paths: str):
        files = {path: index.notes.root / path for path in paths}
        stamps = {path: stamp_of(file) if file.exists() else None for path, file in files.items()}
        return catch_up_some(index.mirror, index.fulltext, stamps, index.notes.read, blob_id)

    def test_only_the_files_named_are_looked_at(self, index: Index):
        index.notes.write("a.md", "first")
        index.notes.write("b.md", "second")
        index.catch_up()
        index.notes.write("a.md", "third")
        index.notes.write("b.md", "fourth")
        assert self.some(index, "a.md").changed == ("a.md",)
        assert (index.paths("third"), index.paths("second"), index.paths("fourth")) == (["a.md"], ["b.md"], [])

    def test_a_file_that_is_gone_leaves(self, index: Index):
        index.notes.write("a.md", "first")
        index.catch_up()
        index.notes.remove("a.md")
        assert self.some(index, "a.md").removed == ("a.md",)
        assert index.paths("first") == []

    def test_a_file_that_was_never_there_changes_nothing(self, index: Index):
        index.notes.write("a.md", "first")
        index.catch_up()
        assert self.some(index, "never.md") == catch_up_some(
            index.mirror, index.fulltext, {}, index.notes.read, blob_id
        )

    def test_a_note_that_is_emptied_between_the_look_and_the_read_keeps_its_words(self, index: Index):
        """Half of a save; the other half is heard, and looked at then."""
        index.notes.write("a.md", "first")
        index.catch_up()
        index.notes.write("a.md", "second text")
        stamps = {"a.md": stamp_of(index.notes.root / "a.md")}
        index.notes.write("a.md", "")
        assert catch_up_some(index.mirror, index.fulltext, stamps, index.notes.read, blob_id).changed == ()
        assert (index.paths("first"), index.mirror.expected()) == (["a.md"], set())
        index.notes.write("a.md", "second text")
        assert self.some(index, "a.md").changed == ("a.md",)

    def test_an_index_that_disagrees_with_itself_asks_for_everything(self, index: Index):
        index.notes.write("a.md", "first")
        index.catch_up()
        index.mirror.forget_files("another")
        assert self.some(index, "a.md").rebuilt
        assert index.catch_up().rebuilt


class TestLosses:
    @pytest.fixture
    def filled(self, index: Index) -> Index:
        for number in range(30):
            index.notes.write(f"{number}.md", f"# Note\nword{number} shared")
        index.catch_up()
        return index

    def whole(self, index: Index) -> None:
        assert (index.fulltext.count(), index.mirror.documents()) == (30, 30)
        assert len(index.paths("shared")) == 30
        assert index.paths("word7") == ["7.md"]

    def test_the_whole_folder_deleted(self, filled: Index):
        filled.close()
        shutil.rmtree(filled.folder)
        again = open_index(filled.folder, filled.notes)
        again.catch_up()
        self.whole(again)
        again.close()

    @pytest.mark.parametrize("name", ["meta.json", "vaultd.json"])
    def test_a_file_of_the_full_text_deleted(self, filled: Index, name: str):
        filled.close()
        (filled.folder / "fulltext" / name).unlink()
        filled.reopen()
        assert filled.fulltext.rebuilt
        assert filled.catch_up().rebuilt
        self.whole(filled)

    @pytest.mark.parametrize("suffix", [".idx", ".pos", ".term", ".fast", ".fieldnorm", ".store"])
    @pytest.mark.parametrize("keep", [None, 0, 40])
    def test_a_segment_file_lost_or_cut(self, filled: Index, suffix: str, keep: int | None):
        filled.close()
        victim = next((filled.folder / "fulltext").glob(f"*{suffix}"))
        victim.unlink()
        if keep is not None:
            victim.write_bytes(b"x" * keep)
        filled.reopen()
        filled.catch_up()
        self.whole(filled)

    def test_the_mirror_cut_short(self, filled: Index):
        filled.mirror.tidy()
        filled.close()
        os.truncate(filled.folder / "index.db", 5000)
        filled.reopen()
        assert filled.mirror.rebuilt
        filled.catch_up()
        self.whole(filled)

    def test_the_mirror_deleted(self, filled: Index):
        filled.close()
        for file in filled.folder.glob("index.db*"):
            file.unlink()
        filled.reopen()
        filled.catch_up()
        self.whole(filled)

    def test_the_full_text_deleted(self, filled: Index):
        filled.close()
        shutil.rmtree(filled.folder / "fulltext")
        filled.reopen()
        assert filled.catch_up().rebuilt
        self.whole(filled)

    def test_a_document_too_few(self, filled: Index):
        filled.fulltext.begin(0)
        filled.fulltext.delete(["7.md"])
        filled.fulltext.commit()
        filled.fulltext.release()
        assert filled.catch_up().rebuilt
        self.whole(filled)


def test_a_second_writer_is_told_to_wait(index: Index):
    other = open_fulltext(index.folder)
    other.begin(0)
    index.notes.write("a.md", "words")
    with pytest.raises(ConflictError):
        index.catch_up()
    other.close()
    index.catch_up()
    assert index.paths("words") == ["a.md"]


def test_a_reader_sees_what_another_process_wrote(index: Index):
    reader = open_fulltext(index.folder)
    index.notes.write("a.md", "words")
    index.catch_up()
    assert [hit.path for hit in reader.search("words")] == ["a.md"]
    reader.close()


def test_an_index_made_anew_is_in_few_pieces(index: Index, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("vaultd.index.catch_up._BATCH", 2)
    for number in range(40):
        index.notes.write(f"{number}.md", f"word{number} in all")
    index.catch_up()
    assert len(index.paths("all")) == index.fulltext.count() == 40
    assert 2 <= len([*(index.folder / "fulltext").glob("*.store")]) <= 7


def test_notes_indexed_anew_after_all_left_are_found_once(index: Index):
    index.notes.write("a.md", "words")
    index.catch_up()
    index.notes.remove("a.md")
    index.catch_up()
    index.notes.write("a.md", "words again")
    index.catch_up()
    assert index.paths("words") == ["a.md"]


_CHILD = """
import sys
from pathlib import Path
import vaultd.index.catch_up
from tests.unit.index.conftest import Notes, open_index
vaultd.index.catch_up._BATCH = 40
index = open_index(Path(sys.argv[1]), Notes(Path(sys.argv[2])))
print("ready", flush=True)
while True:
    index.catch_up()
    for number, path in enumerate(sorted(index.notes.found())):
        if number % 3 == 0:
            index.notes.write(path, "# Round\\n" + path + " again " + str(number))
"""


def answers(index: Index, queries: list[str]) -> dict[str, set[str]]:
    return {query: set(index.paths(query)) for query in queries}


def tables(index: Index) -> dict[str, list]:
    return {name: sorted(index.mirror.rows(f"SELECT * FROM {name}"), key=str) for name in ("names", *DERIVED)}


@pytest.mark.parametrize("kills", [20, pytest.param(200, marks=pytest.mark.soak)])
def test_after_kills_at_random_the_next_run_answers_as_a_fresh_index(tmp_path: Path, notes: Notes, kills: int):
    generate(notes.root, 120, seed=3)
    folder = tmp_path / "index"
    for round_ in range(kills):
        command = [sys.executable, "-c", _CHILD, str(folder), str(notes.root)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3])
        assert child.stdout is not None
        child.stdout.readline()
        # A different moment of the work each time, from the first read to well into a later round.
        time.sleep(0.08 * round_ / kills)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        # What the killed run may have indexed and not recorded is gone before the next one looks.
        doomed = sorted(notes.found())[round_ % 7]
        notes.remove(doomed)
        notes.write(f"inbox/new {round_}.md", f"arrived{round_} meanwhile")
    queries = ["meanwhile", "arrived3", "again", "round", "unique3m000007", "unique3p000011", "koko"]
    survivor, fresh = open_index(folder, notes), open_index(tmp_path / "fresh", notes)
    survivor.catch_up()
    fresh.catch_up()
    assert answers(survivor, queries) == answers(fresh, queries)
    assert tables(survivor) == tables(fresh)
    assert survivor.fulltext.count() == survivor.mirror.documents() == len(notes.found())
    assert not survivor.mirror.expected()
    survivor.close()
    fresh.close()


def test_two_readers_and_a_writer_at_once_meet_no_error(tmp_path: Path, notes: Notes):
    generate(notes.root, 60, seed=4)
    command = [sys.executable, "-c", _CHILD, str(tmp_path / "index"), str(notes.root)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3])
    assert child.stdout is not None
    child.stdout.readline()

    def look(query: str) -> int:
        reader = open_index(tmp_path / "index", notes)
        found = rounds = 0
        end = time.monotonic() + 120
        while rounds < 40 or (not found and time.monotonic() < end):
            rounds += 1
            found += len(reader.paths(query)) + len(reader.mirror.paths()) + len(listing.links(reader.mirror, None))
        reader.close()
        return found

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(look, ["again", "unique4m000003"]))
    assert child.poll() is None
    child.kill()
    child.communicate()
    assert min(found) > 0


class Dead(Exception):  # noqa: N818 — what a kill would be
    """Stands for the end of the process."""


class TestBetweenTheTwoCommits:
    """The full text commits first; the process may end before the mirror does."""

    def crash(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        def die(*_: object) -> int:
            raise Dead

        with monkeypatch.context() as patch:
            patch.setattr(type(index.mirror), "record", die)
            with pytest.raises(Dead):
                index.catch_up()
        index.reopen()

    def test_a_new_note_is_indexed_once(self, index: Index, monkeypatch):
        index.notes.write("a.md", "words")
        self.crash(index, monkeypatch)
        index.catch_up()
        assert (index.paths("words"), index.fulltext.count()) == (["a.md"], 1)

    def test_a_note_that_went_away_meanwhile_is_taken_out(self, index: Index, monkeypatch):
        index.notes.write("a.md", "words")
        self.crash(index, monkeypatch)
        index.notes.remove("a.md")
        assert index.catch_up().removed == ("a.md",)
        assert (index.paths("words"), index.fulltext.count()) == ([], 0)

    def test_an_edit_taken_back_meanwhile_is_taken_back(self, index: Index, monkeypatch):
        index.notes.write("a.md", "before")
        index.catch_up()
        index.notes.write("a.md", "after")
        self.crash(index, monkeypatch)
        index.notes.write("a.md", "before")
        index.catch_up()
        assert (index.paths("before"), index.paths("after")) == (["a.md"], [])

    def test_a_deletion_that_came_back_meanwhile_is_found(self, index: Index, monkeypatch):
        index.notes.write("a.md", "words")
        index.catch_up()
        (index.notes.root / "a.md").rename(index.notes.root / "aside")
        self.crash(index, monkeypatch)
        (index.notes.root / "aside").rename(index.notes.root / "a.md")
        index.catch_up()
        assert index.paths("words") == ["a.md"]
