"""What a commit, or the index, holds of the vault."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from vaultd.errors import StorageError
from vaultd.history.repository import Repository, head_quick
from vaultd.history.spelling import decoded, encoded
from vaultd.values import dataclass

REGULAR = ("100644", "100755")
_INTENT_TO_ADD = 0x2000_0000
_MANY = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """A regular file in a commit or in the index."""

    path: str
    oid: str
    mode: str


def tree(repo: Repository, commit: str, folder: str = "") -> dict[str, Entry]:
    """Return the regular files a commit holds below the vault, or below one folder of it."""
    out = repo.git.run("ls-tree", "-r", "-z", "--full-tree", commit, *repo.spec(folder))
    entries = {}
    for record in decoded(out).split("\0"):
        if record[:6] in REGULAR:
            meta, _, full = record.partition("\t")
            path = full[len(repo.prefix) :]
            entries[path] = Entry(path, meta[12:], meta[:6])
    return entries


def sizes(repo: Repository, oids: Iterable[str]) -> dict[str, int]:
    """Return how many bytes these blobs have; one that is not there is left out."""
    asked = "".join(f"{oid}\n" for oid in oids)
    out = decoded(repo.git.run("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked.encode()))
    told = (line.split(" ") for line in out.splitlines())
    return {oid: int(size) for oid, size in told if size.isdecimal()}


def entries_at(repo: Repository, commit: str, paths: Sequence[str]) -> dict[str, Entry]:
    """Return the regular files a commit holds at these paths."""
    found: dict[str, Entry] = {}
    for portion in _portions(paths):
        names = [repo.full(path) for path in portion]
        out = repo.git.run("ls-tree", "-z", "--full-tree", commit, "--", *names)
        for record in decoded(out).split("\0"):
            meta, _, full = record.partition("\t")
            if meta[:6] in REGULAR:
                path = full[len(repo.prefix) :]
                found[path] = Entry(path, meta[12:], meta[:6])
    return found


def tree_after(repo: Repository, before: Mapping[str, Entry], old: str, new: str, folder: str = "") -> dict[str, Entry]:
    """Return what `tree` would of a commit, given what it returned of another: git compares, and lists nothing else."""
    changes = changed_between(repo, old, new, folder)
    if changes is None:
        return tree(repo, new, folder)
    entries = {path: entry for path, entry in before.items() if path not in changes}
    return entries | {path: entry for path, entry in changes.items() if entry is not None}


def changed_between(repo: Repository, old: str, new: str, folder: str = "") -> dict[str, Entry | None] | None:
    """Return what the new commit holds of the files that differ, None of those it lacks; None where git lacks one."""
    command = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev")
    ended = repo.git.attempt(*command, old, new, *repo.spec(folder))
    if ended.code != 0:
        return None  # it may have been pruned since
    changes: dict[str, Entry | None] = {}
    tokens = decoded(ended.out).split("\0")
    for raw, full in zip(tokens[0::2], tokens[1::2], strict=False):
        _, mode, _, oid, _ = raw.split(" ")
        path = full[len(repo.prefix) :]
        changes[path] = Entry(path, oid, mode) if mode in REGULAR else None
    return changes


def staged(repo: Repository, folder: str = "") -> dict[str, Entry]:
    """Return the regular files in the index (the one `GIT_INDEX_FILE` names, where a hook set it).

    Paths in conflict are not among them, see `unmerged`; neither are those only meant to be added.
    """
    out = repo.git.run("ls-files", "-s", "-z", *repo.spec(folder), env=_index(repo))
    nothing = _empty_blob(repo)
    entries, empty = {}, []
    for record in decoded(out).split("\0"):
        meta, _, full = record.partition("\t")
        if meta[:6] in REGULAR and meta.endswith(" 0"):
            path = full[len(repo.prefix) :]
            entries[path] = Entry(path, meta[7:-2], meta[:6])
            if entries[path].oid == nothing:
                empty.append(path)
    for path in _meant_to_be_added(repo, empty):
        del entries[path]
    return entries


def is_held(repo: Repository, path: str) -> bool:
    """Tell whether HEAD or the index holds a file or a folder."""
    full = repo.full(path)
    if repo.git.run("ls-files", "-z", "--", full, env=_index(repo)):
        return True
    at = head_quick(repo)
    return at is not None and bool(repo.git.run("ls-tree", "-z", "--full-tree", at, "--", full))


def _empty_blob(repo: Repository) -> str:
    if repo.object_format == "sha1":
        return "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    return "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"


def _meant_to_be_added(repo: Repository, paths: Sequence[str]) -> Iterator[str]:
    # Only a placeholder has this flag, and it always names the empty blob.
    for some in _portions(paths):
        fulls = [repo.full(path) for path in some]
        out = decoded(repo.git.run("ls-files", "-z", "--debug", "--", *fulls, env=_index(repo)))
        for full in fulls:
            facts = out.partition(full + "\0")[2].partition("\0")[0]
            flags = facts.rpartition("flags: ")[2].split("\n")[0]
            if flags and int(flags, 16) & _INTENT_TO_ADD:
                yield full[len(repo.prefix) :]


def _portions(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    return (paths[start : start + _MANY] for start in range(0, len(paths), _MANY))


def unmerged(repo: Repository) -> set[str]:
    """Return the paths in conflict."""
    out = decoded(repo.git.run("ls-files", "-u", "-z", *repo.spec(), env=_index(repo)))
    return set(repo.inside(record.partition("\t")[2] for record in out.split("\0") if record))


def sparse(repo: Repository) -> set[str]:
    """Return the paths the sparse checkout leaves out of the work tree."""
    out = decoded(repo.git.run("ls-files", "-t", "-z", *repo.spec(), env=_index(repo)))
    return set(repo.inside(record[2:] for record in out.split("\0") if record.startswith("S ")))


def set_aside(repo: Repository, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the paths whose changes git was told to overlook, with the flags that told it so."""
    found: dict[str, tuple[str, ...]] = {}
    for some in _portions(sorted(paths)):
        out = decoded(repo.git.run("ls-files", "-v", "-z", "--", *(repo.full(path) for path in some)))
        for mark, _, full in (record.partition(" ") for record in out.split("\0") if record):
            told = {"skip-worktree": mark in "Ss", "assume-unchanged": mark.islower()}
            if any(told.values()):
                found[full[len(repo.prefix) :]] = tuple(flag for flag, is_set in told.items() if is_set)
    return found


