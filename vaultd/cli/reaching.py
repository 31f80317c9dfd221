"""Reach a vault: ask its daemon where one runs, open it here where none does."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from vaultd.cli.quick import ask_daemon, folder_meant
from vaultd.errors import UsageError
from vaultd.vault.addresses import git_dir_above
from vaultd.vault.places import claim_clone, find_root

__all__ = ["ask_daemon", "opened_app", "opened_sidecar", "require_started", "start_of"]

if TYPE_CHECKING:
    from vaultd.app import App
    from vaultd.state.sidecar import Sidecar


def start_of(vault: str | None) -> Path:
    """Return the folder that the command line points at.

    Raises:
        UsageError: there is no such folder.
    """
    return Path(folder_meant(vault))


@contextmanager
def opened_app(start: Path) -> "Iterator[App]":
    """Give the vault, open in this process."""
    from vaultd.app import open_app  # noqa: PLC0415  -- a verb that only asks the daemon does without it

    app = open_app(start)
    bar = None
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        from vaultd.cli.bar import Bar  # noqa: PLC0415  -- nobody sees it anywhere else

        app.progress = bar = Bar(sys.stderr)
    try:
        yield app
    finally:
        if bar is not None:
            bar.clear()
        app.close()


def require_started(start: Path) -> tuple[Path, Path]:
    """Return the vault that a folder lies in and its git directory, by looking.

    Raises:
        UsageError: the folder is no vault.
    """
    root = find_root(start)
    git_dir = git_dir_above(os.fspath(root)) if root is not None else None
    if root is None or git_dir is None or not (root / ".vaultd" / "vault-id").is_file():
        raise UsageError(f"{start} is no vault yet", "vaultd init shows what it adds, and asks")
    return root, Path(git_dir)


@contextmanager
def opened_sidecar(start: Path) -> "Iterator[Sidecar]":
    """Give the vault's sidecar, open in this process; a daemon that has it open too is in nobody's way.

    Raises:
        UsageError: the folder is no vault.
        StorageError: the sidecar cannot be used.
    """
    from vaultd.state.sidecar import open_sidecar  # noqa: PLC0415  -- most verbs need none of it

    root, git_dir = require_started(start)
    sidecar = open_sidecar(claim_clone(root, Path(git_dir)).state)
    try:
        yield sidecar
    finally:
        sidecar.close()
