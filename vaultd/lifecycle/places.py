"""Where a memory stands: its path read as project and name."""

import functools
import unicodedata

from vaultd.values import dataclass

GLOBAL = "_global"


@dataclass(frozen=True, slots=True)
class Place:
    """A memory's project (`""` is global) and name, as its path says them; the path decides, the fields mirror it."""

    project: str
    name: str

    @property
    def label(self) -> str:
        """Return `project/name`, or the bare name of a global memory, as tombstone lines show it."""
        return f"{self.project}/{self.name}" if self.project else self.name

    @property
    def key(self) -> tuple[str, str]:
        """Return what V101 compares: both parts NFC and case-folded."""
        return _key(self.project, self.name)

    def path(self, folder: str) -> str:
        """Return the vault path of a memory at this place."""
        return f"{folder}/{self.project or GLOBAL}/{self.name}.md"


def _key(project: str, name: str) -> tuple[str, str]:
    return (fold_name(project), fold_name(name))


def fold_name(name: str) -> str:
    """Return the form in which two names are one name."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", name).casefold()


@functools.lru_cache(1 << 15)  # a memory is looked up by every commit that touches it, and by several rules each time
def place_of(path: str, folder: str) -> Place | None:
    """Return the place that a path below the memory folder names, or None where no memory can stand.

    One level of project lies below the folder; deeper files and files directly in it are plain notes.
    """
    parts = _parts(path, folder)
    return Place(*parts) if parts is not None else None


def key_of(path: str, folder: str) -> tuple[str, str] | None:
    """Return the `key` of the place that a path names; for every memory at once, where a `Place` each takes longer."""
    parts = _parts(path, folder)
    return _key(*parts) if parts is not None else None


def _parts(path: str, folder: str) -> tuple[str, str] | None:
    """Return project and name."""
    if not path.startswith(folder + "/") or not path.endswith(".md"):
        return None
    project, _, name = path[len(folder) + 1 : -3].partition("/")
    if not project or not name or "/" in name:
        return None
    return ("" if project == GLOBAL else project, name)
