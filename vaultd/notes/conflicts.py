"""Conflict markers that git left in a note and somebody committed or saved."""

import re

from vaultd.errors import UsageError
from vaultd.notes.findings import Finding
from vaultd.values import dataclass

_MARKER = re.compile(rb"^(<{7}|\|{7}|={7}|>{7})(?=[ \r\n]|\Z)[^\n]*", re.MULTILINE)

_NAMED = 10
"""A message names this many hunks."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """One unresolved merge: first and last line, 1-based, and the bytes from the first marker to the last."""

    first: int
    last: int
    start: int
    end: int


def find_hunks(data: bytes) -> list[Hunk]:
    """Return every `<<<<<<<`, `=======`, `>>>>>>>` that stand in this order; one alone is text (a setext heading)."""
    # one sign is looked for first: many notes have none, and seven take ten times as long
    if b"<" not in data or b"<<<<<<<" not in data or b">>>>>>>" not in data:
        return []
    hunks: list[Hunk] = []
    begun: int | None = None
    divided = False
    for match in _MARKER.finditer(data):
        match match[1][:1]:
            case b"<":
                begun, divided = match.start(), False
            case b"=":
                divided = begun is not None
            case b">" if begun is not None and divided:
                hunks.append(_hunk(data, begun, match, hunks[-1] if hunks else None))
                begun, divided = None, False
            case _:
                pass
    return hunks


def refuse_markers(data: bytes) -> None:
    """Refuse a text that a command would write with an unresolved merge in it.

    Raises:
        UsageError: git's conflict markers stand in it.
    """
    if find_hunks(data):
        raise UsageError(
            "the text holds git's conflict markers (V210)", "resolve the merge; a marker that is text is indented"
        )


def of_hunks(hunks: list[Hunk]) -> Finding:
    """Return one finding that names the lines of the hunks."""
    lines = " and ".join(f"{hunk.first}-{hunk.last}" for hunk in hunks[:_NAMED])
    if len(hunks) > _NAMED:
        lines += f" and {len(hunks) - _NAMED} more"
    return Finding("V210", hunks[0].first, f"unresolved merge at lines {lines}", "choose a side and delete the markers")


def _hunk(data: bytes, begun: int, last: re.Match[bytes], before: Hunk | None) -> Hunk:
    # counting on from the hunk before keeps a file full of them linear
    counted, line = (before.end, before.last) if before else (0, 1)
    first = line + data.count(b"\n", counted, begun)
    return Hunk(first, first + data.count(b"\n", begun, last.start()), begun, last.end())
