"""Hides code, math and HTML comments in a body, character for character: nothing in them is a link or a tag."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

MASK = "\x00"
"""Stands for every hidden character; line breaks stay."""

_FENCE = re.compile(r"(?P<run>```+|~~~+)(?P<rest>[^\n]*)")
_DEEP = re.compile(r"(?: {4}| {0,3}\t)[ \t]*")
_BEFORE_FENCE = re.compile(r"[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)*")
_OUTSIDE_QUOTE = re.compile(r"^(?![ \t]*>)", re.MULTILINE)
_INDENT = re.compile("\n    ")
_INDENTED = re.compile(r"(?:\A|^[ \t]*\n)(?:(?: {4}| {0,3}\t)[^\n]*\n?|[ \t]*\n)+", re.MULTILINE)
_NOT_INSIDE = re.compile(
    r"^(?:(?P<item>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]|\[\^[^\[\]\s]++\]:))|[^ \t\n])", re.MULTILINE
)
_TICKS = re.compile(r"``*")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_MATH = re.compile(
    r"(?P<kept>\\[\s\S]|\[\[[^\[\]\n]*\]\])|\$\$[\s\S]*?\$\$|\$(?=[^\s$])(?:[^$\\\n]|\\.)*(?<=\S)\$(?!\d)"
)
_SHOWN = re.compile(r"[^\n]+")

Span = tuple[int, int]


def flatten(body: str) -> str:
    """Return the body with LF as its only line break and every character at its old offset."""
    return body.replace("\r\n", " \n").replace("\r", "\n") if "\r" in body else body


def hide(text: str, spans: list[Span]) -> str:
    """Return the text with these spans, in order and apart, masked."""
    if not spans:
        return text
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += (text[at:start], _hidden(text[start:end]))
        at = end
    return "".join((*parts, text[at:]))


def fences(text: str) -> list[Span]:
    """Return the fenced code blocks of a flattened body, fence lines included; an unclosed one runs to the end.

    A block in a quote ends where the quote does.
    """
    if not ("`" in text and "```" in text) and not ("~" in text and "~~~" in text):
        return []
    spans: list[Span] = []
    opened: _Fence | None = None
    quote_end = -1
    above: _Above | None = None
    for match in _FENCE.finditer(text):
        start = text.rfind("\n", 0, match.start()) + 1
        if not _BEFORE_FENCE.fullmatch(text, start, match.start()):
            continue
        if opened is not None and start > opened.limit:
            spans.append((opened.start, opened.limit))
            opened = None
        if opened is None:
            if _DEEP.fullmatch(text, start, match.start()):
                above = above or _Above(text)
                if not above.is_item(start):
                    continue
            if quote_end < start and text.find(">", start, match.start()) >= 0:
                quote_end = _quote_end(text, match.end())
            opened = _opened(start, match, quote_end if quote_end > start else len(text))
        elif match["run"].startswith(opened.run) and not match["rest"].strip() and _only_quotes(text, start, match):
            spans.append((opened.start, match.end()))
            opened = None
    if opened is not None:
        spans.append((opened.start, opened.limit))
    return spans


def masked(text: str) -> str:
    """Return a flattened body with fenced and indented code, code spans, HTML comments and math masked."""
    return masked_inline(masked_blocks(text))


def masked_blocks(text: str) -> str:
    """Return a flattened body with fenced and indented code masked."""
    text = hide(text, fences(text))
    return hide(text, _indented(text)) if "\t" in text or _INDENT.search(text) or text.startswith("    ") else text


def masked_inline(text: str) -> str:
    """Return a body whose code blocks are masked already with code spans, HTML comments and math masked too."""
    if "`" in text:
        text = hide(text, code_spans(text))
    if "<" in text and "<!--" in text:
        text = hide(text, list(_html_comments(text)))
    if "$" in text:
        text = _MATH.sub(lambda match: match[0] if match["kept"] else _hidden(match[0]), text)
    return text


def _hidden(text: str) -> str:
    return _SHOWN.sub(lambda match: MASK * len(match[0]), text)


class _Fence(NamedTuple):
    """The first line of fenced code."""

    start: int
    run: str
    limit: int
    """Where the code ends at the latest: with the quote it stands in, else with the text."""


def _opened(start: int, match: re.Match[str], limit: int) -> _Fence | None:
    return None if match["run"][0] == "`" and "`" in match["rest"] else _Fence(start, match["run"], limit)


def _only_quotes(text: str, start: int, match: re.Match[str]) -> bool:
    return not text[start : match.start()].strip(" \t>")


def _quote_end(text: str, line_end: int) -> int:
    outside = _OUTSIDE_QUOTE.search(text, line_end + 1) if line_end < len(text) else None
    return outside.start() - 1 if outside else len(text)


class _Above:
    """Knows what indented lines of a text may belong to."""

    def __init__(self, text: str) -> None:
        found = [(match.start(), match["item"] is not None) for match in _NOT_INSIDE.finditer(text)]
        self.starts = [start for start, _ in found]
        self.items = [item for _, item in found]

    def is_item(self, offset: int) -> bool:
        """Say whether the nearest line above that is a list item or a footnote, or begins at the margin, is the former."""
        index = bisect_left(self.starts, offset) - 1
        return index >= 0 and self.items[index]


def _indented(text: str) -> list[Span]:
    """Return indented code: behind a blank line, and not what belongs to a list item or a footnote above."""
    blocks = [match.span() for match in _INDENTED.finditer(text)]
    if not blocks:
        return []
    above = _Above(text)
    return [block for block in blocks if not above.is_item(block[0])]


def html_comments(text: str) -> list[Span]:
    """Return the HTML comments of a flattened body, those in code left out; one that is never closed is none."""
    if "<!--" not in text:
        return []
    text = masked_blocks(text)
    return list(_html_comments(hide(text, code_spans(text))))


def _html_comments(text: str) -> Iterator[Span]:
    start = text.find("<!--")
    while start >= 0 and (end := text.find("-->", start + 4)) >= 0:
        yield start, end + 3
        start = text.find("<!--", end + 3)


def code_spans(text: str) -> list[Span]:
    """Return the code spans of a body without code blocks: a run of backticks up to the next as long, in one paragraph.

    A backslash takes the first backtick of a run that would open one, but keeps none from closing.
    """
    breaks = [match.start() for match in _BLANK_LINE.finditer(text)]
    following: dict[tuple[int, int], Span] = {}
    openers: list[tuple[int, Span]] = []
    for start, end in reversed([match.span() for match in _TICKS.finditer(text)]):
        paragraph = bisect_right(breaks, start)
        opens = start + is_escaped(text, start)
        if closer := following.get((paragraph, end - opens)):
            openers.append((opens, closer))
        following[paragraph, end - start] = (start, end)
    spans: list[Span] = []
    at = 0
    for opens, (_, end) in reversed(openers):
        if opens >= at:
            spans.append((opens, end))
            at = end
    return spans


def is_escaped(text: str, offset: int) -> bool:
    """Say whether an odd number of backslashes stands before an offset."""
    backslashes = 0
    while offset > backslashes and text[offset - backslashes - 1] == "\\":
        backslashes += 1
    return backslashes % 2 == 1
