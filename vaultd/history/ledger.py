"""Git history read as lifecycle entries: who did what to which memory, and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from vaultd.history import trailers
from vaultd.history.process import decoded, environment
from vaultd.history.repository import Repository, head_quick
from vaultd.history.trailers import Told

_FIRST_PORTION = 20
_LARGEST_PORTION = 5000


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One thing that happened to a memory or record, as its commit tells it."""

    commit: str
    at: datetime
    author: str
    """`Name <mail>` of whoever git says wrote the commit."""
    actor: str
    event: str
    id: str
    successor: str
    reason: str
    subject: str
    paths: tuple[str, ...]
    """The vault paths the commit changed against its first parent."""


@dataclass(frozen=True, slots=True)
class _Telling:
    commit: str
    at: datetime
    author: str
    subject: str
    told: tuple[Told, ...]


def entries(
    repo: Repository, rev: str = "HEAD", since: str | None = None, limit: int | None = None
) -> Iterator[LedgerEntry]:
    """Give what the commits reachable from `rev` tell, newest first, at most `limit` entries.

    `since` is anything git's own `--since` understands.
    """
    oid = _resolved(repo, rev)
    return islice(_entries(repo, oid, since), limit) if oid else iter(())


def _resolved(repo: Repository, rev: str) -> str:
    """Return the commit's name, empty on a branch that has none yet."""
    if rev == "HEAD" and head_quick(repo) is None:
        return ""
    return repo.git.text("rev-parse", "--verify", "--end-of-options", f"{rev}^{{commit}}").rpartition("\n")[2]


def _entries(repo: Repository, rev: str, since: str | None) -> Iterator[LedgerEntry]:
    telling = _telling(repo, rev, since)
    size = _FIRST_PORTION
    while portion := list(islice(telling, size)):
        # The first page comes at once; a long history is not read in a thousand small questions.
        size = min(size * 4, _LARGEST_PORTION)
        paths = _changed_paths(repo, [commit.commit for commit in portion])
        for commit in portion:
            for told in commit.told:
                yield _entry(commit, told, paths.get(commit.commit, ()))


def _entry(commit: _Telling, told: Told, paths: tuple[str, ...]) -> LedgerEntry:
    return LedgerEntry(
        commit=commit.commit,
        at=commit.at,
        author=commit.author,
        actor=told.actor,
        event=told.event,
        id=told.id,
        successor=told.successor,
        reason=told.reason,
        subject=commit.subject,
        paths=paths,
    )


def _telling(repo: Repository, rev: str, since: str | None) -> Iterator[_Telling]:
    if repo.object_format == "sha1":
        return _through_gitpython(repo, rev, since)
    return _through_git(repo, rev, since)


def _through_gitpython(repo: Repository, rev: str, since: str | None) -> Iterator[_Telling]:
    # Imported where it is needed: it takes 77 ms, and neither a commit nor a hook reads the ledger.
    import git  # noqa: PLC0415

    with git.Repo(repo.work_tree) as opened:
        opened.git.update_environment(**_for_gitpython())
        for commit in opened.iter_commits(rev, grep="vaultd-event", regexp_ignore_case=True, since=since):
            message = commit.message if isinstance(commit.message, str) else decoded(commit.message)
            told = tuple(trailers.told(message))
            if told:
                author = f"{commit.author.name} <{commit.author.email}>"
                subject = message.lstrip("\n").partition("\n")[0]
                at = datetime.fromtimestamp(commit.committed_date, UTC)
                yield _Telling(commit.hexsha, at, author, subject, told)


def _for_gitpython() -> dict[str, str]:
    return {name: value for name, value in environment({}).items() if name.startswith(("GIT_", "LC_"))}


def _through_git(repo: Repository, rev: str, since: str | None) -> Iterator[_Telling]:
    """Do the same where object names are SHA-256, which GitPython cannot read."""
    limits = (f"--since={since}",) if since else ()
    form = "--format=%H%x00%ct%x00%an <%ae>%x00%B%x00"
    command = ("log", "-i", "--grep=vaultd-event", "--no-show-signature", "--encoding=UTF-8", form, *limits)
    fields = repo.git.text(*command, rev, "--").split("\0")
    for oid, time, author, message in zip(fields[0::4], fields[1::4], fields[2::4], fields[3::4], strict=False):
        told = tuple(trailers.told(message))
        if told:
            subject = message.lstrip("\n").partition("\n")[0]
            yield _Telling(oid.strip(), datetime.fromtimestamp(int(time), UTC), author, subject, told)


def _changed_paths(repo: Repository, commits: Sequence[str]) -> dict[str, tuple[str, ...]]:
    form = ("-r", "-z", "--root", "--diff-merges=first-parent", "--no-renames", "--name-only", "--always")
    relative = f"--relative={repo.prefix}" if repo.prefix else "--no-relative"
    request = "".join(f"{oid}\n" for oid in commits).encode()
    out = decoded(repo.git.run("diff-tree", "--stdin", *form, relative, stdin=request))
    found: dict[str, list[str]] = {}
    expected = iter(commits)
    following = next(expected, "")
    paths: list[str] = []
    for field in out.split("\0"):
        if field == following:
            paths = found.setdefault(following, [])
            following = next(expected, "")
        elif field:
            paths.append(field)
    return {oid: tuple(several) for oid, several in found.items()}
