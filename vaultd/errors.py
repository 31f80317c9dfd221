"""Every exception of the product on one page.

VaultdError                 message · hint · exit_code
├── UsageError         2    the request makes no sense here
├── RejectedError      3    it would break a rule; nothing changed (carries the violations)
├── ConflictError      4    the vault moved on since it was read; safe to retry
├── NoteFormatError    5    a file cannot be read as what it claims to be: path:line
├── StorageError       6    the disk or git refused
├── BrokenIndexError   7    derived data unusable; the hint is the rebuild command
└── PluginError        8    names the plugin and the call
"""

import errno
from collections.abc import Sequence


class VaultdError(Exception):
    """Say what happened and what to do next; `exit_code` is what the command line returns."""

    exit_code = 70

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(VaultdError):
    """The request makes no sense here."""

    exit_code = 2


class RejectedError(VaultdError):
    """It would break a rule, and nothing changed; `violations` are `lifecycle.violations.Violation` values."""

    exit_code = 3

    def __init__(self, message: str, hint: str = "", violations: Sequence[object] = ()) -> None:
        super().__init__(message, hint)
        self.violations = tuple(violations)


class ConflictError(VaultdError):
    """The vault moved on since it was read; the same request may work when tried again."""

    exit_code = 4


class NoteFormatError(VaultdError):
    """A file cannot be read, or cannot be edited, as what it claims to be; `line` is 1-based, 0 where none applies."""

    exit_code = 5

    def __init__(self, reason: str, hint: str = "", *, path: str = "", line: int = 0) -> None:
        place = f"{path}:{line}: " if path and line else f"{path}: " if path else f"line {line}: " if line else ""
        super().__init__(place + reason, hint)
        self.reason = reason
        self.path = path
        self.line = line

    def at(self, path: str) -> "NoteFormatError":
        """Return the same error naming the file it is about."""
        return NoteFormatError(self.reason, self.hint, path=path, line=self.line)


class StorageError(VaultdError):
    """The disk or git refused."""

    exit_code = 6


class BrokenIndexError(VaultdError):
    """Derived data cannot be used."""

    exit_code = 7

    def __init__(self, message: str, hint: str = "vaultd rebuild") -> None:
        super().__init__(message, hint)


class PluginError(VaultdError):
    """A plugin failed; the message names the plugin and the call."""

    exit_code = 8


def mend_of(exc: OSError, otherwise: str = "check its permissions") -> str:
    """Return the hint for what the system refused: a full disk wants space, whatever else is the matter."""
    return "free some space, then run it again" if exc.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG} else otherwise
