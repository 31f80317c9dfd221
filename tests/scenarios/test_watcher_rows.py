"""How programs save, replayed syscall by syscall under a running daemon, and what a plugin is told of it.

Each row of `ROWS` has a folder of its own in one vault. What the daemon notices goes into the queue that waits for one
plugin, and is taken from there when everything has settled: that is what the plugin would hear.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.conftest import GITCONFIG
from tests.daemons import daemon_on, until
from tests.vaults import Vault, id_of, memory, new_vault
from vaultd.app import open_app
from vaultd.daemon.loop import Daemon
from vaultd.host.events import NoteEvent, Queue
from vaultd.judging.opened import Opened
from vaultd.listings import LISTINGS
from vaultd.plugged.noticing import Echoes, Noticing
from vaultd.search.broken_links import link_violations
from vaultd.vault.settling import Doubts

PATIENCE = 60.0
MANY = 300
Told = tuple[str, str, str]
"""The event, the path, and the old path of a rename; both within the row's folder."""


@dataclass(frozen=True)
class Row:
    """A sequence of system calls, and the events that come of it."""

    name: str
    does: Callable[[Path], object]
    told: tuple[Told, ...]
    files: dict[str, str] = field(default_factory=lambda: {"n.md": "old text"})
    left: dict[str, str] | None = None
    """What the index holds of the row's notes in the end, where that is not simply what the files say."""
    loses: bool = False
    """Whether something is lost for good; all else comes back, and is not to be believed lost however long that takes."""


# What the programs do ------------------------------------------------------------------------------------------------


def in_place(file: Path, *parts: str, pause: float = 0.0) -> None:
    """Truncate, write in parts, close: Obsidian, VS Code, a shell."""
    with file.open("w") as out:
        for part in parts:
            out.write(part)
            out.flush()
            time.sleep(pause)  # the pause is the input


def twenty_saves(folder: Path) -> None:
    for turn in range(20):
        in_place(folder / "n.md", f"save {turn}")
        time.sleep(0.1)  # the pause is the input


def vim(folder: Path) -> None:
    """Vim's default save: a swap file, a probe, the old file away, a new one, the old one gone."""
    note, swap = folder / "n.md", folder / ".n.md.swp"
    (folder / ".n.md.swx").touch()
    (folder / ".n.md.swx").unlink()
    swap.write_bytes(b"b0VIM")
    (folder / "4913").touch()
    (folder / "4913").chmod(0o644)
    (folder / "4913").unlink()
    note.rename(folder / "n.md~")
    in_place(note, "new ", "text")
    note.chmod(0o644)
    (folder / "n.md~").unlink()
    swap.unlink()


def emacs(folder: Path) -> None:
    """Emacs' default save: a lock that is a dangling link, the old file kept as a backup, a new one closed twice."""
    lock, note = folder / ".#n.md", folder / "n.md"
    lock.symlink_to("ada@host.123:1")
    note.rename(folder / "n.md~")
    in_place(note, "new text")
    with note.open("r+"):
        pass
    lock.unlink()
    note.chmod(0o644)


def replaced(folder: Path) -> None:
    """A new file in the place of the old one: sed -i, write-file-atomic, rsync."""
    (folder / "sedHblxJ1").write_text("new text")
    (folder / "sedHblxJ1").rename(folder / "n.md")


def syncthing_modify(folder: Path) -> None:
    temporary = folder / ".syncthing.n.md.tmp"
    temporary.write_text("new text")
    (folder / "n.md").unlink()
    time.sleep(0.05)  # the pause is the input
    temporary.rename(folder / "n.md")
    os.utime(folder / "n.md", (1e9, 1e9))


def syncthing_rename(folder: Path) -> None:
    (folder / "n.md").rename(folder / ".syncthing.renamed.md.tmp")
    time.sleep(0.05)  # the pause is the input
    (folder / ".syncthing.renamed.md.tmp").rename(folder / "renamed.md")


def git_checkout(folder: Path) -> None:
    """What `git checkout` does to a work tree: the lock, each file deleted and made again, the index, HEAD."""
    lock = folder.parent / ".git/index.lock"
    lock.touch()
    for number in range(10):
        (folder / f"n{number}.md").unlink()
        if number != 9:
            in_place(folder / f"n{number}.md", f"other branch {number}")
    in_place(folder / "made.md", "only on the other branch")
    time.sleep(0.5)  # longer than saves need to settle
    lock.unlink()


