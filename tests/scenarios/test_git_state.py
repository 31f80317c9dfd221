"""Git in every state: a command is refused before it writes, a hand edit waits and says why."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.vaults import Vault, new_vault, with_memories

OLD = "memory/_global/old.md"
NEW = ("memory", "new", "--kind", "gotcha", "--description", "One line", "--body", "x")


@pytest.fixture
def pair(vault: Vault) -> Vault:
    return with_memories(vault, "old", "new")


def pending(vault: Vault) -> dict[str, str]:
    """Return what `up --once` could not commit, and why."""
    ran = vault.run("up", "--once", "--json")
    assert ran.code == (6 if ran.json["pending"] else 0)
    return {row["path"]: row["reason"] for row in ran.json["pending"]}


def diverged(vault: Vault) -> None:
    """Give two branches a conflict in a plain note."""
    vault.write("Daily.md", "one\n")
    vault.commit("one")
    vault.git("switch", "-q", "-c", "side", "HEAD~")
    vault.write("Daily.md", "two\n")
    vault.commit("two")
    vault.git("switch", "-q", "main")


def detached(vault: Vault) -> None:
    vault.git("checkout", "-q", "--detach")


def merging(vault: Vault) -> None:
    diverged(vault)
    vault.git("merge", "-q", "side", ok=(1,))


def rebasing(vault: Vault) -> None:
    diverged(vault)
    vault.git("rebase", "-q", "side", ok=(1,))


def cherry_picking(vault: Vault) -> None:
    diverged(vault)
    vault.git("cherry-pick", "side", ok=(1,))


def reverting(vault: Vault) -> None:
    vault.write("Daily.md", "one\n")
    vault.commit("one")
    vault.write("Daily.md", "two\n")
    vault.commit("two")
    vault.git("revert", "--no-edit", "HEAD~", ok=(1,))


def bisecting(vault: Vault) -> None:
    vault.git("bisect", "start")


STATES = [
    (detached, "detached"),
    (merging, "merge"),
    (rebasing, "rebase"),
    (cherry_picking, "cherry-pick"),
    (reverting, "revert"),
    (bisecting, "bisect"),
]
states = pytest.mark.parametrize(("begin", "reason"), STATES, ids=[reason for _, reason in STATES])


@states
def test_a_command_is_refused_before_it_writes(pair: Vault, begin: Callable[[Vault], None], reason: str):
    begin(pair)
    before = (pair.read("old"), pair.status, pair.head)
    ran = pair.run("memory", "archive", "old")
    assert (ran.code, f"({reason})" in ran.err) == (4, True)
    assert (pair.read("old"), pair.status, pair.head) == before


@states
def test_a_hand_edit_waits_with_the_reason(pair: Vault, begin: Callable[[Vault], None], reason: str):
    begin(pair)
    head = pair.head
    pair.stamp("old")
    assert pair.accepted["old"] == "archived"
    assert pending(pair) == {OLD: reason}
    assert pair.head == head


def test_what_waited_is_committed_when_git_is_done(pair: Vault):
    merging(pair)
    pair.stamp("old")
    pending(pair)
    pair.git("merge", "--abort")
    assert pending(pair) == {}
    assert pair.log[0] == "memory: archive old"


def test_a_partly_staged_hand_edit_waits(pair: Vault):
    pair.edit("old", "The text", "My better text")
    pair.git("add", "-A")
    pair.stamp("old")
    staged = pair.git("rev-parse", f":{OLD}")
    assert pending(pair) == {OLD: "staged"}
    assert pair.git("rev-parse", f":{OLD}") == staged
    pair.git("commit", "-q", "-m", "prose")
    assert pending(pair) == {}
    assert pair.log[:2] == ["memory: archive old", "prose"]


def test_staging_a_hand_edit_holds_up_no_other(pair: Vault):
    pair.stamp("old")
    pair.git("add", "-A")
    pair.stamp("new")
    pending(pair)
    pair.git("commit", "-q", "-m", "mine")
    assert pending(pair) == {}
    assert pair.accepted == {"old": "archived", "new": "archived"}
    assert pair.log[:2] == ["memory: archive new", "mine"]


# Who commits -----------------------------------------------------------------------------------------------------------


def nobody(vault: Vault) -> None:
    Path(os.environ["GIT_CONFIG_GLOBAL"]).write_text("[user]\n\tuseConfigOnly = true\n")
    assert vault.git("config", "user.name", ok=(1,)) == ""


def test_without_an_identity_a_command_writes_nothing(pair: Vault):
    nobody(pair)
    before = pair.read("old")
    ran = pair.run("memory", "archive", "old")
    assert (ran.code, "git config user.name" in ran.err) == (6, True)
    assert (pair.read("old"), pair.status) == (before, [])


def test_without_an_identity_a_hand_edit_waits(pair: Vault):
    nobody(pair)
    pair.stamp("old")
    assert pending(pair) == {OLD: "identity"}
    pair.git("config", "user.name", "Ada")
    pair.git("config", "user.email", "ada@example.org")
    assert pending(pair) == {}


# Hooks -----------------------------------------------------------------------------------------------------------------


def hook(vault: Vault, name: str, script: str) -> None:
    file = vault.root / ".git/hooks" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def test_a_refusing_hook_undoes_a_command(pair: Vault):
    hook(pair, "commit-msg", "echo no ticket number >&2; exit 1")
    before = (pair.read("old"), pair.head)
    ran = pair.run("memory", "archive", "old")
    assert (ran.code, "no ticket number" in ran.err) == (6, True)
    assert (pair.read("old"), pair.head, pair.status) == (*before, [])


def test_a_refusing_hook_undoes_both_files_of_a_command(pair: Vault):
    hook(pair, "commit-msg", "exit 1")
    assert pair.run(*NEW, "--project", "fresh", "--name", "third", "--supersedes", "old").code == 6
    assert pair.status == []
    assert not pair.root.joinpath("memory/fresh").exists()


def test_a_refusing_hook_keeps_a_hand_edit_waiting(pair: Vault):
    hook(pair, "commit-msg", "echo no ticket number >&2; exit 1")
    pair.stamp("old")
    ran = pair.run("up", "--once", "--json")
    assert [(row["reason"], row["detail"]) for row in ran.json["pending"]] == [("hook", "no ticket number")]
    pair.root.joinpath(".git/hooks/commit-msg").unlink()
    assert pending(pair) == {}


def test_a_hook_may_amend_the_message(pair: Vault):
    hook(pair, "commit-msg", 'printf "\\nSigned-off-by: Ada\\n" >> "$1"')
    pair.does("memory", "archive", "old")
    assert "Signed-off-by: Ada" in pair.git("show", "-s", "--format=%B")
    assert pair.trailers()["Vaultd-Event"] == "archived"


def test_a_hook_that_calls_vaultd_does_not_wait_for_itself(pair: Vault):
    pair.does("hooks", "install")
    pair.does("memory", "archive", "old")
    assert pair.status == []


# A message being written -----------------------------------------------------------------------------------------------


def test_a_hand_edit_waits_while_somebody_writes_a_commit_message(pair: Vault):
    pair.stamp("old")
    pair.write(".git/COMMIT_EDITMSG", "my wor\n# Please enter the commit message\n")
    assert pending(pair) == {OLD: "message"}


def test_a_message_given_up_long_ago_holds_up_nothing(pair: Vault):
    pair.stamp("old")
    file = pair.write(".git/COMMIT_EDITMSG", "my wor\n# Please enter the commit message\n")
    os.utime(file, (time.time() - 601,) * 2)
    moved = time.time() - 1000
    os.utime(pair.root / ".git/logs/HEAD", (moved, moved))
    assert pending(pair) == {}


def test_a_tool_that_finds_nothing_to_commit_every_minute_holds_up_nothing(pair: Vault):
    pair.stamp("old")
    pair.edit("new", "The text", "A better text")
    pair.git("commit", "-q", "-m", "auto", ok=(1,))
    assert pending(pair) == {}
    assert pair.log[0] == "memory: archive old"


def test_a_tool_that_commits_everything_first_leaves_an_accepted_change(pair: Vault):
    pair.stamp("old", by="new")
    pair.commit("auto")
    assert pair.accepted["old"] == "superseded by new"
    assert pending(pair) == {}
    assert pair.log[0] == "auto"
    assert pair.errors("--head") == []


# Locks -----------------------------------------------------------------------------------------------------------------


def test_another_gits_lock_is_respected(pair: Vault):
    pair.write(".git/index.lock", "")
    before = pair.read("old")
    ran = pair.run("memory", "archive", "old")
    assert (ran.code, pair.read("old")) == (4, before)
    pair.root.joinpath(".git/index.lock").unlink()
    assert pair.status == []


def test_a_git_directory_that_may_not_be_written_is_an_error_that_undoes(pair: Vault):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    folder = pair.root / ".git"
    before = pair.read("old")
    folder.chmod(0o500)
    try:
        assert pair.run("memory", "archive", "old").code == 6
    finally:
        folder.chmod(0o700)
    assert (pair.read("old"), pair.status) == (before, [])


# init ------------------------------------------------------------------------------------------------------------------


def test_init_commits_what_it_made_and_touches_no_note(folder: Vault):
    folder.write("Daily.md", "Today.\n")
    folder.does("init")
    made = folder.git("show", "--name-only", "--format=").splitlines()
    assert made == [".gitattributes", ".vaultd/config.toml", ".vaultd/vault-id"]
    assert folder.status == ["?? Daily.md"]


def test_init_again_changes_nothing(vault: Vault):
    head = vault.head
    ran = vault.does("init", "--json")
    assert (ran.json["event"], ran.json["paths"], vault.head) == (None, [], head)


def test_init_adds_what_is_missing(vault: Vault):
    vault.git("rm", "-q", ".vaultd/config.toml")
    vault.git("commit", "-q", "-m", "away")
    assert vault.does("init", "--json").json["paths"] == [".vaultd/config.toml"]
    assert vault.status == []


def test_init_in_a_clone_changes_nothing(pair: Vault, tmp_path: Path):
    pair.does("up", "--once")
    pair.git("clone", "-q", os.fspath(pair.root), os.fspath(tmp_path / "clone"))
    clone = Vault(tmp_path / "clone")
    clone.does("init")
    assert (clone.head, clone.status) == (pair.head, [])
    ids = [vault.root.joinpath(".git/vaultd/clone-id").read_text() for vault in (pair, clone)]
    assert ids[0] != ids[1]


def test_init_dry_run_shows_and_makes_nothing(folder: Vault):
    head = folder.head
    ran = folder.does("init", "--dry-run")
    assert ".vaultd/vault-id" in ran.out
    assert (folder.head, folder.status) == (head, [])
    assert not folder.root.joinpath(".vaultd").exists()
    assert not folder.root.joinpath(".git/vaultd").exists()


def test_init_on_an_unborn_branch_makes_the_first_commit(tmp_path: Path):
    bare = Vault(tmp_path)
    bare.git("init", "-q", "-b", "main")
    bare.write("Daily.md", "Today.\n")
    bare.does("init")
    assert bare.git("rev-list", "--count", "HEAD") == "1"
    assert bare.status == ["?? Daily.md"]
    bare.does(*NEW, "--name", "first")
    assert bare.accepted == {"first": "active"}


def test_init_without_git_names_the_option(tmp_path: Path):
    ran = Vault(tmp_path).run("init")
    assert (ran.code, "--git" in ran.err) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_init_git_makes_the_repository_too(tmp_path: Path):
    found = Vault(tmp_path)
    found.does("init", "--git")
    assert found.log == ["vaultd: make this folder a vault"]


def test_init_git_dry_run_makes_no_repository(tmp_path: Path):
    assert "repository" in Vault(tmp_path).does("init", "--git", "--dry-run").out
    assert list(tmp_path.iterdir()) == []


def test_init_git_makes_no_repository_inside_another(folder: Vault):
    inside = Vault(folder.root / "notes here")
    inside.root.mkdir()
    inside.does("init", "--git")
    assert not inside.root.joinpath(".git").exists()
    assert folder.log[0] == "vaultd: make this folder a vault"


def test_init_inside_another_vault_is_refused(vault: Vault):
    inside = Vault(vault.root / "deep")
    inside.root.mkdir()
    ran = inside.run("init")
    assert (ran.code, "inside the vault" in ran.err) == (2, True)
    assert vault.status == []


def test_init_without_an_identity_leaves_nothing_behind(folder: Vault):
    nobody(folder)
    ran = folder.run("init")
    assert (ran.code, folder.status) == (6, [])
    assert not folder.root.joinpath(".vaultd").exists()


def test_init_git_without_an_identity_leaves_nothing_behind(tmp_path: Path):
    Path(os.environ["GIT_CONFIG_GLOBAL"]).write_text("[user]\n\tuseConfigOnly = true\n")
    assert Vault(tmp_path).run("init", "--git").code == 6
    assert list(tmp_path.iterdir()) == []


def test_init_keeps_the_users_own_attributes(folder: Vault):
    folder.write(".gitattributes", "*.png binary")
    folder.commit()
    folder.does("init")
    assert folder.root.joinpath(".gitattributes").read_text().startswith("*.png binary\n")
    assert folder.status == []


def test_init_leaves_the_users_uncommitted_attributes_uncommitted(folder: Vault):
    folder.write(".gitattributes", "*.png binary\n")
    folder.commit()
    folder.write(".gitattributes", "*.png binary\n*.jpg binary\n")
    folder.does("init")
    assert "*.jpg" not in folder.git("show", "HEAD:.gitattributes")
    assert "*.jpg binary\n" in folder.root.joinpath(".gitattributes").read_text()
    assert folder.status == [" M .gitattributes"]


def test_init_in_the_middle_of_a_merge_is_refused(folder: Vault):
    folder.write("Daily.md", "zero\n")
    folder.commit()
    merging(folder)
    before = folder.status
    assert folder.run("init").code == 4
    assert folder.status == before


def test_init_with_hooks_installs_them(folder: Vault):
    folder.does("init", "--hooks")
    assert os.access(folder.root / ".git/hooks/pre-commit", os.X_OK)


def test_init_of_a_linked_work_tree_keeps_to_it(folder: Vault, tmp_path: Path):
    folder.git("worktree", "add", "-q", "-b", "side", os.fspath(tmp_path / "side"))
    side = Vault(tmp_path / "side")
    side.does("init")
    side.does(*NEW, "--name", "first")
    assert side.accepted == {"first": "active"}
    assert folder.log == ["begin"]


def test_a_vault_below_the_top_of_its_repository_works(tmp_path: Path):
    top = new_vault(tmp_path / "top", started=False)
    below = new_vault(tmp_path / "top/my notes", "old", "new", inside=top.root)
    below.does("memory", "supersede", "old", "new")
    assert below.accepted == {"old": "superseded by new", "new": "active"}
    assert top.status == []


# Other folders ---------------------------------------------------------------------------------------------------------


def test_a_seamless_data_folder_opens_as_it_is(folder: Vault):
    with_memories(folder, "radio/old", "radio/new")
    folder.write("notes/radio/finding.md", "---\nid: 01JV0000000000000000000000\ntitle: Finding\n---\nText.\n")
    folder.write("seam.db", b"SQLite format 3\0")
    folder.write(".gitignore", "seam.db\n")
    folder.commit()
    before = folder.root.joinpath("seam.db").stat()
    assert folder.errors() == []
    folder.does("init")
    folder.does("memory", "supersede", "radio/old", "radio/new")
    assert folder.accepted["radio/old"] == "superseded by radio/new"
    after = folder.root.joinpath("seam.db").stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_a_copy_of_a_vault_gets_an_identity_of_its_own(pair: Vault, tmp_path: Path):
    pair.does("up", "--once")
    shutil.copytree(pair.root, tmp_path / "copy", symlinks=True)
    copy = Vault(tmp_path / "copy")
    copy.does("memory", "archive", "old")
    assert pair.accepted["old"] == "active"
    ids = [vault.root.joinpath(".git/vaultd/clone-id").read_text() for vault in (pair, copy)]
    assert ids[0] != ids[1]


def test_git_missing_from_the_path_is_said(pair: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    before = pair.read("old")
    ran = pair.run("memory", "archive", "old")
    assert (ran.code, "git" in ran.err) == (6, True)
    assert pair.read("old") == before


def test_a_git_that_is_too_old_is_said(pair: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    real = subprocess.run(["sh", "-c", "command -v git"], capture_output=True, check=True, text=True).stdout.strip()
    old = tmp_path / "bin/git"
    old.parent.mkdir()
    old.write_text(
        "#!/bin/sh\n"
        'case "$*" in\n'
        "  *--path-format*) echo --path-format=absolute;;\n"
        "  *version) echo git version 2.17.1;;\n"
        f'  *) exec {real} "$@";;\n'
        "esac\n"
    )
    old.chmod(0o755)
    monkeypatch.setenv("PATH", os.fspath(old.parent) + os.pathsep + os.environ["PATH"])
    ran = pair.run("memory", "archive", "old")
    assert (ran.code, "2.31" in ran.err) == (6, True)


@pytest.mark.parametrize("flags", [["skip-worktree"], ["assume-unchanged"], ["skip-worktree", "assume-unchanged"]])
def test_edits_that_git_was_told_to_overlook_are_not_committed_by_a_command(vault: Vault, flags: list[str]):
    vault.write("Daily.md", "- [ ] water\n")
    vault.commit("one")
    for flag in flags:
        vault.git("update-index", f"--{flag}", "Daily.md")
    file = vault.write("Daily.md", "- [ ] water\nthe key lies under the mat\n")
    before = file.read_bytes()
    for options in (("--dry-run",), ()):
        ran = vault.run("tasks", "toggle", "Daily.md:1", "--now", *options, "--json")
        assert (ran.code, ran.json["error"]) == (6, "StorageError")
        mends = ran.json["hint"].removesuffix(" has git see them again").split("; ")
        assert mends == [f"git update-index --no-{flag} Daily.md" for flag in flags]
    assert file.read_bytes() == before
    assert "under the mat" not in vault.git("log", "-p", "--all")
    for mend in mends:
        vault.git(*mend.split()[1:])
    vault.does("tasks", "toggle", "Daily.md:1", "--now")


@pytest.mark.parametrize("flag", ["skip-worktree", "assume-unchanged"])
def test_an_end_in_a_file_that_git_was_told_to_overlook_waits(pair: Vault, flag: str):
    pair.git("update-index", f"--{flag}", OLD)
    pair.stamp("old", by="new")
    pair.edit("old", "The text", "The key lies under the mat. The text")
    head = pair.head
    assert pending(pair)[OLD] == "overlooked"
    assert f"git update-index --no-{flag}" in pair.run("adopt", OLD).err
    assert pair.head == head
    pair.git("update-index", f"--no-{flag}", OLD)
    assert pending(pair) == {}
    assert pair.accepted["old"] == "superseded by new"
