"""A kill at any step of an answer that takes over: after the next start the slot is old or new, never half."""

import itertools
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.dying import Mortals
from tests.scenarios.test_records import HEAD, HISTORY, NEEDS, paths, prop, put
from tests.vaults import Vault
from vaultd.judging.records.conflicts import KILLED


@pytest.fixture
def mortals() -> Iterator[Mortals]:
    found = Mortals()
    yield found
    found.close()


def test_crash_between_renames_recovers(vault: Vault, tmp_path: Path, mortals: Mortals):
    first = put(vault, "old")
    seen: list[str] = []
    named = 0
    for step in itertools.count(1):
        copy = Vault(tmp_path / f"step-{step}")
        shutil.copytree(vault.root, copy.root, symlinks=True)
        code = mortals.run(copy.root, step, "record", "set", *NEEDS, "--body", "new")
        assert code in {0, -signal.SIGKILL}
        found = copy.run("check", "--json").json["violations"]
        assert {one["hint"] for one in found} <= {KILLED}  # none of a mend that would undo half of it
        named += len(found)
        copy.does("up", "--once")
        seen.append((copy.root / HEAD).read_text().rpartition("---\n")[2].strip())
        past = [f"{HISTORY}/{first}.md"] if seen[-1] == "new" else []
        assert paths(copy) == [*past, HEAD]
        assert prop(copy, HEAD, "supersedes") == (first if past else None)
        assert (copy.status, copy.errors(), copy.errors("--head")) == ([], [], [])
        assert list(copy.root.glob(".git/vaultd/intents/*")) == []
        if code == 0:
            break
    assert (seen[0], seen[-1]) == ("old", "new")
    assert seen == sorted(seen, reverse=True)
    assert len(seen) > 5
    assert named > 0
