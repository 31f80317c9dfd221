"""One place where a rule is broken, as a value."""

from typing import Literal

from vaultd.values import dataclass

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken rule: the same violation when code, path and subject agree, whatever its message says."""

    code: str
    severity: Severity
    path: str
    line: int
    """1-based; 1 where the whole file is meant."""
    message: str
    hint: str = ""
    """The command or edit that mends it."""
    column: int = 1
    subject: str = ""
    """What the rule is about when a file can break it twice: an id, a key, a name."""

    @property
    def identity(self) -> tuple[str, str, str]:
        """Return what makes two violations the same one."""
        return (self.code, self.path, self.subject)
