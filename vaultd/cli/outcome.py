"""What a verb gives the command line to print."""

from dataclasses import dataclass, field

Document = dict[str, object]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A document for `--json`, the same as text for people, and the exit code."""

    document: Document
    lines: tuple[str, ...] = ()
    code: int = 0
    talk: tuple[str, ...] = field(default=())
    """For stderr: notices, what to do next."""