def away_and_back(folder: Path) -> None:
    (folder / "n.md").rename(folder.parent.parent / "n.md")
    time.sleep(1.0)  # the pause is the input
    (folder.parent.parent / "n.md").rename(folder / "n.md")


def nothing_new(folder: Path) -> None:
    (folder / "n.md").touch()
    (folder / "n.md").chmod(0o600)
    in_place(folder / "n.md", "old text")


def into_trash(folder: Path) -> None:
    (folder / ".trash").mkdir()
    (folder / "n.md").rename(folder / ".trash/n.md")


def workspace(folder: Path) -> None:
    (folder / ".obsidian").mkdir()
    for turn in range(60):
        in_place(folder / ".obsidian/workspace.json", str(turn))


def becomes_folder(folder: Path) -> None:
    (folder / "n.md").unlink()
    (folder / "n.md").mkdir()


def deep_at_once(folder: Path) -> None:
    (folder / "a/b/c").mkdir(parents=True)
    in_place(folder / "a/b/c/n.md", "text")


def no_files(folder: Path) -> None:
    (folder / "x.md").symlink_to("nowhere")
    os.mkfifo(folder / "y.md")


def odd_times(folder: Path) -> None:
    for name, at in (("n.md", 4_070_908_800), ("m.md", 0), ("k.md", 1_000_000_000)):
        in_place(folder / name, f"new text of {name}")
        os.utime(folder / name, (at, at))


def move(old: str, new: str) -> Callable[[Path], object]:
    return lambda folder: (folder / old).rename(folder / new)


def only(event: str, path: str = "n.md", old: str = "") -> tuple[Told, ...]:
    return ((event, path, old),)


ROWS = (
    Row("WT-01 in place, in five parts", lambda at: in_place(at / "n.md", *"abcde"), only("modify")),
    Row("WT-02 twenty saves at 100 ms", twenty_saves, only("modify")),
    Row("WT-03 vim", vim, only("modify")),
    Row("WT-04 Emacs", emacs, only("modify")),
    Row("WT-05 a file put in the place of another", replaced, only("modify")),
    Row("WT-06 Syncthing changes", syncthing_modify, only("modify")),
    Row("WT-07 Syncthing renames", syncthing_rename, only("rename", "renamed.md", "n.md")),
    Row("WT-08 mv", move("n.md", "b.md"), only("rename", "b.md", "n.md")),
    Row("WT-09 another case", move("n.md", "N.md"), only("rename", "N.md", "n.md")),
    Row(
        "WT-09 another Unicode form",
        move("e\u0301.md", "\u00e9.md"),
        only("rename", "\u00e9.md", "e\u0301.md"),
        {"e\u0301.md": "old text é"},
    ),
    Row(
        f"WT-10 a folder of {MANY} notes",
        move("d", "e"),
        tuple(("rename", f"e/n{number}.md", f"d/n{number}.md") for number in range(MANY)),
        {f"d/n{number}.md": memory(f"n{number}") for number in range(MANY)},
    ),
    Row("WT-11 folders made a moment before", deep_at_once, only("create", "a/b/c/n.md"), {}),
    Row("WT-12 touch, chmod, the same bytes", nothing_new, ()),
    Row(
        "WT-13 git checkout",
        git_checkout,
        (
            *(("modify", f"n{number}.md", "") for number in range(9)),
            ("create", "made.md", ""),
            ("delete", "n9.md", ""),
        ),
        {f"n{number}.md": f"this branch {number}" for number in range(12)},
        loses=True,
    ),
    Row("WT-14 into the trash", into_trash, only("delete"), loses=True),
    Row("WT-15 away and back", away_and_back, ()),
    Row("WT-16 empty for 400 ms", lambda at: in_place(at / "n.md", "", "new", pause=0.4), only("modify")),
    Row("WT-17 emptied for good", lambda at: in_place(at / "n.md"), only("modify"), loses=True),
    Row("WT-24 the workspace, sixty times", workspace, ()),
    Row("WT-25 a folder in the place of a note", becomes_folder, only("delete"), left={}, loses=True),
    Row("WT-26 a dangling link, a pipe", no_files, (), {}, left={}),
    Row(
        "WT-28 times of other centuries",
        odd_times,
        tuple(("modify", name, "") for name in ("n.md", "m.md", "k.md")),
        dict.fromkeys(("n.md", "m.md", "k.md"), "old text"),
    ),
)


