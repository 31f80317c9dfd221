"""What is written beside the text of a note: callouts, footnotes and `%%` comments."""

import re
from collections.abc import Iterator
from typing import Literal

from vaultd.notes.lines import Lines
from vaultd.notes.masking import Span
from vaultd.values import dataclass

_CALLOUT = re.compile(r"\[!([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]([+-]?)(?:[ \t]+([^\n]*))?")
_BEFORE_CALLOUT = re.compile(r"[ \t]*(?:>[ \t]*)+")
_QUOTES = re.compile(r"[ \t]*(?:>[ \t]?)*")
_DEFINITION = re.compile(r"\[\^([^\[\]\s]+)\]:[ \t]*([^\n]*)")
_REFERENCE = re.compile(r"\[\^([^\[\]\s]+)\]")
_BRACKET = re.compile(r"\\.|\^?\[|\]|\n")
_CONTINUED = re.compile(r"\n(?:[ \t]*\n)*(?: {2,}|\t)[ \t]*([^\s][^\n]*)")
_BLANK_LINE = re.compile(r"\n[ \t]*(?=\n)")


@dataclass(frozen=True, slots=True)
class Callout:
    """A quote whose first line names its type: `> [!note]- Title`."""

    type: str
    """Lower case; Obsidian shows one it does not know as `note`."""
    fold: Literal["", "+", "-"]
    metadata: str
    title: str
    depth: int
    """How many `>` stand before it."""
    line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Footnote:
    """A place where a footnote is defined, used, or both at once."""

    kind: Literal["definition", "reference", "inline"]
    id: str
    """Lower case, because case does not count; "" for an inline one."""
    text: str
    line: int
    column: int


def comments(text: str) -> list[Span]:
    """Return the `%%` comments of a masked body, marks included.

    One that begins a line runs to the next `%%`, one within a line only to the end of its paragraph; an unpaired mark
    hides nothing.
    """
    spans: list[Span] = []
    start = text.find("%%")
    while start >= 0:
        end = text.find("%%", start + 2)
        if end < 0:
            break
        if _begins_line(text, start) or not _BLANK_LINE.search(text, start, end):
            spans.append((start, end + 2))
            start = text.find("%%", end + 2)
        else:
            start = end
    return spans


def callouts(text: str, shown: str, lines: Lines) -> Iterator[Callout]:
    """Yield the callouts of a masked body in the order they begin."""
    for match in _CALLOUT.finditer(text):
        index = lines.index(match.start())
        before = _BEFORE_CALLOUT.fullmatch(text, lines.starts[index], match.start())
        depth = before[0].count(">") if before else 0
        if depth and (not index or _depth(lines.line(index - 1)) < depth):
            yield Callout(
                match[1].strip().lower(),
                _fold(match[3]),
                (match[2] or "").strip(),
                shown[match.start(4) : match.end(4)].strip() if match[4] else "",
                depth,
                lines.number(index),
                lines.number(_last_of_quote(lines, index, depth)),
            )


def footnotes(text: str, shown: str, lines: Lines) -> Iterator[Footnote]:
    """Yield where the footnotes of a masked body are defined and used: definitions, references, inline ones."""
    defined: set[int] = set()
    for match in _DEFINITION.finditer(text):
        start = match.start()
        before = text[lines.starts[lines.index(start)] : start]
        if len(before) <= 3 and not before.strip(" "):
            defined.add(start)
            written = " ".join(_definition_text(text, shown, match))
            yield Footnote("definition", match[1].casefold(), written, *lines.position(start))
    for match in _REFERENCE.finditer(text):
        if match.start() not in defined:
            yield Footnote("reference", match[1].casefold(), "", *lines.position(match.start()))
    if "^[" in text:
        for start, end in _inline(text):
            yield Footnote("inline", "", shown[start + 2 : end].strip(), *lines.position(start))


def _fold(sign: str) -> Literal["", "+", "-"]:
    return "+" if sign == "+" else "-" if sign == "-" else ""


def _depth(line: str) -> int:
    match = _QUOTES.match(line)
    return match[0].count(">") if match else 0


def _last_of_quote(lines: Lines, index: int, depth: int) -> int:
    last = index
    while last + 1 < len(lines.starts) and _depth(lines.line(last + 1)) >= depth:
        last += 1
    return last


def _definition_text(text: str, shown: str, match: re.Match[str]) -> Iterator[str]:
    yield shown[match.start(2) : match.end(2)].strip()
    at = match.end()
    while continued := _CONTINUED.match(text, at):
        yield shown[continued.start(1) : continued.end(1)].strip()
        at = continued.end()


def _inline(text: str) -> Iterator[Span]:
    """Yield where inline footnotes open and close; brackets in them are counted, lines end them."""
    opened: list[tuple[int, bool]] = []
    for match in _BRACKET.finditer(text):
        if match[0][-1] == "[":
            opened.append((match.start(), match[0] == "^["))
        elif match[0] == "\n":
            opened.clear()
        elif match[0] == "]" and opened:
            start, footnote = opened.pop()
            if footnote:
                yield start, match.start()


def _begins_line(text: str, offset: int) -> bool:
    """Say whether only blanks and quote marks stand before an offset in its line."""
    while offset and text[offset - 1] in " \t>":
        offset -= 1
    return offset == 0 or text[offset - 1] == "\n"
