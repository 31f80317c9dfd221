"""What HEAD holds of the files that a command is about."""

from collections.abc import Iterable, Mapping
from shlex import quote

from vaultd.errors import StorageError
from vaultd.history.conversions import Conversion, conversions
from vaultd.history.snapshots import REGULAR, Entry, set_aside
from vaultd.history.trees import Trees
from vaultd.judging.opened import Opened
from vaultd.lifecycle.facts import Facts


def entries_of(opened: Opened, head: str, paths: Iterable[str]) -> Mapping[str, Entry]:
    """Return what a commit holds at these paths; its other files are not listed."""
    repo = opened.recorded
    names = {repo.full(path): path for path in paths}
    items = Trees(repo, opened.objects).items(head, names)
    return {
        names[full]: Entry(names[full], item.oid, item.mode)
        for full, item in items.items()
        if item and item.mode in REGULAR
    }


def facts_of_entries(
    opened: Opened, stored: Mapping[str, Entry], known: Mapping[str, bytes | None]
) -> dict[str, Facts]:
    """Return what a commit's files say; those whose bytes are known to be the commit's are not asked for in git."""
    texts = {opened.blob_id(data): data for data in known.values() if data is not None}
    asked = {path: entry.oid for path, entry in stored.items()}
    return {path: facts for (path, _), facts in opened.fold.blobs.facts(asked.items(), at_hand=texts).items()}


def is_recorded(opened: Opened, entry: Entry | None, path: str, data: bytes) -> bool:
    """Say whether bytes of the work tree are what a commit holds, in the form git gave them."""
    return entry is not None and not unrecorded(opened, {path: entry}, {path: data})


def unrecorded(opened: Opened, stored: Mapping[str, Entry], texts: Mapping[str, bytes]) -> set[str]:
    """Return the paths whose bytes in the work tree are not what a commit holds, in the form git gave them."""
    unlike = {path for path, data in texts.items() if path not in stored or stored[path].oid != opened.blob_id(data)}
    found = conversions(opened.recorded, sorted(unlike & stored.keys()))
    return {
        path for path in unlike if path not in found or not _converts(opened, stored[path], texts[path], found[path])
    }


def refuse_set_aside(opened: Opened, edited: Iterable[str]) -> None:
    """Refuse to commit edits that git was told to overlook: whoever told it keeps them out of history.

    Raises:
        StorageError: with the command that has git look again.
    """
    for path, flags in set_aside(opened.recorded, edited).items():
        raise StorageError(
            f"{path} holds edits, and git was told to overlook them: {', '.join(flags)}",
            "; ".join(f"git update-index --no-{flag} {quote(path)}" for flag in flags) + " has git see them again",
        )


def _converts(opened: Opened, entry: Entry, data: bytes, how: Conversion) -> bool:
    match how:
        case "none":
            return False
        case "lines":
            return entry.oid == opened.blob_id(data.replace(b"\r\n", b"\n"))
        case "full":
            return opened.fold.blobs.data(entry.path, entry.oid) == data
