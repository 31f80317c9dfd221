"""What is wrong with the text of one note, as values; lifecycle turns them into violations."""

from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A V2xx rule broken by a note's own bytes; `line` and `column` are 1-based positions in the file."""

    code: str
    line: int
    message: str
    hint: str = ""
    column: int = 1
    subject: str = ""