# The daemon they happen under -----------------------------------------------------------------------------------------


@dataclass
class Watched:
    """A running daemon, and all that it notices."""

    vault: Vault
    daemon: Daemon
    noticing: Noticing
    heard: list[NoteEvent] = field(default_factory=list)
    keys: set[tuple[str, str]] = field(default_factory=set)
    """The paths and blob ids of all texts that the index took in."""
    rests: bool = False
    """Whether it is between two turns, with nothing heard, doubted or unjudged that the next one is to do."""

    @property
    def opened(self) -> Opened:
        return self.daemon.app.opened

    def listen(self) -> None:
        """Hear what a plugin would be told, in its place."""

        def caught(changed, removed) -> None:
            self.keys |= {(path, stamp[4]) for path, stamp in self.opened.mirror.stamps_of(changed).items()}
            self.heard += self.noticing.noticed(changed, removed)

        turn = self.daemon._turn

        def watched() -> None:
            self.rests = False
            turn()
            waits = self.daemon._watch.peek() or self.daemon._settled.doubted or self.daemon._unjudged
            self.rests = not waits

        self.daemon._plugins.caught = caught
        self.daemon._turn = watched
        self.noticing.begin()

    def walks(self) -> bool:
        """Let it look for what is wrong with new names, however little of its time that is to take."""
        self.daemon._next_walk = 0.0
        return True

    def settle(self, marker: str) -> None:
        """Wait until a note that is written now is indexed, and nothing before it is in doubt."""
        self.vault.write(marker, marker)
        end = time.monotonic() + PATIENCE
        while not self._settled(marker):
            assert time.monotonic() < end, (self.heard, self.daemon._settled.doubted)
            time.sleep(0.02)

    def _settled(self, marker: str) -> bool:
        return any(event.path == marker for event in self.heard) and self.rests

    def told(self, folder: str) -> list[Told]:
        """Return what waits for a plugin of what happened in a folder."""
        queue = Queue(10 * MANY)
        for event in self.heard:
            queue.put(event)
        taken = [event for event in iter(lambda: queue.take(0), None) if isinstance(event, NoteEvent)]
        rows = [event for event in taken if event.path.startswith(f"{folder}/")]
        return [(e.name, e.path.removeprefix(f"{folder}/"), e.old_path.removeprefix(f"{folder}/")) for e in rows]

    def indexed(self, folder: str) -> dict[str, str]:
        """Return the keys of the notes that the index has of a folder."""
        keys = self.opened.keys()
        return {path: key for path, key in keys.items() if path.startswith(f"{folder}/")}


def folder_of(row: Row) -> str:
    return f"row-{ROWS.index(row)}"


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    outside = tmp_path_factory.mktemp("outside")
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
            (outside / variable).mkdir()
            patch.setenv(variable, os.fspath(outside / variable))
        (outside / "gitconfig").write_text(GITCONFIG)
        patch.setenv("GIT_CONFIG_GLOBAL", os.fspath(outside / "gitconfig"))
        vault = new_vault(tmp_path_factory.mktemp("rows") / "vault")
        for row in ROWS:
            (vault.root / folder_of(row)).mkdir()
            for path, text in row.files.items():
                vault.write(f"{folder_of(row)}/{path}", text)
        vault.commit("notes")
        with daemon_on(vault) as daemon:
            found = Watched(vault, daemon, Noticing(daemon.app.opened, Echoes()))
            found.listen()
            yield found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_a_program_does_is_told_as_what_happened(watched: Watched, row: Row, monkeypatch: pytest.MonkeyPatch):
    folder = folder_of(row)
    if not row.loses:
        monkeypatch.setattr(watched.daemon._settled, "_doubts", Doubts(grace=PATIENCE, pause=PATIENCE))
    watched.heard.clear()
    watched.keys.clear()
    row.does(watched.vault.root / folder)
    watched.settle(f"after-{folder}.md")
    on_disk = {f"{folder}/{path}" for path in row.left} if row.left is not None else notes_in(watched.vault, folder)
    # a file moved out of sight is heard of half a second later, in case it turns up elsewhere
    keys = {path: watched.opened.blob_id((watched.vault.root / path).read_bytes()) for path in on_disk}
    until(lambda: watched.indexed(folder) == keys, PATIENCE)
    until(lambda: len(watched.told(folder)) >= len(row.told), PATIENCE)
    assert sorted(watched.told(folder)) == sorted(row.told)
    assert {event.origin for event in watched.heard if event.path.startswith(f"{folder}/")} <= {"external"}
    assert watched.daemon.life.state == "ready"
    if not row.name.startswith("WT-17"):
        empty = watched.opened.blob_id(b"")  # as a new file is for a moment, but no text that was there is for one
        assert [path for path in row.files if (f"{folder}/{path}", empty) in watched.keys] == []


