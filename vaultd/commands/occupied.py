"""Is a path free, in whatever case or Unicode form the disk spells what stands there?"""

from pathlib import Path

from vaultd.errors import RejectedError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.places import fold_name


def occupant(opened: Opened, path: str) -> str | None:
    """Return the path that takes a path's place on some system, None where it is free."""
    folder, _, name = path.rpartition("/")
    taken = next((there for there in _listed(opened.root / folder) if fold_name(there) == fold_name(name)), None)
    return f"{folder}/{taken}".lstrip("/") if taken is not None else None


def refuse_occupied(opened: Opened, path: str, hint: str) -> None:
    """Refuse a path that is taken.

    Raises:
        RejectedError: something stands there.
    """
    taken = occupant(opened, path)
    if taken is not None:
        raise RejectedError(f"{taken} is there already", hint)


def _listed(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
