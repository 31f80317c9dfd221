"""Which commit an undo takes back: the last one that a command made and nothing took back yet."""

import re
from collections.abc import Iterator

from vaultd.history import trailers
from vaultd.history.repository import Repository
from vaultd.history.walk import Commit, walk
from vaultd.values import dataclass

_TAKES_BACK = re.compile(r"This reverts commit ([0-9a-f]{7,64})")
_MOST = 1000
"""Commits that are looked through; what lies further back is named, not found."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A commit, and what its message says."""

    oid: str
    message: str


def last_of_ours(repo: Repository, head: str) -> str | None:
    """Return the last commit of a command that still holds, None where there is none.

    Hand edits that were recorded, and edits kept before a command, are the person's own and are passed over.
    """
    taken_back: list[str] = []
    for commit in _telling(repo, head):
        back = _TAKES_BACK.findall(commit.message)
        taken_back += back
        if back or any(commit.oid.startswith(oid) for oid in taken_back):
            continue
        if trailers.actor(commit.message) not in {"", "unknown"} and not _adopts(commit.message):
            return commit.oid
    return None


def _adopts(message: str) -> bool:
    """Say whether a commit records what a person typed."""
    return any(told.event == "adopted" for told in trailers.told(message))


def _telling(repo: Repository, head: str) -> Iterator[_Told]:
    limits = ("--first-parent", "--no-merges", f"--max-count={_MOST}", "--grep=^Vaultd-Actor:", "--grep=^This reverts")
    out = repo.git.text("log", *limits, "--no-show-signature", "--encoding=UTF-8", "--format=%H%x00%B%x00", head, "--")
    fields = out.split("\0")
    for oid, message in zip(fields[0::2], fields[1::2], strict=False):
        yield _Told(oid.strip(), message)


def commit_named(repo: Repository, oid: str) -> Commit:
    """Return a commit with what it changed against its parents."""
    parents = repo.git.text("show", "-s", "--no-show-signature", "--format=%P", oid, "--").split()
    return next(commit for commit in walk(repo, oid, parents) if commit.oid == oid)


def oid_of(repo: Repository, name: str) -> str | None:
    """Return the commit that a name stands for, None for no name of one commit."""
    ended = repo.git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return ended.out.decode().strip() if ended.code == 0 else None


def changed_by(repo: Repository, since: str, path: str) -> str:
    """Return the last commit that changed a path after another one, as `abbreviated subject`; empty for none.

    Of a commit and the one that took it back, neither is in the way, unless nothing else is.
    """
    form = ("log", "--format=%H%x00%h %s%x00%B%x00", "--no-show-signature", "--encoding=UTF-8", f"{since}..HEAD")
    fields = repo.git.text(*form, *repo.spec(path)).split("\0")
    later = list(zip(fields[0::3], fields[1::3], fields[2::3], strict=False))
    taken_back: list[str] = []
    for oid, told, message in later:
        back = _TAKES_BACK.findall(message)
        if not back and not any(oid.strip().startswith(one) for one in taken_back):
            return told
        taken_back += back
    return later[0][1] if later else ""