def notes_in(vault: Vault, folder: str) -> set[str]:
    found = (vault.root / folder).rglob("*.md")
    return {file.relative_to(vault.root).as_posix() for file in found if "/." not in file.as_posix()}


# Rows that are about more than a save ---------------------------------------------------------------------------------


def code_at(watched: Watched, path: str) -> set[str]:
    seen = watched.daemon.life.overview
    assert seen is not None
    return {found.code for found in seen.violations if found.path == path}


def test_wt_20_and_21_our_own_write_is_ours_and_an_edit_right_after_it_is_the_editors(watched: Watched):
    vault = watched.vault
    vault.remember("own", "next")
    vault.commit("two memories")
    watched.settle("before-20.md")
    watched.heard.clear()
    vault.does("memory", "supersede", "own", "next")
    time.sleep(0.1)  # the pause is the input
    in_place(vault.file("next"), vault.read("next") + "typed by a person\n")
    watched.settle("after-20.md")
    origins = {(event.name, event.path): event.origin for event in watched.heard}
    assert origins["modify", "memory/_global/own.md"] == "vaultd"
    assert origins["modify", "memory/_global/next.md"] == "external"
    assert vault.log[0] == "memory: supersede own by next"
    assert len(watched.daemon.app.fulltext.search("typed person")) == 1


def test_wt_13_what_git_itself_checks_out_is_told_as_git_s(watched: Watched):
    vault, names = watched.vault, [f"branch/n{number}.md" for number in range(50)]
    for name in names:
        vault.write(name, f"this branch {name}")
    vault.commit("this branch")
    vault.git("checkout", "-q", "-b", "other")
    for name in names[1:]:
        vault.write(name, f"other branch {name}")
    (vault.root / names[0]).unlink()
    vault.write("branch/made.md", "only here")
    vault.commit("other branch")
    vault.git("checkout", "-q", "-")
    watched.settle("before-13.md")
    watched.heard.clear()
    vault.git("checkout", "-q", "other")
    watched.settle("after-13.md")
    expected = [("create", "made.md", ""), ("delete", "n0.md", ""), *(("modify", f"n{n}.md", "") for n in range(1, 50))]
    until(lambda: len(watched.told("branch")) >= len(expected), PATIENCE)
    assert sorted(watched.told("branch")) == sorted(expected)
    assert {event.origin for event in watched.heard if event.path.startswith("branch/")} == {"git"}


def test_wt_23_a_conflict_copy_of_a_memory_has_no_part_in_the_lifecycle(watched: Watched):
    vault = watched.vault
    vault.remember("kept")
    vault.commit("a memory")
    watched.settle("before-23.md")
    until(lambda: id_of("kept") in watched.daemon.life.overview.present.ground.standings, PATIENCE)
    before = watched.daemon.life.overview
    copy = "memory/_global/kept.sync-conflict-20261130-162007-6JTFDZU.md"
    vault.write(copy, vault.read("kept"))
    watched.settle("after-23.md")
    until(lambda: watched.walks() and "V222" in code_at(watched, copy), PATIENCE)
    assert ("create", copy) in {(event.name, event.path) for event in watched.heard}
    assert before is not None
    assert watched.daemon.life.overview.memories == before.memories


