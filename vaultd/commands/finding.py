"""Which note a person means: a path, an id or its unique beginning, `project/name`, a link text."""

from pathlib import PurePosixPath
from shlex import quote

from vaultd.commands.asking import Done
from vaultd.commands.references import PREFIX, accepted_ground
from vaultd.errors import RejectedError, UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import digest
from vaultd.lifecycle.places import fold_name, place_of
from vaultd.notes.note import parse
from vaultd.values import dataclass
from vaultd.vault.reading import contained, read_stable


@dataclass(frozen=True, slots=True)
class FoundNote:
    """A note that was asked for, with its bytes as they are now; `id` is a memory's or work note's, else empty."""

    path: str
    data: bytes
    id: str
    label: str
    """What a commit's subject calls it."""

    def unchanged(self) -> Done:
        """Return what a command did that found everything so already."""
        return Done(None, self.id, self.path, digest(self.data))


def find_note(opened: Opened, ref: str) -> FoundNote:
    """Return the note that a reference names.

    Raises:
        UsageError: none is meant, or several are.
    """
    opened.require_started()
    path = _path_meant(opened, ref.strip())
    refuse_hidden(path)
    try:
        data = read_stable(opened.root, path).data
    except FileNotFoundError as exc:
        raise UsageError(f"{path} is not there", "vaultd search finds notes by their words") from exc
    return FoundNote(path, data, _id_of(opened, path, data), _label(opened, path))


def find_no_memory(opened: Opened, ref: str, instead: str) -> FoundNote:
    """Return the note that a reference names, which must not be a memory; `instead` is the verb for those.

    Raises:
        UsageError: none is meant, or several are.
        RejectedError: it is a memory.
    """
    found = find_note(opened, ref)
    if found.id and place_of(found.path, opened.settings.folders.memory) is not None:
        raise RejectedError(f"{found.path} is a memory", f"vaultd memory {instead} {quote(found.path)}")
    return found


def refuse_hidden(path: str) -> None:
    """Refuse what is no note's path.

    Raises:
        UsageError: it has another ending, leaves the vault, or a part of it is hidden.
    """
    if not path.endswith(".md"):
        raise UsageError(f"{path} is no note", "notes are files that end in .md")
    if ".." in path.split("/"):
        raise UsageError(f"{path} leads out of the vault", "write it as it is seen from the vault's own folder")
    if any(part.startswith(".") for part in path.split("/")):
        raise UsageError(f"{path} is hidden", "hidden files and folders hold no notes")


def _path_meant(opened: Opened, ref: str) -> str:
    if not ref:
        raise UsageError("an empty reference names nothing", "a path, an id, project/name or a name is needed")
    if ref.endswith(".md"):
        path = str(PurePosixPath(ref))
        if "/" in path or contained(opened.root, path).exists():
            return path
    target = ref.removeprefix("[[").removesuffix("]]").partition("|")[0].partition("#")[0].removesuffix(".md").strip()
    meant = _by_id(opened, ref) or _by_name(opened, fold_name(target))
    if not meant:
        raise UsageError(f"no note is {ref!r}", "vaultd search finds notes by their words")
    if len(meant) > 1:
        raise UsageError(f"{ref!r} means several notes: {', '.join(sorted(meant))}", "name one of these paths")
    return meant.pop()


def _by_id(opened: Opened, ref: str) -> set[str]:
    wanted = ref.upper()
    if len(wanted) < PREFIX or not wanted.isalnum():
        return set()
    ground = accepted_ground(opened)
    found = {standing.path for id_, standing in ground.standings.items() if id_.upper().startswith(wanted)}
    folder = opened.root / opened.settings.folders.notes
    for file in folder.rglob("*.md"):
        path = file.relative_to(opened.root).as_posix()
        data = opened.read(path)
        if data is not None and wanted.encode() in data.upper() and _text_id(data).upper().startswith(wanted):
            found.add(path)
    return found


def _by_name(opened: Opened, target: str) -> set[str]:
    paths = [(path, fold_name(path.removesuffix(".md"))) for path in opened.scan().notes]
    exact = {path for path, name in paths if name == target}
    return exact or {path for path, name in paths if target and name.endswith("/" + target)}


def _text_id(data: bytes) -> str:
    id_ = parse(data).properties.get("id")
    return id_ if isinstance(id_, str) else ""


def _id_of(opened: Opened, path: str, data: bytes) -> str:
    """Return the id of a memory or work note; a plain note's own `id`, if it has one, is the person's affair."""
    folders = opened.settings.folders
    if place_of(path, folders.memory) is not None:
        return _text_id(data) or accepted_ground(opened).at.get(path, "")
    return _text_id(data) if path.startswith(folders.notes + "/") else ""


def _label(opened: Opened, path: str) -> str:
    folders = opened.settings.folders
    place = place_of(path, folders.memory)
    return place.label if place is not None else path.removesuffix(".md").removeprefix(folders.notes + "/")
