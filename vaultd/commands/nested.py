"""Repositories inside the vault, submodules among them, belong to somebody else."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from vaultd.errors import UsageError


def refuse_nested(root: Path, paths: Iterable[str]) -> None:
    """Refuse paths in a repository of its own: a commit of ours would take its place in history.

    Raises:
        UsageError: with the folder that is one.
    """
    found = {path: PurePosixPath(path).parent for path in paths}
    folders = {folder for parent in found.values() for folder in (parent, *parent.parents) if folder.name}
    for folder in sorted(folders):
        if (root / folder / ".git").exists():
            path = next(path for path in found if path.startswith(f"{folder}/"))
            raise UsageError(
                f"{path} lies in {folder}, a repository of its own: vaultd leaves it alone",
                f"change it there, and commit it with git -C {folder}",
            )
