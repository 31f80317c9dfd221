"""A check of what is not there is no check."""

import os
from pathlib import Path

import pytest

from tests.vaults import Vault, new_vault, with_memories


@pytest.fixture
def pair(vault: Vault) -> Vault:
    return with_memories(vault, "p/a", "p/b")


@pytest.mark.parametrize("verb", ["check", "check --staged", "check --head", "status", "search a", "doctor", "log"])
def test_a_folder_that_is_not_there_is_2_below_a_vault_too(vault: Vault, verb: str):
    ran = vault.run("-C", "nowhere", *verb.split())
    assert (ran.code, ran.out) == (2, "")
    assert "nowhere is no folder" in ran.err


def test_a_path_that_is_not_there_is_2(pair: Vault):
    for scope in ([], ["--staged"], ["--head"]):
        for path in ("nofile.md", "memory/q", "/etc", "..", ""):
            ran = pair.run("check", *scope, path)
            assert (ran.code, ran.out, "hint: " in ran.err) == (2, "", True), (scope, path)


def test_a_deleted_note_can_be_checked_as_long_as_git_or_a_rule_tells_of_it(pair: Vault):
    pair.write("plain.md", "text\n")
    pair.stamp("p/a")
    pair.commit()
    pair.file("p/a").unlink()
    (pair.root / "plain.md").unlink()
    for scope in ([], ["--staged"], ["--head"]):
        assert pair.run("check", *scope, "plain.md").code == 0
    pair.commit("gone")
    assert pair.run("check", "plain.md").code == 2
    assert pair.run("check", "memory/p/a.md").codes == ["V109", "V111"]


def test_a_path_is_one_of_where_the_person_stands_or_of_the_vault(pair: Vault, tmp_path: Path):
    pair.stamp("p/a", at="nonsense")
    link = tmp_path / "link"
    link.symlink_to(pair.root)
    inside = Vault(pair.root / "memory" / "p")
    for ran in (
        inside.run("check", "a.md"),
        inside.run("check", "."),
        inside.run("check", "memory/p/a.md"),
        pair.run("check", "./memory/p/"),
        pair.run("check", os.fspath(link / "memory/p/a.md")),
        Vault(tmp_path).run("-C", os.fspath(link), "check", "memory"),
    ):
        assert ran.codes == ["V106"]
    assert inside.run("check", "b.md").codes == []


def test_what_lies_in_a_vault_of_its_own_below_is_not_taken_for_checked(tmp_path: Path):
    inner = new_vault(tmp_path / "inner", "a")
    inner.stamp("a", at="nonsense")
    for path in ("inner", "inner/memory", "inner/memory/_global/a.md"):
        ran = Vault(tmp_path).run("check", path)
        assert (ran.code, ran.out) == (2, "")
        assert f"vaultd -C {tmp_path / 'inner'} check" in ran.err
