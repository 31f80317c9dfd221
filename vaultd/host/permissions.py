"""What a plugin may ask the host for; held at the protocol, and nowhere else."""

import re
from collections.abc import Iterable

from vaultd.errors import UsageError
from vaultd.values import dataclass

_PLAIN = ("vault:read", "lifecycle", "git", "network", "exec")
_WRITE = "vault:write:"
_ENVIRONMENT = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
MEANINGS = {
    "vault:read": "read every note of the vault",
    "lifecycle": "supersede and archive memories",
    "git": "read the ledger of the vault",
    "network": "says that it uses the network; vaultd cannot hold it to that",
    "exec": "says that it starts programs; vaultd cannot hold it to that",
}


@dataclass(frozen=True, slots=True)
class Permissions:
    """What one plugin may ask for."""

    plain: frozenset[str]
    writes: tuple[str, ...]
    """Globs of the paths that it may write."""

    def may(self, name: str) -> bool:
        """Say whether a permission without a path was given."""
        return name in self.plain

    def may_write(self, path: str) -> bool:
        """Say whether a path may be written."""
        return any(_matches(glob, path) for glob in self.writes)


def permissions_of(texts: Iterable[str]) -> Permissions:
    """Return the permissions that a manifest lists."""
    parsed = [parse_permission(text) for text in texts]
    return Permissions(frozenset(name for name, glob in parsed if not glob), tuple(glob for _, glob in parsed if glob))


def parse_permission(text: str) -> tuple[str, str]:
    """Return a permission's name, and the glob of a permission to write.

    Raises:
        UsageError: there is no such permission.
    """
    if text in _PLAIN or _ENVIRONMENT.fullmatch(text):
        return text, ""
    glob = text.removeprefix(_WRITE)
    inside = glob and ".." not in glob.split("/") and not glob.startswith("/")
    if text.startswith(_WRITE) and inside and text.isprintable():
        return "vault:write", glob
    raise UsageError(f"there is no permission {text!r}", "one of " + ", ".join((*_PLAIN, _WRITE + "GLOB", "env:NAME")))


def meaning(text: str) -> str:
    """Return what a permission allows, in words for the person who approves it."""
    name, glob = parse_permission(text)
    if found := _ENVIRONMENT.fullmatch(name):
        return f"read {found[1]} of vaultd's environment, for a setting that names it"
    return f"write the notes {glob}" if glob else MEANINGS[name]


def _matches(glob: str, path: str) -> bool:
    """Match a path: `*` and `?` stay inside a folder, `**` does not; `folder/` is all below it."""
    if glob.endswith("/"):
        glob += "**"
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pattern = "".join(signs.get(part) or re.escape(part) for part in parts)
    return re.fullmatch(pattern, path, re.DOTALL) is not None
