"""Odd repositories around a command: nothing of theirs is changed, and the reason is told."""

import os
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.daemons import daemon, finished
from tests.vaults import Vault, new_vault, with_memories
from vaultd.commands.turns import PATIENCE
from vaultd.vault import crashing

APPEND = ("memory", "append", "old", "--body", "more", "--now")


@pytest.fixture
def one(vault: Vault) -> Vault:
    vault.write("plain.md", "text, after [[inner]]\n")
    return with_memories(vault, "old")


def refused(vault: Vault, code: int, *words: str) -> str:
    before = (vault.head, vault.status)
    ran = vault.run(*words, "--now")
    assert (ran.code, vault.head, vault.status) == (code, *before), ran
    return ran.err


def test_a_submodule_and_a_nested_repository_are_left_alone(one: Vault, tmp_path: Path):
    other = new_vault(tmp_path / "other", started=False)
    other.write("inner.md", "text\n")
    other.commit()
    one.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", os.fspath(other.root), "sub")
    one.git("commit", "-q", "-m", "a submodule")
    one.git("clone", "-q", os.fspath(other.root), "nested")
    for folder in ("sub", "nested"):
        told = refused(one, 2, "note", "append", f"{folder}/inner.md", "--body", "x")
        assert f"lies in {folder}, a repository of its own" in told
        refused(one, 2, "note", "new", "--path", f"{folder}/deep/new.md", "--body", "x")
        refused(one, 2, "set", f"{folder}/inner.md", "a=1")
        refused(one, 2, "note", "move", "plain.md", folder)
    one.does("note", "rename", "plain.md", "simple")
    assert one.git("ls-files", "-s", "sub").startswith("160000 ")
    assert (one.root / "sub/inner.md").read_text() == (one.root / "nested/inner.md").read_text() == "text\n"


def test_a_command_in_a_sparse_checkout_keeps_what_is_not_checked_out(one: Vault):
    one.write("far/away.md", text := "text [[plain]]\n")
    one.commit()
    one.git("sparse-checkout", "set", "--no-cone", "/*", "!/far/")
    assert not (one.root / "far").exists()
    one.does(*APPEND)
    assert one.git("ls-tree", "-r", "--name-only", "HEAD", "far") == "far/away.md"
    assert one.status == []
    for words in (("rename", "plain.md", "Far/away"), ("new", "--path", "far/away.md", "--body", "x")):
        assert "far/away.md is there already" in refused(one, 3, "note", *words)
    moved = one.does("note", "rename", "plain.md", "simple")
    assert "1 note is outside the sparse checkout: links there stay as they are" in moved.err
    one.git("sparse-checkout", "disable")
    assert (one.read("far/away.md"), one.status) == (text, [])
    assert "vaultd note relink plain.md simple.md" in one.run("check").out


def test_a_missing_signing_key_undoes_a_command_and_keeps_a_hand_edit_waiting(one: Vault):
    one.git("config", "commit.gpgsign", "true")
    one.git("config", "gpg.format", "ssh")
    one.git("config", "user.signingkey", os.fspath(one.root / "no-such-key"))
    assert "git config user.signingkey" in refused(one, 6, "memory", "append", "old", "--body", "more")
    one.stamp("old")
    ran = one.run("up", "--once", "--json")
    assert (ran.code, [row["reason"] for row in ran.json["pending"]]) == (6, ["signing"])
    one.git("config", "commit.gpgsign", "false")
    one.does("up", "--once")
    assert one.log[0] == "memory: archive old"


def test_an_octopus_merge_is_judged_and_committed_upon(one: Vault):
    for name in ("left", "right"):
        one.git("switch", "-q", "-c", name, "main")
        one.remember(name)
        one.commit(name)
    one.git("switch", "-q", "main")
    one.does(*APPEND)
    one.git("merge", "-q", "--no-edit", "left", "right")
    assert len(one.git("show", "-s", "--format=%P").split()) == 3
    one.does("memory", "supersede", "left", "right", "--now")
    assert one.accepted == {"old": "active", "left": "superseded by right", "right": "active"}
    assert (one.status, one.errors()) == ([], [])


