"""What `check --staged` and the git hooks let pass, judged on the index of git and never on the files beside it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.vaults import AT, LATER, Vault, id_of, memory, new_vault, with_memories
from vaultd.cli.forms import asked_of
from vaultd.daemon.sockets import listen
from vaultd.vault.addresses import socket_above

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def two(vault: Vault) -> Vault:
    """A vault that remembers a and b."""
    return with_memories(vault, "a", "b")


@pytest.fixture
def hooked(two: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """The same, with vaultd's hooks in git."""
    monkeypatch.setenv("PYTHONPATH", os.fspath(CHECKOUT))
    two.does("hooks", "install")
    return two


def staged(vault: Vault) -> list[str]:
    """Stage everything and return the errors that committing it would introduce."""
    vault.git("add", "-A")
    return vault.errors("--staged")


# What is staged, not what lies beside it ------------------------------------------------------------------------------


def test_a_good_stage_passes_beside_a_bad_file(two: Vault):
    two.stamp("a", by="b")
    assert staged(two) == []
    two.stamp("a", by="nobody")
    assert two.errors("--staged") == []


def test_a_bad_stage_fails_beside_a_good_file(two: Vault):
    two.stamp("a", by="nobody")
    assert staged(two) == ["V103"]
    two.stamp("a", by="b")
    assert two.errors("--staged") == ["V103"]


def test_what_is_staged_is_judged_without_asking_a_daemon(two: Vault):
    """One that hangs would hold up every commit, and one of another version would judge by other rules."""
    two.stamp("a", by="nobody")
    two.git("add", "-A")
    place = socket_above(os.fspath(two.root))
    assert place is not None
    with listen(Path(place)) as silent:
        assert two.errors("--staged") == ["V103"]
        silent.setblocking(False)
        with pytest.raises(BlockingIOError):
            silent.accept()


def test_nothing_staged_passes_in_silence(two: Vault):
    two.stamp("a", by="nobody")
    ran = two.run("check", "--staged")
    assert (ran.code, ran.out) == (0, "")


def test_another_index_may_be_asked_about(two: Vault, monkeypatch: pytest.MonkeyPatch):
    other = ".git/other-index"
    two.git("read-tree", "HEAD", GIT_INDEX_FILE=other)
    two.stamp("a", by="nobody")
    two.git("add", "-A", GIT_INDEX_FILE=other)
    assert two.errors("--staged") == []
    monkeypatch.setenv("GIT_INDEX_FILE", other)
    assert two.errors("--staged") == ["V103"]


def test_half_of_a_predecessor_may_be_staged_where_that_half_is_valid(two: Vault):
    two.stamp("a")
    two.git("add", "-A")
    two.stamp("a", by="b")
    assert two.errors("--staged") == []


def test_an_edge_staged_without_its_end_is_refused(two: Vault):
    two.stamp("a", at="null", by="b")
    two.git("add", "-A")
    two.stamp("a", by="b")
    assert two.errors("--staged") == ["V104"]


def test_a_successor_that_was_not_staged_is_named_with_the_command(two: Vault):
    two.remember("c")
    two.stamp("a", by="c")
    two.git("add", "memory/_global/a.md")
    ran = two.run("check", "--staged")
    assert ran.codes == ["V103"]
    assert "exists but is not staged" in ran.out
    assert "hint: git add memory/_global/c.md" in ran.out
    two.git("add", "memory/_global/c.md")
    assert two.errors("--staged") == []


def test_a_successor_without_an_id_is_no_successor(two: Vault):
    two.write("memory/_global/c.md", "a plain note\n")
    two.stamp("a", by="c")
    two.edit("a", id_of("c"), "c")
    assert staged(two) == ["V103"]


def test_the_first_commit_of_a_repository_is_checked(tmp_path: Path):
    vault = Vault(tmp_path / "vault")
    vault.root.mkdir()
    vault.git("init", "-q", "-b", "main")
    vault.write(".vaultd/vault-id", "01JV\n")
    vault.remember("a", "b")
    assert staged(vault) == []
    vault.edit("b", id_of("b"), id_of("a"))
    assert staged(vault) == ["V100"]


# Only what this commit introduces -------------------------------------------------------------------------------------


def test_an_old_error_blocks_no_other_commit(two: Vault):
    two.stamp("a", by="nobody")
    two.commit("bad")
    two.edit("b", "The text", "Words")
    assert staged(two) == []


