"""Reading never writes: every byte, time and mode of a vault, and git's own files, are as they were."""

import os
import shutil
from pathlib import Path

import pytest

from tests.vaults import Vault, new_vault, with_memories

READING = [
    ("check",),
    ("check", "--json"),
    ("status",),
    ("search", "text"),
    ("search", "--all", "nothing here"),
    ("show", "old"),
    ("rebuild",),
]
WITH_HISTORY = [
    ("check", "--staged"),
    ("check", "--head"),
    ("check", "--history"),
    ("log",),
    ("log", "old"),
    ("memory", "chain", "old"),
    ("memory", "archive", "new", "--dry-run"),
    ("adopt", "memory/_global/old.md", "--dry-run"),
    ("revert", "memory/_global/odd.md", "--dry-run"),
    ("init", "--dry-run"),
]


def stats(root: Path) -> dict[str, tuple[object, ...]]:
    """Return what the file system tells of every file and folder, git's own among them, with their bytes."""
    found: dict[str, tuple[object, ...]] = {}
    for path in (root, *root.rglob("*")):
        status = path.lstat()
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        told = (status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, data)
        found[path.relative_to(root).as_posix()] = told
    return found


def lived_in(vault: Vault) -> Vault:
    """Give a vault something of everything: ended memories, broken ones, staged, changed and odd files."""
    with_memories(vault, "old", "new", "odd", "radio/far")
    vault.stamp("old", by="new")
    vault.commit("ended")
    vault.stamp("odd", by="nobody")
    vault.write("Daily.md", "Text of today. [[old]] #tag\n")
    vault.write("broken.md", "---\nkey: [\n---\nText.\n")
    vault.write("latin.md", b"caf\xe9 text\n")
    vault.write("memory/_global/plain.md", "No id.\n")
    vault.write("staged.md", "Text.\n")
    vault.git("add", "staged.md")
    os.utime(vault.root / "Daily.md", (1, 1))
    return vault


@pytest.fixture
def busy(vault: Vault) -> Vault:
    return lived_in(vault)


@pytest.mark.parametrize("words", [*READING, *WITH_HISTORY], ids=" ".join)
def test_reading_a_vault_writes_nothing(busy: Vault, words: tuple[str, ...]):
    before = stats(busy.root)
    assert busy.run(*words).code in {0, 1}
    assert stats(busy.root) == before


def test_reading_twice_writes_nothing_either(busy: Vault):
    busy.run("check")
    before = stats(busy.root)
    for words in READING:
        busy.run(*words)
    assert stats(busy.root) == before


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_reading_a_folder_without_git_writes_nothing(busy: Vault, words: tuple[str, ...]):
    shutil.rmtree(busy.root / ".git")
    before = stats(busy.root)
    assert busy.run(*words).code in {0, 1}
    assert stats(busy.root) == before


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_reading_a_repository_before_init_writes_nothing(tmp_path: Path, words: tuple[str, ...]):
    folder = lived_in(new_vault(tmp_path / "vault", started=False))
    before = stats(folder.root)
    assert folder.run(*words).code in {0, 1}
    assert stats(folder.root) == before


def test_without_a_history_the_check_says_so(busy: Vault):
    shutil.rmtree(busy.root / ".git")
    assert "no history: shape rules only" in busy.run("check").err


def test_reading_a_read_only_folder_works(busy: Vault):
    everything = [busy.root, *busy.root.rglob("*")]
    modes = {path: path.stat().st_mode for path in everything}
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = stats(busy.root)
    try:
        codes = [busy.run(*words).code for words in READING]
        assert stats(busy.root) == before
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    assert set(codes) <= {0, 1}


def test_a_refused_command_writes_nothing(busy: Vault):
    busy.run("check")
    before = stats(busy.root)
    assert busy.run("memory", "supersede", "new", "new").code == 3
    assert busy.run("memory", "supersede", "new", "nobody").code == 2
    after = stats(busy.root)
    notes = {path for path in before if not path.startswith(".git")}
    assert {path: after[path] for path in notes} == {path: before[path] for path in notes}
    assert before[".git/index"] == after[".git/index"]


def test_a_query_of_odd_characters_writes_nothing_and_breaks_nothing(busy: Vault):
    before = stats(busy.root)
    for query in ('"', "(", "a AND", "*", "title:", "\\", "a^b~c", "[[old]]", "#tag", "é" * 500):
        assert busy.run("search", "--", query).code == 0
    assert stats(busy.root) == before
