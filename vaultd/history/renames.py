"""Which files the last commits gave another path, as git tells it."""

from vaultd.history.repository import Repository
from vaultd.history.spelling import decoded

_COMMITS = 50
_BOTH = 2
"""Names of a file that was in the vault before and is in it now."""


def renamed_lately(repo: Repository, head: str) -> list[tuple[str, str]]:
    """Return old and new path of each rename in the last commits, oldest first; merges rename nothing."""
    commits = repo.git.run("rev-list", "--no-merges", f"--max-count={_COMMITS}", head).split()
    wanted = b"".join(commit + b"\n" for commit in reversed(commits))
    arguments = ("--stdin", "-r", "-M", "--diff-filter=R", "--name-status", "-z", "--no-commit-id")
    fields = decoded(repo.git.run("diff-tree", *arguments, stdin=wanted)).split("\0")
    pairs = (tuple(repo.inside(fields[at + 1 : at + 3])) for at in range(0, len(fields) - 2, 3))
    return [(pair[0], pair[1]) for pair in pairs if len(pair) == _BOTH]
