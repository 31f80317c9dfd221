"""Memories that are gone all at once: a disk or a link took them, until somebody says that it is meant."""

from pathlib import Path

import pytest

from tests.daemons import daemon, until
from tests.vaults import Vault, with_memories


@pytest.fixture
def few(vault: Vault) -> Vault:
    vault.write(".vaultd/config.toml", "[commit]\nquiet = 0.1\n")
    return with_memories(vault, "one", "two")


def held(vault: Vault, why: str) -> None:
    """Show that nothing is recorded of what is gone, and that the reason is told."""
    head = vault.head
    ran = vault.run("up", "--once", "--json")
    assert (ran.code, vault.head) == (6, head), ran
    assert [one for one in ran.json["pending"] if one["reason"] == "gone" and one["detail"].startswith(why)], ran


def test_a_memory_folder_that_became_a_link_is_no_deletion(few: Vault, tmp_path: Path):
    (few.root / "memory").rename(tmp_path / "elsewhere")
    (few.root / "memory").symlink_to(tmp_path / "elsewhere")
    held(few, "memory/ is a link now")
    assert any(one["code"] == "V223" for one in few.run("check", "--format", "json").json["violations"])
    (few.root / "memory").unlink()
    (tmp_path / "elsewhere").rename(few.root / "memory")
    few.does("up", "--once")
    assert (few.accepted, few.log[0]) == ({"one": "active", "two": "active"}, "memories")


def test_a_memory_folder_that_is_gone_is_deleted_by_a_commit_of_the_person(few: Vault, tmp_path: Path):
    (few.root / "memory").rename(tmp_path / "elsewhere")
    held(few, "memory/ is gone")
    few.git("rm", "-q", "-r", "--cached", "memory")
    few.git("commit", "-q", "-m", "no more memories")
    few.does("up", "--once")
    assert few.status == []


def test_many_memories_gone_at_once_are_not_deleted_but_a_few_are(vault: Vault):
    with_memories(vault, *(f"m{number}" for number in range(30)), "stays")
    for number in range(25):
        vault.file(f"m{number}").unlink()
    held(vault, "25 of 31 memories are gone at once")
    for number in range(20):
        vault.git("restore", f"memory/_global/m{number}.md")
    vault.does("up", "--once")
    assert (len(vault.accepted), vault.log[0][:14]) == (26, "memory: delete")


def test_a_daemon_that_starts_without_the_folder_deletes_nothing_until_it_is_told(few: Vault, tmp_path: Path):
    (few.root / "memory").rename(tmp_path / "elsewhere")
    with daemon(few) as running:
        until(lambda: [one["reason"] for one in running.status()["pending"]] == ["gone", "gone"])
        assert few.log[0] == "memories"
        assert few.does("resume", "--json").json["resumed"] is True
        until(lambda: few.log[:2] == ["memory: delete two", "memory: delete one"])
