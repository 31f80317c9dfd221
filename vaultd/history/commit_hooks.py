"""The user's own git hooks around a commit that plumbing makes."""

import errno
import os
from pathlib import Path

from vaultd.errors import StorageError
from vaultd.history.configured import configured
from vaultd.history.process import Ended, Git, run_program
from vaultd.history.repository import Repository
from vaultd.history.spelling import decoded

BEING_COMMITTED = "VAULTD_COMMITTING"
"""Set for hooks that run inside a commit of ours, whose rules were applied before."""

_PATIENCE = 120.0


def hooks_folder(repo: Repository) -> Path:
    """Return where this repository's hooks lie, as `core.hooksPath` has it."""
    if "core.hookspath" not in configured(repo):
        return repo.common_dir / "hooks"
    return Path(repo.git.text("rev-parse", "--path-format=absolute", "--git-path", "hooks"))


def message_after_hook(repo: Repository, hooks: Path, message: str) -> tuple[str, str]:
    """Return the message as the commit-msg hook leaves it and, where the hook refuses, what it said."""
    if not _runs(hooks / "commit-msg"):
        return message, ""
    folder = repo.git_dir / "vaultd"
    folder.mkdir(mode=0o700, exist_ok=True)
    from tempfile import NamedTemporaryFile  # noqa: PLC0415  -- slow to import, and few repositories have the hook

    with NamedTemporaryFile(prefix="message-", dir=folder) as file:
        # Not COMMIT_EDITMSG: that one is the sign that a person is writing.
        written = Path(file.name)
        written.write_bytes(message.encode("utf-8", "surrogateescape"))
        ended = _run(repo.work_tree, hooks / "commit-msg", str(written))
        if ended.code != 0:
            return message, ended.err or f"commit-msg ended with exit code {ended.code}"
        return _cleaned(decoded(written.read_bytes())), ""


def _cleaned(message: str) -> str:
    lines = (line.rstrip() for line in message.split("\n"))
    return "\n".join(lines).strip("\n") + "\n"


def refusal_of_pre_commit(repo: Repository, hooks: Path, head: str | None, tree: str) -> str:
    """Return what the pre-commit hook says against this tree, empty where it agrees.

    It runs in a throw-away work tree, so its stashing and reformatting touch nobody's files. On an unborn branch
    git can make no such work tree and the hook is not run.
    """
    if head is None or not _runs(hooks / "pre-commit"):
        return ""
    from tempfile import TemporaryDirectory  # noqa: PLC0415  -- for the same reason

    with TemporaryDirectory(prefix="vaultd-worktree-") as above:
        place = Path(above) / "tree"
        repo.git.run("worktree", "add", "-q", "--detach", "--no-checkout", str(place), head)
        try:
            there = Git(place)
            there.run("read-tree", tree)
            there.run("checkout-index", "-a", "-q")
            ended = _run(place, hooks / "pre-commit")
        finally:
            repo.git.run("worktree", "remove", "--force", str(place))
    return "" if ended.code == 0 else ended.err or f"pre-commit ended with exit code {ended.code}"


def run_post_commit(repo: Repository, hooks: Path) -> None:
    """Run the post-commit hook; the commit stands whatever it says."""
    if not _runs(hooks / "post-commit"):
        return
    try:
        _run(repo.work_tree, hooks / "post-commit")
    except StorageError:
        # As git does: a post-commit hook that fails or hangs cannot take a commit back.
        return


def _runs(hook: Path) -> bool:
    return hook.is_file() and os.access(hook, os.X_OK)


def _run(cwd: Path, hook: Path, *args: str) -> Ended:
    env = {"GIT_EDITOR": ":", BEING_COMMITTED: "1", "GIT_LITERAL_PATHSPECS": "0"}
    try:
        return run_program((str(hook), *args), cwd, env, _PATIENCE)
    except StorageError as exc:
        if not isinstance(exc.__cause__, OSError) or exc.__cause__.errno != errno.ENOEXEC:
            raise
    # Without a `#!` line it is a shell script, as it is for git.
    return run_program(("sh", str(hook), *args), cwd, env, _PATIENCE)
