"""A kill in the middle of a rename: after the next start every link and the file have moved, or none."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.dying import Mortals
from tests.vaults import Vault, with_memories

RENAME = ("memory", "rename", "p/old", "new")
STRIDE = 7
"""Every how many steps a kill is tried in one run; the runs together try them all."""
RUNS = [1, *(pytest.param(first, marks=pytest.mark.soak) for first in range(2, STRIDE + 1))]


@pytest.fixture(scope="module")
def mortals() -> Iterator[Mortals]:
    found = Mortals()
    yield found
    found.close()


def texts(vault: Vault) -> dict[str, str]:
    files = (path.relative_to(vault.root).as_posix() for path in vault.root.rglob("*.md"))
    updated = "updated: "
    return {
        path: "\n".join(line for line in vault.read(path).splitlines() if not line.startswith(updated))
        for path in files
    }


@pytest.mark.parametrize("first", RUNS)
def test_a_kill_at_any_step_moves_all_or_nothing(vault: Vault, tmp_path: Path, mortals: Mortals, first: int):
    killed_at(range(first, 1000, STRIDE), linked_from(vault, 5), tmp_path, mortals)


@pytest.mark.parametrize("first", [7, *(pytest.param(first, marks=pytest.mark.soak) for first in range(8, 60, 3))])
def test_nor_does_a_kill_among_files_that_are_written_side_by_side(
    vault: Vault, tmp_path: Path, mortals: Mortals, first: int
):
    killed_at(range(first, 4000, 53), linked_from(vault, 40), tmp_path, mortals)


@pytest.mark.parametrize("first", RUNS)
def test_nor_does_a_kill_while_a_rename_is_taken_back(vault: Vault, tmp_path: Path, mortals: Mortals, first: int):
    renamed = linked_from(vault, 5)
    renamed.does(*RENAME)
    killed_at(range(first, 1000, STRIDE), renamed, tmp_path, mortals, ("undo",), ("p/new", "p/old"))


def linked_from(vault: Vault, notes: int) -> Vault:
    with_memories(vault, "p/old")
    for number in range(notes):
        vault.write(f"n{number}.md", f"[[old]] {number} [x](memory/p/old.md)\n")
    vault.commit()
    vault.file("p/old").chmod(0o600)
    vault.does("up", "--once")
    return vault


def killed_at(
    steps: range,
    vault: Vault,
    tmp_path: Path,
    mortals: Mortals,
    words: tuple[str, ...] = RENAME,
    names: tuple[str, str] = ("p/old", "p/new"),
) -> None:
    done = copied(vault, tmp_path / "done")
    done.does(*words)
    old, new = texts(vault), texts(done)
    found: list[dict[str, str]] = []
    for step in steps:
        copy = copied(vault, tmp_path / f"step-{step}")
        code = mortals.run(copy.root, step, *words)
        copy.does("up", "--once")
        found.append(texts(copy))
        assert found[-1] in (old, new), step
        assert copy.status == []
        there = names[found[-1] == new]
        assert copy.file(there).stat().st_mode & 0o777 == 0o600, step
        assert copy.accepted == {there: "active"}
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert found[-1] == new
    assert len(found) > 5


def copied(vault: Vault, to: Path) -> Vault:
    """Copy a vault with hard links kept: they tell whose lock it is."""
    subprocess.run(["cp", "-a", os.fspath(vault.root), os.fspath(to)], check=True)
    return Vault(to)
