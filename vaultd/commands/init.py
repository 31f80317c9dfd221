"""Make a folder a vault: a marker, a config and two lines for git; no note is touched."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from vaultd.commands.carry_out import record, refusal
from vaultd.errors import StorageError, UsageError, VaultdError
from vaultd.history.committing import obstacle
from vaultd.history.process import Git
from vaultd.history.repository import Repository, open_repository
from vaultd.judging.folding import CONFIG, MARKER
from vaultd.judging.opened import Opened, open_vault
from vaultd.settings import Folders
from vaultd.values import dataclass
from vaultd.vault.places import find_root
from vaultd.vault.reading import read_stable
from vaultd.vault.writing import remove, write

ATTRIBUTES = ".gitattributes"
_CONFIG = """\
# vaultd's settings for this vault; every key is optional. docs/reference/settings.md explains them.
format = 1
# timezone = "UTC"          # the zone of times that have none

[commit]
# quiet = 30                # seconds an edited lifecycle value must stand still before it is committed
# hooks = "message"         # none, message (commit-msg and post-commit) or all
"""


@dataclass(frozen=True, slots=True)
class Addition:
    """One file that init makes or extends: what to write, and what to commit where that differs from it."""

    path: str
    before: bytes | None
    after: bytes
    committed: bytes
    what: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What init will do to a folder."""

    root: Path
    makes_repository: bool
    additions: tuple[Addition, ...]
    vault_id: str


def plan_init(start: Path, *, git: bool, vault_id: str) -> Plan:
    """Return what making a folder a vault would add; nothing where it is one already.

    Raises:
        UsageError: the folder is missing, lies inside another vault, or has no repository and none was asked for.
    """
    root = start.resolve()
    if not root.is_dir():
        raise UsageError(f"{start} is no folder", "vaultd init FOLDER")
    around = find_root(root)
    if around is not None and around.resolve() != root and (around / MARKER).exists():
        raise UsageError(f"{root} lies inside the vault {around}", "one vault, one folder: run vaultd there")
    repo = open_repository(root)
    if repo is None and not git:
        raise UsageError(f"{root} is in no git repository", "vaultd init --git makes one: history is kept in git")
    wanted = _wanted(root, repo, vault_id)
    return Plan(root, repo is None, wanted, vault_id)


def init(plan: Plan) -> tuple[Opened, str]:
    """Do what a plan says, commit what it made, and return the vault and the commit, empty where nothing was missing.

    Raises:
        ConflictError: git is in the middle of something.
        StorageError: the disk or git refused; what was made is taken away again.
    """
    if not plan.makes_repository:
        return _carried_out(plan)
    Git(plan.root).run("init", "-q")
    try:
        return _carried_out(plan)
    except VaultdError:
        shutil.rmtree(plan.root / ".git")
        raise


def _carried_out(plan: Plan) -> tuple[Opened, str]:
    repo = open_repository(plan.root)
    if repo is None:
        raise StorageError(f"git made no repository in {plan.root}", "git init, then vaultd init")
    if not plan.additions:
        return _claimed(plan.root), ""
    found = obstacle(repo, [addition.path for addition in plan.additions])
    if found is not None:
        raise refusal(found)
    made: list[Addition] = []
    try:
        for addition in plan.additions:
            write(plan.root, addition.path, addition.after, addition.before)
            made.append(addition)
        opened = _claimed(plan.root)
        files: Mapping[str, bytes | None] = {addition.path: addition.committed for addition in plan.additions}
        return opened, record(opened, files, "vaultd: make this folder a vault\n")
    except VaultdError:
        for addition in reversed(made):
            _take_back(plan.root, addition)
        raise


def _claimed(root: Path) -> Opened:
    opened = open_vault(root)
    opened.claim()
    return opened


def _take_back(root: Path, addition: Addition) -> None:
    if addition.before is None:
        remove(root, addition.path, addition.after)
    else:
        write(root, addition.path, addition.before, addition.after)


def _wanted(root: Path, repo: Repository | None, vault_id: str) -> tuple[Addition, ...]:
    additions = [
        _new(root, MARKER, f"{vault_id}\n".encode(), "the vault's identity"),
        _new(root, CONFIG, _CONFIG.encode(), "its settings, all of them at their defaults"),
        _attributes(root, repo),
    ]
    return tuple(addition for addition in additions if addition is not None)


def _new(root: Path, path: str, data: bytes, what: str) -> Addition | None:
    return None if (root / path).exists() else Addition(path, None, data, data, what)


def _attributes(root: Path, repo: Repository | None) -> Addition | None:
    """Return the lines that let git join two clones' line files; the user's own lines stay as they are."""
    try:
        before: bytes | None = read_stable(root, ATTRIBUTES).data
    except FileNotFoundError:
        before = None
    lines = [".vaultd/**/*.jsonl merge=union", f"{Folders().records}/**/*.jsonl merge=union"]
    after = _with_lines(before or b"", lines)
    if after == before:
        return None
    stored = _stored(repo, ATTRIBUTES)
    committed = after if stored is None or before is None else _with_lines(stored, lines)
    return Addition(ATTRIBUTES, before, after, committed, "lines of JSON merge by union: " + ", ".join(lines))


def _stored(repo: Repository | None, path: str) -> bytes | None:
    if repo is None:
        return None
    ended = repo.git.attempt("show", f"HEAD:{repo.full(path)}")
    return ended.out if ended.code == 0 else None


def _with_lines(data: bytes, lines: list[str]) -> bytes:
    there = data.decode("utf-8", "replace").splitlines()
    missing = [line for line in lines if line not in there]
    if not missing:
        return data
    end = b"\r\n" if b"\r\n" in data else b"\n"
    start = data if not data or data.endswith(b"\n") else data + end
    return start + b"".join(line.encode() + end for line in missing)
