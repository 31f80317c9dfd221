"""Small things that authors know from Obsidian."""

import unicodedata

from vaultd.errors import UsageError
from vaultd.host.versions import API_VERSION


def normalize_path(path: str) -> str:
    """Return a path with `/` between its parts, none at its ends, and characters in their composed form."""
    parts = path.replace("\\", "/").replace("\u00a0", " ").replace("\u202f", " ").split("/")
    return unicodedata.normalize("NFC", "/".join(part for part in parts if part)) or "/"


def require_api_version(version: str) -> None:
    """Refuse to load on an older API than the plugin needs.

    Raises:
        UsageError: this one is older.
    """
    if _numbers(version) > _numbers(API_VERSION):
        raise UsageError(f"API {version} is needed, this is {API_VERSION}", "update vaultd")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
