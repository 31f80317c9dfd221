"""The vault's own folder: can it be read, do its names travel, does its clock agree, is all of it here."""

import os
from collections.abc import Iterator
from pathlib import Path

from vaultd.doctor.lines import Level, Line, counted, first_of
from vaultd.values import dataclass
from vaultd.vault.scanning import Scan

_SKEW_NS = 120_000_000_000
_DATALESS = 0x4000_0000
"""SF_DATALESS: macOS keeps the file in iCloud and fetches it when it is opened."""
_HAS_FLAGS = hasattr(os.stat_result, "st_flags")
_TEMPORARY = ".vaultd-tmp-"
_NAMES: tuple[tuple[str, str, Level, str, str], ...] = (
    ("V220", "collisions", "fail", "would overwrite another note on macOS or Windows", "rename one of the two"),
    ("V221", "names", "info", "with a name that does not travel to every system", "vaultd check has better names"),
    ("V222", "conflicts", "warn", "kept by a sync tool as a conflict copy", "take over what is new, then delete it"),
    ("V224", "readable", "warn", "that cannot be read", "check the permissions"),
)


@dataclass(frozen=True, slots=True)
class Strays:
    """Files that a walk over the notes passes by."""

    temporaries: tuple[str, ...]
    """What vaultd's own writes left."""
    dataless: tuple[str, ...]
    """Notes whose bytes are not on this disk."""


def strays(root: Path) -> Strays:
    """Return the strays of a vault, as vault-relative paths."""
    temporaries: list[str] = []
    dataless: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), root)  # noqa: PTH118  -- a path a file, and fast
            if name.startswith(".") and _TEMPORARY in name:
                temporaries.append(path)
            elif _is_dataless(folder, name):
                dataless.append(path)
    return Strays(tuple(sorted(temporaries)), tuple(sorted(dataless)))


def _is_dataless(folder: str, name: str) -> bool:
    if name.startswith(".") and name.endswith(".icloud"):
        return True
    if not _HAS_FLAGS or not name.endswith(".md"):
        return False
    flags: int = getattr(os.lstat(f"{folder}/{name}"), "st_flags", 0)
    return bool(flags & _DATALESS)


def folder_lines(root: Path, found: Scan, here: Strays, now_ns: int) -> Iterator[Line]:
    """Say how the folder is."""
    yield Line("vault", "ok", f"{root}: {counted(len(found.notes), 'note')}")
    yield _obsidian(root)
    for code, check, level, says, fix in _NAMES:
        paths = [problem.path for problem in found.problems if problem.code == code]
        if paths:
            yield Line(check, level, f"{counted(len(paths), 'file')} {says}: {first_of(paths)}", fix)
    ahead = sorted(path for path, stamp in found.notes.items() if stamp.mtime_ns > now_ns + _SKEW_NS)
    if ahead:
        says = f"{counted(len(ahead), 'note')} saved in the future: {first_of(ahead)}"
        yield Line("clock", "warn", says, "set this computer's clock, or touch the files")
    else:
        yield Line("clock", "ok", "no note was saved in the future")
    if here.dataless:
        says = f"{counted(len(here.dataless), 'note')} not on this disk: {first_of(list(here.dataless))}"
        yield Line("dataless", "warn", says, "have the folder kept downloaded: what is not here is not searched")


def _obsidian(root: Path) -> Line:
    folders = sorted(entry.name for entry in os.scandir(root) if entry.name.startswith(".obsidian") and entry.is_dir())
    if not folders:
        return Line("obsidian", "info", "no .obsidian: this vault was not opened in Obsidian yet")
    return Line("obsidian", "ok", ", ".join(folders))
