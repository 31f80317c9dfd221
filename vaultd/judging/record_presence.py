"""Whether a vault holds records at all: most hold none, and pay nothing for them."""

import os
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # asked before every commit, so nothing is imported for it
    from vaultd.judging.opened import Opened

CATALOG = ".vaultd/catalog"
"""Where a vault declares its collections."""


def keeps_records(opened: "Opened") -> bool:
    """Return whether a vault has records, drafts or a catalog."""
    folders = opened.settings.folders
    return any((opened.root / top).is_dir() for top in (folders.records, folders.review, CATALOG))


def outside_index(opened: "Opened") -> str:
    """Return a digest of what records hang on and no index knows: lines of events, the catalog and its lock."""
    lock = opened.root / f"{CATALOG}.lock"
    found = [(f"{CATALOG}.lock", _stamp(lock))] if lock.is_file() else []
    for top, endings in ((opened.settings.folders.records, ".jsonl"), (CATALOG, (".yaml", ".yml"))):
        for folder, _, names in os.walk(opened.root / top):
            found += [(name, _stamp(f"{folder}/{name}")) for name in names if name.endswith(endings)]
    return sha256(repr(sorted(found)).encode("utf-8", "surrogatepass")).hexdigest()


def _stamp(file: "str | os.PathLike[str]") -> tuple[int, int, int, int]:
    status = os.stat(file)  # noqa: PTH116  -- one of very many
    return (status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns)
