"""Write the sidecar's export into the vault, where git carries it to the next machine."""

from collections.abc import Mapping
from datetime import datetime

from vaultd.commands.carry_out import record
from vaultd.commands.riding import STATE, arrived, exported_folder, riding, waiting_sign
from vaultd.errors import UsageError, VaultdError
from vaultd.judging.opened import Opened
from vaultd.vault.locks import hold
from vaultd.vault.writing import write

LOCK_PATIENCE = 5.0
ALONE_AFTER = 86_400.0
"""Seconds that an export waits for another commit to go along with."""


def export_state(opened: Opened, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Write what changed since the last export and return its paths; the next commit of ours takes it along.

    Raises:
        ConflictError: another process is exporting.
        StorageError: the disk refused.
    """
    opened.claim()
    folder = exported_folder(opened)
    with hold(opened.places.state / "export.lock", LOCK_PATIENCE):
        there = {place.name for place in (opened.root / folder).glob("*.jsonl")}
        wanted = {name: files.get(name, b"") for name in sorted(there | files.keys())}
        written: list[str] = []
        for name, data in wanted.items():
            path = f"{folder}/{name}"
            before = opened.read(path)
            if before != data:
                if not written:
                    waiting_sign(opened).touch()
                write(opened.root, path, data, before)
                written.append(path)
    return tuple(written)


def commit_export(opened: Opened, now: datetime) -> str:
    """Give an export that no commit took along for a day a commit of its own and return it, empty for none.

    Raises:
        ConflictError: git is in the middle of something.
        StorageError: git refused.
    """
    try:
        since = waiting_sign(opened).stat().st_mtime
    except FileNotFoundError:
        return ""
    files = riding(opened, {})
    if not files or now.timestamp() - since < ALONE_AFTER:
        return ""
    commit = record(opened, dict(files), "state: export sessions, tasks and what was done\n")
    arrived(opened, files)
    return commit


def own_export(opened: Opened) -> dict[str, bytes]:
    """Return the files of this clone's own export, none where it never exported anything.

    Raises:
        VaultdError: one of them cannot be read.
    """
    there = (opened.root / exported_folder(opened)).is_dir()
    return exported_files(opened, opened.places.clone_id) if there else {}


def exported_files(opened: Opened, clone: str = "") -> dict[str, bytes]:
    """Return the files of an export that lies in the vault: a clone's, or the only one there.

    Raises:
        UsageError: there is none, or it is not clear which.
    """
    folder = opened.root / STATE
    clones = sorted(place.name for place in folder.glob("*") if place.is_dir()) if folder.is_dir() else []
    if clone and clone not in clones:
        raise UsageError(f"no export is {clone!r}", ", ".join(clones) or "vaultd state export writes one")
    if not clone and len(clones) != 1:
        raise UsageError(f"{len(clones)} exports lie in {STATE}", f"name one: {', '.join(clones)}" if clones else "")
    chosen = f"{STATE}/{clone or clones[0]}"
    files: dict[str, bytes] = {}
    for place in sorted((opened.root / chosen).glob("*.jsonl")):
        data = opened.read(f"{chosen}/{place.name}")
        if data is None:
            raise VaultdError(f"{chosen}/{place.name} cannot be read", "check its permissions")
        files[place.name] = data
    return files
