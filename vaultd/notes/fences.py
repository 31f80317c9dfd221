"""Where the YAML block of a note is: Obsidian's two recognisers, which disagree."""

import re

from vaultd.values import dataclass

BOM = b"\xef\xbb\xbf"
_SHOWN_OPENER = re.compile(rb"---[ \t]*(?:\r\n|\n|\r)")
_EXACT_OPENER = re.compile(rb"---\r?\n")
_EXACT = frozenset((b"---\n", b"---\r\n"))
_LF = 0x0A
_EXACT_CLOSER = re.compile(rb"---(?:\r?\n|\Z)")
_LONE_CR = re.compile(rb"\r(?!\n)")


@dataclass(frozen=True, slots=True)
class Block:
    """The YAML text is `data[start:end]` (its last line break with it); the body is `data[body:]`."""

    start: int
    end: int
    body: int
    newline: str
    """The ending of the first line of YAML, for lines that are added."""
    writable: bool
    """Whether Obsidian's editing recogniser sees the same block; where not, a write could prepend a second one."""


def find_block(data: bytes) -> Block | None:
    """Return the block Obsidian shows and indexes.

    One BOM is looked past. The block closes at the first later line that starts with `---`, and the rest of that line
    is body. Fences with nothing between them are two rules, not a block; `empty_fences` finds those.
    """
    offset = 3 if data.startswith(BOM) else 0
    opener = _SHOWN_OPENER.match(data, offset)
    if opener is None:
        return None
    start = opener.end()
    line_break = _find_closer(data, start)
    if line_break < start:
        return None
    end = line_break + 1
    closer = _EXACT_CLOSER.match(data, end)
    body = closer.end() if closer else _past_line_break(data, end + 3)
    exact = closer is not None and opener[0] in _EXACT and data[line_break] == _LF
    if data.find(b"\r", start, end) < 0:
        return Block(start, end, body, "\n", exact)
    return Block(start, end, body, _newline(data, start, end), exact and not _LONE_CR.search(data, start, end))


def api_block(data: bytes) -> tuple[int, int, int] | None:
    """Return (start, end, body) of the block Obsidian's plugins edit: both fences exactly `---`, no BOM, no lone CR."""
    opener = _EXACT_OPENER.match(data)
    if opener is None:
        return None
    at = opener.end() - 1
    while (at := data.find(b"\n---", at)) >= 0:
        closer = _EXACT_CLOSER.match(data, at + 1)
        if closer:
            return opener.end(), at + 1, closer.end()
        at += 1
    return None


def empty_fences(data: bytes) -> Block | None:
    """Return the place between two exact fences with nothing between them: no block to read, but where a write goes."""
    offset = 3 if data.startswith(BOM) else 0
    opener = _EXACT_OPENER.match(data, offset)
    closer = _EXACT_CLOSER.match(data, opener.end()) if opener else None
    if opener is None or closer is None:
        return None
    newline = "\r\n" if data[opener.end() - 2] == 0x0D else "\n"
    return Block(opener.end(), opener.end(), closer.end(), newline, writable=True)


def is_opened(data: bytes) -> bool:
    """Say whether the first line is an opening fence, closed or not."""
    return _SHOWN_OPENER.match(data, 3 if data.startswith(BOM) else 0) is not None


def _find_closer(data: bytes, start: int) -> int:
    """Return the offset of the line break before the closing fence, `start - 1` for empty fences, -1 for none."""
    found = data.find(b"\n---", start - 1)
    stop = len(data) if found < 0 else found
    lone_cr = data.find(b"\r---", start - 1, stop)
    return found if lone_cr < 0 else lone_cr


def _past_line_break(data: bytes, offset: int) -> int:
    """Return the offset behind a line break that stands exactly at `offset`, or `offset`."""
    match data[offset : offset + 2]:
        case b"\r\n":
            return offset + 2
        case pair if pair[:1] in (b"\n", b"\r"):
            return offset + 1
        case _:
            return offset


def _newline(data: bytes, start: int, end: int) -> str:
    at = data.find(b"\n", start, end)
    if at < 0:
        return "\r"
    return "\r\n" if at > 0 and data[at - 1] == 0x0D else "\n"
