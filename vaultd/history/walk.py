"""History as it happened: every commit once, with what it changed in the vault against each parent."""

import contextlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import IO

from vaultd.errors import StorageError, UsageError
from vaultd.history.process import Git
from vaultd.history.repository import Repository
from vaultd.history.spelling import decoded
from vaultd.values import dataclass

_CHUNK = 1 << 20
REGULAR = ("100644", "100755")
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
    for oid, printed in groupby(_sections(tokens), _oid):
        sections = list(printed)
        header, changes = sections[0]
        parents = tuple(header.partition("\n")[0].partition(" (from ")[0].split(" ")[2:])
        if len(parents) < 2:
            yield _commit(oid, parents, header, (changes,))
            continue
        by_parent = {_source(section): found for section, found in sections}
        yield _commit(oid, parents, header, tuple(by_parent.get(parent, ()) for parent in parents))


def _oid(section: tuple[str, tuple[Change, ...]]) -> str:
    return section[0].partition("\n")[0].split(" ", 2)[1]


def _source(header: str) -> str:
    """Return the parent a merge was compared with; where no parent differs, git names none."""
    return header.partition("\n")[0].removesuffix(")").partition(" (from ")[2]


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
        before if mode_before in REGULAR else None,
        after if mode_after in REGULAR else None,
    )
    return None if change.before == change.after else change


def _commit(oid: str, parents: tuple[str, ...], header: str, changes: tuple[tuple[Change, ...], ...]) -> Commit:
    facts, _, body = header.partition("\n\n")
    message = body.replace("\n    ", "\n").removeprefix("    ").strip("\n")
    return commit_of(oid, parents, facts, message, changes)


def commit_of(
    oid: str, parents: tuple[str, ...], facts: str, message: str, changes: tuple[tuple[Change, ...], ...]
) -> Commit:
    """Return a commit from its header as git keeps it, its message and what it changed."""
    return Commit(
        oid=oid,
        parents=parents,
        time=_seconds(_after(facts, "\ncommitter ").rpartition(">")[2]),
        author=_after(facts, "\nauthor ").rpartition(">")[0] + ">",
        subject=message.partition("\n")[0],
        message=message,
        changes=changes,
    )


def _after(facts: str, key: str) -> str:
    """Return the rest of the line that begins with a key."""
    begin = facts.find(key) + len(key)
    return facts[begin:].partition("\n")[0] if begin >= len(key) else ""


def _seconds(stamp: str) -> int:
    """Return the seconds of `1700000000 +0100`; a time git could not read counts as 0."""
    first = stamp.split()[:1]
    return int(first[0]) if first and first[0].removeprefix("-").isdecimal() else 0


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
        UsageError: git does not know one of the names.
    """
    names = repo.git.text("rev-parse", "--revs-only", "--end-of-options", revisions).split()
    if not names:
        raise UsageError(f"{revisions!r} names no commits", "A..B or a branch is needed")
    new = [name for name in names if not name.startswith("^")]
    return (new[0] if new else None), [name[1:] for name in names if name.startswith("^")]
