"""A record, or what claims to be one, and where it stands."""

from vaultd.lifecycle.records.envelope import Misread
from vaultd.lifecycle.records.values import Record
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Located:
    """A record and where it stands; a record of its own file stands on line 1."""

    path: str
    line: int
    record: Record
    blob: str = ""
    """The blob of its file, where it is known; empty for a line among others."""
    rejected: str = ""
    """The rule that its file breaks on disk: then what decides about it is what it first said."""

    @property
    def gone(self) -> bool:
        """Return whether it stands there no more, and git alone knows it."""
        return self.line == 0


@dataclass(frozen=True, slots=True)
class Unread:
    """What claims to be a record, or lies where only records lie, and cannot be read as one."""

    path: str
    line: int
    misread: Misread
