"""One changeset, one commit: exactly these paths, and everything else the user has staged stays staged."""

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from vaultd.errors import StorageError
from vaultd.history import trailers
from vaultd.history.commit_hooks import (
    hooks_folder,
    message_after_hook,
    refusal_of_pre_commit,
    run_post_commit,
)
from vaultd.history.configured import counts_modes, names_the_user, signs
from vaultd.history.index_lock import Held, held_index, is_held, stamp_of
from vaultd.history.objects import Objects
from vaultd.history.packs import too_many
from vaultd.history.process import Ended, Pending
from vaultd.history.repository import Repository, head, head_quick, identity, message_being_written, operation
from vaultd.history.snapshots import REGULAR, ignored, indexed, staged_differs
from vaultd.history.spelling import encoded
from vaultd.history.storing import stored
from vaultd.history.trees import Item, Trees
from vaultd.settings import HookPolicy
from vaultd.values import dataclass

Reason = Literal[
    "detached",
    "merge",
    "rebase",
    "cherry-pick",
    "revert",
    "bisect",
    "am",
    "staged",
    "ignored",
    "message",
    "identity",
    "hook",
    "signing",
    "busy",
    "disk",
    "git",
]
_OPERATIONS: dict[str, Reason] = {
    "merge": "merge",
    "rebase": "rebase",
    "cherry-pick": "cherry-pick",
    "revert": "revert",
    "bisect": "bisect",
    "am": "am",
}
Staged = Mapping[str, str | None]
"""Paths to the blobs that their entries in the user's index may be, beside what HEAD holds; None: no entry."""
NOTHING_STAGED: Staged = {}
_FULL = os.strerror(errno.ENOSPC)
_ATTEMPTS = 4
_SIGNING_PATIENCE = 30.0
_SAMPLE = "17"
"""The folder of loose objects by which git estimates how many there are."""
_MANY_IN_SAMPLE = 27


@dataclass(frozen=True, slots=True)
class Refused:
    """Why there is no commit."""

    reason: Reason
    paths: tuple[str, ...] = ()
    """The vault paths that stand in the way, where it is about paths."""
    detail: str = ""
    """What git or a hook said."""


def obstacle(
    repo: Repository,
    paths: Iterable[str],
    now: float | None = None,
    untracked: Iterable[str] | None = None,
    staged: Staged = NOTHING_STAGED,
) -> Refused | None:
    """Return what would stop a commit of exactly these paths at `now` (default: the clock's), None for nothing.

    Who knows which of the paths HEAD does not hold says so with `untracked`: only those can be ignored. What `staged`
    names stops nothing, as long as just that is in the index.
    """
    asked = list(paths)
    new = asked if untracked is None else list(untracked)
    found = _state_obstacle(repo) or _path_obstacle(repo, asked, new, staged)
    if found is not None:
        return found
    if message_being_written(repo, time.time() if now is None else now):
        return Refused("message", detail="a commit message is being written")
    if not names_the_user(repo) and identity(repo) is None:
        return Refused("identity", detail="git does not know who commits: git config user.name and user.email")
    return Refused("busy", detail=f"{repo.git_dir / 'index.lock'} exists") if is_held(repo) else None


def _state_obstacle(repo: Repository) -> Refused | None:
    doing = operation(repo)
    if doing is not None:
        return Refused(_OPERATIONS[doing], detail=f"a {doing} is in progress")
    return Refused("detached", detail="HEAD is detached") if head(repo).branch is None else None


def _path_obstacle(repo: Repository, paths: Iterable[str], untracked: Iterable[str], staged: Staged) -> Refused | None:
    left_out = ignored(repo, untracked)
    if left_out:
        return Refused("ignored", tuple(sorted(left_out)), "ignored by git")
    mixed = _staged_differs(repo, frozenset(paths), head_quick(repo), stamp_of(repo.git_dir / "index"))
    if mixed and staged:
        there = {path: entry.oid for path, entry in indexed(repo, mixed).items()}
        mixed = frozenset(path for path in mixed if path not in staged or there.get(path) != staged[path])
    return Refused("staged", tuple(sorted(mixed)), "staged, but not committed") if mixed else None


@lru_cache(4)  # asked before anything is written and again under the lock, and a large index takes long to read
def _staged_differs(repo: Repository, paths: frozenset[str], commit: str | None, index: str) -> frozenset[str]:
    """Return the paths that are staged in an index, which its stamp tells from others, beside a commit."""
    del commit, index
    return frozenset(staged_differs(repo, paths))


