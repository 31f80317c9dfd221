"""The few of git's settings that decide how vaultd stores and commits, asked for in one question."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from vaultd.history.repository import Repository
from vaultd.history.spelling import decoded

_WANTED = (
    r"^(core\.(hookspath|autocrlf|eol|filemode|attributesfile|sharedrepository|fsync.*|(loose)?compression)"
    r"|extensions\.(compatobjectformat|partialclone)|commit\.gpgsign|user\.(name|email))$"
)
_FRESH = 1.0
"""Seconds for which an answer is good at the most: included files may change without a trace in those that are looked at."""
_TRUE = frozenset({"true", "yes", "on", "1"})
_Stamps = tuple[tuple[str, int, int, int], ...]
_known: dict[str, tuple[_Stamps, float, Mapping[str, str]]] = {}


def configured(repo: Repository) -> Mapping[str, str]:
    """Return these settings by their names in lower case; the last value of a key is the one that counts."""
    with settings_asked(repo):
        pass
    return _known[os.fspath(repo.git_dir)][2]


@contextmanager
def settings_asked(repo: Repository) -> Iterator[None]:
    """Have git say its settings while the block does something else; who asks for them next has them."""
    place = os.fspath(repo.git_dir)
    stamps, now = tuple(_stamps(repo)), time.monotonic()
    before, at, _ = _known.get(place, ((), 0.0, {}))
    if before == stamps and now - at < _FRESH:
        yield
        return
    with repo.git.begun("config", "-z", "--get-regexp", _WANTED) as pending:
        yield
        out = decoded(pending.ended().out)
    pairs = (entry.partition("\n") for entry in out.split("\0") if entry)
    # a key without a value is git's way of saying true
    _known[place] = (stamps, now, {name: value if equals else "true" for name, equals, value in pairs})


def signs(repo: Repository) -> bool:
    """Return whether commits are to be signed."""
    return configured(repo).get("commit.gpgsign", "").lower() in _TRUE


def counts_modes(repo: Repository) -> bool:
    """Return whether git takes a file that may be executed for one."""
    return configured(repo).get("core.filemode", "true").lower() in _TRUE


def names_the_user(repo: Repository) -> bool:
    """Return whether name and mail are set, so that git knows who commits; where not, it may know from elsewhere."""
    settings = configured(repo)
    return all(settings.get(name, "").strip() for name in ("user.name", "user.email"))


def _stamps(repo: Repository) -> Iterator[tuple[str, int, int, int]]:
    home = Path.home()
    chosen = os.environ.get("GIT_CONFIG_GLOBAL")
    users = [Path(chosen)] if chosen else [home / ".gitconfig", home / ".config" / "git" / "config"]
    for file in (repo.common_dir / "config", repo.git_dir / "config.worktree", *users):
        try:
            found = file.stat()
        except OSError:
            continue
        yield os.fspath(file), found.st_mtime_ns, found.st_size, found.st_ino