def test_an_old_error_does_not_block_prose_in_its_own_file(two: Vault):
    two.stamp("a", by="nobody")
    two.commit("bad")
    two.edit("a", "The text", "Words")
    assert staged(two) == []


def test_an_old_format_error_does_not_block_prose_in_its_own_file(two: Vault):
    two.edit("a", "kind: decision", "kind: [decision")
    two.commit("bad")
    two.edit("a", "The text", "Words")
    assert staged(two) == []


def test_a_second_error_in_a_file_that_had_one_is_refused(two: Vault):
    two.edit("a", "description: About a.", "description: About a.\nInvalid_At: soon")
    two.commit("bad")
    two.stamp("a", by="nobody")
    assert "V103" in staged(two)


def test_deleting_a_successor_is_refused(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.git("rm", "-q", "memory/_global/b.md")
    assert two.errors("--staged") == ["V111"]


def test_stamping_again_is_refused(two: Vault):
    two.does("memory", "archive", "a", "--at", AT)
    two.stamp("a", at=LATER)
    assert staged(two) == ["V102"]


@pytest.mark.parametrize("by", ["a", "nobody"])
def test_an_edge_to_itself_or_to_nobody_is_refused(two: Vault, by: str):
    two.stamp("a", by=by)
    assert staged(two) == ["V103"]


def test_a_circle_is_refused(two: Vault):
    two.stamp("a", by="b")
    two.stamp("b", by="a")
    assert staged(two) == ["V103", "V103"]


def test_a_change_of_spelling_passes(two: Vault):
    two.does("memory", "archive", "a", "--at", AT)
    two.edit("a", f"invalid_at: {AT}", f"invalid_at: '{AT}'")
    two.edit("a", "superseded_by: null\n", "")
    two.edit("b", "invalid_at: null", "invalid_at:")
    assert staged(two) == []


def test_a_rename_with_edits_keeps_comparing_the_id(two: Vault):
    two.does("memory", "archive", "a", "--at", AT)
    two.git("mv", "memory/_global/a.md", "memory/_global/z.md")
    two.write("memory/_global/z.md", memory("z", id_=id_of("a"), body="all of it is new"))
    assert staged(two) == ["V102"]


def test_a_staged_file_that_is_not_utf8_is_an_error_with_its_place(two: Vault):
    two.write("memory/_global/a.md", two.read("a").encode() + b"caf\xe9\n")
    two.git("add", "-A")
    ran = two.run("check", "--staged")
    assert ran.codes == ["V209"]
    assert ran.out.startswith("memory/_global/a.md:")


def test_line_ends_of_windows_make_no_difference(two: Vault):
    two.does("memory", "archive", "a", "--at", AT)
    two.write("memory/_global/a.md", two.read("a").replace("\n", "\r\n"))
    two.write("memory/_global/b.md", memory("b", at=AT, by=id_of("a")).replace("\n", "\r\n"))
    assert staged(two) == ["V103"]


@pytest.mark.parametrize("name", ["sp ace", "quo'te", 'dou"ble', "-n", "café", "new\nline", "$HOME", ":(top)x", "*"])
def test_names_that_shells_and_git_quote_are_checked(two: Vault, name: str):
    two.git("config", "core.quotePath", "true")
    two.write(f"memory/_global/{name}.md", memory("x", at=AT, by="nobody"))
    two.git("add", "-A")
    document = two.run("check", "--staged", "--json").json
    found = [(row["code"], row["path"]) for row in document["violations"] if row["code"] == "V103"]
    assert found == [("V103", f"memory/_global/{name}.md")]


def test_a_check_says_where_what_and_how_to_mend_it(two: Vault):
    two.does("memory", "archive", "a", "--at", AT)
    two.stamp("a", at=LATER)
    two.git("add", "-A")
    first, second = two.run("check", "--staged").out.splitlines()[:2]
    assert first == f"memory/_global/a.md:9:1: error V102 invalid_at was {AT} and was changed to {LATER}"
    assert second == "    hint: vaultd revert memory/_global/a.md"


def test_a_check_of_the_stage_writes_nothing_in_the_vault(two: Vault):
    two.stamp("a", by="b")
    two.git("add", "-A")

    def everything() -> dict[str, tuple[int, int]]:
        stats = {str(file): file.lstat() for file in two.root.rglob("*")}
        return {path: (stat.st_mtime_ns, stat.st_size) for path, stat in stats.items()}

    before = everything()
    two.run("check", "--staged")
    assert everything() == before


def test_a_worktree_is_checked_like_the_first(two: Vault, tmp_path: Path):
    two.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    other = Vault(tmp_path / "other")
    other.stamp("a", by="nobody")
    assert staged(other) == ["V103"]
    assert two.errors("--staged") == []


def test_a_vault_that_is_a_submodule_is_checked(two: Vault, tmp_path: Path):
    around = new_vault(tmp_path / "around", started=False)
    around.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(two.root), "notes")
    inside = Vault(around.root / "notes")
    inside.stamp("a", by="nobody")
    assert staged(inside) == ["V103"]