def test_a_commit_whose_clock_was_wrong_is_named_and_recorded_by_a_clock_that_is_right(one: Vault):
    one.stamp("old")
    one.git("commit", "-q", "-a", "-m", "backup", GIT_COMMITTER_DATE="1970-01-02T00:00:00Z")
    assert (one.errors("--head"), one.accepted) == (["V109"], {"old": "archived"})
    one.does("up", "--once")
    assert (one.errors(), one.log[:2]) == ([], ["memory: archive old", "backup"])


def at(monkeypatch: pytest.MonkeyPatch, step: str, act: Callable[[], object]) -> None:
    """Have somebody act at a step of the next command."""
    monkeypatch.setattr(crashing, "point", lambda name: act() if name == step else None)


def test_a_stash_in_the_middle_of_a_command_takes_nothing_back(one: Vault, monkeypatch: pytest.MonkeyPatch):
    one.write("plain.md", "text, edited by somebody else\n")
    at(monkeypatch, "files written", lambda: one.git("stash", "-q"))
    one.does(*APPEND)
    at(monkeypatch, "", lambda: None)
    assert (one.read("old").endswith("more\n"), one.status) == (True, [])
    one.git("stash", "pop", "-q")
    one.does("memory", "append", "old", "--body", "and more", "--now")
    assert one.read("old").endswith("more\nand more\n")
    assert one.log[:3] == ["memory: append to old", "memory: append to old", "memories"]
    assert one.status == [" M plain.md"]


def test_a_deletion_that_a_stash_brings_back_stays_one(one: Vault, monkeypatch: pytest.MonkeyPatch):
    at(monkeypatch, "files written", lambda: one.git("stash", "-q"))
    one.does("note", "delete", "plain.md", "--yes", "--now")
    assert (one.file("plain.md").exists(), one.status) == (False, [])


def test_a_save_in_the_middle_of_a_command_is_nobody_s_to_take_back(one: Vault, monkeypatch: pytest.MonkeyPatch):
    at(monkeypatch, "files written", lambda: one.write("memory/_global/old.md", "mine\n"))
    one.does(*APPEND)
    assert one.read("old") == "mine\n"


def test_two_daemons_never_watch_one_vault_however_it_is_reached(one: Vault, tmp_path: Path):
    (tmp_path / "link").symlink_to(one.root)
    with daemon(one):
        second = finished(Vault(tmp_path / "link"), "up")
        assert (second.code, "is watched already by" in second.out) == (4, True), second
        Vault(tmp_path / "link").does(*APPEND)
    assert one.log[0] == "memory: append to old"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_vault_that_may_not_be_written_is_an_error_and_can_be_read(one: Vault):
    folders = [one.root / "memory/_global", one.root]
    for folder in folders:
        folder.chmod(0o500)
    try:
        assert "Permission denied" in refused(one, 6, "memory", "append", "old", "--body", "more")
        assert one.does("show", "old").out
        assert one.errors() == []
    finally:
        for folder in folders:
            folder.chmod(0o700)


def test_a_hook_that_calls_vaultd_is_refused_at_once_and_the_commit_stands(one: Vault):
    hook, said = one.root / ".git/hooks/post-commit", one.root / ".git/said"
    nested = f"{shlex.quote(sys.executable)} -m vaultd note append plain.md --body nested --now"
    hook.write_text(f"#!/bin/sh\n{nested} 2> {shlex.quote(os.fspath(said))}\n")
    hook.chmod(0o755)
    begun = time.monotonic()
    one.does(*APPEND)
    assert time.monotonic() - begun < PATIENCE
    assert "a hook cannot wait for the command that runs it" in said.read_text()
    assert ("nested" in one.read("plain.md"), one.status) == (False, [])
