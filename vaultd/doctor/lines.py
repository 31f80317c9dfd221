"""What an examination finds, as values."""

from typing import Literal

from vaultd.values import dataclass

Level = Literal["ok", "info", "warn", "fail"]
LEVELS: tuple[Level, ...] = ("ok", "info", "warn", "fail")


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was looked at, and how it is; only `fail` keeps vaultd from doing its work."""

    check: str
    level: Level
    says: str
    fix: str = ""
    """The command or the deed that mends it."""


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def first_of(paths: list[str]) -> str:
    """Return the first of some paths, and how many more there are."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1:,} more"