def test_a_vault_below_the_top_is_checked_by_its_own_names(tmp_path: Path):
    around = new_vault(tmp_path / "work", started=False)
    vault = new_vault(tmp_path / "work" / "my notes", "a", inside=around.root)
    vault.stamp("a", by="nobody")
    around.write("memory/_global/other.md", memory("other", at=AT, by="nobody"))
    around.git("add", "-A")
    ran = vault.run("check", "--staged")
    assert ran.codes == ["V103"]
    assert ran.out.startswith("memory/_global/a.md:")


# Merges ---------------------------------------------------------------------------------------------------------------


def forked(vault: Vault) -> None:
    """Supersede a on a branch, and let main go on."""
    vault.git("switch", "-qc", "side")
    vault.does("memory", "supersede", "a", "b")
    vault.git("switch", "-q", "main")
    vault.write("prose.md", "words\n")
    vault.commit("prose")


def test_a_merge_is_compared_with_both_parents(two: Vault):
    forked(two)
    two.git("merge", "-q", "--no-commit", "--no-ff", "side")
    assert two.errors("--staged") == []


def test_a_merge_that_keeps_mine_is_refused(two: Vault):
    forked(two)
    two.git("merge", "-q", "--no-commit", "--no-ff", "-s", "ours", "side")
    assert two.errors("--staged") == ["V102"]


def test_an_error_of_the_other_side_is_not_this_merges_fault(two: Vault):
    two.git("switch", "-qc", "side")
    two.stamp("a", by="nobody")
    two.commit("bad")
    two.git("switch", "-q", "main")
    two.write("prose.md", "words\n")
    two.commit("prose")
    two.git("merge", "-q", "--no-commit", "--no-ff", "side")
    assert two.errors("--staged") == []


def test_a_format_error_of_the_other_side_is_not_this_merges_fault(two: Vault):
    two.git("switch", "-qc", "side")
    two.edit("a", "kind: decision", "kind: [decision")
    two.commit("bad")
    two.git("switch", "-q", "main")
    two.write("prose.md", "words\n")
    two.commit("prose")
    two.git("merge", "-q", "--no-commit", "--no-ff", "side")
    assert two.errors("--staged") == []


def test_conflict_markers_are_not_committed(two: Vault):
    forked(two)
    two.stamp("a", at=LATER)
    two.commit("archived here")
    two.git("merge", "-q", "side", ok=(1,))
    two.git("add", "-A")
    assert "V210" in two.errors("--staged")


# The hooks ------------------------------------------------------------------------------------------------------------


def test_a_commit_that_breaks_a_rule_is_stopped_with_the_mend(hooked: Vault):
    hooked.does("memory", "archive", "a")
    before = hooked.head
    hooked.clear("a")
    hooked.git("add", "-A")
    hooked.git("commit", "-qm", "back", ok=(1,))
    assert hooked.head == before
    hooked.git("checkout", "-q", "HEAD", "--", "memory")
    hooked.write("prose.md", "words\n")
    hooked.git("add", "-A")
    hooked.git("commit", "-qm", "prose")
    assert hooked.log[0] == "prose"


@pytest.mark.parametrize("how", [("-a",), ("--only", "memory/_global/a.md"), ("--include", "memory/_global/a.md")])
def test_every_way_to_commit_passes_the_hook(hooked: Vault, how: tuple[str, ...]):
    before = hooked.head
    hooked.stamp("a", by="nobody")
    hooked.git("commit", "-qm", "bad", *how, ok=(1,))
    assert hooked.head == before
    hooked.stamp("a", by="b")
    hooked.git("commit", "-qm", "good", *how)
    assert hooked.log[0] == "good"
    assert hooked.accepted["a"] == "superseded by b"


def test_committing_only_one_file_is_judged_without_what_else_is_staged(hooked: Vault):
    hooked.remember("c")
    hooked.stamp("a", by="c")
    hooked.git("add", "-A")
    hooked.git("commit", "-qm", "half", "--only", "memory/_global/a.md", ok=(1,))
    hooked.git("commit", "-qm", "whole")
    assert hooked.accepted["a"] == "superseded by c"


