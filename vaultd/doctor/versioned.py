"""The repository around the vault: what vaultd needs of git, and what in its settings changes notes."""

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from vaultd.doctor.lines import Line, first_of
from vaultd.history import hooks
from vaultd.history.commit_hooks import hooks_folder
from vaultd.history.process import Git
from vaultd.history.repository import Repository, head, identity, is_shallow, operation
from vaultd.history.spelling import decoded
from vaultd.history.walk import first_adding
from vaultd.judging.folding import MARKER
from vaultd.judging.opened import Opened

_WORKSPACE = re.compile(r"(?:^|/)\.obsidian[^/]*/workspaces?(?:-mobile)?\.json")


def git_lines(opened: Opened) -> Iterator[Line]:
    """Say how the history is."""
    version = Git(opened.root).text("version").removeprefix("git version ")
    repo = opened.repo
    if repo is None:
        yield Line("git", "warn", f"git {version}; the folder is in no repository: no history", "vaultd init --git")
        return
    yield Line("git", "ok", f"git {version}, {repo.git_dir}")
    if not opened.started:
        yield Line("init", "info", "this folder is no vault yet", "vaultd init")
    else:
        yield _since(repo)
    yield from _head(repo)
    who = identity(repo)
    if who is None:
        yield Line("identity", "fail", "git does not know who commits", "git config --global user.name and user.email")
    else:
        yield Line("identity", "ok", who)
    yield from _settings(repo, opened.root)
    yield from _workspaces(repo)
    yield from _hooks(repo)


def _since(repo: Repository) -> Line:
    at = head(repo).oid
    since = first_adding(repo, at, MARKER) if at is not None else None
    if since is None:
        says = "no commit made this folder a vault: HEAD is believed as it stands"
        return Line("history", "warn", says, f"git add {MARKER}, and commit it")
    if is_shallow(repo):
        return Line("history", "warn", "the clone is shallow: its oldest commits are believed", "git fetch --unshallow")
    return Line("history", "ok", f"judged since {since[:10]}")


def _head(repo: Repository) -> Iterator[Line]:
    busy = operation(repo)
    if busy is not None:
        yield Line(
            "operation", "warn", f"a {busy} is under way: nothing is committed", f"finish it, or abort the {busy}"
        )
    elif head(repo).branch is None:
        yield Line("branch", "warn", "HEAD is detached: nothing is committed", "git switch BRANCH")


def _settings(repo: Repository, root: Path) -> Iterator[Line]:
    if _setting(repo, "core.autocrlf") == "true":
        says = "core.autocrlf is true: git changes line ends of notes on checkout"
        yield Line("autocrlf", "warn", says, "git config core.autocrlf false")
    if sys.platform == "darwin" and _setting(repo, "core.precomposeunicode") != "true":
        says = "core.precomposeunicode is not true: é may become two different names"
        yield Line("unicode", "warn", says, "git config core.precomposeunicode true")
    really = ignores_case(root)
    believed = _setting(repo, "core.ignorecase") == "true"
    if really is not None and really != believed:
        says = f"core.ignorecase is {str(believed).lower()}, and this disk {'ignores' if really else 'tells'} case"
        yield Line("ignorecase", "warn", says, f"git config core.ignorecase {str(really).lower()}")


def _setting(repo: Repository, name: str) -> str:
    asked = repo.git.attempt("config", "--get", name)
    return decoded(asked.out).strip().lower() if asked.code == 0 else ""


def ignores_case(folder: Path) -> bool | None:
    """Tell whether a disk takes `a` and `A` for one name, without writing; None in a folder where that cannot be told."""
    names = set(os.listdir(folder))  # noqa: PTH208  -- the names alone
    for name in sorted(names):
        other = name.swapcase()
        if other not in names and name.isascii():
            return (folder / other).exists()
    return None


def _workspaces(repo: Repository) -> Iterator[Line]:
    listed = decoded(repo.git.run("ls-files", "-z", *repo.spec())).split("\0")
    tracked = [path for path in repo.inside(listed) if _WORKSPACE.search(path)]
    if tracked:
        says = f"git keeps {first_of(tracked)}, which Obsidian writes on every click"
        fix = f"git rm --cached {shlex.quote(tracked[0])}, and a line in .gitignore"
        yield Line("workspace", "warn", says, fix)


def _hooks(repo: Repository) -> Iterator[Line]:
    ours = hooks.installed(repo)
    if not ours:
        yield Line("hooks", "info", "no git hook checks before a commit", "vaultd hooks install")
        return
    missing = [name for name in hooks.NAMES if name not in ours]
    if missing:
        yield Line("hooks", "warn", f"{', '.join(missing)} not installed beside the others", "vaultd hooks install")
        return
    gone = [
        python
        for name in ours
        if (python := _interpreter(hooks_folder(repo) / name)) and not os.access(python, os.X_OK)
    ]
    if gone:
        yield Line("hooks", "warn", f"{gone[0]} is gone: the hooks check nothing", "vaultd hooks install")
    else:
        yield Line("hooks", "ok", ", ".join(ours))


def _interpreter(hook: Path) -> str:
    for line in decoded(hook.read_bytes()).split("\n"):
        if line.startswith("python="):
            return next(iter(shlex.split(line.removeprefix("python="))), "")
    return ""
