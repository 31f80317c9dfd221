"""What HEAD holds of the files that a command is about."""

from collections.abc import Iterable, Mapping

from vaultd.history.conversions import conversions
from vaultd.history.snapshots import Entry, entries_at
from vaultd.judging.opened import Opened
from vaultd.lifecycle.places import place_of


def entries_of(opened: Opened, head: str, paths: Iterable[str]) -> Mapping[str, Entry]:
    """Return what a commit holds at these paths."""
    asked = set(paths)
    memories = {path for path in asked if place_of(path, opened.settings.folders.memory) is not None}
    stored = opened.presence.stored(head) if memories else {}
    found = {path: stored[path] for path in memories if path in stored}
    return found | entries_at(opened.recorded, head, sorted(asked - memories))


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
