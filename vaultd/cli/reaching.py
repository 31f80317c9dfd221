"""Reach a vault: ask its daemon where one runs, open it here where none does."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from vaultd.cli.outcome import Document
from vaultd.daemon.sockets import ask, call
from vaultd.errors import ConflictError, RejectedError, StorageError, UsageError, VaultdError
from vaultd.vault.places import claim_clone, find_root, places

if TYPE_CHECKING:
    import socket

    from vaultd.app import App
    from vaultd.state.sidecar import Sidecar

_KINDS: dict[str, type[VaultdError]] = {
    kind.__name__: kind for kind in (UsageError, RejectedError, ConflictError, StorageError)
}


def start_of(vault: str | None) -> Path:
    """Return the folder that the command line points at."""
    return Path(vault).expanduser() if vault else Path.cwd()


def ask_daemon(start: Path, verb: str, arguments: Document) -> Document | None:
    """Return the daemon's answer, None where none runs; nothing heavy is imported for it.

    Raises:
        VaultdError: what the daemon answered with.
    """
    root = find_root(start)
    git_dir = _git_dir(root) if root is not None else None
    if root is None or git_dir is None:
        return None
    answer = ask(places(root, git_dir).socket, verb, arguments)
    if answer is not None and "error" in answer:
        kind = _KINDS.get(str(answer["error"]), VaultdError)
        raise kind(str(answer.get("message", "")), str(answer.get("hint", "")))
    return answer


def stages_as_usual(start: Path) -> bool:
    """Return whether what is staged stands in git's own index; a hook of `git commit -a` is given another."""
    named = os.environ.get("GIT_INDEX_FILE")
    if not named:
        return True
    root = find_root(start)
    git_dir = _git_dir(root) if root is not None else None
    # git names it from the top of the work tree, where it also starts its hooks
    return git_dir is not None and (Path.cwd() / named).resolve() == (git_dir / "index").resolve()


def _git_dir(root: Path) -> Path | None:
    """Return the git directory of a work tree by looking, without asking git."""
    for folder in (root, *root.parents):
        mark = folder / ".git"
        if mark.is_dir():
            return mark
        if mark.is_file():
            target = mark.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
            return (folder / target).resolve()
    return None


def daemon_line(start: Path, verb: str, arguments: Document) -> "socket.socket | None":
    """Return a connection to the daemon that stays open and speaks another protocol from now on; None where none runs."""
    root = find_root(start)
    git_dir = _git_dir(root) if root is not None else None
    return call(places(root, git_dir).socket, verb, arguments) if root is not None and git_dir is not None else None


@contextmanager
def opened_app(start: Path) -> "Iterator[App]":
    """Give the vault, open in this process."""
    from vaultd.app import open_app  # noqa: PLC0415  -- a verb that only asks the daemon does without it

    app = open_app(start)
    try:
        yield app
    finally:
        app.close()


@contextmanager
def opened_sidecar(start: Path) -> "Iterator[Sidecar]":
    """Give the vault's sidecar, open in this process; a daemon that has it open too is in nobody's way.

    Raises:
        UsageError: the folder is no vault.
        StorageError: the sidecar cannot be used.
    """
    from vaultd.state.sidecar import open_sidecar  # noqa: PLC0415  -- most verbs need none of it

    root = find_root(start)
    git_dir = _git_dir(root) if root is not None else None
    if root is None or git_dir is None or not (root / ".vaultd" / "vault-id").is_file():
        raise UsageError(f"{start} is no vault yet", "vaultd init shows what it adds, and asks")
    sidecar = open_sidecar(claim_clone(root, git_dir).state)
    try:
        yield sidecar
    finally:
        sidecar.close()