def test_a_merge_that_drops_a_supersession_is_stopped(hooked: Vault):
    forked(hooked)
    before = hooked.head
    hooked.git("merge", "-q", "--no-edit", "-s", "ours", "side", ok=(1, 2))
    assert hooked.head == before


def test_vaultds_own_commits_pass_the_hooks(hooked: Vault):
    hooked.git("config", "commit.gpgsign", "false")
    hooked.does("memory", "supersede", "a", "b")
    hooked.does("memory", "restore", "a")
    assert hooked.accepted["a"] == "active"


def test_a_push_of_an_unaccepted_change_is_stopped(hooked: Vault, tmp_path: Path):
    hooked.git("init", "-q", "--bare", str(tmp_path / "remote"))
    hooked.git("remote", "add", "origin", str(tmp_path / "remote"))
    hooked.git("push", "-q", "origin", "main")
    hooked.does("memory", "archive", "a")
    hooked.git("push", "-q", "origin", "main")
    hooked.clear("a")
    hooked.commit("past the hooks")
    hooked.git("push", "-q", "origin", "main", ok=(1,))
    hooked.git("push", "-q", "origin", "HEAD^:refs/heads/main")
    hooked.git("push", "-q", "origin", "main:refs/heads/new", ok=(1,))


def test_what_the_remote_already_has_does_not_stop_a_push(hooked: Vault, tmp_path: Path):
    hooked.git("init", "-q", "--bare", str(tmp_path / "remote"))
    hooked.git("remote", "add", "origin", str(tmp_path / "remote"))
    hooked.does("memory", "archive", "a")
    hooked.clear("a")
    hooked.commit("past the hooks")
    hooked.git("push", "-q", "--no-verify", "origin", "main")
    hooked.write("prose.md", "words\n")
    hooked.commit("prose")
    hooked.git("push", "-q", "origin", "main")


def test_deleting_a_remote_branch_is_no_push_of_notes(hooked: Vault, tmp_path: Path):
    hooked.git("init", "-q", "--bare", str(tmp_path / "remote"))
    hooked.git("remote", "add", "origin", str(tmp_path / "remote"))
    hooked.git("push", "-q", "origin", "main", "main:other")
    hooked.git("push", "-q", "origin", ":other")


def test_hooks_leave_without_a_trace(two: Vault, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", os.fspath(CHECKOUT))
    folder = two.root / ".git/hooks"
    folder.mkdir(exist_ok=True)
    (folder / "pre-commit").write_text("#!/bin/sh\necho mine >> mine.txt\n")
    (folder / "pre-commit").chmod(0o755)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert two.does("hooks", "install", "--json").json["hooks"] == ["pre-commit", "pre-merge-commit", "pre-push"]
    assert two.does("hooks", "install", "--json").json["hooks"] == []
    two.write("prose.md", "words\n")
    two.git("add", "prose.md")
    two.git("commit", "-qm", "prose")
    assert (two.root / "mine.txt").read_text() == "mine\n"
    two.does("hooks", "uninstall")
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_the_pre_commit_framework_runs_the_same_check(two: Vault, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", os.fspath(CHECKOUT))
    two.write(
        ".pre-commit-config.yaml",
        f"""\
repos:
- repo: local
  hooks:
  - id: vaultd-check
    name: vaultd check
    entry: {sys.executable} -m vaultd check --staged
    language: system
    always_run: true
    pass_filenames: false
""",
    )
    two.commit("hooks")
    two.stamp("a", by="nobody")
    two.git("add", "-A")
    framework = [sys.executable, "-m", "pre_commit", "run"]
    assert "V103" in two.git("-c", f"alias.framework=!{' '.join(framework)}", "framework", ok=(1,))


def test_the_pre_commit_framework_takes_the_hooks_that_are_offered():
    manifest = CHECKOUT / ".pre-commit-hooks.yaml"
    checked = subprocess.run([sys.executable, "-m", "pre_commit", "validate-manifest", manifest], check=False)
    assert checked.returncode == 0
    offered = {hook["id"]: hook for hook in yaml.safe_load(manifest.read_text())}
    for name in "vaultd-check", "vaultd-check-vault":
        program, *words = offered[name]["entry"].split()
        assert (program, asked_of(words) is not None) == ("vaultd", True)
