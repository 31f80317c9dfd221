"""Print what one commit of two notes costs beside `git commit --only` of the same, among 10,000 notes.

Run it from the top of the checkout: `python -m tests.bench.commit`.
"""

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from vaultd.history.committing import Refused, commit_paths, obstacle
from vaultd.history.repository import Repository, open_repository

NOTES = 10_000
ROUNDS = 11
PATHS = ("memory/p1/n1.md", "memory/p1/n5.md")
MESSAGE = "memory: supersede n1 by n5\n\nVaultd-Event: superseded\nVaultd-Id: 01A\n"


def make(top: Path) -> Repository:
    """Return a packed repository of NOTES notes of about 3 KB."""
    subprocess.run(["git", "init", "-q", "-b", "main", top], check=True)
    for number in range(NOTES):
        folder = top / (f"memory/p{number % 4}" if number % 2 else f"notes/x{number % 50}")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"n{number}.md").write_text(f"---\nid: {number}\n---\n" + "some words of a note\n" * 150)
    for command in (
        ["config", "user.name", "Ada"],
        ["config", "user.email", "ada@example.org"],
        ["config", "gc.auto", "0"],
        ["add", "-A"],
        ["commit", "-qm", "notes"],
        ["gc", "-q"],
    ):
        subprocess.run(["git", *command], cwd=top, check=True)
    repo = open_repository(top)
    if repo is None:
        raise SystemExit("git init made no repository")
    return repo


def timed(step: Callable[[], object]) -> float:
    """Return the seconds a step takes."""
    begun = time.perf_counter()
    step()
    return time.perf_counter() - begun


def ours(repo: Repository, contents: dict[str, bytes]) -> None:
    """Ask and commit as a command does."""
    made = obstacle(repo, contents) or commit_paths(repo, contents, MESSAGE, hooks="none")
    if isinstance(made, Refused):
        raise SystemExit(f"refused: {made}")


def theirs(repo: Repository) -> None:
    """Commit the same paths with git's own command."""
    subprocess.run(["git", "commit", "-q", "--no-verify", "-m", "x", "--only", "--", *PATHS], cwd=repo.root, check=True)


def main() -> None:
    """Print medians and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        repo = make(Path(folder) / "vault")
        mine, peer = [], []
        for _ in range(ROUNDS):
            contents = {path: (repo.root / path).read_bytes() + b"ours\n" for path in PATHS}
            for path, data in contents.items():
                (repo.root / path).write_bytes(data)
            mine.append(timed(lambda now=contents: ours(repo, now)))
            for path, data in contents.items():
                (repo.root / path).write_bytes(data + b"theirs\n")
            peer.append(timed(lambda: theirs(repo)))
    one, other = statistics.median(mine), statistics.median(peer)
    print(
        f"one commit of 2 of {NOTES:,} notes: {one * 1e3:.1f} ms; git commit --only: {other * 1e3:.1f} ms; {one / other:.2f} x"
    )


if __name__ == "__main__":
    main()
