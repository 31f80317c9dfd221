r"""Edits of a note's body: the bytes that an edit is about change, all others stay.

A text comes in with `\n` between its lines and goes out in the line ends that the note has where it is put.
"""

import difflib
import re
from collections.abc import Sequence

from vaultd.errors import ConflictError, NoteFormatError, UsageError
from vaultd.notes.conflicts import refuse_markers
from vaultd.notes.fences import BOM, Block, empty_fences
from vaultd.notes.note import Note, parse
from vaultd.notes.scalars import same
from vaultd.values import dataclass

_LINE_END = re.compile(rb"\r\n|\n|\r")
_ANY_LINE_END = rb"(?:\r\n|\n|\r)"
_BLANK_LINES = re.compile(rb"(?:[ \t]*(?:\r\n|\n|\r))*")
_SHOWN = 60
_LINES_NAMED = 5


@dataclass(frozen=True, slots=True)
class Replacement:
    """What is to be found, exactly, and what is to stand there."""

    old: str
    new: str


def replaced(data: bytes, replacements: Sequence[Replacement], *, every: bool = False) -> bytes:
    """Return the note with texts of its body replaced, one after the other, each as the last one left it.

    Without `every`, each text must stand there exactly once.

    Raises:
        UsageError: a text is empty, is replaced by itself, or stands there several times.
        ConflictError: a text does not stand there.
        NoteFormatError: the note is not UTF-8, or its frontmatter would change.
    """
    note = _editable(data)
    head, body = _parts(note)
    first = len(_LINE_END.findall(head)) + 1
    for one in replacements:
        body = _replace(body, one, _newline(note), first, every=every)
    return _with_same_properties(note, head + body)


def appended(data: bytes, text: str) -> bytes:
    """Return the note with a text on lines of its own at the end; the last line ends.

    Raises:
        NoteFormatError: the note is not UTF-8, or the text would change its frontmatter.
    """
    note = _editable(data)
    ends = _LINE_END.findall(data)
    newline = ends[-1] if ends else b"\n"
    gap = newline if data and not data.endswith((b"\n", b"\r")) else b""
    return _with_same_properties(note, data + gap + _ended(_encoded(_given(text), newline), newline))


def with_body(data: bytes, text: str) -> bytes:
    """Return the note with another body; blank lines between frontmatter and text stay, and so does an equal text.

    Raises:
        NoteFormatError: the note is not UTF-8, or the text would change its frontmatter.
    """
    note = _editable(data)
    head, body = _parts(note)
    newline = _newline(note)
    text = _given(text)
    if _plain(body) == text.strip("\n"):
        return data
    fenced = head not in (b"", BOM)
    if fenced and not head.endswith((b"\n", b"\r")):
        head += newline
    between = _BLANK_LINES.match(body) if fenced and not text.startswith("\n") else None
    lead = between[0] if between is not None else b""
    return _with_same_properties(note, head + lead + (_ended(_encoded(text, newline), newline) if text else b""))


def unified(before: bytes, after: bytes, path: str) -> str:
    """Return what changed between two texts of a note, with three lines around it."""
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{path}", f"b/{path}", lineterm="")
    return "".join(f"{line}\n" for line in lines)


def _lines(data: bytes) -> list[str]:
    *lines, rest = data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    return [*lines, f"{rest}\n\\ No newline at end of file"] if rest else lines


def _editable(data: bytes) -> Note:
    note = parse(data)
    for found in note.findings:
        if found.code == "V209":
            raise NoteFormatError(found.message, found.hint, line=found.line)
    return note


def _block(note: Note) -> Block | None:
    return note.block or empty_fences(note.data)


def _parts(note: Note) -> tuple[bytes, bytes]:
    block = _block(note)
    start = block.body if block is not None else len(BOM) if note.data.startswith(BOM) else 0
    return note.data[:start], note.data[start:]


def _newline(note: Note) -> bytes:
    """Return the line end of a note's body, else of its block."""
    found = _LINE_END.search(_parts(note)[1]) or _LINE_END.search(note.data)
    return found[0] if found is not None else b"\n"


def _encoded(text: str, newline: bytes) -> bytes:
    return _one_kind(text).encode().replace(b"\n", newline)


def _one_kind(text: str) -> str:
    """Return a text with one kind of line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _given(text: str) -> str:
    """Return a text as it becomes part of a note: the byte-order mark of the file it was read from stays there."""
    return _one_kind(text.lstrip("\ufeff"))


def _ended(data: bytes, newline: bytes) -> bytes:
    return data if data.endswith(newline) else data + newline


def _plain(body: bytes) -> str:
    return _LINE_END.sub(b"\n", body).decode().strip("\n")


def _replace(body: bytes, one: Replacement, newline: bytes, first: int, *, every: bool) -> bytes:
    old = _one_kind(one.old)
    if not old:
        raise UsageError("an empty text is everywhere", "--replace needs the text that is to go")
    if old == _one_kind(one.new):
        raise UsageError(f"{_short(old)} would be replaced by itself", "--with needs another text")
    pattern = re.compile(_ANY_LINE_END.join(re.escape(line.encode()) for line in old.split("\n")))
    found = list(pattern.finditer(body))
    if not found:
        raise ConflictError(f"{_short(old)} does not stand in the text", _nearly(body, old, first))
    if len(found) > 1 and not every:
        lines = [str(first + _ends(body, match.start())) for match in found[:_LINES_NAMED]]
        where = ", ".join(lines) + (", …" if len(found) > _LINES_NAMED else "")
        raise UsageError(
            f"{_short(old)} stands there {len(found)} times, on lines {where}",
            "add words around it until it is one, or say --all",
        )
    return pattern.sub(lambda match: _encoded(one.new, _newline_at(body, match, newline)), body)


def _nearly(body: bytes, old: str, first: int) -> str:
    """Return the hint for a text that is not there: the line that has it in other letters or blanks, where one does."""
    words = r"\s+".join(re.escape(word) for word in old.split())
    found = re.search(words, body.decode(), re.IGNORECASE) if words else None
    if found is None:
        return "read the note again: every character counts"
    line = first + _ends(body, len(found.string[: found.start()].encode()))
    return f"line {line} has {_short(found[0])}: write it just so"


def _ends(body: bytes, before: int) -> int:
    return len(_LINE_END.findall(body, 0, before))


def _newline_at(body: bytes, match: re.Match[bytes], default: bytes) -> bytes:
    """Return the line end that is used where a match stands: inside it, behind it, before it."""
    inside = _LINE_END.search(match[0]) or _LINE_END.search(body, match.end())
    if inside is not None:
        return inside[0]
    before = _LINE_END.findall(body, 0, match.start())
    return before[-1] if before else default


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


def _with_same_properties(note: Note, data: bytes) -> bytes:
    """Refuse a body that would be read as frontmatter, and an edit that leaves a merge unresolved or brings one in."""
    after = parse(data)
    merge = next((found for found in after.findings if found.code == "V210"), None)
    # An edit may be what resolves a merge, so what counts is what it leaves of one that was there.
    if merge is not None and any(found.code == "V210" for found in note.findings):
        raise NoteFormatError(merge.message, merge.hint, line=merge.line)
    if merge is not None:
        refuse_markers(data)
    if (_block(after) is None) != (_block(note) is None) or not same(dict(after.properties), dict(note.properties)):
        raise NoteFormatError("the text would be read as frontmatter", "begin it with a line that is not `---`", line=1)
    return data
