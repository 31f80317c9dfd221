"""A note's bytes as values: properties, where they stand, and what is wrong with the text."""

import codecs
import re
from collections.abc import Iterator, Mapping

from vaultd.notes.conflicts import find_hunks, of_hunks
from vaultd.notes.fences import BOM, Block, empty_fences, find_block, is_opened
from vaultd.notes.findings import Finding
from vaultd.notes.plain import read_plainly
from vaultd.notes.reading import Reading
from vaultd.notes.scalars import Value
from vaultd.quickly import pattern
from vaultd.values import dataclass

_KEY_LINE = rb"[ \t]*(?:\r?\n[ \t]*)*(?:[^\s:#\-][^:\r\n]*|\"[^\"\r\n]*\"):(?:[ \t\r]|\n)"
_LATE_BLOCK = pattern(rb"(?:\xef\xbb\xbf)?(\s+|\xef\xbb\xbf)---[ \t]*\r?\n" + _KEY_LINE)
_SECOND_BLOCK = re.compile(rb"(\s*?)---[ \t]*\r?\n" + _KEY_LINE)
_LINE_BREAK = pattern(rb"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Note:
    """What `parse` read; `properties` is empty where there is no block or it cannot be read."""

    data: bytes
    block: Block | None
    properties: Mapping[str, Value]
    key_lines: Mapping[str, int]
    """1-based line of the file of every top-level key."""
    readable: bool
    """False where a block is there, or begins, and what it says cannot be known."""
    findings: tuple[Finding, ...]

    @property
    def body(self) -> str:
        """The text behind the block; bytes that are not UTF-8 are replaced."""
        start = self.block.body if self.block else 3 if self.data.startswith(BOM) else 0
        return self.data[start:].decode("utf-8", "replace")

    @property
    def body_line(self) -> int:
        """The 1-based line of the file on which the body starts."""
        return _line_at(self.data, self.block.body) if self.block else 1


def parse(data: bytes) -> Note:
    """Return what a note says; never raises, and takes linear time whatever the bytes are.

    A block of more than 1 MiB, nested deeper than 100 levels or holding more than 100,000 values (aliases expanded) is
    not read: it is unreadable, with V205.
    """
    block = find_block(data)
    if block is None:
        findings = tuple(around(data, None))
        return Note(data, None, {}, {}, _nothing_hidden(data, findings), findings)
    try:
        reading = read_block(data[block.start : block.end].decode("utf-8"))
    except UnicodeDecodeError:
        reading = Reading(readable=False)
    outside = tuple(around(data, block))
    if not outside:
        return Note(data, block, reading.properties, reading.key_lines, reading.readable, reading.findings)
    return _with_findings(data, block, reading, outside)


def read_block(text: str) -> Reading:
    """Return the content of the text between two fences; never raises."""
    return read_plainly(text) or _read_carefully(text)


def _read_carefully(text: str) -> Reading:
    # libyaml takes longer to import than most notes take to read, and the hook starts anew for every commit
    from vaultd.notes.careful import read_carefully  # noqa: PLC0415

    return read_carefully(text)


def _with_findings(data: bytes, block: Block, reading: Reading, outside: tuple[Finding, ...]) -> Note:
    hunks = find_hunks(data)
    inside = any(hunk.start < block.end for hunk in hunks)
    # what YAML makes of the markers themselves says nothing the markers do not say
    findings = outside if inside else tuple(sorted(outside + reading.findings, key=lambda found: found.line))
    if inside or not reading.readable:
        return Note(data, block, {}, {}, readable=False, findings=findings)
    return Note(data, block, reading.properties, reading.key_lines, readable=True, findings=findings)


def _nothing_hidden(data: bytes, findings: tuple[Finding, ...]) -> bool:
    """Say whether a note without a block really has none: nothing opened, no other encoding, no merge at the top."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    return not any(found.code == "V201" or (found.code == "V210" and found.line == 1) for found in findings)


def around(data: bytes, block: Block | None) -> Iterator[Finding]:
    """Yield what is wrong with anything but the YAML: encoding, fences, markers."""
    if not data.isascii():
        yield from _encoding(data)
    if block is None:
        yield from _no_block(data)
    else:
        if not block.writable:
            yield _disagreement(data, block)
        second = _SECOND_BLOCK.match(data, block.body)
        if second and find_block(data[second.end(1) :]):
            line = _line_at(data, second.end(1))
            message = f"second frontmatter block at line {line}: only the first is read"
            yield Finding("V204", line, message, "move its properties into the first block and delete it")
    if hunks := find_hunks(data):
        yield of_hunks(hunks)


def is_second_block(text: str) -> bool:
    """Say whether a text begins with a block that would be the second one behind a note's own."""
    data = text.encode("utf-8", "surrogateescape")
    second = _SECOND_BLOCK.match(data)
    return bool(second and find_block(data[second.end(1) :]))


def _encoding(data: bytes) -> Iterator[Finding]:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as exc:
        line_start = data.rfind(b"\n", 0, exc.start) + 1
        message = f"byte {exc.start} (0x{data[exc.start]:02x}) is not UTF-8"
        hint = "save the note as UTF-8; vaultd does not write it until then"
        yield Finding("V209", _line_at(data, exc.start), message, hint, exc.start - line_start + 1)


def _no_block(data: bytes) -> Iterator[Finding]:
    if is_opened(data):
        if empty_fences(data) is None:
            yield Finding(
                "V201", 1, "the block that opens here is never closed", "add a line `---` behind the properties"
            )
    elif (late := _LATE_BLOCK.match(data)) and find_block(data[late.end(1) :]):
        line = _line_at(data, late.end(1))
        hint = "delete what stands before the first `---`"
        yield Finding("V202", line, "a block that is not at the very start of the file is plain text", hint)


def _disagreement(data: bytes, block: Block) -> Finding:
    if b"\r" in data[: block.end].replace(b"\r\n", b""):
        return Finding("V203", 1, "lines end in a lone carriage return", "save the note with LF or CRLF line endings")
    if data[: block.start].removeprefix(BOM).rstrip(b"\r\n") != b"---":
        return Finding("V203", 1, "something follows the opening `---`", "make it exactly `---`")
    closer = _line_at(data, block.end)
    return Finding("V203", closer, "something follows the closing `---`", "make it exactly `---`")


def _line_at(data: bytes, offset: int) -> int:
    if data.find(b"\r", 0, offset) < 0:
        return data.count(b"\n", 0, offset) + 1
    return len(_LINE_BREAK.findall(data, 0, offset)) + 1
