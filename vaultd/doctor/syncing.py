"""Other programs that carry the vault's files elsewhere, known by what they leave beside them."""

import json
from collections.abc import Iterator
from pathlib import Path

from vaultd.doctor.lines import Line

_FOLDERS = (
    ("Dropbox", ("Dropbox",)),
    ("iCloud", ("Mobile Documents", "iCloud~md~obsidian", "iCloudDrive", "com~apple~CloudDocs")),
    ("OneDrive", ("OneDrive",)),
    ("Google Drive", ("Google Drive", "GoogleDrive", "My Drive")),
    ("Nextcloud", ("Nextcloud",)),
)
_MARKS = (
    ("Syncthing", ".stfolder"),
    ("Dropbox", ".dropbox"),
    ("Dropbox", ".dropbox.cache"),
    ("Nextcloud", ".nextcloudsync.log"),
    ("Resilio", ".sync/ID"),
)
_PLUGINS = (("Self-hosted LiveSync", "obsidian-livesync"), ("Remotely Save", "remotely-save"))


def engines(root: Path) -> dict[str, Path]:
    """Return the sync tools that carry a vault, each with the folder it carries, the vault's own or one above."""
    found: dict[str, Path] = {}
    for folder in (root, *root.parents):
        for engine, names in _FOLDERS:
            if _is_called(folder.name, names):
                found.setdefault(engine, folder)
        for engine, mark in _MARKS:
            if (folder / mark).exists():
                found.setdefault(engine, folder)
    for engine, plugin in _PLUGINS:
        if plugin in _enabled(root):
            found[engine] = root
    return found


def _is_called(name: str, names: tuple[str, ...]) -> bool:
    """Tell whether a folder has one of the names, or one with an account behind it: `OneDrive - Office`."""
    return any(name == one or name.startswith((f"{one} (", f"{one} - ", f"{one}-")) for one in names)


def _enabled(root: Path) -> list[str]:
    try:
        said: object = json.loads((root / ".obsidian" / "community-plugins.json").read_bytes())
    except (OSError, ValueError):
        return []
    return [one for one in said if isinstance(one, str)] if isinstance(said, list) else []


def sync_lines(root: Path, git_dir: Path | None) -> Iterator[Line]:
    """Say who else carries the files, and whether git's own folder goes with them."""
    found = engines(root)
    if not found:
        yield Line("sync", "ok", "no sync tool carries this folder")
        return
    names = " and ".join(sorted(found))
    if len(found) > 1:
        yield Line("sync", "warn", f"{names} carry the same files and make copies of each other's", "leave it to one")
    else:
        yield Line("sync", "info", f"{names} carries this folder")
    carried = [engine for engine, folder in found.items() if git_dir is not None and git_dir.is_relative_to(folder)]
    # A plugin of Obsidian carries notes, and leaves hidden folders alone.
    carried = [engine for engine in carried if engine not in dict(_PLUGINS)]
    if carried:
        says = f"{' and '.join(sorted(carried))} carries git's own folder too: two computers at once damage it"
        yield Line("git folder", "warn", says, "git init --separate-git-dir ~/.local/share/vault.git, on each computer")
