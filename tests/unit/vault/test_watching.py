"""What the watch hears of how programs really save, and what is made of it after settling."""

import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from vaultd.errors import StorageError
from vaultd.settings import Folders
from vaultd.vault import watching
from vaultd.vault.ignoring import Ignore
from vaultd.vault.reading import read_stable
from vaultd.vault.scanning import scan
from vaultd.vault.settling import Doubts, Settling
from vaultd.vault.watching import Dirty, Watch, classify, has_room, head_stamp
from vaultd.vault.writing import write

CASES = Path(__file__).parents[2] / "cases"
PATIENCE = 60.0


@pytest.fixture
def watch(root: Path) -> Iterator[Watch]:
    watching = Watch(root, lambda: None)
    yield watching
    watching.stop()


_AFTER = count()


def heard(watch: Watch, root: Path, act: Callable[[], object]) -> Dirty:
    """Return everything the watch says between the act and a note that comes after it."""
    watch.start()
    act()
    # a link, since that is a single event: of a file that is written some may be heard when all was taken
    after = f"after-{next(_AFTER)}.md"
    outside = root.parent / after
    outside.touch()
    (root / after).hardlink_to(outside)
    outside.unlink()
    deadline = time.monotonic() + PATIENCE
    while after not in watch.peek().paths:
        assert time.monotonic() < deadline, watch.peek()
        time.sleep(0.01)
    dirty = watch.take()
    paths = frozenset(path for path in dirty.paths if not path.startswith("after-"))
    return Dirty(paths, dirty.rescan, dirty.first, dirty.last, dirty.saves)


class Clock:
    """Runs as the machine's does, and stands still with it: what a busy machine holds up looks no longer than it was."""

    STEP = 0.05

    def __init__(self) -> None:
        self._now = self._looked = time.monotonic()

    def __call__(self) -> float:
        return self._now

    def go_on(self) -> float:
        looked = time.monotonic()
        self._now += min(looked - self._looked, self.STEP)
        self._looked = looked
        return self._now


class Follower:
    """Follows a vault as the daemon does: hear, settle, read, doubt; keeps what it believed, in order."""

    def __init__(self, root: Path, doubts: Doubts | None = None) -> None:
        self.root = root
        self.woken = threading.Event()
        self.clock = Clock()
        self.watch = Watch(root, self.woken.set, self.clock)
        self.texts = {path: self._read(path) for path in scan(root, Ignore(), Folders()).notes}
        self.events: list[tuple[str, str]] = []
        self.doubts = doubts or Doubts()

    def _read(self, path: str) -> bytes | None:
        try:
            return read_stable(self.root, path).data
        except (FileNotFoundError, StorageError):
            return None

    def follow(self, act: Callable[[], object]) -> list[tuple[str, str]]:
        actor = threading.Thread(target=lambda: (act(), (self.root / "after.md").write_text("after")))
        self.watch.start()
        try:
            actor.start()
            deadline = time.monotonic() + PATIENCE
            while actor.is_alive() or self.doubts.doubted() or "after.md" not in self.texts:
                assert time.monotonic() < deadline, self.events
                self.woken.wait(0.02)
                self.woken.clear()
                self.turn(self.clock.go_on())
        finally:
            actor.join()
            self.watch.stop()
        return [event for event in self.events if event[1] != "after.md"]

    def turn(self, now: float) -> None:
        dirty = self.watch.peek()
        paths: set[str] = set()
        if dirty and Settling().ready(dirty.first, dirty.last, now):
            dirty = self.watch.take()
            paths = set(dirty.paths)
            if dirty.rescan:
                paths |= set(self.texts) | set(scan(self.root, Ignore(), Folders()).notes)
        wait = self.doubts.wait(now)
        if wait is not None and wait <= 0:
            paths |= self.doubts.doubted()
        for path in sorted(paths):
            self.look(path, now)

    def look(self, path: str, now: float) -> None:
        old, new = self.texts.get(path), self._read(path)
        if new is None and (old is None or not self.doubts.gone(path, now)):
            return
        if new == b"" and old and not self.doubts.emptied(path, now):
            return
        self.doubts.cleared(path)
        if new == old:
            return
        self.events.append(("delete" if new is None else "create" if old is None else "modify", path))
        if new is None:
            del self.texts[path]
        else:
            self.texts[path] = new


