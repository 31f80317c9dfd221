"""Finding the repository, its HEAD, and what the user is doing in it."""

import os
import stat
import subprocess
import time

import pytest

from tests.git_fixtures import Scratch, scratch
from vaultd.errors import StorageError
from vaultd.history.repository import (
    Head,
    head,
    head_quick,
    identity,
    is_shallow,
    merge_heads,
    message_being_written,
    open_repository,
    operation,
    shallow_boundary,
)


def test_a_vault_at_the_top_has_no_prefix(vault):
    repo = vault.repo
    assert (repo.work_tree, repo.git_dir, repo.prefix) == (vault.top, vault.top / ".git", "")
    assert (repo.object_format, repo.root) == ("sha1", vault.top)


def test_a_vault_below_carries_its_prefix(below):
    assert below.repo.prefix == "my notes/"
    assert below.repo.root == below.root


def test_a_folder_name_may_hold_a_line_end(tmp_path):
    assert scratch(tmp_path / "odd\nname", "v\nault").repo.prefix == "v\nault/"


def test_a_linked_work_tree_has_its_own_git_folder(vault, tmp_path):
    vault.commit(a="x")
    vault.git("worktree", "add", "-q", str(tmp_path / "linked"))
    repo = open_repository(tmp_path / "linked")
    assert repo is not None
    assert repo.git_dir != repo.common_dir == vault.top / ".git"
    assert head(repo) == Head(vault.head, "refs/heads/linked", unborn=False)


def test_a_folder_without_git_has_none(tmp_path):
    assert open_repository(tmp_path) is None


def test_a_bare_repository_counts_as_none(tmp_path):
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "bare"], check=True)
    assert open_repository(tmp_path / "bare") is None


def test_the_git_folder_itself_counts_as_none(vault):
    assert open_repository(vault.top / ".git") is None


def test_a_calling_git_does_not_decide_which_repository_is_meant(vault, tmp_path, monkeypatch):
    other = scratch(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.top / ".git"))
    assert vault.repo.git_dir == vault.top / ".git"


def test_a_missing_git_is_said_with_the_remedy(vault, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StorageError, match="git was not found") as caught:
        open_repository(vault.top)
    assert caught.value.hint == "install git 2.31 or newer"


def test_an_old_git_is_said_with_the_remedy(vault, monkeypatch, tmp_path):
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text('#!/bin/sh\nif [ "$1" = version ]; then echo git version 2.30.2; else printf "%s\\n" "$2"; fi\n')
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:{os.environ['PATH']}")
    with pytest.raises(StorageError, match=r"git version 2\.30\.2 is too old"):
        open_repository(vault.top)


def test_head_on_a_branch(vault):
    oid = vault.commit(a="x")
    assert head(vault.repo) == Head(oid, "refs/heads/main", unborn=False)


def test_head_on_an_unborn_branch(vault):
    assert head(vault.repo) == Head(None, "refs/heads/main", unborn=True)


def test_a_detached_head(vault):
    oid = vault.commit(a="x")
    vault.git("checkout", "-q", "--detach")
    assert head(vault.repo) == Head(oid, None, unborn=False)


def test_head_is_read_from_packed_refs(vault):
    oid = vault.commit(a="x")
    vault.git("branch", "x/main")
    vault.git("pack-refs", "--all")
    assert not (vault.top / ".git/refs/heads/main").exists()
    assert head_quick(vault.repo) == oid


def test_a_loose_ref_wins_over_a_packed_one(vault):
    vault.commit(a="x")
    vault.git("pack-refs", "--all")
    oid = vault.commit(a="y")
    assert head_quick(vault.repo) == oid


def test_a_branch_that_is_another_name_for_a_branch(vault):
    oid = vault.commit(a="x")
    vault.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    vault.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert head_quick(vault.repo) == oid


def test_a_repository_with_sha_256(tmp_path):
    made = scratch(tmp_path / "r", "", "--object-format=sha256")
    oid = made.commit(a="x")
    assert made.repo.object_format == "sha256"
    assert head_quick(made.repo) == oid
    assert len(made.repo.no_object) == 64


def test_refs_in_a_reftable_are_asked_of_git(tmp_path):
    done = subprocess.run(
        ["git", "init", "-q", "--ref-format=reftable", tmp_path / "r"], check=False, capture_output=True
    )
    if done.returncode:
        pytest.skip("this git knows no reftable")
    made = Scratch(tmp_path / "r", tmp_path / "r")
    made.git("config", "user.name", "Ada")
    made.git("config", "user.email", "ada@example.org")
    assert head(made.repo).unborn
    oid = made.commit(a="x")
    assert head(made.repo).oid == oid
    assert head(made.repo).branch


