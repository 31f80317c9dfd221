"""Paths as people type them, and the files they stand for: one file, or all of a folder."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from vaultd.commands.occupied import occupant, refuse_file_above
from vaultd.errors import RejectedError, UsageError
from vaultd.judging.opened import Opened
from vaultd.notes.names import portable, unportable
from vaultd.notes.retargeting import linkable
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    """A file or folder and the path it gets, both relative to the vault."""

    old: str
    new: str
    folder: bool


def existing(opened: Opened, path: str) -> tuple[str, bool]:
    """Return the path of a file or folder, and whether it is a folder; `.md` may be left out.

    Raises:
        UsageError: nothing is there.
    """
    path = tidy(path)
    for found in (path, f"{path}.md"):
        place = opened.root / found
        if path and (place.is_dir() or place.is_file()):
            return found, place.is_dir()
    raise UsageError(f"{path or '/'} is no file or folder of the vault", "vaultd search finds notes by their words")


def tidy(path: str) -> str:
    """Return a path without empty parts; "" is the vault itself.

    Raises:
        UsageError: it leaves the vault.
    """
    parts = PurePosixPath(path.strip("/")).parts
    if ".." in parts:
        raise UsageError(f"{path} leads out of the vault", "write it as it is seen from the vault's own folder")
    return "/".join(parts)


def refuse_unfit(opened: Opened, path: str) -> None:
    """Refuse a path with a hidden part, or one that is made anew and that not every system, or no link, can hold.

    Raises:
        UsageError: with the nearest name that can.
    """
    for above in (PurePosixPath(path), *PurePosixPath(path).parents):
        if above.name.startswith("."):
            raise UsageError(f"{above.name!r} is hidden: no note and no link lives there", "leave the dot out")
        if not above.name or (opened.root / above).is_dir():
            continue
        wrong = unportable(above.name)
        if wrong is not None:
            raise UsageError(f"the name {above.name!r} does not travel: {wrong}", f"{portable(above.name)!r} would")
        if not linkable(above.name):
            raise UsageError(f"no link can hold the name {above.name!r}", "leave out [ ] # ^ | and %%")


def refuse_twins(opened: Opened, pair: Pair) -> None:
    """Refuse a folder that would be another one wherever case and Unicode form do not count.

    Raises:
        RejectedError: with the spelling that is there.
    """
    wanted = PurePosixPath(pair.new)
    for above in (wanted, *wanted.parents) if pair.folder else wanted.parents:
        path = above.as_posix()
        refuse_file_above(opened, path)
        if not above.name or (opened.root / path).exists():
            continue
        twin = occupant(opened, path)
        if twin is not None and twin != pair.old:
            raise RejectedError(f"{twin} is there already", f"write {twin!r}, or choose another name")


def expanded(opened: Opened, pairs: Sequence[Pair]) -> Mapping[str, str]:
    """Return every file that the pairs move, old path to new.

    Raises:
        UsageError: a folder would move into itself, holds nothing that moves, or a file is not the vault's to move.
    """
    found = opened.scan()
    files = sorted((*found.notes, *found.others))
    moves: dict[str, str] = {}
    asked: set[str] = set()
    for pair in pairs:
        if pair.old in asked:
            raise UsageError(f"{pair.old} stands twice", "one new name for each")
        asked.add(pair.old)
        if not pair.folder:
            if pair.old not in found.notes and pair.old not in found.others:
                raise UsageError(f"{pair.old} is hidden, ignored or a link: vaultd leaves it alone")
            moves[pair.old] = pair.new
            continue
        if pair.new.startswith(f"{pair.old}/"):
            raise UsageError(f"{pair.old} cannot move into itself")
        inside = [path for path in files if path.startswith(f"{pair.old}/")]
        if not inside:
            raise UsageError(f"{pair.old} holds no files that vaultd moves", "git does not keep empty folders either")
        moves |= {path: pair.new + path[len(pair.old) :] for path in inside}
    return {old: new for old, new in moves.items() if old != new}
