"""What commands ask before they write: whose text it is, whose repository, and whether somebody is at it."""

import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vaultd.commands import resting
from vaultd.commands.asking import Asked, Done, as_expected
from vaultd.commands.carry_out import refusal, wait_for_git
from vaultd.commands.nested import refuse_nested
from vaultd.commands.resting import REST, let_editors_rest
from vaultd.errors import ConflictError, StorageError, UsageError
from vaultd.history.committing import Refused

NOW = datetime(2026, 11, 30, tzinfo=UTC)
HASH, OTHER = "a" * 64, "b" * 64


def asked(expect_hash: str) -> Asked:
    return Asked("person", NOW, lambda: "id", expect_hash=expect_hash)


# The hash that was expected ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("expected", ["", HASH])
def test_nothing_to_do_is_fine_where_the_text_is_the_one_that_was_read(expected: str):
    done = Done(None, "id", "a.md", HASH)
    assert as_expected(done, asked(expected)) is done


def test_nothing_to_do_is_a_conflict_where_another_text_was_read():
    with pytest.raises(ConflictError, match=HASH):
        as_expected(Done(None, "id", "a.md", HASH), asked(OTHER))


@pytest.mark.parametrize("done", [Done("written", "id", "a.md", HASH), Done(None, "", "folder")])
def test_what_was_written_was_compared_already_and_a_folder_has_no_hash(done: Done):
    assert as_expected(done, asked(OTHER)) is done


# Repositories of others -------------------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "sub/deep").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub/.git").write_text("gitdir: ../.git/modules/sub\n")
    return tmp_path


@pytest.mark.parametrize("path", ["sub/a.md", "sub/deep/a.md", "sub/new/folder/a.md"])
def test_a_path_in_another_repository_is_refused_with_its_folder(root: Path, path: str):
    with pytest.raises(UsageError, match="lies in sub, a repository of its own"):
        refuse_nested(root, ["a.md", path])


def test_the_vault_s_own_repository_is_no_other(root: Path):
    refuse_nested(root, ["a.md", "submarine/a.md", "folder/sub.md"])


# Somebody at work -------------------------------------------------------------------------------------------------------


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What was slept, in a moment that does not pass."""
    found: list[float] = []
    now = time.time()
    monkeypatch.setattr(resting.time, "time", lambda: now)
    monkeypatch.setattr(resting.time, "sleep", found.append)
    return found


def save(root: Path, name: str, age: float) -> str:
    (root / name).write_text("x")
    moment = time.time() - age
    os.utime(root / name, (moment, moment))
    return name


def test_a_file_saved_a_moment_ago_is_waited_for_as_long_as_the_youngest_needs(tmp_path: Path, slept: list[float]):
    assert let_editors_rest(tmp_path, [save(tmp_path, "a", 1.5), save(tmp_path, "b", 0.5), save(tmp_path, "c", 9)])
    assert len(slept) == 1
    assert slept[0] == pytest.approx(REST - 0.5, abs=0.001)


@pytest.mark.parametrize("age", [REST + 1, -3600])
def test_an_old_save_and_one_of_a_clock_that_runs_ahead_are_not_waited_for(
    tmp_path: Path, slept: list[float], age: float
):
    assert not let_editors_rest(tmp_path, [save(tmp_path, "a", age), "gone"])
    assert slept == []


def test_a_message_being_written_is_waited_for_and_anything_else_is_not():
    states = [Refused("message"), Refused("message"), None]
    wait_for_git(lambda: states.pop(0), pause=0.0)
    assert states == []
    with pytest.raises(ConflictError):
        wait_for_git(lambda: Refused("message"), patience=0.0, pause=0.0)
    with pytest.raises(StorageError):
        wait_for_git(lambda: Refused("identity"), pause=0.0)


@pytest.mark.parametrize(
    ("reason", "kind", "hint"),
    [
        ("rebase", ConflictError, "finish the rebase first"),
        ("staged", ConflictError, "git restore --staged"),
        ("busy", ConflictError, "run it again"),
        ("hook", StorageError, "what the hook names"),
        ("signing", StorageError, "user.signingkey"),
        ("ignored", StorageError, ".gitignore"),
    ],
)
def test_what_stands_in_a_commit_s_way_says_whether_it_passes_and_what_mends_it(reason, kind, hint: str):
    found = refusal(Refused(reason, ("a.md",), "detail"))
    assert isinstance(found, kind)
    assert hint in found.hint
    assert "a.md: detail" in found.message
