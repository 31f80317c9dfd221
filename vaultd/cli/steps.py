"""What a demo is made of: commands that are typed, lines that are changed by hand, files that are written."""

from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Typed:
    """A command."""

    did: str
    path: str
    words: tuple[str, ...]
    code: int = 0
    """With what it ends."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A line changed by hand."""

    did: str
    path: str
    old: str
    """How the line starts."""
    new: str
    """The whole new line; `{now}` is a minute ago."""


@dataclass(frozen=True, slots=True)
class Written:
    """A file written by hand."""

    did: str
    path: str
    text: str


Step = Typed | Edited | Written
