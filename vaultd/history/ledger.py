"""What the commits of a history tell of memories and records: who did what, and why."""

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice

from vaultd.history import trailers
from vaultd.history.process import environment
from vaultd.history.repository import Repository, head_quick
from vaultd.history.spelling import decoded
from vaultd.history.trailers import Told
from vaultd.values import dataclass, replace

_FIRST_PORTION = 20
_LARGEST_PORTION = 5000


@dataclass(frozen=True, slots=True)
class Telling:
    """A commit, and what its message says that happened to memories and records: whether it did is not known here."""

    commit: str
    at: datetime
    author: str
    """`Name <mail>` of whoever git says wrote the commit."""
    subject: str
    told: tuple[Told, ...]
    paths: tuple[str, ...] = ()
    """The vault paths the commit changed against its first parent."""


def tellings(repo: Repository, rev: str = "HEAD", since: str | None = None) -> Iterator[Telling]:
    """Give the commits reachable from `rev` whose message speaks of events, newest first; what it tells may be nothing.

    `since` is anything git's own `--since` understands.
    """
    oid = _resolved(repo, rev)
    return _with_paths(repo, _telling(repo, oid, since)) if oid else iter(())


def silent(repo: Repository, rev: str, commits: Collection[str], since: str | None = None) -> list[Telling]:
    """Return those of some commits that `rev` reaches and whose messages speak of no event, newest first."""
    limits = (f"--since={since}",) if since else ()
    asked = ("rev-list", "-i", "--grep=vaultd-event", "--invert-grep", *limits, rev, "--")
    names = [oid for oid in repo.git.text(*asked).split() if oid in commits] if commits else []
    if not names:
        return []
    request = "".join(f"{oid}\n" for oid in names).encode()
    found = _printed(repo, ("--no-walk=unsorted", "--stdin"), request)
    return list(_with_paths(repo, found))


def positions(repo: Repository, rev: str) -> dict[str, int]:
    """Return, for each commit that `rev` reaches, how many come before it, newest first."""
    return {oid: number for number, oid in enumerate(repo.git.text("rev-list", rev, "--").split())}


def _resolved(repo: Repository, rev: str) -> str:
    """Return the commit's name, empty on a branch that has none yet."""
    if rev == "HEAD" and head_quick(repo) is None:
        return ""
    return repo.git.text("rev-parse", "--verify", "--end-of-options", f"{rev}^{{commit}}").rpartition("\n")[2]


def _with_paths(repo: Repository, telling: Iterator[Telling]) -> Iterator[Telling]:
    size = _FIRST_PORTION
    while portion := list(islice(telling, size)):
        # The first page comes at once; a long history is not read in a thousand small questions.
        size = min(size * 4, _LARGEST_PORTION)
        paths = _changed_paths(repo, [commit.commit for commit in portion])
        yield from (replace(commit, paths=paths.get(commit.commit, ())) for commit in portion)


def _telling(repo: Repository, rev: str, since: str | None) -> Iterator[Telling]:
    if repo.object_format == "sha1":
        return _through_gitpython(repo, rev, since)
    return _through_git(repo, rev, since)


def _through_gitpython(repo: Repository, rev: str, since: str | None) -> Iterator[Telling]:
    # Imported where it is needed: it takes 77 ms, and neither a commit nor a hook reads the ledger.
    import git  # noqa: PLC0415

    with git.Repo(repo.work_tree) as opened:
        opened.git.update_environment(**_for_gitpython())
        for commit in opened.iter_commits(rev, grep="vaultd-event", regexp_ignore_case=True, since=since):
            message = commit.message if isinstance(commit.message, str) else decoded(commit.message)
            author = f"{commit.author.name} <{commit.author.email}>"
            subject = message.lstrip("\n").partition("\n")[0]
            at = datetime.fromtimestamp(commit.committed_date, UTC)
            yield Telling(commit.hexsha, at, author, subject, tuple(trailers.told(message)))


def _for_gitpython() -> dict[str, str]:
    return {name: value for name, value in environment({}).items() if name.startswith(("GIT_", "LC_"))}


def _through_git(repo: Repository, rev: str, since: str | None) -> Iterator[Telling]:
    """Do the same where object names are SHA-256, which GitPython cannot read."""
    limits = (f"--since={since}",) if since else ()
    return _printed(repo, ("-i", "--grep=vaultd-event", *limits, rev, "--"))


def _printed(repo: Repository, asked: tuple[str, ...], stdin: bytes = b"") -> Iterator[Telling]:
    form = "--format=%H%x00%ct%x00%an <%ae>%x00%B%x00"
    fields = repo.git.text("log", "--no-show-signature", "--encoding=UTF-8", form, *asked, stdin=stdin).split("\0")
    for oid, time, author, message in zip(fields[0::4], fields[1::4], fields[2::4], fields[3::4], strict=False):
        subject = message.lstrip("\n").partition("\n")[0]
        at = datetime.fromtimestamp(int(time), UTC)
        yield Telling(oid.strip(), at, author, subject, tuple(trailers.told(message)))


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
