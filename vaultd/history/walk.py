"""History as it happened: every commit once, with what it changed in the vault against each parent."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from vaultd.errors import StorageError
from vaultd.history.process import Git, decoded
from vaultd.history.repository import Repository

_CHUNK = 1 << 20
_REGULAR = ("100644", "100755")
_LOG = (
    "-c",
    "log.showRoot=true",
    "log",
    "--stdin",
    "--raw",
    "-z",
    "--no-renames",
    "--no-abbrev",
    "--no-abbrev-commit",
    "--topo-order",
    "--reverse",
    "--diff-merges=separate",
    "--parents",
    "--format=raw",
    "--encoding=UTF-8",
    "--no-mailmap",
    "--no-show-signature",
    "--no-notes",
    "--no-decorate",
    "--no-color",
    "--no-ext-diff",
    "--ignore-submodules=none",
)


@dataclass(frozen=True, slots=True)
class Change:
    """A file that is another one than in a parent; None where it is absent or not a regular file."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit and what it changed."""

    oid: str
    parents: tuple[str, ...]
    """Empty for a root commit and where a shallow clone was cut off."""
    time: int
    """When it was committed, in Unix seconds."""
    author: str
    subject: str
    message: str
    changes: tuple[tuple[Change, ...], ...]
    """For each parent what is different from it; without parents, one entry against nothing."""


def walk(repo: Repository, new: str, excluded: Sequence[str] = ()) -> Iterator[Commit]:
    """Give every commit reachable from `new` and from none of `excluded`, parents before children.

    Raises:
        StorageError: git does not know one of the commits.
    """
    relative = f"--relative={repo.prefix}" if repo.prefix else "--no-relative"
    request = "".join(f"{line}\n" for line in (new, *(f"^{oid}" for oid in excluded), "--"))
    with repo.git.started(*_LOG, relative) as child:
        if child.stdin is None or child.stdout is None or child.stderr is None:
            raise StorageError("git was started without pipes")
        with contextlib.suppress(BrokenPipeError):
            # git that already gave up says why below.
            child.stdin.write(request.encode())
            child.stdin.close()
        yield from _commits(_tokens(child.stdout))
        if child.wait() != 0:
            raise StorageError(decoded(child.stderr.read()).strip())


def _tokens(pipe: IO[bytes]) -> Iterator[str]:
    rest = b""
    while chunk := pipe.read(_CHUNK):
        *whole, rest = (rest + chunk).split(b"\0")
        for token in whole:
            yield decoded(token)
    yield decoded(rest)


def _commits(tokens: Iterator[str]) -> Iterator[Commit]:
    """Join what git prints once for each parent."""
    commit: Commit | None = None
    for header, changes in _sections(tokens):
        names, _, source = header.partition("\n")[0].removeprefix("commit ").removesuffix(")").partition(" (from ")
        oid, *parents = names.split(" ")
        if commit is None or commit.oid != oid:
            if commit is not None:
                yield commit
            commit = _commit(oid, tuple(parents), header)
        position = parents.index(source) if source else 0
        if changes:
            commit = _with(commit, position, changes)
    if commit is not None:
        yield commit


def _sections(tokens: Iterator[str]) -> Iterator[tuple[str, tuple[Change, ...]]]:
    header = ""
    changes: list[Change] = []
    for token in tokens:
        if token.startswith("commit "):
            if header:
                yield header, tuple(changes)
            header, _, raw = token.rpartition("\n:") if "\n:" in token else (token, "", "")
            changes = []
        else:
            raw = token[1:]
        if raw:
            change = _change(raw, next(tokens))
            if change is not None:
                changes.append(change)
    if header:
        yield header, tuple(changes)


def _change(raw: str, path: str) -> Change | None:
    mode_before, mode_after, before, after, _ = raw.split(" ")
    change = Change(
        path,
        before if mode_before in _REGULAR else None,
        after if mode_after in _REGULAR else None,
    )
    return None if change.before == change.after else change


