"""A kill at any step of a change: after the next start it is old or new, never half, and git is whole."""

import itertools
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.crash.dying import Mortals
from tests.vaults import AT, Vault, with_memories

Accepted = dict[str, str]


@dataclass(frozen=True)
class Change:
    """Something that a process does to a vault, and what is accepted before and after."""

    words: tuple[str, ...]
    begin: Callable[[Vault], None]
    old: Accepted
    new: Accepted


def nothing(vault: Vault) -> None:
    del vault


def half_typed(vault: Vault) -> None:
    vault.stamp("old", at="null", by="new")


def typed(vault: Vault) -> None:
    vault.stamp("old", by="new")


def typed_chain(vault: Vault) -> None:
    vault.remember("newest")
    vault.stamp("old", at=AT, by="new")
    vault.stamp("new", at=AT, by="newest")


MOVED = "memory/_global/moved.md"
HANDED_OVER = {"old": "superseded by new", "new": "active"}
CHANGES = {
    "supersede": Change(
        ("memory", "supersede", "old", "new"), nothing, {"old": "active", "new": "active"}, HANDED_OVER
    ),
    "new": Change(
        (
            "memory",
            "new",
            "--kind",
            "gotcha",
            "--name",
            "third",
            "--description",
            "d",
            "--body",
            "b",
            "--supersedes",
            "old",
        ),
        nothing,
        {"old": "active", "new": "active"},
        {"old": "superseded by third", "new": "active", "third": "active"},
    ),
    "adopt": Change(("adopt", "memory/_global/old.md"), half_typed, {"old": "active", "new": "active"}, HANDED_OVER),
    "hand edit": Change(("up", "--once"), typed, HANDED_OVER, HANDED_OVER),
    "chain": Change(
        ("up", "--once"),
        typed_chain,
        {"old": "superseded by new", "new": "superseded by newest", "newest": "active"},
        {"old": "superseded by new", "new": "superseded by newest", "newest": "active"},
    ),
}


@pytest.fixture(scope="module")
def mortals() -> Iterator[Mortals]:
    found = Mortals()
    yield found
    found.close()


def state_after(vault: Vault) -> Accepted:
    """Start again, show that git is whole and nothing lies about, and return what is accepted."""
    ran = vault.does("up", "--once")
    assert vault.git("fsck", "--no-dangling") == ""
    assert not vault.root.joinpath(".git/index.lock").exists()
    hidden = {path.name for path in vault.root.rglob(".*") if ".git" not in path.relative_to(vault.root).parts}
    assert hidden <= {".gitattributes", ".vaultd"}
    assert list(vault.root.glob(".git/vaultd/intents/*")) == [], ran
    return vault.accepted


@pytest.mark.parametrize("name", CHANGES)
def test_a_kill_at_any_step_leaves_old_or_new(vault: Vault, tmp_path: Path, mortals: Mortals, name: str):
    change = CHANGES[name]
    with_memories(vault, "old", "new")
    vault.does("up", "--once")
    change.begin(vault)
    before = vault.status
    found: list[Accepted] = []
    for step in itertools.count(1):
        copy = Vault(tmp_path / f"step-{step}")
        shutil.copytree(vault.root, copy.root, symlinks=True)
        code = mortals.run(copy.root, step, *change.words)
        assert code in {0, -signal.SIGKILL}
        found.append(state_after(copy))
        assert found[-1] in (change.old, change.new)
        assert copy.status == ([] if found[-1] == change.new else before)
        assert len(copy.log) == len(set(copy.log))  # nothing is told twice
        if code == 0:
            break
    assert found[-1] == change.new
    assert len(found) > 5


