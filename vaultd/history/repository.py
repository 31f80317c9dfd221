"""Which repository a vault lies in, where its HEAD stands, and what the user is in the middle of."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from vaultd.errors import StorageError
from vaultd.history.layout import is_plain
from vaultd.history.spelling import decoded
from vaultd.values import dataclass

if TYPE_CHECKING:
    from vaultd.history.process import Git

_QUESTIONS = ("--show-toplevel", "--git-dir", "--git-common-dir", "--show-object-format", "--show-prefix")
_NO_WORK_TREE = ("not a git repository", "must be run in a work tree")
_AUTO_COMMENT_CHARACTERS = "#;@!$%^&|:"


@dataclass(frozen=True, slots=True)
class Repository:
    """A git work tree and the vault inside it; paths are relative to the vault, the prefix is added and taken here."""

    work_tree: Path
    git_dir: Path
    common_dir: Path
    prefix: str
    """Where the vault lies below the work tree: empty, or with `/` at its end."""
    object_format: str
    """`sha1` or `sha256`."""

    @property
    def root(self) -> Path:
        """Return the vault's folder."""
        return self.work_tree / self.prefix

    @property
    def git(self) -> "Git":
        """Return git at the top of this work tree."""
        from vaultd.history.process import Git  # noqa: PLC0415 -- a look at what has not changed starts no git

        return Git(self.work_tree)

    @property
    def no_object(self) -> str:
        """Return the name git gives to nothing."""
        return "0" * (40 if self.object_format == "sha1" else 64)

    def full(self, path: str) -> str:
        """Return a vault path as git knows it."""
        return self.prefix + path

    def spec(self, folder: str = "") -> tuple[str, ...]:
        """Return the arguments that limit a command to the vault, or to one folder or file of it."""
        whole = (self.prefix + folder).rstrip("/")
        return ("--", whole) if whole else ()

    def inside(self, full_paths: Iterable[str]) -> Iterator[str]:
        """Give the vault paths among paths as git knows them."""
        start = len(self.prefix)
        return (path[start:] for path in full_paths if path.startswith(self.prefix))


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD stands."""

    oid: str | None
    branch: str | None
    """Full ref name; None when HEAD is detached."""
    unborn: bool


def open_repository(root: Path) -> Repository | None:
    """Return the repository whose work tree holds `root`, None where there is none (a bare one counts as none).

    Raises:
        StorageError: git is missing, older than 2.31, or refuses this repository.
    """
    if is_plain(root):
        top = root.resolve()
        return Repository(top, top / ".git", top / ".git", "", "sha1")
    from vaultd.history.process import Git  # noqa: PLC0415 -- mostly not needed

    git = Git(root)
    ended = git.attempt("rev-parse", "--path-format=absolute", *_QUESTIONS)
    if ended.out.startswith(b"--path-format"):
        # That option came with 2.31; an older git gives an unknown option back as an answer.
        raise StorageError(f"{git.text('version')} is too old", "install git 2.31 or newer")
    if ended.code != 0:
        if any(words in ended.err for words in _NO_WORK_TREE):
            return None
        raise StorageError(ended.err)
    answers = decoded(ended.out).removesuffix("\n").split("\n")
    if len(answers) != len(_QUESTIONS):
        # A folder name holds a line end.
        answers = [git.text("rev-parse", "--path-format=absolute", question) for question in _QUESTIONS]
    work_tree, git_dir, common_dir, object_format, prefix = answers
    return Repository(Path(work_tree), Path(git_dir), Path(common_dir), prefix, object_format)


def head(repo: Repository) -> Head:
    """Return where HEAD stands now."""
    branch = _branch_in_file(repo)
    if branch is None:
        answer = repo.git.attempt("symbolic-ref", "-q", "HEAD")
        branch = decoded(answer.out).strip() if answer.code == 0 else ""
    oid = head_quick(repo)
    return Head(oid, branch or None, unborn=oid is None)


def head_quick(repo: Repository) -> str | None:
    """Return the commit HEAD stands at, read from files where refs are files; None on an unborn branch."""
    name = _branch_in_file(repo)
    if name is None:
        return _resolved_by_git(repo)
    if not name:
        return _first_line(repo.git_dir / "HEAD") or None
    return _resolve(repo, name, 5)


def _branch_in_file(repo: Repository) -> str | None:
    """Return HEAD's ref name, empty when detached, None when the file does not say."""
    file = repo.git_dir / "HEAD"
    line = _first_line(file)
    if not line or line == "ref: refs/heads/.invalid" or file.is_symlink():
        return None
    return line.removeprefix("ref:").strip() if line.startswith("ref:") else ""


def _resolve(repo: Repository, name: str, depth: int) -> str | None:
    line = _first_line(repo.common_dir / name)
    if line.startswith("ref:"):
        return _resolve(repo, line.removeprefix("ref:").strip(), depth - 1) if depth else None
    return line or _packed(repo, name)


