"""One walk finds every note, enters nothing it should not, and names what is odd."""

import gc
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultd.errors import StorageError
from vaultd.notes.names import collision_key, conflict_original, is_temporary, unportable
from vaultd.settings import Folders
from vaultd.vault import scanning
from vaultd.vault.ignoring import Ignore, parse_ignore
from vaultd.vault.reading import read_stable
from vaultd.vault.scanning import Scan, collisions, scan

CASES = Path(__file__).parents[2] / "cases"


def walk(root: Path, ignore: Ignore | None = None) -> Scan:
    return scan(root, ignore or Ignore(), Folders())


def put(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")


def codes(found: Scan) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in found.problems]


def test_every_note_is_found_with_the_stamp_that_reading_gives(root: Path) -> None:
    put(root, "a.md", "b/c.md", "b/d/e f.md", "b/picture.png")
    found = walk(root)
    assert found.notes == {path: read_stable(root, path).stamp for path in ("a.md", "b/c.md", "b/d/e f.md")}
    assert (found.folders, found.problems) == (3, ())


def test_an_upper_case_ending_is_markdown_too(root: Path) -> None:
    put(root, "README.MD")
    assert list(walk(root).notes) == ["README.MD"]


def test_hidden_names_are_not_part_of_the_vault(root: Path) -> None:
    put(root, ".obsidian/n.md", ".trash/n.md", ".vaultd/n.md", "a/.hidden/n.md", ".n.md", "n.md")
    assert list(walk(root).notes) == ["n.md"]


def test_what_editors_and_sync_tools_leave_is_no_note(root: Path) -> None:
    put(root, "n.md", "n.md~", "#n.md#", "4913", ".n.md.swp", ".n.md.vaultd-tmp-12", "n.md.3918764672")
    assert list(walk(root).notes) == ["n.md"]


def test_a_nested_repository_is_not_entered(root: Path) -> None:
    put(root, ".git/HEAD", "a.md", "inner/.git/HEAD", "inner/n.md", "inner/deep/n.md", "module/.git", "module/n.md")
    assert list(walk(root).notes) == ["a.md"]


def test_case_41_links_end_the_walk_neither_late_nor_early(tmp_path: Path) -> None:
    subprocess.run(["bash", CASES / "41-watch-symlink-loop/setup.sh", tmp_path], check=True)
    found = walk(tmp_path / "vault")
    assert sorted(found.notes) == ["a.md", "sub/b.md", "zzz/c.md"]
    assert codes(found) == [
        ("V223", "Library"),
        ("V227", "dangling.md"),
        ("V223", "linked.md"),
        ("V227", "self"),
        ("V227", "sub/up"),
        ("V227", "twin.md"),
    ]


def test_case_23_every_real_note_is_found_and_each_name_that_does_not_travel_listed(tmp_path: Path) -> None:
    subprocess.run(["bash", CASES / "23-name-portability/setup.sh", tmp_path / "v"], check=True, capture_output=True)
    found = walk(tmp_path / "v")
    assert len(found.notes) == 25
    assert not {"#x.md#", "x.md~", "4913", ".#x.md", ".x.md.swp"} & set(found.notes)
    listed = {path for code, path in codes(found) if code == "V221"}
    assert listed >= {"Test: one.md", "why?.md", "A*.md", 'say "hi".md', "a|b.md", "CON.md", "aux.md", "bad\udcff.md"}
    assert not {"100% done.md", "semi;colon.md", "-dash.md", "~tilde.md", "日本語 ノート.md"} & listed


def test_a_folder_whose_name_does_not_travel_is_listed_once(root: Path) -> None:
    put(root, "why?/a.md", "why?/b.md")
    assert codes(walk(root)) == [("V221", "why?")]


def test_two_names_that_differ_by_case_are_both_notes_and_reported_once(root: Path) -> None:
    put(root, "d/A.md", "d/a.md")
    found = walk(root)
    assert sorted(found.notes) == ["d/A.md", "d/a.md"]
    (problem,) = found.problems
    assert (problem.code, problem.severity, problem.path, problem.subject) == ("V220", "error", "d/a.md", "d/A.md")


def test_two_names_that_differ_by_unicode_form_are_reported(root: Path) -> None:
    put(root, "Caf\u00e9.md", "Cafe\u0301.md")
    assert [code for code, _ in codes(walk(root))] == ["V220"]


def test_a_conflict_copy_is_a_note_that_is_reported(root: Path) -> None:
    put(root, "n.sync-conflict-20261130-162007-6JTFDZU.md", "n.md")
    found = walk(root)
    assert len(found.notes) == 2
    assert [code for code, _ in codes(found)] == ["V222"]
    assert "n.md" in found.problems[0].message


def test_a_large_note_is_found_and_mentioned(root: Path) -> None:
    (root / "large.md").write_bytes(b"x" * 1001)
    (root / "fits.md").write_bytes(b"x" * 1000)
    found = scan(root, Ignore(), Folders(), large_bytes=1000)
    assert sorted(found.notes) == ["fits.md", "large.md"]
    assert [(problem.code, problem.severity, problem.path) for problem in found.problems] == [
        ("V225", "info", "large.md")
    ]


