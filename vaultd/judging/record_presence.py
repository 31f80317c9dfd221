"""Whether a vault holds records at all: most hold none, and pay nothing for them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # asked before every commit, so nothing is imported for it
    from vaultd.judging.opened import Opened

CATALOG = ".vaultd/catalog"
"""Where a vault declares its collections."""


def keeps_records(opened: "Opened") -> bool:
    """Return whether a vault has records, drafts or a catalog."""
    folders = opened.settings.folders
    return any((opened.root / top).is_dir() for top in (folders.records, folders.review, CATALOG))
