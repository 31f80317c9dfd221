"""A kill while texts are written: after the next start every note is old or new, and nothing is lost or told twice."""

import itertools
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.dying import Mortals
from tests.vaults import Vault, with_memories

VERBS = {
    "edit of a plain note": ("note", "edit", "plain.md", "--replace", "word", "--with", "x"),
    "deletion of what no commit holds": ("note", "delete", "draft.md", "--yes", "--now"),
    "undo": ("undo",),
    "import": ("import", "../from", "--as-memories", "p", "--apply"),
}
STRIDE = 5
"""Steps from one kill to the next: each verb begins at another step, so that all kinds of step are met."""


@pytest.fixture(scope="module")
def mortals() -> Iterator[Mortals]:
    found = Mortals()
    yield found
    found.close()


def notes(vault: Vault) -> dict[str, bytes]:
    return {
        path.relative_to(vault.root).as_posix(): path.read_bytes()
        for path in vault.root.rglob("*.md")
        if ".git" not in path.parts
    }


def ready(vault: Vault, tmp_path: Path) -> None:
    vault.write("plain.md", "One word.\n")
    vault.write(".gitignore", "")
    with_memories(vault, "old")
    vault.does("memory", "append", "old", "--body", "more")
    vault.write("draft.md", "never committed\n")
    for name in ("one", "two"):
        (tmp_path / "from").mkdir(exist_ok=True)
        (tmp_path / "from" / f"{name}.md").write_text(f"{name}\n")


@pytest.mark.parametrize("name", VERBS)
def test_a_kill_leaves_old_or_new_and_the_next_start_cleans_up(
    vault: Vault, tmp_path: Path, mortals: Mortals, name: str
):
    ready(vault, tmp_path)
    before, found = notes(vault), set[bool]()
    for step in itertools.count(1 + list(VERBS).index(name) % STRIDE, STRIDE):
        copy = Vault(tmp_path / f"step-{step}")
        shutil.copytree(vault.root, copy.root, symlinks=True)
        code = mortals.run(copy.root, step, *VERBS[name])
        assert code in {0, -signal.SIGKILL}
        copy.does("up", "--once")
        assert copy.git("fsck", "--no-dangling") == ""
        assert list(copy.root.glob(".git/vaultd/intents/*")) == []
        assert set(copy.status) <= {"?? draft.md"}
        assert len(copy.log) == len(set(copy.log))
        found.add(notes(copy) == before)
        if notes(copy) != before:
            assert names_changed(before, notes(copy)) in WHOLE
        if code == 0:
            break
    assert found == {True, False}


WHOLE = [{"plain.md"}, {"draft.md"}, {"memory/_global/old.md"}, {"memory/p/one.md", "memory/p/two.md"}]


def names_changed(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    return {path for path in {*before, *after} if before.get(path) != after.get(path)}