def save(file: Path, text: str) -> None:
    file.write_text(text)


def test_wt_01_a_save_in_place_is_heard_once(root: Path) -> None:
    save(root / "n.md", "old")

    def five_parts() -> None:
        with (root / "n.md").open("w", buffering=1) as file:
            for part in range(5):
                file.write(f"part {part}\n")

    assert Follower(root).follow(five_parts) == [("modify", "n.md")]


needs_vim = pytest.mark.skipif(shutil.which("vim") is None, reason="vim is not installed")


def vim(note: Path, text: str, *settings: str) -> None:
    asked = [word for setting in ("backupskip=", *settings) for word in ("-c", f"set {setting}")]
    subprocess.run(
        ["vim", "-es", "-u", "NONE", "-i", "NONE", *asked, "-c", f"normal! Go{text}", "-c", "wq", note.name],
        cwd=note.parent,
        check=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TERM": "dumb"},
    )


@needs_vim
@pytest.mark.parametrize(
    "settings", [(), ("backupcopy=no", "writebackup"), ("backupcopy=yes", "writebackup"), ("nowritebackup",)]
)
def test_wt_03_vim_saving_twice_is_heard_and_its_own_files_are_not(
    beside_home: Path, settings: tuple[str, ...]
) -> None:
    save(beside_home / "n.md", "old\n")

    def save_twice() -> None:
        vim(beside_home / "n.md", "first", *settings)
        vim(beside_home / "n.md", "second", *settings)

    watch = Watch(beside_home, lambda: None)
    try:
        dirty = heard(watch, beside_home, save_twice)
    finally:
        watch.stop()
    assert (dirty.paths, dirty.rescan) == ({"n.md"}, False)
    assert (beside_home / "n.md").read_text() == "old\nfirst\nsecond\n"


@needs_vim
def test_wt_03_vim_s_save_is_one_modify(beside_home: Path) -> None:
    save(beside_home / "n.md", "old\n")
    follower = Follower(beside_home)
    assert follower.follow(lambda: vim(beside_home / "n.md", "typed", "backupcopy=no", "writebackup")) == [
        ("modify", "n.md")
    ]


def test_case_36_of_four_editors_only_the_last_text_is_believed(root: Path) -> None:
    shutil.copytree(CASES / "36-watch-atomic-saves/input", root, dirs_exist_ok=True)
    follower = Follower(root)
    events = follower.follow(
        lambda: subprocess.run(["bash", CASES / "36-watch-atomic-saves/events.sh", root], check=True)
    )
    assert {path for _, path in events} == {"n.md"}
    assert {kind for kind, _ in events} == {"modify"}
    assert b"save4" in (follower.texts["n.md"] or b"")


def test_wt_05_sed_in_place_is_one_modify(root: Path) -> None:
    save(root / "n.md", "old\n")
    events = Follower(root).follow(lambda: subprocess.run(["sed", "-i", "s/old/new/", root / "n.md"], check=True))
    assert events == [("modify", "n.md")]


def test_wt_06_a_delete_before_the_new_file_arrives_is_one_modify(root: Path) -> None:
    save(root / "n.md", "old")

    def syncthing() -> None:
        save(root / ".syncthing.n.md.tmp", "new")
        (root / "n.md").unlink()
        time.sleep(0.05)  # the pause is the input
        (root / ".syncthing.n.md.tmp").rename(root / "n.md")

    assert Follower(root).follow(syncthing) == [("modify", "n.md")]


def test_wt_08_a_rename_is_heard_at_both_names(watch: Watch, root: Path) -> None:
    save(root / "a.md", "text")
    dirty = heard(watch, root, lambda: (root / "a.md").rename(root / "b.md"))
    assert (dirty.paths, dirty.rescan) == ({"a.md", "b.md"}, False)


def test_wt_10_a_renamed_folder_asks_for_a_scan(watch: Watch, root: Path) -> None:
    (root / "d").mkdir()
    save(root / "d/n.md", "text")
    assert heard(watch, root, lambda: (root / "d").rename(root / "e")).rescan