def commit_paths(
    repo: Repository,
    paths: Mapping[str, bytes | None],
    message: str,
    *,
    hooks: HookPolicy = "message",
    on_lock: Callable[[str], None] = lambda _path: None,
    point: Callable[[str], None] = lambda _name: None,
    env: Mapping[str, str] | None = None,
    objects: Objects | None = None,
    staged: Staged = NOTHING_STAGED,
) -> str | Refused:
    """Commit these work-tree bytes (None: the path is gone) on the current branch and return the commit.

    What HEAD already holds is committed with the same tree, for what the message tells. `on_lock` hears the path of
    the index lock once it is held, `point` the name of each step before it is taken, `env` is added to git's;
    `objects` is a reader that is open already, `staged` what may be in the index already.
    """
    try:
        with ExitStack() as stack:
            trees = Trees(repo, objects or stack.enter_context(Objects(repo)))
            return _Committing(repo, trees, hooks, on_lock, point, env or {}, staged).commit(paths, message)
    except StorageError as exc:
        return Refused("disk" if _FULL in exc.message else "git", detail=exc.message)
    except OSError as exc:
        reason: Reason = "disk" if exc.errno in {errno.ENOSPC, errno.EDQUOT} else "git"
        return Refused(reason, detail=f"{repo.git_dir}: {exc.strerror}")