def test_wt_29_two_names_that_differ_by_case_are_two_notes_and_one_report(watched: Watched):
    for name in ("Case.md", "case.md"):
        watched.vault.write(name, f"text of {name}")
    watched.settle("after-29.md")
    assert {"Case.md", "case.md"} <= watched.opened.keys().keys()
    until(lambda: watched.walks() and len(code_at(watched, "Case.md") | code_at(watched, "case.md")) == 1, PATIENCE)


def test_wt_30_what_was_told_one_by_one_is_what_lies_on_the_disk(watched: Watched):
    fresh = open_app(watched.vault.root)
    try:
        found = fresh.opened.scan()
        assert watched.opened.keys().keys() == found.notes.keys()
        assert {
            path: fresh.opened.blob_id(fresh.opened.read(path) or b"") for path in found.notes
        } == watched.opened.keys()
    finally:
        fresh.close()


def test_wt_30_edits_while_no_daemon_runs_end_as_they_do_live(
    vault: Vault, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    """One vault is edited under a daemon, its twin while none runs: a start reads at once what was told one by one."""
    caplog.set_level("INFO", "vaultd")
    for name in ("hub", "gone", "moved", "folder/deep"):
        vault.write(
            f"{name}.md",
            f"---\nkind_of: {name}\n---\n# {name}\n[[hub]] [[moved]] [[new]] #tag/{name}\n- [ ] do {name}\n",
        )
    vault.remember("m", "next")
    vault.commit("notes")
    twin = Vault(tmp_path / "twin")
    shutil.copytree(vault.root, twin.root)
    with daemon_on(twin):
        pass
    edit_much(twin)
    caplog.clear()
    with daemon_on(twin) as late:
        own = [record for record in caplog.records if record.threadName == os.fspath(twin.root)]
        assert [record.message.split()[0] for record in own].count("event=reconciled") == 1
        expected = answers_of(late)
    assert expected["rejected"] == {"memory/_global/m.md": "V103"}
    with daemon_on(vault) as live:
        edit_much(vault)
        until(lambda: answers_of(live) == expected, PATIENCE)


def edit_much(vault: Vault) -> None:
    vault.write("hub.md", "# Hub\nother words [[folder/deep]] #fresh\n")
    (vault.root / "gone.md").unlink()
    (vault.root / "moved.md").rename(vault.root / "renamed.md")
    (vault.root / "folder").rename(vault.root / "elsewhere")
    vault.write("new.md", "- [x] done [[hub]]\n")
    vault.write("attached.png", b"\x89PNG")
    memory_file = vault.file("m")
    text = memory_file.read_text().replace("invalid_at: null", "invalid_at: 2026-01-01T00:00:00Z")
    memory_file.write_text(text.replace("superseded_by: null", "superseded_by: nobody"))


def answers_of(daemon: Daemon) -> dict[str, object]:
    """Return what a daemon tells of its vault; how much it found relevant may differ with what it once knew."""
    seen = daemon.life.overview
    assert seen is not None
    found = daemon.answer("search", {"query": "words OR done OR do", "limit": 50})["hits"]
    told: dict[str, object] = {
        verb: daemon.answer(verb, {}) for verb in LISTINGS if verb not in ("backlinks", "outline")
    }
    told["search"] = sorted((hit["path"], hit["line"], hit["snippet"]) for hit in found)
    told["rejected"] = dict(seen.rejected)
    told["violations"] = sorted((found.code, found.path, found.line) for found in seen.violations)
    return told


def test_a_file_that_links_mean_is_known_as_soon_as_it_is_there(watched: Watched):
    watched.vault.write("Shown.md", "![[drawn.png]]")
    watched.settle("before-png.md")
    watched.vault.write("drawn.png", b"\x89PNG")
    until(lambda: watched.walks() and "V301" not in codes_of_links(watched, "Shown.md"), PATIENCE)
    (watched.vault.root / "drawn.png").unlink()
    until(lambda: watched.walks() and "V301" in codes_of_links(watched, "Shown.md"), PATIENCE)


def codes_of_links(watched: Watched, path: str) -> set[str]:
    with watched.daemon._guard:
        return {found.code for found in link_violations(watched.opened.mirror) if found.path == path}


def test_a_note_that_is_ignored_is_not_taken_in_when_it_is_saved(watched: Watched):
    watched.vault.write(".vaultdignore", "private/\n")
    watched.settle("before-ignored.md")
    watched.vault.write("private/diary.md", "nobody reads this")
    watched.settle("after-ignored.md")
    in_place(watched.vault.root / "private/diary.md", "nor this")
    watched.settle("later-ignored.md")
    assert watched.indexed("private") == {}
    assert not [event for event in watched.heard if event.path == "private/diary.md"]


ELSEWHERE = {
    "WT-03 with vim itself": "unit/vault/test_watching.py::test_wt_03_vim_s_save_is_one_modify",
    "WT-05 with sed itself": "unit/vault/test_watching.py::test_wt_05_sed_in_place_is_one_modify",
    "WT-18": "scenarios/test_daemon.py::test_a_mass_disappearance_is_not_believed_until_a_person_says_so",
    "WT-19 overflow": "unit/vault/test_watching.py::test_wt_19_an_overflow_asks_for_a_scan_and_is_counted",
    "WT-19 burst": "unit/vault/test_watching.py::test_wt_19_of_a_burst_of_creates_nothing_is_missed",
    "WT-22": "unit/vault/test_watching.py::test_wt_22_a_full_walk_and_read_is_not_heard",
    "WT-26 reported once": "unit/vault/test_scanning.py::test_wt_26_pipes_and_dangling_links_are_reported_once_and_never_opened",
    "WT-27": "unit/index/test_catch_up.py::test_an_unreadable_note_is_left_out_and_tried_again",
    "WT-30 after kills": "unit/index/test_catch_up.py::test_after_kills_at_random_the_next_run_answers_as_a_fresh_index",
    "rule 1: names pruned before they are queued": "unit/vault/test_watching.py::test_what_an_event_asks_for",
    "rule 2: quiet": "unit/vault/test_settling.py::test_a_change_settles_once_nothing_was_heard_for_a_while",
    "rule 2: cap": "unit/vault/test_settling.py::test_a_note_that_is_saved_without_pause_settles_after_the_cap",
    "rule 3: grace": "unit/vault/test_settling.py::test_a_note_that_stays_away_is_gone",
    "rule 3: one read at one moment": "unit/vault/test_reading.py::test_a_half_saved_note_is_never_returned",
    "rule 4: emptied": "unit/vault/test_settling.py::test_wt_17_a_note_that_stays_empty_is_believed_after_three_more_looks",
    "rule 5: the same bytes": "unit/index/test_catch_up.py::test_a_touched_note_is_read_and_not_indexed_again",
    "rule 6: rename": "scenarios/test_watcher_rows.py::test_what_a_program_does_is_told_as_what_happened",
    "rule 7: case and Unicode form": "scenarios/test_watcher_rows.py::test_what_a_program_does_is_told_as_what_happened",
    "rule 8: folders": "unit/vault/test_watching.py::test_case_40_events_inside_a_moved_folder_are_heard",
    "rule 9: git at work": "unit/vault/test_watching.py::test_a_lock_on_the_index_changes_the_stamp",
    "rule 10: content, no clocks": "scenarios/test_watcher_rows.py::test_wt_20_and_21_our_own_write_is_ours_and_an_edit_right_after_it_is_the_editors",
    "rule 11: vanished": "unit/vault/test_settling.py::test_wt_18_many_notes_gone_at_once_stop_everything",
    "rule 11: the marker": "scenarios/test_daemon.py::test_a_missing_marker_suspends",
    "rule 12: one id, two files": "scenarios/test_cases.py::test_an_id_that_loses_its_file_goes_to_the_copy_that_was_there_first",
    "rule 13: not on this disk": "unit/vault/test_reading.py::test_a_file_without_a_byte_on_disk_is_not_available",
}
"""Rows, and rules of the debouncer, that another test is about."""


def test_every_row_and_every_rule_has_a_test():
    here = Path(__file__).read_text()
    for name, test in ELSEWHERE.items():
        file, _, function = test.partition("::")
        assert f"def {function}(" in (Path(__file__).parents[1] / file).read_text(), name
    named = " ".join(
        (*(row.name for row in ROWS), *ELSEWHERE, here.replace("test_wt_", "WT-").replace("_and_21", " WT-21"))
    )
    assert {number for number in range(1, 31) if f"WT-{number:02}" not in named} == set()
    assert {number for number in range(1, 14) if f"rule {number}:" not in " ".join(ELSEWHERE)} == set()
