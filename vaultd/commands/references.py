"""Which memory a person means: a path, an id or its unique beginning, `project/name`, a link text."""

from collections.abc import Iterable
from pathlib import PurePosixPath
from shlex import quote

from vaultd.commands.asking import Done
from vaultd.errors import ConflictError, UsageError
from vaultd.history.repository import head_quick
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import digest
from vaultd.lifecycle.facts import Facts, facts_of
from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.places import GLOBAL, Place, fold_name, place_of
from vaultd.lifecycle.states import Standing
from vaultd.notes.note import parse
from vaultd.values import dataclass
from vaultd.vault.reading import contained, read_stable

PREFIX = 8
"""The shortest beginning of an id that may stand for it."""


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that was asked for: its file as it is now, and its accepted standing, None before its first commit."""

    id: str
    path: str
    place: Place
    data: bytes
    facts: Facts
    standing: Standing | None

    def unchanged(self) -> Done:
        """Return what a command did that found everything so already."""
        return Done(None, self.id, self.path, digest(self.data))


def find_memory(opened: Opened, ref: str) -> Found:
    """Return the memory that a reference names, where a person moved it to.

    Raises:
        UsageError: none is meant, or several are.
        ConflictError: its file is gone, and that is not committed.
    """
    ground = accepted_ground(opened)
    folder = opened.settings.folders.memory
    path = followed(opened, ground, path_meant(opened, ground, ref))
    place = place_of(path, folder)
    if place is None:
        raise UsageError(f"{path} is no memory", f"memories lie in {folder}/PROJECT/NAME.md")
    try:
        data = read_stable(opened.root, path).data
    except FileNotFoundError as exc:
        raise ConflictError(f"{path} is not there", f"vaultd revert {quote(path)} brings it back") from exc
    facts = facts_of(parse(data))
    id_ = facts.id or ground.at.get(path)
    if id_ is None:
        raise UsageError(f"{path} has no id: it is a plain note", f"vaultd adopt {quote(path)} makes it a memory")
    return Found(id_, path, place, data, facts, ground.standings.get(id_))


def accepted_ground(opened: Opened) -> Ground:
    """Return what is accepted at HEAD."""
    head = head_quick(opened.require_started())
    return opened.fold.at(head).ground if head is not None else Ground(opened.settings.folders.memory)


def followed(opened: Opened, ground: Ground, path: str) -> str:
    """Return where a memory is that was moved by hand and stands in HEAD at its old path; any other path as it is."""
    id_ = ground.at.get(path)
    if id_ is None or contained(opened.root, path).exists():
        return path
    moved = [new for new in _uncommitted(opened, ground) if facts_of(parse(opened.read(new) or b"")).id == id_]
    return moved[0] if len(moved) == 1 else path


def path_meant(opened: Opened, ground: Ground, ref: str) -> str:
    """Return the path that a reference names; the file need not be there.

    Raises:
        UsageError: none is meant, or several are; the message lists them.
    """
    ref = ref.strip()
    if not ref:
        raise UsageError("an empty reference names nothing", "a path, an id, project/name or a name is needed")
    if (path := _as_path(opened, ref)) is not None:
        return path
    if ref in ground.standings:
        return ground.standings[ref].path
    target = ref.removeprefix("[[").removesuffix("]]").partition("|")[0].partition("#")[0].removesuffix(".md").strip()
    meant = _by_prefix(ground, ref) or _by_name(opened, ground, target)
    if not meant:
        raise UsageError(f"no memory or note is {ref!r}", "vaultd search finds them by their words")
    if len(meant) > 1:  # of a memory that was moved by hand, HEAD knows the old path
        meant = {path for path in meant if contained(opened.root, path).exists()} or meant
    if len(meant) > 1:
        raise UsageError(f"{ref!r} means several memories: {', '.join(sorted(meant))}", "name one of these paths")
    return meant.pop()


def _as_path(opened: Opened, ref: str) -> str | None:
    if not ref.endswith(".md"):
        return None
    path = str(PurePosixPath(ref))
    if path.startswith("/"):
        try:
            path = PurePosixPath(ref).relative_to(str(opened.root)).as_posix()
        except ValueError:
            return None
    return path if contained(opened.root, path).exists() or "/" in path else None


def _by_prefix(ground: Ground, ref: str) -> set[str]:
    if len(ref) < PREFIX:
        return set()
    return {standing.path for id_, standing in ground.standings.items() if id_.startswith(ref.upper())}


def _by_name(opened: Opened, ground: Ground, target: str) -> set[str]:
    project, slash, name = target.rpartition("/")
    folder = opened.settings.folders.memory
    project = project.removeprefix(folder).strip("/")
    wanted = fold_name(name)
    return {
        path
        for path in _memory_paths(opened, ground)
        if (place := place_of(path, folder)) is not None
        and fold_name(place.name) == wanted
        and (not slash or fold_name(place.project or GLOBAL) == fold_name(project or GLOBAL))
    }


def _memory_paths(opened: Opened, ground: Ground) -> Iterable[str]:
    yield from ground.at
    yield from _uncommitted(opened, ground)


def _uncommitted(opened: Opened, ground: Ground) -> Iterable[str]:
    """Give the files in memory folders where nothing stands at HEAD."""
    folder = opened.root / opened.settings.folders.memory
    for file in folder.glob("*/*.md"):
        path = file.relative_to(opened.root).as_posix()
        if path not in ground.at:
            yield path
