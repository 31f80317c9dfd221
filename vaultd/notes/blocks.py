"""Block ids: the ` ^name` at the end of a paragraph or list item, or alone below what it names."""

import re
from collections.abc import Iterator

from vaultd.notes.lines import Lines
from vaultd.notes.masking import MASK
from vaultd.values import dataclass

_ID = re.compile(r"\^([A-Za-z0-9-]+)[ \t]*(?=\n|\Z)")
_ITEM = re.compile(r"[ \t]*(?:>[ \t]*)*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_BOUNDARY = re.compile(rf" {{0,3}}#{{1,6}}(?:[ \t]|$)|[ \t>]*$|{MASK}")


@dataclass(frozen=True, slots=True)
class Block:
    """A named block: its id as written, and the lines it covers, the id's own line included."""

    id: str
    line: int
    last_line: int


def blocks(text: str, lines: Lines) -> Iterator[Block]:
    """Yield the named blocks of a masked body; an id in the middle of a paragraph names nothing.

    Blanks behind an id do not count.
    """
    for match in _ID.finditer(text):
        start = match.start()
        index = lines.index(start)
        before = text[lines.starts[index] : start]
        if before and before[-1] not in " \t":
            continue
        if not before.strip(" \t>"):
            yield Block(match[1], lines.number(_above(lines, index)), lines.number(index))
        elif index + 1 == len(lines.starts) or _ends(lines.line(index + 1)):
            yield Block(match[1], lines.number(_first(lines, index)), lines.number(index))


def _ends(following: str) -> bool:
    return _BOUNDARY.match(following) is not None or _ITEM.match(following) is not None


def _first(lines: Lines, index: int) -> int:
    """Return the first line of the paragraph or list item that a line belongs to."""
    while not _ITEM.match(lines.line(index)):
        if index == 0 or _BOUNDARY.match(lines.line(index - 1)):
            break
        index -= 1
    return index


def _above(lines: Lines, index: int) -> int:
    """Return the first line of what stands right above an id that has a line of its own, blank lines between."""
    last = index - 1
    while last >= 0 and not lines.line(last).strip(" \t"):
        last -= 1
    if last < 0:
        return index
    while last > 0 and lines.line(last - 1).strip(" \t"):
        last -= 1
    return last
