"""Projects that a folder of the vault is for are known, whoever made the folder: files are the truth."""

import contextlib
import os
from pathlib import Path

from vaultd.errors import VaultdError
from vaultd.judging.opened import settings_of
from vaultd.lifecycle.places import GLOBAL
from vaultd.state.projects import Projects, refuse_project


def know_folders(projects: Projects, root: Path) -> None:
    """Register the projects whose memories or work notes lie in the vault and that nobody registered."""
    with contextlib.suppress(VaultdError):  # who asks for projects does not ask for what is wrong with the config
        folders = settings_of(root).folders
        there = {slug for folder in (folders.memory, folders.notes) for slug in _with_notes(root / folder)}
        for slug in sorted(there - {one.slug for one in projects.list()}):
            with contextlib.suppress(VaultdError):  # no project can be called so, or one is but for upper case
                refuse_project(slug)
                projects.know(slug)


def _with_notes(folder: Path) -> list[str]:
    try:
        return [one.name for one in os.scandir(folder) if one.name != GLOBAL and _holds_notes(one)]
    except OSError:
        return []


def _holds_notes(one: os.DirEntry[str]) -> bool:
    try:
        return one.is_dir(follow_symlinks=False) and any(Path(one.path).glob("*.md"))
    except OSError:
        return False
