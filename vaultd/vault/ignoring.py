"""Which notes the user asked to leave alone: `.vaultdignore` and Obsidian's excluded files."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vaultd.settings import Folders
from vaultd.values import dataclass, replace

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class Ignore:
    """What to leave alone; `Ignore()` leaves nothing alone."""

    spec: "GitIgnoreSpec | None" = None
    prefixes: tuple[str, ...] = ()
    """Obsidian's plain filters: where a path starts."""
    expressions: tuple[re.Pattern[str], ...] = ()
    """Obsidian's filters between slashes."""
    spared: tuple[str, ...] = ()
    """Folders that Obsidian's filters do not touch: hiding memories from its search must not end them here."""
    unreadable: tuple[str, ...] = ()
    """Lines that are no pattern and were skipped."""

    def note(self, path: str) -> bool:
        """Tell whether a note at this vault-relative path is left alone."""
        return self._matches(path)

    def folder(self, path: str) -> bool:
        """Tell whether a folder is left alone with everything below it."""
        return self._matches(path + "/")

    def sparing(self, folders: Folders) -> "Ignore":
        """Return the same, with the managed folders out of reach of Obsidian's filters."""
        return replace(self, spared=folders.managed())

    def __bool__(self) -> bool:
        return self.spec is not None or bool(self.prefixes) or bool(self.expressions)

    def _matches(self, path: str) -> bool:
        if self.spec is not None and self.spec.match_file(path):
            return True
        if any(path.startswith(folder + "/") or folder.startswith(path) for folder in self.spared):
            return False
        return path.startswith(self.prefixes) or any(pattern.search(path) for pattern in self.expressions)


def parse_ignore(lines: Sequence[str], filters: Sequence[str]) -> Ignore:
    """Return what the lines of a `.vaultdignore` and Obsidian's `userIgnoreFilters` leave alone."""
    unreadable: list[str] = []
    expressions: list[re.Pattern[str]] = []
    prefixes: list[str] = []
    for entry in filters:
        if len(entry) > 2 and entry.startswith("/") and entry.endswith("/"):
            try:
                expressions.append(re.compile(entry[1:-1]))
            except re.error:
                unreadable.append(entry)
        elif entry.strip("/"):
            prefixes.append(entry.removeprefix("/"))
    return Ignore(
        _spec(lines, unreadable) if lines else None, tuple(prefixes), tuple(expressions), (), tuple(unreadable)
    )


def load_ignore(root: Path) -> Ignore:
    """Return what this vault's own files leave alone; files that are missing or broken leave nothing alone."""
    try:
        lines = (root / ".vaultdignore").read_bytes().decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        lines = []
    return parse_ignore(lines, _obsidian_filters(root))


def _obsidian_filters(root: Path) -> list[str]:
    try:
        said: object = json.loads((root / ".obsidian" / "app.json").read_bytes())
    except (OSError, ValueError):
        return []
    filters = said.get("userIgnoreFilters") if isinstance(said, dict) else None
    return [entry for entry in filters if isinstance(entry, str)] if isinstance(filters, list) else []


def _spec(lines: Sequence[str], unreadable: list[str]) -> "GitIgnoreSpec | None":
    from pathspec import GitIgnoreSpec  # noqa: PLC0415  -- it takes as long to import as a small vault to read

    kept: list[str] = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            unreadable.append(line)
        else:
            kept.append(line)
    spec = GitIgnoreSpec.from_lines(kept)
    return spec if any(pattern.include is not None for pattern in spec.patterns) else None