@pytest.mark.parametrize("words", [("adopt", MOVED), ("memory", "archive", MOVED)], ids=lambda words: words[0])
def test_a_kill_at_any_step_leaves_what_a_person_moved_at_one_path(
    vault: Vault, tmp_path: Path, mortals: Mortals, words: tuple[str, ...]
):
    with_memories(vault, "old", "new")
    vault.does("up", "--once")
    vault.file("old").rename(vault.file("moved"))
    if words[0] == "adopt":
        vault.stamp("moved", at="null", by="new")
    for step in itertools.count(1):
        copy = Vault(tmp_path / f"step-{step}")
        shutil.copytree(vault.root, copy.root, symlinks=True)
        code = mortals.run(copy.root, step, *words)
        assert code in {0, -signal.SIGKILL}
        assert state_after(copy)["moved"] in {"active", "archived", "superseded by new"}
        assert copy.errors("--head") == []
        held = copy.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()
        assert len({"memory/_global/old.md", MOVED}.intersection(held)) == 1
        if code == 0:
            break
    assert step > 5


@pytest.mark.parametrize("point", ["write:created", "commit:publish"])
def test_a_kill_of_the_recovery_is_recovered_from(vault: Vault, tmp_path: Path, mortals: Mortals, point: str):
    change = CHANGES["new"]
    with_memories(vault, "old", "new")
    vault.does("up", "--once")
    for step in itertools.count(1):
        copy = Vault(tmp_path / f"step-{step}")
        shutil.copytree(vault.root, copy.root, symlinks=True)
        assert mortals.run(copy.root, point, *change.words) == -signal.SIGKILL
        code = mortals.run(copy.root, step, "up", "--once")
        assert code in {0, -signal.SIGKILL}
        assert state_after(copy) == change.new
        assert copy.status == []
        assert copy.log.count("memory: supersede old by third") == 1
        if code == 0:
            break


def test_a_save_between_a_kill_and_the_next_start_is_never_overwritten(vault: Vault, mortals: Mortals):
    with_memories(vault, "old", "new")
    vault.does("up", "--once")
    assert mortals.run(vault.root, "files written", "memory", "supersede", "old", "new") == -signal.SIGKILL
    vault.write("memory/_global/old.md", vault.read("old") + "A word more.\n")
    text = vault.read("old")
    ran = vault.does("up", "--once")
    assert "recovered: memory: supersede old by new: reported" in ran.err
    assert vault.read("old") == text
    assert vault.accepted["old"] == "superseded by new"


def test_git_works_on_while_a_killed_commit_holds_the_lock(vault: Vault, mortals: Mortals):
    with_memories(vault, "old", "new")
    assert mortals.run(vault.root, "commit:ref", "memory", "supersede", "old", "new") == -signal.SIGKILL
    assert vault.root.joinpath(".git/index.lock").exists()
    vault.does("memory", "supersede", "old", "new")
    assert not vault.root.joinpath(".git/index.lock").exists()
    assert vault.status == []
    assert vault.log.count("memory: supersede old by new") == 1


@pytest.mark.parametrize("point", ["write:exchanged", "files written", "commit:publish"])
def test_the_next_command_finishes_what_a_killed_one_left(vault: Vault, mortals: Mortals, point: str):
    with_memories(vault, "old", "new")
    assert mortals.run(vault.root, point, "memory", "supersede", "old", "new") == -signal.SIGKILL
    ran = vault.does("memory", "append", "new", "--body", "more", "--json")
    assert ran.json["notices"] == ["recovered a killed command: memory: supersede old by new: finished"]
    assert vault.log[:2] == ["memory: append to new", "memory: supersede old by new"]
    assert (vault.accepted, vault.status) == (HANDED_OVER, [])


def test_a_killed_command_that_git_keeps_waiting_is_finished_when_git_lets_it(vault: Vault, mortals: Mortals):
    with_memories(vault, "old", "new")
    assert mortals.run(vault.root, "files written", "memory", "supersede", "old", "new") == -signal.SIGKILL
    vault.write("MERGE_HEAD", "")
    vault.root.joinpath("MERGE_HEAD").rename(vault.root / ".git/MERGE_HEAD")
    ran = vault.run("memory", "append", "new", "--body", "more")
    assert (ran.code, "a merge is in progress" in ran.err) == (4, True)
    vault.root.joinpath(".git/MERGE_HEAD").unlink()
    vault.does("memory", "append", "new", "--body", "more")
    assert vault.log[:2] == ["memory: append to new", "memory: supersede old by new"]