def _conflict(vault, doing: str) -> None:
    vault.commit("base", a="1\n")
    vault.git("checkout", "-qb", "other")
    vault.commit("other", a="2\n")
    vault.git("checkout", "-q", "main")
    vault.commit("mine", a="3\n")
    vault.git(doing, "other", ok=(1,))


def test_nothing_is_going_on_in_a_quiet_repository(vault):
    vault.commit(a="x")
    assert operation(vault.repo) is None
    assert merge_heads(vault.repo) == []


@pytest.mark.parametrize("doing", ["merge", "rebase", "cherry-pick"])
def test_an_operation_that_stopped_on_a_conflict_is_seen(vault, doing):
    _conflict(vault, doing)
    assert operation(vault.repo) == doing


def test_a_merge_names_what_is_being_merged(vault):
    _conflict(vault, "merge")
    assert merge_heads(vault.repo) == [vault.git("rev-parse", "other")]


def test_a_revert_that_stopped_is_seen(vault):
    first = vault.commit(a="1\n")
    vault.commit(a="2\n")
    vault.git("revert", first, ok=(1,))
    assert operation(vault.repo) == "revert"


def test_between_two_picks_it_is_still_a_cherry_pick(vault):
    _conflict(vault, "merge")
    vault.git("merge", "--abort")
    vault.git("checkout", "-q", "other")
    vault.commit("second", b="x")
    vault.git("checkout", "-q", "main")
    vault.git("cherry-pick", "main~1..other", ok=(1,))
    vault.commit("resolved", a="9\n")
    assert operation(vault.repo) == "cherry-pick"


def test_a_bisect_is_seen(vault):
    vault.commit(a="1")
    vault.git("bisect", "start")
    assert operation(vault.repo) == "bisect"


def test_a_patch_that_does_not_apply_leaves_am(vault):
    _conflict(vault, "merge")
    vault.git("merge", "--abort")
    patch = vault.git("format-patch", "--stdout", "-1", "other")
    vault.git("am", stdin=patch.encode() + b"\n", ok=(128,))
    assert operation(vault.repo) == "am"


def test_an_open_commit_message_is_seen(vault):
    vault.commit(a="x")
    (vault.top / ".git/COMMIT_EDITMSG").write_text("\n# Please enter the commit message\n")
    now = _newer_than_the_log(vault)
    assert message_being_written(vault.repo, now)
    assert not message_being_written(vault.repo, now + 700)
    assert not message_being_written(vault.repo, now + 70, limit=60)


def _newer_than_the_log(vault) -> float:
    begun = (vault.top / ".git/logs/HEAD").stat().st_mtime + 1
    os.utime(vault.top / ".git/COMMIT_EDITMSG", (begun, begun))
    return begun + 1


def test_a_message_that_was_used_is_not_being_written(vault):
    vault.commit(a="x")
    assert not message_being_written(vault.repo, time.time())


def test_a_message_given_with_m_that_a_hook_refused_is_not_being_written(vault):
    vault.commit(a="x")
    (vault.top / ".git/COMMIT_EDITMSG").write_text("one line\n")
    assert not message_being_written(vault.repo, _newer_than_the_log(vault))


def test_another_comment_character_is_honoured(vault):
    vault.commit(a="x")
    vault.git("config", "core.commentChar", ";")
    (vault.top / ".git/COMMIT_EDITMSG").write_text("\n; Please enter\n")
    assert message_being_written(vault.repo, _newer_than_the_log(vault))


def test_the_first_message_of_a_repository_can_be_open(vault):
    (vault.top / ".git/COMMIT_EDITMSG").write_text("\n# Please enter\n")
    assert message_being_written(vault.repo, time.time())


def test_identity_is_name_and_mail(vault):
    assert identity(vault.repo) == "Ada <ada@example.org>"


def test_without_identity_there_is_none(vault):
    vault.git("config", "--unset", "user.name")
    vault.git("config", "--unset", "user.email")
    vault.git("config", "user.useConfigOnly", "true")
    assert identity(vault.repo) is None


def test_a_shallow_clone_says_where_it_was_cut(vault, tmp_path):
    vault.commit(a="1")
    tip = vault.commit(a="2")
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{vault.top}", tmp_path / "clone"], check=True)
    clone = open_repository(tmp_path / "clone")
    assert clone is not None
    assert is_shallow(clone)
    assert shallow_boundary(clone) == {tip}
    assert not is_shallow(vault.repo)


def test_opening_writes_nothing(vault):
    before = sorted(
        (path, path.stat().st_mtime_ns) for path in vault.top.rglob("*") if stat.S_ISREG(path.stat().st_mode)
    )
    head(vault.repo)
    after = sorted(
        (path, path.stat().st_mtime_ns) for path in vault.top.rglob("*") if stat.S_ISREG(path.stat().st_mode)
    )
    assert before == after
