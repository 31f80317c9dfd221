"""What a validator is given and what it finds."""

from typing import TYPE_CHECKING, Literal

from vaultd.host.api.files import TFile
from vaultd.values import dataclass

if TYPE_CHECKING:
    from vaultd.host.api.metadata import CachedMetadata

Level = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a note; the same problem where rule and subject agree."""

    message: str
    level: Level = "warning"
    line: int = 1
    column: int = 1
    subject: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A note as it would be: in a check, as it is; in a commit that is being made, as it is staged."""

    file: TFile
    data: str
    cache: "CachedMetadata"

    def problem(
        self,
        message: str,
        *,
        key: str = "",
        line: int = 0,
        column: int = 1,
        level: Level = "warning",
        subject: str = "",
        hint: str = "",
    ) -> Problem:
        """Return a problem of this note; with `key` it stands at that property."""
        where = line or (self.cache.line_of(key) if key else 1)
        return Problem(message, level, where, column, subject or key, hint)