@dataclass(frozen=True, slots=True)
class _Committing:
    """What a commit is made with."""

    repo: Repository
    trees: Trees
    hooks: HookPolicy
    on_lock: Callable[[str], None]
    point: Callable[[str], None]
    env: Mapping[str, str]
    staged: Staged

    def commit(self, paths: Mapping[str, bytes | None], message: str) -> str | Refused:
        self.point("commit:blobs")
        contents = {path: data for path, data in paths.items() if data is not None}
        with stored(self.repo, self.trees.objects, contents) as blobs:
            return self._recorded(blobs, paths, message)

    def _recorded(self, blobs: Mapping[str, str], paths: Mapping[str, bytes | None], message: str) -> str | Refused:
        folder = hooks_folder(self.repo) if self.hooks != "none" else None
        if folder is not None:
            accepted = self._asked(folder, blobs, paths, message)
            if isinstance(accepted, Refused):
                return accepted
            message = accepted
        sign = signs(self.repo)
        self.point("commit:lock")
        with held_index(self.repo, self.on_lock) as held:
            if held is None:
                return Refused("busy", detail=f"{self.repo.git_dir / 'index.lock'} is held by another process")
            made = self._commit_locked(held, blobs, tuple(paths), message, sign=sign)
        self.point("commit:unlocked")
        if isinstance(made, str):
            if folder is not None:
                run_post_commit(self.repo, folder)
            _pack_in_time(self.repo)
        return made

    def _asked(self, folder: Path, blobs: Mapping[str, str], paths: Iterable[str], message: str) -> str | Refused:
        """Return the message as the hooks leave it."""
        if self.hooks == "all":
            now = head_quick(self.repo)
            tree = self.trees.with_changes(now, self._changes(now, blobs, paths))
            words = refusal_of_pre_commit(self.repo, folder, now, tree)
            if words:
                return Refused("hook", detail=words)
        changed, words = message_after_hook(self.repo, folder, message)
        if not words and trailers.told(message) != trailers.told(changed):
            words = "the commit-msg hook took away what the message tells of memories"
        return Refused("hook", detail=words) if words else changed

    def _changes(self, commit: str | None, blobs: Mapping[str, str], paths: Iterable[str]) -> dict[str, Item | None]:
        """Return what goes where, by full path; a file that is executable stays so."""
        names = {self.repo.full(path): blobs.get(path) for path in paths}
        there = self.trees.items(commit, names)
        return {full: self._item(full, there[full], oid) for full, oid in names.items()}

    def _item(self, full: str, there: Item | None, oid: str | None) -> Item | None:
        if oid is None:
            return None
        return Item(there.mode if there and there.mode in REGULAR else self._mode(full), oid)

    def _mode(self, full: str) -> str:
        """Return the mode that git would give to a new file."""
        with suppress(OSError):
            if counts_modes(self.repo) and (self.repo.work_tree / full).stat().st_mode & stat.S_IXUSR:
                return "100755"
        return "100644"

    def _absent(self, commit: str | None, paths: Iterable[str]) -> list[str]:
        """Return the paths a commit does not hold: git ignores nothing it tracks."""
        return [
            path for path in paths if self.trees.items(commit, [self.repo.full(path)])[self.repo.full(path)] is None
        ]

    def _commit_locked(
        self, held: Held, blobs: Mapping[str, str], paths: tuple[str, ...], message: str, *, sign: bool
    ) -> str | Refused:
        parent = head_quick(self.repo)
        changes = self._changes(parent, blobs, paths)
        self.point("commit:index")
        # Writing 10,000 entries takes as long as all the rest, which goes on meanwhile.
        with self._writing_index(held, changes) as writing:
            # Asked under the lock: between a first look and now the user may have gone on.
            found = _state_obstacle(self.repo) or _path_obstacle(
                self.repo, paths, self._absent(parent, paths), self.staged
            )
            if found is not None:
                return found
            made = self._advance(parent, changes, message, sign=sign, ready=cache(writing.answer), held=held)
        if isinstance(made, str):
            self.point("commit:publish")
            held.publish()
        return made

    def _advance(
        self,
        parent: str | None,
        changes: Mapping[str, Item | None],
        message: str,
        *,
        sign: bool,
        ready: Callable[[], bytes],
        held: Held,
    ) -> str | Refused:
        """Put a commit on HEAD, on the next HEAD where another process moved it without touching these paths."""
        for _ in range(_ATTEMPTS):
            self.point("commit:tree")
            tree = self.trees.with_changes(parent, changes)
            self.point("commit:object")
            commit = self._commit_object(tree, parent, message, sign=sign)
            if isinstance(commit, Refused):
                return commit
            ready()
            held.promise(commit)
            self.point("commit:ref")
            moved = self._move_head(commit, parent, message)
            if moved.code == 0:
                return commit
            before, parent = parent, head_quick(self.repo)
            if parent == before:
                return Refused("disk" if _FULL in moved.err else "git", detail=moved.err)
            overtaken = self._overtaken(before, parent, changes)
            if overtaken:
                return Refused("busy", overtaken, "another process committed these paths just now")
        return Refused("busy", detail="HEAD keeps moving")

    def _writing_index(self, held: Held, changes: Mapping[str, Item | None]) -> AbstractContextManager[Pending]:
        lines = (
            f"{item.mode} {item.oid}\t{full}" if item else f"0 {self.repo.no_object}\t{full}"
            for full, item in changes.items()
        )
        request = b"".join(encoded(line) + b"\0" for line in lines)
        env = {"GIT_INDEX_FILE": str(held.copy)}
        return self.repo.git.begun("update-index", "-z", "--index-info", stdin=request, env=env)

    def _commit_object(self, tree: str, parent: str | None, message: str, *, sign: bool) -> str | Refused:
        arguments = ["-c", "i18n.commitEncoding=UTF-8", "commit-tree", tree]
        arguments += ["-p", parent] if parent else []
        arguments += ["-S"] if sign else []
        try:
            ended = self.repo.git.attempt(
                *arguments, "-F", "-", stdin=encoded(message), env=self.env, timeout=_SIGNING_PATIENCE
            )
        except StorageError as exc:
            return Refused("signing" if sign else "git", detail=exc.message)
        if ended.code == 0:
            return ended.out.decode().strip()
        if "tell me who you are" in ended.err or "ident name" in ended.err:
            return Refused("identity", detail=ended.err)
        return Refused("signing" if sign else "git", detail=ended.err)

    def _move_head(self, commit: str, parent: str | None, message: str) -> Ended:
        subject = message.partition("\n")[0]
        words = f"commit: {subject}" if parent else f"commit (initial): {subject}"
        old = parent or self.repo.no_object
        return self.repo.git.attempt("update-ref", "-m", words, "HEAD", commit, old, env=self.env)

    def _overtaken(self, before: str | None, after: str | None, full_paths: Iterable[str]) -> tuple[str, ...]:
        """Return the vault paths that are not the same in both commits."""
        one, other = self.trees.items(before, full_paths), self.trees.items(after, full_paths)
        return tuple(self.repo.inside(full for full in full_paths if one[full] != other[full]))


def _pack_in_time(repo: Repository) -> None:
    """Let git tidy up when it would after a commit of its own; plumbing never does."""
    if _many_loose(repo) or too_many(repo):
        repo.git.attempt("gc", "--auto", "--quiet")


def _many_loose(repo: Repository) -> bool:
    try:
        return sum(1 for _ in (repo.common_dir / "objects" / _SAMPLE).iterdir()) >= _MANY_IN_SAMPLE
    except FileNotFoundError:
        return False
