"""What commits and the index hold."""

import subprocess
from pathlib import Path

import pytest

from tests.git_fixtures import Scratch, scratch
from vaultd.history.objects import blob_id
from vaultd.history.snapshots import Entry, ignored, sparse, staged, staged_differs, tree, tree_after, unmerged

CASE_47 = Path(__file__).parents[2] / "cases" / "47-git-non-ascii-paths" / "setup.sh"


@pytest.fixture
def odd(tmp_path) -> Scratch:
    """A repository whose paths git would quote."""
    subprocess.run(["bash", CASE_47, tmp_path / "odd"], check=True)
    return Scratch(tmp_path / "odd", tmp_path / "odd")


def _names(root: Path) -> set[str]:
    return {path.name for path in root.glob("*.md")}


def test_every_file_is_shown_by_its_true_name(odd):
    assert set(tree(odd.repo, "HEAD")) == set(staged(odd.repo)) == _names(odd.root)
    assert {"new\nline.md", "tab\there.md", "latin\udce9.md", "-n.md", 'dou"ble.md', "a:b.md"} <= _names(odd.root)


def test_ignore_rules_speak_of_true_names(odd):
    odd.write(".gitignore", "ignored*\n")
    asked = ["ignored\nline.md", "ignored\udce9.md", ":ignored.md", "ignored[x].md", *_names(odd.root)]
    assert ignored(odd.repo, asked) == {"ignored\nline.md", "ignored\udce9.md", "ignored[x].md"}


def test_what_is_staged_is_told_by_true_names(odd):
    odd.git("add", "-A")
    names = _names(odd.root)
    assert staged_differs(odd.repo, [*names, "nowhere.md"]) == names


def test_an_entry_has_path_blob_and_mode(below):
    below.commit(a="x")
    expected = {"a.md": Entry("a.md", blob_id(b"x", "sha1"), "100644")}
    assert tree(below.repo, "HEAD") == staged(below.repo) == expected


def test_what_lies_beside_the_vault_is_not_in_it(below):
    (below.top / "my notes and more.md").write_text("x")
    below.commit(a="x")
    assert set(tree(below.repo, "HEAD")) == set(staged(below.repo)) == {"a.md"}


def test_one_folder_can_be_asked_for(below):
    below.commit(**{"memory/a": "x", "memory2/b": "y", "c": "z"})
    assert set(tree(below.repo, "HEAD", "memory")) == set(staged(below.repo, "memory")) == {"memory/a.md"}


def test_symlinks_and_submodules_are_left_out(vault, tmp_path):
    other = scratch(tmp_path / "other")
    other.commit(a="x")
    vault.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.top), "sub")
    (vault.root / "link.md").symlink_to("a.md")
    vault.write("run.md", "x").chmod(0o755)
    vault.commit(a="x")
    assert {path: entry.mode for path, entry in tree(vault.repo, "HEAD").items()} == {
        ".gitmodules": "100644",
        "a.md": "100644",
        "run.md": "100755",
    }
    assert set(staged(vault.repo)) == {".gitmodules", "a.md", "run.md"}


def test_the_index_of_an_unborn_branch(vault):
    vault.write("a.md", "x")
    assert staged(vault.repo) == {}
    vault.git("add", "-A")
    assert set(staged(vault.repo)) == {"a.md"}
    assert staged_differs(vault.repo, ["a.md", "b.md"]) == {"a.md"}


def test_the_index_a_hook_names_is_read(vault, monkeypatch):
    vault.commit(a="x")
    vault.write("b.md", "y")
    vault.git("add", "-A", GIT_INDEX_FILE=".git/other")
    assert set(staged(vault.repo)) == {"a.md"}
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/other")
    assert set(staged(vault.repo)) == {"a.md", "b.md"}


def test_what_is_only_meant_to_be_added_is_not_staged(vault):
    vault.commit(a="x")
    vault.write("later.md", "y")
    vault.write("empty.md", "")
    vault.git("add", "empty.md")
    vault.git("add", "-N", "later.md")
    assert set(staged(vault.repo)) == {"a.md", "empty.md"}


def test_paths_in_conflict_are_listed_apart(below):
    below.commit(a="1\n", b="1\n")
    below.git("checkout", "-qb", "other")
    below.commit(a="2\n")
    below.git("checkout", "-q", "main")
    below.commit(a="3\n")
    below.git("merge", "-q", "other", ok=(1,))
    assert unmerged(below.repo) == {"a.md"}
    assert set(staged(below.repo)) == {"b.md"}
    assert staged_differs(below.repo, ["a.md", "b.md"]) == {"a.md"}


def test_paths_outside_the_sparse_checkout_are_listed(below):
    below.commit(**{"in/a": "x", "out/b": "y"})
    below.git("sparse-checkout", "set", "--cone", "my notes/in")
    assert sparse(below.repo) == {"out/b.md"}
    assert set(staged(below.repo)) == {"in/a.md", "out/b.md"}


def test_a_tracked_path_is_not_ignored_whatever_the_rules_say(below):
    below.commit(a="x")
    (below.top / ".gitignore").write_text("*.md\n")
    assert ignored(below.repo, ["a.md", "b.md", "c.txt"]) == {"b.md"}


def test_a_path_below_a_symlink_counts_as_ignored(vault, tmp_path):
    (vault.root / "link").symlink_to(tmp_path)
    assert ignored(vault.repo, ["link/a.md", "b.md"]) == {"link/a.md"}


def test_no_paths_no_question(vault):
    assert ignored(vault.repo, []) == staged_differs(vault.repo, []) == set()


def test_many_paths_are_compared_with_head_at_once(vault):
    names = [f"n{number}.md" for number in range(300)]
    for name in names:
        vault.write(name, name)
    vault.commit()
    vault.write("n7.md", "other")
    vault.git("add", "-A")
    assert staged_differs(vault.repo, names) == {"n7.md"}


def test_a_tree_told_from_another_is_the_tree_itself(below):
    first = below.commit(kept="k", gone="g", changed="c")
    (below.root / "gone.md").unlink()
    (below.root / "linked.md").symlink_to("kept.md")
    second = below.commit(changed="d", **{"memory/new": "n"})
    before = tree(below.repo, first)
    assert tree_after(below.repo, before, first, second) == tree(below.repo, second)
    assert tree_after(below.repo, {}, first, second, "memory") == tree(below.repo, second, "memory")


def test_a_tree_is_read_whole_where_the_other_commit_is_gone(below):
    head = below.commit(a="x")
    assert tree_after(below.repo, {}, "0" * 40, head) == tree(below.repo, head)
