"""Rows about git: folding history, handing a memory over, checking what is staged."""

import gc
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tests.bench.ground import Ground, git, python, run
from tests.bench.histories import BRANCH, feed, make_history, one_more
from tests.bench.measuring import (
    ROUNDS,
    Compared,
    Figure,
    by_cpu,
    by_wall,
    in_turns,
    milliseconds,
    percentile,
    to_know,
    took,
)
from vaultd.app import open_app
from vaultd.cli.main import SELDOM
from vaultd.commands.asking import Asked
from vaultd.commands.memories.supersede import supersede as supersede_memory
from vaultd.history.objects import Objects
from vaultd.history.repository import open_repository
from vaultd.index.mirror import open_mirror
from vaultd.judging.folding import Fold
from vaultd.lifecycle.ids import new_id

_RAW = ("git", "log", "--raw", "-z", "--no-abbrev", "--no-renames", "--format=raw", "--topo-order", "--reverse")
_VERSIONS_EACH = 2.5
_AT_MOST = 0.020


def fold(ground: Ground) -> Iterator[Figure]:
    """Fold a whole history without a cache, and one commit more with it, beside git printing the same."""
    gc.set_threshold(SELDOM)  # as every command does
    root = ground.folder / "history"
    versions = int(ground.notes * _VERSIONS_EACH)
    make_history(root, ground.notes, versions)
    floor = _git_alone(root)
    numbers = iter(range(1_000_000))
    compared = in_turns(lambda: _folded(root, ground.folder / f"mirror-{next(numbers)}"), floor)
    name = f"fold, no cache: {ground.notes:,} memories in {versions:,} versions"
    yield by_cpu(name, "git log --raw + cat-file --batch:", compared, 2.0)
    yield from _one_commit_more(root, ground.folder / "mirror-0")


def _git_alone(root: Path) -> Callable[[], None]:
    printed = subprocess.run(_RAW, cwd=root, check=True, capture_output=True).stdout
    names = {oid for pair in re.findall(rb":\d+ \d+ ([0-9a-f]{40}) ([0-9a-f]{40}) ", printed) for oid in pair}
    wanted = b"\n".join(sorted(names - {b"0" * 40})) + b"\n"

    def floor() -> None:
        subprocess.run(_RAW, cwd=root, check=True, capture_output=True)
        subprocess.run(("git", "cat-file", "--batch"), cwd=root, check=True, input=wanted, capture_output=True)

    return floor


def _folded(root: Path, cache: Path) -> None:
    repo = open_repository(root)
    if repo is None:
        raise RuntimeError(f"{root} is no repository")
    with closing(Objects(repo)) as objects, closing(open_mirror(cache)) as mirror:
        Fold(repo, objects, mirror, UTC).at(_tip(root))


def _one_commit_more(root: Path, cache: Path) -> Iterator[Figure]:
    repo = open_repository(root)
    if repo is None:
        raise RuntimeError(f"{root} is no repository")
    with closing(Objects(repo)) as objects, closing(open_mirror(cache)) as mirror:
        kept = Fold(repo, objects, mirror, UTC)
        kept.at(_tip(root))
        spent: list[float] = []
        for number in range(ROUNDS * 2):
            feed(root, [one_more(number, f"memory/atlas/new-{number}.md")])
            tip = _tip(root)
            spent.append(took(partial(kept.at, tip)).wall)
    half = percentile(spent, 0.5)
    yield Figure("fold, one new commit", f"p50 {milliseconds(half)}", "", "", "≤ 20 ms", half <= _AT_MOST)


def _tip(root: Path) -> str:
    return subprocess.run(
        ("git", "rev-parse", BRANCH), cwd=root, check=True, capture_output=True, text=True
    ).stdout.strip()


def supersede(ground: Ground) -> Iterator[Figure]:
    """Hand memories over, beside git committing one changed path in a repository of the same size."""
    peer = ground.copy("peer")
    ground.clean()
    with closing(open_app(ground.vault)) as app:
        app.look()
        compared = _handed_over(ground, peer, lambda old, new: supersede_memory(app.opened, _asked(), old, new))
    yield by_wall("supersede, vault open", "git commit --only:", compared, 1.0)
    ground.clean()
    vault = str(ground.vault)
    compared = _handed_over(ground, peer, lambda old, new: run("memory", "supersede", old, new, "-C", vault))
    yield to_know("supersede, as a process", "git commit --only:", compared)


def _handed_over(ground: Ground, peer: Path, do: Callable[[str, str], object]) -> Compared:
    memories = [file.relative_to(ground.vault) for file in ground.active()]
    pairs = zip(memories[0::2], memories[1::2], strict=False)

    def once() -> None:
        old, new = next(pairs)
        do(old.as_posix(), new.as_posix())

    once()
    return in_turns(once, _committed(peer, memories))


def _committed(root: Path, paths: list[Path]) -> Callable[[], None]:
    """Return what writes one memory and commits it, another one each time."""
    left = iter(paths)

    def floor() -> None:
        path = root / next(left)
        path.write_text(path.read_text("utf-8").replace("confidence: 0", "confidence: 1"), "utf-8")
        git(root, "commit", "-q", "-m", "memory: supersede", "--only", "--", str(path))

    return floor


def _asked() -> Asked:
    return Asked("bench", datetime.now(UTC), lambda: new_id(int(time.time() * 1000), os.urandom(10)))


def staged(ground: Ground) -> Iterator[Figure]:
    """Check one staged file, beside `git status` and an interpreter that does nothing."""
    ground.clean()
    root = ground.vault
    file = ground.active()[0]
    file.write_text(file.read_text("utf-8").replace("What holds", "What still holds"), "utf-8")
    git(root, "add", str(file))

    def floor() -> None:
        git(root, "status")
        python("-c", "pass")

    def ours() -> None:
        run("check", "--staged", "-C", str(root))

    compared = in_turns(ours, floor, rounds=2 * ROUNDS)
    yield by_wall("vaultd check --staged, one file", "git status + python -c pass:", compared, 2.5)
