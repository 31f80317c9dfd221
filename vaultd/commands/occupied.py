"""Is a path free, in whatever case or Unicode form the disk spells what stands there?

A sparse checkout takes files out of the folder that are there all the same: what is written over them is lost to the next commit.
"""

from functools import lru_cache
from pathlib import Path, PurePosixPath

from vaultd.errors import RejectedError
from vaultd.history.index_lock import stamp_of
from vaultd.history.repository import Repository
from vaultd.history.snapshots import sparse
from vaultd.judging.opened import Opened
from vaultd.lifecycle.places import fold_name


def occupant(opened: Opened, path: str) -> str | None:
    """Return the path that takes a path's place on some system, None where it is free."""
    folder, _, name = path.rpartition("/")
    taken = next((there for there in _listed(opened.root / folder) if fold_name(there) == fold_name(name)), None)
    if taken is not None:
        return f"{folder}/{taken}".lstrip("/")
    wanted = fold_name(path)
    return next((hidden for hidden in out_of_sight(opened) if fold_name(hidden) == wanted), None)


def out_of_sight(opened: Opened) -> frozenset[str]:
    """Return the files that a sparse checkout leaves out of the folder."""
    repo = opened.repo
    if repo is None or not (repo.git_dir / "info" / "sparse-checkout").exists():
        return frozenset()
    return _sparse(repo, stamp_of(repo.git_dir / "index"))


@lru_cache(4)  # asked for each of a thousand files that move, and a large index takes long to read
def _sparse(repo: Repository, index: str) -> frozenset[str]:
    del index
    return frozenset(sparse(repo))


def refuse_occupied(opened: Opened, path: str, hint: str) -> None:
    """Refuse a path that is taken.

    Raises:
        RejectedError: something stands there.
    """
    taken = occupant(opened, path)
    if taken is not None:
        raise RejectedError(f"{taken} is there already", hint)


def refuse_twin_folders(opened: Opened, path: str) -> None:
    """Refuse a path in a folder that would be another one wherever case and Unicode form do not count.

    Raises:
        RejectedError: with the spelling that is there.
    """
    for above in PurePosixPath(path).parents:
        folder = above.as_posix()
        refuse_file_above(opened, folder)
        if not above.name or (opened.root / folder).exists():
            continue
        twin = occupant(opened, folder)
        if twin is not None:
            raise RejectedError(
                f"{twin} is there already: {folder} would be the same on some systems",
                f"write {twin.rpartition('/')[2]!r}, or choose another name",
            )


def refuse_file_above(opened: Opened, folder: str) -> None:
    """Refuse a path below what is a file.

    Raises:
        RejectedError: with the file.
    """
    if (opened.root / folder).is_file():
        raise RejectedError(f"{folder} is a file: nothing can lie in it", "choose another folder")


def _listed(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
