"""What HEAD holds of the files that a command is about."""

from collections.abc import Iterable, Mapping

from vaultd.history.conversions import conversions
from vaultd.history.snapshots import REGULAR, Entry
from vaultd.history.trees import Trees
from vaultd.judging.opened import Opened
from vaultd.lifecycle.facts import Facts, facts_of
from vaultd.notes.note import parse


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
    found: dict[str, Facts] = {}
    asked: dict[str, str] = {}
    for path, entry in stored.items():
        data = known.get(path)
        if data is not None and opened.blob_id(data) == entry.oid:
            found[path] = facts_of(parse(data))
        else:
            asked[path] = entry.oid
    return found | {path: facts for (path, _), facts in opened.fold.blobs.facts(asked.items()).items()}


def is_recorded(opened: Opened, entry: Entry | None, path: str, data: bytes) -> bool:
    """Say whether bytes of the work tree are what a commit holds, in the form git gave them."""
    if entry is None:
        return False
    if entry.oid == opened.blob_id(data):
        return True
    match conversions(opened.recorded, [path])[path]:
        case "none":
            return False
        case "lines":
            return entry.oid == opened.blob_id(data.replace(b"\r\n", b"\n"))
        case "full":
            return opened.fold.blobs.data(path, entry.oid) == data
