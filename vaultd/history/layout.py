"""Repositories laid out in the one way that needs no question to git: a folder with `.git` in it, and nothing special."""

import os
import sys
from pathlib import Path

_WORDS_OF_MORE = ("[extensions", "[include", "worktree", "\\\n")
"""What a config may say that makes a repository a special one; a line may also go on in the next."""
_TRUE_BY_DEFAULT = {"bare": "false", "repositoryformatversion": "0"}
_ADDING = ("GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS")
"""Variables that add to the config of a repository."""


def is_plain(root: Path) -> bool:
    """Tell whether git would take the folder for the top of a work tree with its repository in `.git`, SHA-1 and no more.

    It says so only of folders in which vaultd has kept something of its own, so in which git was asked once. Asking again
    at each start would be most of a short command's time.
    """
    git_dir = root / ".git"
    return (
        sys.platform == "linux"
        and (git_dir / "vaultd").is_dir()
        and _is_ours(root, git_dir)
        and not any(name in os.environ for name in _ADDING)
        and _has_a_head(git_dir)
        and _says_no_more(git_dir / "config")
    )


def _is_ours(root: Path, git_dir: Path) -> bool:
    """Tell whether both folders are this user's: git refuses a repository of somebody else's."""
    user = os.geteuid()
    return not git_dir.is_symlink() and root.stat().st_uid == user and git_dir.stat().st_uid == user


def _has_a_head(git_dir: Path) -> bool:
    if not (git_dir / "objects").is_dir() or not (git_dir / "refs").is_dir() or (git_dir / "commondir").exists():
        return False
    head = git_dir / "HEAD"
    try:
        return not head.is_symlink() and head.read_bytes().startswith(b"ref: refs/")
    except OSError:
        return False


def _says_no_more(config: Path) -> bool:
    try:
        text = config.read_text("utf-8").lower()
    except (OSError, UnicodeDecodeError):
        return False
    return not any(word in text for word in _WORDS_OF_MORE) and all(map(_is_usual, text.splitlines()))


def _is_usual(line: str) -> bool:
    name, _, value = line.partition("=")
    usual = _TRUE_BY_DEFAULT.get(name.rpartition("]")[2].strip())
    return usual is None or value.strip() == usual
