"""What a check is asked about: paths as a shell knows them, told as the vault spells them."""

# ruff: noqa: PTH100, PTH110, PTH118, PTH120  -- pathlib takes as long to import as a daemon takes to answer

import os
from collections.abc import Iterable

from vaultd.cli.outcome import Document
from vaultd.errors import UsageError
from vaultd.vault.addresses import root_above


def targets_of(start: str, words: Iterable[str]) -> list[str]:
    """Return the vault's own paths for words typed in a shell: from where the person stands, else from the vault.

    Raises:
        UsageError: one of them lies outside the vault.
    """
    root = root_above(start) or os.path.abspath(start)
    return [_target(root, word) for word in words]


def require_known(start: str, targets: Iterable[str], found: Document) -> None:
    """Refuse a check of what is not on disk, is not in git, and was not found to be missing.

    Raises:
        UsageError: a target names nothing.
    """
    root = root_above(start) or os.path.abspath(start)
    gone = [target for target in targets if not os.path.lexists(os.path.join(root, target))]
    if not gone:
        return
    from pathlib import Path  # noqa: PLC0415  -- what a check is asked about is mostly there

    from vaultd import checks  # noqa: PLC0415
    from vaultd.judging.opened import opened_vault  # noqa: PLC0415

    with opened_vault(Path(start)) as opened:
        checks.require_known(opened, gone, found)


def _target(root: str, word: str) -> str:
    if not word:
        raise UsageError("an empty path names no note", "leave it out to check the whole vault")
    here, within = _inside(root, os.path.abspath(word)), _inside(root, os.path.normpath(os.path.join(root, word)))
    for path in (here, within):
        if path is not None and os.path.lexists(os.path.join(root, path)):
            _refuse_another(root, path, word)
            return path
    if (path := here or within) is None:
        raise UsageError(f"{word} lies outside the vault {root}", "vaultd -C PATH check looks at another vault")
    return path


def _refuse_another(root: str, path: str, word: str) -> None:
    """Refuse what lies in a vault of its own below this folder: of it this one knows nothing."""
    folder = path
    while folder not in ("", "."):
        other = os.path.join(root, folder)
        if all(os.path.exists(os.path.join(other, mark)) for mark in (".vaultd", ".git")):
            raise UsageError(f"{word} is of another vault, {other}", f"vaultd -C {other} check looks at it")
        folder = os.path.dirname(folder)


def _inside(root: str, path: str) -> str | None:
    """Return a path below the vault, however its folder was reached; None where it is not below it."""
    above, name = os.path.split(path)
    for folder, one in (
        (root, path),
        (os.path.realpath(root), path),
        (root, os.path.join(os.path.realpath(above), name)),
    ):
        if one == folder:
            return "."
        if one.startswith(folder.rstrip(os.sep) + os.sep):
            return one[len(folder.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
    return None