def test_wt_26_pipes_and_dangling_links_are_reported_once_and_never_opened(root: Path) -> None:
    (root / "x.md").symlink_to("nowhere")
    os.mkfifo(root / "y.md")
    found = walk(root)
    assert found.notes == {}
    assert codes(found) == [("V227", "x.md"), ("V227", "y.md")]


def test_wt_25_a_folder_with_the_name_of_a_note_is_reported_and_its_notes_are_found(root: Path) -> None:
    put(root, "d.md/n.md")
    found = walk(root)
    assert list(found.notes) == ["d.md/n.md"]
    assert codes(found) == [("V227", "d.md")]


def test_a_link_that_is_no_note_and_no_folder_is_nobody_s_business(root: Path, tmp_path: Path) -> None:
    (tmp_path / "p.png").touch()
    (root / "p.png").symlink_to("../p.png")
    assert walk(root).problems == ()


def test_wt_28_odd_times_do_not_matter(root: Path) -> None:
    put(root, "old.md", "future.md")
    os.utime(root / "old.md", (0, 0))
    os.utime(root / "future.md", (4_070_908_800, 4_070_908_800))
    assert sorted(walk(root).notes) == ["future.md", "old.md"]


def test_a_folder_that_may_not_be_read_is_reported_and_the_rest_found(root: Path, permissions: None) -> None:
    put(root, "closed/n.md", "open/n.md")
    (root / "closed").chmod(0o000)
    found = walk(root)
    (root / "closed").chmod(0o700)
    assert list(found.notes) == ["open/n.md"]
    assert codes(found) == [("V224", "closed")]


def test_a_vault_that_is_not_there_is_an_error_and_not_an_empty_vault(root: Path) -> None:
    with pytest.raises(StorageError, match="mounted"):
        walk(root / "unmounted")


def test_ignored_folders_are_not_entered(root: Path) -> None:
    put(root, "node_modules/p/readme.md", "n.md", "drafts/a.md", "drafts/keep.md")
    found = walk(root, parse_ignore(["node_modules/", "drafts/*", "!drafts/keep.md"], []))
    assert sorted(found.notes) == ["drafts/keep.md", "n.md"]


def test_what_is_ignored_is_not_reported(root: Path) -> None:
    put(root, "why?.md")
    (root / "gone.md").symlink_to("nowhere")
    assert walk(root, parse_ignore(["why*", "gone.md"], [])).problems == ()


def test_hiding_memories_from_obsidian_does_not_take_them_out_of_the_vault(root: Path) -> None:
    put(root, "memory/p/n.md", "Templates/t.md")
    assert list(walk(root, parse_ignore([], ["memory/", "Templates/"])).notes) == ["memory/p/n.md"]


def test_hiding_the_folder_above_the_memories_does_not_either(root: Path) -> None:
    put(root, "agent/memory/p/n.md", "agent/other/n.md")
    found = scan(root, parse_ignore([], ["agent/"]), Folders(memory="agent/memory"))
    assert list(found.notes) == ["agent/memory/p/n.md"]


def test_another_note_costs_a_walk_a_stat_and_little_beside(root: Path) -> None:
    """Calls are counted, of Python's functions and the system's: they are the same on a machine of any speed."""
    put(root, *(f"folder/A note about {note}.md" for note in range(100)))
    few = calls(lambda: walk(root))
    put(root, *(f"folder/A note about {note}.md" for note in range(100, 1_100)))
    more = (calls(lambda: walk(root)) - few) / 1_000
    assert 1 <= more <= CALLS, more


CALLS = 10
"""How many calls a note of a plain name may cost: its name and kind are looked at, it is stat'ed, and put down."""


def calls(action: Callable[[], object]) -> int:
    counted = Counter[str]()
    gc.disable()
    sys.setprofile(lambda _frame, event, _arg: counted.update((event,)))
    try:
        action()
    finally:
        sys.setprofile(None)
        gc.enable()
    return counted["call"] + counted["c_call"]


@settings(deadline=None, max_examples=50)
@given(st.from_regex(scanning._PLAIN, fullmatch=True))
def test_a_name_that_gets_no_closer_look_would_pass_it(name: str) -> None:
    assert not is_temporary(name)
    assert unportable(name) is None
    assert conflict_original(name) is None


@settings(deadline=None)
@given(st.lists(st.text("aAé\u0301eKßſ/", min_size=1, max_size=4), unique=True, max_size=8))
def test_paths_collide_exactly_where_their_keys_do(paths: list[str]) -> None:
    assert len(collisions(paths)) == len(paths) - len({collision_key(path) for path in paths})


def test_files_that_links_may_mean_are_named_and_never_opened(root: Path) -> None:
    put(root, "a.md", "b/picture.png", "b/map.canvas", "b/half.tmp", ".hidden/x.png", "b/secret.pdf", "out/x.pdf")
    (root / "b/secret.pdf").chmod(0)
    assert walk(root, parse_ignore(["out/"], [])).others == {"b/picture.png", "b/map.canvas", "b/secret.pdf"}