def _commit(oid: str, parents: tuple[str, ...], header: str) -> Commit:
    facts, _, body = header.partition("\n\n")
    author, committed = "", 0
    for line in facts.split("\n"):
        if line.startswith("author "):
            author = line[7 : line.rfind(">") + 1]
        elif line.startswith("committer "):
            committed = _seconds(line[line.rfind(">") + 1 :])
    message = "\n".join(line[4:] for line in body.split("\n")).strip("\n")
    subject = message.partition("\n")[0]
    return Commit(oid, parents, committed, author, subject, message, ((),) * max(1, len(parents)))


def _seconds(stamp: str) -> int:
    first = stamp.split()[:1]
    return int(first[0]) if first and first[0].lstrip("-").isdigit() else 0


def _with(commit: Commit, position: int, changes: tuple[Change, ...]) -> Commit:
    every = (*commit.changes[:position], changes, *commit.changes[position + 1 :])
    return Commit(commit.oid, commit.parents, commit.time, commit.author, commit.subject, commit.message, every)


def first_adding(repo: Repository, head: str, path: str) -> str | None:
    """Return the oldest commit (by commit time, then by name) reachable from `head` that adds `path`."""
    out = repo.git.text(
        "-c",
        "log.showRoot=true",
        "log",
        "--full-history",
        "--diff-filter=A",
        "--diff-merges=separate",
        "--no-renames",
        "--no-decorate",
        "--no-show-signature",
        "--no-patch",
        "--format=%ct %H %P",
        head,
        "--",
        repo.full(path),
    )
    printed = [line.split(" ") for line in out.split("\n") if line]
    # A merge adds only what none of its parents has: it is printed once for each of them.
    adding = [line for line in printed if printed.count(line) >= len(line) - 2]
    return min(((int(time), oid) for time, oid, *_ in adding), default=(0, None))[1]


def merge_bases(repo: Repository, commits: Sequence[str]) -> list[str]:
    """Return the best common ancestors of all these commits, empty when their histories never met."""
    if len(set(commits)) < 2:
        return list(dict.fromkeys(commits))
    ended = repo.git.attempt("merge-base", "--octopus", "--all", *commits)
    return _names(repo.git, ended.code, ended.out, ended.err)


def _names(git: Git, code: int, out: bytes, err: str) -> list[str]:
    if code not in {0, 1} or err:
        raise StorageError(err or f"{git.work_tree}: git merge-base failed")
    return decoded(out).split()


def is_ancestor(repo: Repository, ancestor: str, descendant: str) -> bool:
    """Say whether `ancestor` is `descendant` or lies in its history; a commit git does not know is none."""
    return repo.git.attempt("merge-base", "--is-ancestor", ancestor, descendant).code == 0


def commit_time(repo: Repository, oid: str) -> int:
    """Return when a commit was committed, in Unix seconds."""
    return _seconds(repo.git.text("show", "-s", "--no-show-signature", "--format=%ct", oid, "--"))


def last_version(repo: Repository, head: str, path: str) -> str | None:
    """Return the blob that the path held last in the history of a commit, None where it never was there."""
    spec = repo.spec(path)
    found = repo.git.text("log", "-1", "--format=%H", "--diff-filter=AMT", "--no-show-signature", head, *spec).strip()
    if not found:
        return None
    entry = repo.git.run("ls-tree", "-z", found, *spec)
    return decoded(entry).split("\0")[0].partition("\t")[0].rpartition(" ")[2] or None


def resolved(repo: Repository, revisions: str) -> tuple[str | None, list[str]]:
    """Return the commit that `A..B` or `B` ends at, and those it leaves out; None where git knows no such commit.

    Raises:
        StorageError: git does not know one of the names.
    """
    names = repo.git.text("rev-parse", "--revs-only", "--end-of-options", revisions).split()
    if not names:
        raise StorageError(f"{revisions!r} names no commits", "A..B or a branch is needed")
    new = [name for name in names if not name.startswith("^")]
    return (new[0] if new else None), [name[1:] for name in names if name.startswith("^")]