def test_wt_11_a_note_in_folders_made_a_moment_before_is_one_create(root: Path) -> None:
    def make() -> None:
        (root / "a/b/c").mkdir(parents=True)
        save(root / "a/b/c/n.md", "text")

    assert Follower(root).follow(make) == [("create", "a/b/c/n.md")]


def test_case_40_events_inside_a_moved_folder_are_heard(watch: Watch, root: Path) -> None:
    (root / "old").mkdir()
    save(root / "old/n.md", "text")

    def move() -> None:
        (root / "new").mkdir()
        (root / "old").rename(root / "new/deep")

    heard(watch, root, move)
    save(root / "new/deep/n.md", "edit")
    save(root / "later.md", "later")
    deadline = time.monotonic() + PATIENCE
    while "later.md" not in watch.peek().paths:
        assert time.monotonic() < deadline, watch.peek()
        time.sleep(0.01)
    assert "new/deep/n.md" in watch.peek().paths


def test_wt_12_touch_mode_and_the_same_bytes_are_nothing(root: Path) -> None:
    save(root / "n.md", "text")

    def act() -> None:
        (root / "n.md").touch()
        (root / "n.md").chmod(0o600)
        save(root / "n.md", "text")

    assert Follower(root).follow(act) == []


def test_a_changed_mode_is_not_even_heard(watch: Watch, root: Path) -> None:
    save(root / "n.md", "text")
    assert not heard(watch, root, lambda: (root / "n.md").chmod(0o600))


def test_wt_14_a_note_put_into_the_trash_is_one_delete(root: Path) -> None:
    (root / ".trash").mkdir()
    save(root / "n.md", "text")
    assert Follower(root, Doubts(grace=0.1)).follow(lambda: (root / "n.md").rename(root / ".trash/n.md")) == [
        ("delete", "n.md")
    ]


def test_wt_15_a_note_that_comes_back_after_a_second_is_nothing(root: Path, tmp_path: Path) -> None:
    save(root / "n.md", "text")

    def away_and_back() -> None:
        (root / "n.md").rename(tmp_path / "n.md")
        time.sleep(1.0)  # the pause is the input
        (tmp_path / "n.md").rename(root / "n.md")

    assert Follower(root).follow(away_and_back) == []


def test_wt_16_a_save_that_pauses_while_empty_is_one_modify_and_never_read_as_empty(root: Path) -> None:
    save(root / "n.md", "old")

    def slow_save() -> None:
        with (root / "n.md").open("w") as file:
            time.sleep(0.4)  # the pause is the input
            file.write("new")

    follower = Follower(root)
    assert follower.follow(slow_save) == [("modify", "n.md")]
    assert follower.texts["n.md"] == b"new"


def test_wt_17_a_note_emptied_for_good_is_one_modify(root: Path) -> None:
    save(root / "n.md", "old")
    follower = Follower(root, Doubts(pause=0.05))
    assert follower.follow(lambda: save(root / "n.md", "")) == [("modify", "n.md")]
    assert follower.texts["n.md"] == b""


def test_wt_19_an_overflow_asks_for_a_scan_and_is_counted(watch: Watch, root: Path) -> None:
    """The kernel's overflow reaches us only as this line in watchdog's log."""
    watch.start()
    logging.getLogger("watchdog.observers.inotify_c").warning("Inotify queue overflowed; filesystem events were lost")
    assert watch.take().rescan
    assert watch.info().overflows == 1


def test_wt_19_of_a_burst_of_creates_nothing_is_missed(watch: Watch, root: Path) -> None:
    wanted = {f"n{number}.md" for number in range(3000)}
    dirty = heard(watch, root, lambda: [(root / name).touch() for name in sorted(wanted)])
    assert dirty.rescan or dirty.paths == wanted


def test_wt_20_our_own_write_is_heard_as_one_change_of_the_note_alone(watch: Watch, root: Path) -> None:
    save(root / "n.md", "old")
    dirty = heard(watch, root, lambda: write(root, "n.md", b"new", b"old"))
    assert (dirty.paths, dirty.rescan) == ({"n.md"}, False)


def test_wt_22_a_full_walk_and_read_is_not_heard(watch: Watch, root: Path) -> None:
    (root / "d").mkdir()
    for number in range(50):
        save(root / f"d/n{number}.md", "text")

    def read_all() -> None:
        for path in scan(root, Ignore(), Folders()).notes:
            read_stable(root, path)

    assert not heard(watch, root, read_all)


