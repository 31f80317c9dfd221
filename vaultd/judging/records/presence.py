"""Whether a vault holds records at all: most hold none, and pay nothing for them."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # asked before every commit, so nothing is imported for it
    from collections.abc import Iterable

    from vaultd.judging.opened import Opened

CATALOG = ".vaultd/catalog"
"""Where a vault declares its collections."""


def keeps_records(opened: "Opened") -> bool:
    """Return whether a vault has records, drafts or a catalog."""
    folders = opened.settings.folders
    return any((opened.root / top).is_dir() for top in (folders.records, folders.review, CATALOG))


def outside_index(opened: "Opened", others: "Iterable[str]") -> str:
    """Return a digest of what records hang on and no index knows: lines of events, the catalog and its lock.

    Args:
        opened: the vault.
        others: the files that lie in it and are no notes.
    """
    from hashlib import sha256  # noqa: PLC0415 -- slow to load

    lock = opened.root / f"{CATALOG}.lock"
    found = [(f"{CATALOG}.lock", _stamp(lock))] if lock.is_file() else []
    top = opened.settings.folders.records + "/"
    lines = (path for path in others if path.endswith(".jsonl") and path.startswith(top))
    found += [(path, _stamp(opened.root / path)) for path in lines]
    for folder, _, names in os.walk(opened.root / CATALOG):
        found += [(name, _stamp(f"{folder}/{name}")) for name in names if name.endswith((".yaml", ".yml"))]
    return sha256(repr(sorted(found)).encode("utf-8", "surrogatepass")).hexdigest()


def _stamp(file: "str | os.PathLike[str]") -> tuple[int, int, int, int]:
    try:
        status = os.stat(file)  # noqa: PTH116  -- one of very many
    except FileNotFoundError:
        return (0, 0, 0, 0)  # it left while we looked
    return (status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns)
