"""Which plugins there are: in the vault, with vaultd, and installed beside it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from vaultd.errors import NoteFormatError, PluginError, StorageError
from vaultd.host.kept import read_file
from vaultd.host.manifest import FILE, Manifest, parse_manifest
from vaultd.host.trees import DATA
from vaultd.values import dataclass

Source = Literal["shipped", "vault", "installed"]
FOLDER = ".vaultd/plugins"
_PACKAGE = Path(__file__).parents[1]
_GROUP = "vaultd.plugins"


@dataclass(frozen=True, slots=True)
class Found:
    """A folder that holds a plugin, or something that wants to be one."""

    id: str
    source: Source
    folder: Path
    manifest: Manifest | None
    problem: str = ""
    """Why its manifest cannot be used."""


def discover(root: Path, wanted: str = "") -> list[Found]:
    """Return every plugin, or those of one id, in the order in which the first of an id is taken."""
    found = [*_below(shipped_folder(), "shipped"), *_installed(wanted), *_below(root / FOLDER, "vault")]
    return [one for one in found if not wanted or one.id == wanted]


def shipped_folder() -> Path:
    """Return where the plugins lie that come with vaultd: in the wheel, or beside the source."""
    inside = _PACKAGE / "_plugins"
    return inside if inside.is_dir() else _PACKAGE.parent / "plugins"


def _below(folder: Path, source: Source) -> Iterator[Found]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.is_dir() and not entry.name.startswith((".", "_")) and not _is_data(entry):
            yield _found(entry, source, folder)


def _is_data(entry: Path) -> bool:
    """Say whether a folder holds only what a plugin from elsewhere saved in this vault."""
    return (entry / DATA).is_file() and not (entry / FILE).exists()


def _found(entry: Path, source: Source, root: Path) -> Found:
    if entry.is_symlink() and not os.path.realpath(entry).startswith(os.path.realpath(root) + os.sep):
        return Found(entry.name, source, entry, None, "the folder is a link that leads out of the plugins folder")
    return _named(entry, entry.name, source)


def _installed(wanted: str) -> Iterator[Found]:
    """Give plugins of other distributions; what they hold is looked at, not imported."""
    from importlib.metadata import entry_points  # noqa: PLC0415  -- slow, and only asked when plugins are
    from importlib.util import find_spec  # noqa: PLC0415

    for point in entry_points(group=_GROUP):
        if wanted and point.name != wanted:
            continue
        # below a package there is nothing to be looked at before the package is imported
        spec = find_spec(point.module) if "." not in point.module else None
        places = list(spec.submodule_search_locations or ()) if spec is not None else []
        if places:
            # a package cannot be called like an id with a hyphen, so its folder's name says nothing
            yield _named(Path(places[0]), point.name, "installed")
        else:
            why = f"its entry point {point.value!r} is no package at the top, with {FILE} in it"
            yield Found(point.name, "installed", _PACKAGE, None, why)


def _named(folder: Path, name: str, source: Source) -> Found:
    """Return the plugin that a folder holds."""
    try:
        return Found(name, source, folder, parse_manifest(read_file(folder / FILE), name))
    except FileNotFoundError:
        return Found(name, source, folder, None, f"{FILE} is not there")
    except (StorageError, NoteFormatError) as exc:
        return Found(name, source, folder, None, exc.message)


def chosen(found: list[Found], id_: str, source: str = "") -> Found:
    """Return the plugin of an id: the one of the source that was chosen, else the first.

    Raises:
        PluginError: there is none.
    """
    fitting = [one for one in found if one.id == id_ and source in ("", one.source)]
    if not fitting:
        raise PluginError(f"there is no plugin {id_!r}", "vaultd plugin list shows which there are")
    return fitting[0]


def versions_of(found: Found) -> bytes | None:
    """Return a plugin's `versions.json`, None where it has none."""
    try:
        return read_file(found.folder / "versions.json")
    except (FileNotFoundError, StorageError):
        return None