def test_wt_24_sixty_rewrites_of_the_workspace_are_not_heard(watch: Watch, root: Path) -> None:
    (root / ".obsidian").mkdir()
    assert not heard(watch, root, lambda: [save(root / ".obsidian/workspace.json", str(turn)) for turn in range(60)])


def test_of_a_file_that_is_no_note_only_its_name_is_heard(watch: Watch, root: Path) -> None:
    (root / "plan.png").write_bytes(b"1")
    assert not heard(watch, root, lambda: (root / "plan.png").write_bytes(b"2"))
    assert heard(watch, root, lambda: (root / "plan.png").rename(root / "map.png")).paths == {"plan.png", "map.png"}


def test_git_at_work_is_not_heard_where_it_touches_no_note(watch: Watch, root: Path) -> None:
    subprocess.run(["git", "init", "-q", root], check=True)
    save(root / "n.md", "text")
    assert not heard(watch, root, lambda: subprocess.run(["git", "-C", root, "add", "n.md"], check=True))


def test_wt_25_a_note_replaced_by_a_folder_is_one_delete(root: Path) -> None:
    save(root / "n.md", "text")
    assert Follower(root, Doubts(grace=0.1)).follow(lambda: ((root / "n.md").unlink(), (root / "n.md").mkdir())) == [
        ("delete", "n.md")
    ]


def test_wt_26_pipes_and_dangling_links_are_nothing(root: Path) -> None:
    assert Follower(root).follow(lambda: ((root / "x.md").symlink_to("nowhere"), os.mkfifo(root / "y.md"))) == []


def test_edits_to_what_counts_as_a_note_ask_for_a_scan(watch: Watch, root: Path) -> None:
    assert heard(watch, root, lambda: save(root / ".vaultdignore", "drafts/")).rescan