def ignored(repo: Repository, paths: Iterable[str]) -> set[str]:
    """Return the paths git would not add by itself: ignored and not tracked, or below a symlink."""
    asked = list(paths)
    if not asked:
        return set()
    try:
        matching = _matching_ignore_rules(repo, asked)
    except StorageError:
        if len(asked) == 1:
            # Below a symlink: git refuses to speak about it.
            return set(asked)
        half = len(asked) // 2
        return ignored(repo, asked[:half]) | ignored(repo, asked[half:])
    return matching - _tracked(repo, matching)


def _matching_ignore_rules(repo: Repository, paths: Sequence[str]) -> set[str]:
    # check-ignore knows no literal pathspecs: `./` keeps a leading colon a name, `--no-index` keeps a star from globbing.
    request = b"".join(encoded(f"./{repo.full(path)}") + b"\0" for path in paths)
    command = ("check-ignore", "--no-index", "-z", "--stdin")
    out = repo.git.run(*command, stdin=request, env={"GIT_LITERAL_PATHSPECS": "0"}, ok=(0, 1))
    return set(repo.inside(full[2:] for full in decoded(out).split("\0") if full))


def _tracked(repo: Repository, paths: Iterable[str]) -> set[str]:
    asked = sorted(paths)
    found: set[str] = set()
    for some in _portions(asked):
        out = repo.git.run("ls-files", "-z", "--", *(repo.full(path) for path in some))
        found.update(repo.inside(decoded(out).split("\0")))
    return found


def staged_differs(repo: Repository, paths: Iterable[str]) -> set[str]:
    """Return the paths whose entry in the user's own index is not what HEAD holds."""
    asked = set(paths)
    if not asked:
        return set()
    limit = ("--", *(repo.full(path) for path in sorted(asked))) if len(asked) <= _MANY else repo.spec()
    commit = head_quick(repo)
    if commit is None:
        return asked & set(repo.inside(decoded(repo.git.run("ls-files", "-z", *limit)).split("\0")))
    command = ("diff-index", "--cached", "--ita-invisible-in-index", "--name-only", "-z", "--no-renames")
    out = decoded(repo.git.run(*command, commit, *limit))
    return asked & set(repo.inside(out.split("\0")))


def indexed(repo: Repository, paths: Iterable[str]) -> dict[str, Entry]:
    """Return the entries of these paths in the user's own index; those in conflict are not among them."""
    found: dict[str, Entry] = {}
    for portion in _portions(sorted(paths)):
        out = decoded(repo.git.run("ls-files", "-s", "-z", "--", *(repo.full(path) for path in portion)))
        for meta, _, full in (record.partition("\t") for record in out.split("\0") if record):
            if meta[:6] in REGULAR and meta.endswith(" 0"):
                path = full[len(repo.prefix) :]
                found[path] = Entry(path, meta[7:-2], meta[:6])
    return found


def _index(repo: Repository) -> dict[str, str]:
    named = os.environ.get("GIT_INDEX_FILE")
    # git resolves it against the top of the work tree, wherever it was started.
    return {"GIT_INDEX_FILE": str(repo.work_tree / named)} if named else {}


StagedChange = tuple[str, str | None, str | None]
"""A path, its blob at HEAD and its blob in the index; None where there is no file."""


def staged_changes(repo: Repository, head: str) -> list[StagedChange]:
    """Return what differs between HEAD and the index.

    Unmerged and intended-to-be-added paths are left out; honours GIT_INDEX_FILE.
    """
    with staged_changes_asked(repo, head) as told:
        return told()


@contextmanager
def staged_changes_asked(repo: Repository, head: str) -> Iterator[Callable[[], list[StagedChange]]]:
    """Give what waits for `staged_changes`: git is at work on it already."""
    with repo.git.begun(
        "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "--ita-invisible-in-index", head,
        *repo.spec(), env=_index(repo),
    ) as pending:  # fmt: skip
        yield lambda: _staged_changes(repo, pending.answer())


def _staged_changes(repo: Repository, out: bytes) -> list[StagedChange]:
    tokens = decoded(out).split("\0")
    changes: list[StagedChange] = []
    for raw, full in zip(tokens[0::2], tokens[1::2], strict=False):
        mode_before, mode_after, before, after, kind = raw.removeprefix(":").split(" ")
        if kind.startswith("U") or not full.startswith(repo.prefix):
            continue
        old = before if mode_before in REGULAR else None
        new = after if mode_after in REGULAR else None
        if old != new:
            changes.append((full[len(repo.prefix) :], old, new))
    return changes