def _packed(repo: Repository, name: str) -> str | None:
    # Looked at after the loose file: packing writes here before it deletes there.
    try:
        data = (repo.common_dir / "packed-refs").read_bytes()
    except FileNotFoundError:
        return None
    end = data.find(b" " + name.encode("utf-8", "surrogateescape") + b"\n")
    if end < 0:
        return None
    return data[data.rfind(b"\n", 0, end) + 1 : end].decode("ascii")


def _resolved_by_git(repo: Repository) -> str | None:
    ended = repo.git.attempt("rev-parse", "-q", "--verify", "HEAD^{commit}")
    return decoded(ended.out).strip() if ended.code == 0 else None


def _first_line(file: Path) -> str:
    """Return the first line, empty when there is no such file."""
    try:
        return decoded(file.read_bytes()).partition("\n")[0].strip()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ""


def operation(repo: Repository) -> str | None:
    """Return what the user is in the middle of: merge, rebase, cherry-pick, revert, bisect or am; None for nothing."""
    there = repo.git_dir
    # A rebase leaves CHERRY_PICK_HEAD or MERGE_HEAD too, so it is asked for first.
    if (there / "rebase-merge").is_dir():
        return "rebase"
    if (there / "rebase-apply").is_dir():
        return "am" if (there / "rebase-apply" / "applying").exists() else "rebase"
    for name, word in (("MERGE_HEAD", "merge"), ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert")):
        if _pseudo_ref(repo, name):
            return word
    todo = _first_line(there / "sequencer" / "todo")
    if todo:
        return "revert" if todo.startswith("revert") else "cherry-pick"
    return "bisect" if (there / "BISECT_LOG").exists() else None


def _pseudo_ref(repo: Repository, name: str) -> bool:
    if (repo.git_dir / name).exists():
        return True
    if not (repo.common_dir / "reftable").is_dir():
        return False
    return repo.git.attempt("rev-parse", "-q", "--verify", name).code == 0


_OID_LENGTHS = (40, 64)


def merge_heads(repo: Repository) -> list[str]:
    """Return the commits being merged into HEAD, empty outside a merge."""
    try:
        return (repo.git_dir / "MERGE_HEAD").read_text("ascii").split()
    except FileNotFoundError:
        # Around the hook pre-merge-commit git has not written MERGE_HEAD yet; the hook's environment names the sides.
        names = (name.removeprefix("GITHEAD_") for name in os.environ if name.startswith("GITHEAD_"))
        return sorted(name for name in names if len(name) in _OID_LENGTHS)


def message_being_written(repo: Repository, now: float, limit: float = 600.0) -> bool:
    """Say whether somebody has a commit message open in an editor: begun at most `limit` s before `now`, not used yet."""
    file = repo.git_dir / "COMMIT_EDITMSG"
    begun = _modified(file)
    if begun <= _last_move(repo) or now - begun > limit:
        return False
    characters = _comment_characters(repo)
    try:
        lines = decoded(file.read_bytes()).split("\n")
    except FileNotFoundError:
        return False
    return any(line.startswith(characters) for line in lines)


def _last_move(repo: Repository) -> float:
    logged = _modified(repo.git_dir / "logs" / "HEAD")
    if logged:
        return logged
    name = _branch_in_file(repo) or "HEAD"
    return max(_modified(repo.common_dir / name), _modified(repo.common_dir / "reftable" / "tables.list"))


def _modified(file: Path) -> float:
    """Return when a file was last written, 0 when there is none."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return file.stat().st_mtime
    return 0.0


def _comment_characters(repo: Repository) -> tuple[str, ...]:
    asked = repo.git.attempt("config", "-z", "--get-regexp", r"^core\.comment(char|string)$")
    value = decoded(asked.out).split("\0")[-2].partition("\n")[2] if asked.code == 0 else "#"
    return tuple(_AUTO_COMMENT_CHARACTERS) if value == "auto" else (value or "#",)


def identity(repo: Repository) -> str | None:
    """Return `Name <mail>` as git would commit with, None where git would refuse."""
    ended = repo.git.attempt("var", "GIT_COMMITTER_IDENT")
    if ended.code != 0:
        return None
    return decoded(ended.out).strip().rpartition("> ")[0] + ">"


def shallow_boundary(repo: Repository) -> frozenset[str]:
    """Return the commits whose parents this clone was never given."""
    try:
        return frozenset((repo.common_dir / "shallow").read_text("ascii").split())
    except FileNotFoundError:
        return frozenset()


def is_shallow(repo: Repository) -> bool:
    """Say whether this clone was cut off from older history."""
    return bool(shallow_boundary(repo))


def ahead_behind(repo: Repository) -> tuple[int | None, int | None]:
    """Return how many commits the branch has that its upstream lacks, and the other way round; None without one."""
    ended = repo.git.attempt("rev-list", "--left-right", "--count", "HEAD...@{upstream}", "--")
    if ended.code != 0:
        return None, None
    ours, theirs = decoded(ended.out).split()
    return int(ours), int(theirs)