def test_a_vault_reached_through_a_link_is_heard(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    watch = Watch(tmp_path / "alias", lambda: None)
    try:
        assert heard(watch, root, lambda: save(root / "n.md", "x")).paths == {"n.md"}
    finally:
        watch.stop()


def test_the_wake_comes_once_until_the_set_is_taken(root: Path) -> None:
    wakes: list[int] = []
    watch = Watch(root, lambda: wakes.append(1))
    try:
        heard(watch, root, lambda: [save(root / "n.md", str(turn)) for turn in range(20)])
    finally:
        watch.stop()
    assert len(wakes) == 1


def test_times_are_those_of_the_given_clock(root: Path) -> None:
    now = iter(range(100, 10_000))
    watch = Watch(root, lambda: None, clock=lambda: float(next(now)))
    try:
        assert watch.quiet_for(500.0) == float("inf")
        dirty = heard(watch, root, lambda: save(root / "n.md", "x"))
        assert dirty.first == 100.0
        assert dirty.first <= dirty.saves["n.md"] <= dirty.last
        assert watch.quiet_for(dirty.last + 5) == 5.0
    finally:
        watch.stop()


def test_what_is_put_back_keeps_its_first_time(root: Path) -> None:
    watch = Watch(root, lambda: None)
    watch.put_back(Dirty(frozenset({"a.md"}), False, 10.0, 11.0, {"a.md": 11.0}))
    watch.put_back(Dirty(frozenset({"b.md"}), True, 12.0, 13.0, {"b.md": 13.0}))
    assert watch.take() == Dirty(frozenset({"a.md", "b.md"}), True, 10.0, 13.0, {"a.md": 11.0, "b.md": 13.0})
    assert watch.take() == Dirty()


def test_the_watch_says_how_it_hears(watch: Watch, root: Path) -> None:
    (root / "d").mkdir()
    assert watch.info().kind == "none"
    watch.start()
    info = watch.info()
    assert info.kind != "none"
    assert info.watches == -1 or info.watches >= 2
    watch.stop()
    assert watch.info().kind == "none"


def test_a_watch_can_be_stopped_twice_and_started_again(watch: Watch, root: Path) -> None:
    watch.start()
    watch.stop()
    watch.stop()
    assert heard(watch, root, lambda: save(root / "n.md", "x")).paths == {"n.md"}


@pytest.mark.parametrize(
    ("path", "of_folder", "said"),
    [
        ("a/n.md", False, "note"),
        ("a/n.png", False, "other"),
        ("a/.n.png", False, "nothing"),
        ("a/n.png.tmp", False, "nothing"),
        ("a", True, "rescan"),
        (".git/refs", True, "nothing"),
        (".git/x/y.md", False, "nothing"),
        ("a/.hidden/n.md", False, "nothing"),
        (".trash", True, "nothing"),
        ("n.md~", False, "nothing"),
        (".n.md.vaultd-tmp-7", False, "nothing"),
        ("4913", False, "nothing"),
        (".vaultd/config.toml", False, "rescan"),
        (".vaultd/catalog/crm.yaml", False, "rescan"),
        (".vaultd/catalog.lock", False, "rescan"),
        ("records/c/e/2026-01.jsonl", False, "rescan"),
        (".vaultd/state/x.md", False, "nothing"),
        ("", True, "rescan"),
    ],
)
def test_what_an_event_asks_for(path: str, of_folder: bool, said: str) -> None:
    assert classify(path, of_folder=of_folder) == said


@pytest.fixture
def repository(root: Path) -> Path:
    for command in (["init", "-q"], ["config", "user.name", "A"], ["config", "user.email", "a@example.org"]):
        subprocess.run(["git", "-C", root, *command], check=True)
    subprocess.run(["git", "-C", root, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    return root


@pytest.mark.parametrize(
    "command",
    [
        ["commit", "-q", "--allow-empty", "-m", "two"],
        ["checkout", "-q", "-b", "other"],
        ["checkout", "-q", "--detach"],
    ],
)
def test_git_moving_head_changes_the_stamp(repository: Path, command: list[str]) -> None:
    before = head_stamp(repository / ".git")
    assert head_stamp(repository / ".git") == before
    subprocess.run(["git", "-C", repository, *command], check=True)
    assert head_stamp(repository / ".git") != before


def test_a_lock_on_the_index_changes_the_stamp(repository: Path) -> None:
    before = head_stamp(repository / ".git")
    (repository / ".git/index.lock").touch()
    assert head_stamp(repository / ".git") != before


def test_a_commit_in_a_linked_worktree_changes_its_stamp(repository: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "-C", repository, "worktree", "add", "-q", "-b", "side", tmp_path / "side"], check=True)
    git_dir = repository / ".git/worktrees/side"
    before = head_stamp(git_dir)
    subprocess.run(["git", "-C", tmp_path / "side", "commit", "-q", "--allow-empty", "-m", "two"], check=True)
    assert head_stamp(git_dir) != before


def test_the_stamp_of_a_missing_git_directory_is_a_stamp(root: Path) -> None:
    assert head_stamp(root / "none") == head_stamp(root / "none")


def test_where_the_system_has_no_watch_left_walks_make_up_for_it(
    watch: Watch, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.start()
    assert (watch.notices, watch.info().lacking, watch.walk_pause(0.01)) == ((), False, 60.0)
    monkeypatch.setattr(watching, "has_room", lambda _folder: False)
    assert watch.walk_pause(0.01) == 2.0
    assert watch.walk_pause(1.0) == 50.0
    assert (watch.notices, watch.info().lacking) == ((watching.LACKING,), True)
    monkeypatch.undo()
    assert watch.walk_pause(0.01) == 2.0  # what got no watch has none for being offered one now


def test_the_room_that_the_system_leaves_is_asked_of_the_system(root: Path) -> None:
    assert has_room(str(root))
    asked = f"from vaultd.vault.watching import has_room; print(has_room({str(root)!r}))"
    limits = [
        subprocess.run(
            [
                "unshare",
                "-Ur",
                "sh",
                "-c",
                f'echo {limit} >/proc/sys/user/max_inotify_watches && exec "$@"',
                "sh",
                sys.executable,
                "-c",
                asked,
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).parents[3],
        )
        for limit in (0, 5)
    ]
    if any(ran.returncode for ran in limits):
        pytest.skip("this system lends nobody limits of their own")
    assert [ran.stdout for ran in limits] == ["False\n", "True\n"]
