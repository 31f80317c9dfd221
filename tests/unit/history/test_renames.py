"""Renames of the last commits come oldest first, by their true names, and only those within the vault."""

from pathlib import Path

from tests.git_fixtures import Scratch, scratch
from vaultd.history.renames import renamed_lately
from vaultd.history.snapshots import sizes


def moved(vault: Scratch, old: str, new: str) -> None:
    (vault.root / new).parent.mkdir(parents=True, exist_ok=True)
    (vault.root / old).rename(vault.root / new)
    vault.commit(f"{old} to {new}")


def test_renames_come_oldest_first_whatever_the_names(tmp_path: Path):
    vault = scratch(tmp_path / "repo", "vault")
    for name in ("a.md", "ü -> x.md"):
        vault.write(name, f"text of {name}\n" * 5)
    vault.commit("begin")
    moved(vault, "a.md", "b c.md")
    moved(vault, "ü -> x.md", "R100\t.md")
    moved(vault, "b c.md", "deep/d.md")
    moved(vault, "deep/d.md", "../out.md")
    assert renamed_lately(vault.repo, vault.head) == [
        ("a.md", "b c.md"),
        ("ü -> x.md", "R100\t.md"),
        ("b c.md", "deep/d.md"),
    ]


def test_what_was_written_anew_is_no_rename(tmp_path: Path):
    vault = scratch(tmp_path / "repo")
    vault.commit("begin", a="one\ntwo\n")
    (vault.root / "a.md").unlink()
    vault.commit("other", b="quite\nanother\n")
    assert renamed_lately(vault.repo, vault.head) == []


def test_sizes_are_told_of_the_blobs_that_are_there(tmp_path: Path):
    vault = scratch(tmp_path / "repo")
    vault.commit("begin", a="four")
    oid = vault.git("rev-parse", "HEAD:a.md")
    assert sizes(vault.repo, [oid, "0" * 40]) == {oid: 4}
