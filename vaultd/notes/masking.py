"""Hides code and math in a body, character for character, so that nothing in them is taken for a link or a tag."""

import re
from bisect import bisect_right

MASK = "\x00"
"""Stands for every hidden character; line breaks stay."""

_FENCE = re.compile(
    r"^(?P<prefix>[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)*)(?P<run>`{3,}|~{3,})(?P<rest>[^\n]*)$", re.MULTILINE
)
_OUTSIDE_QUOTE = re.compile(r"^(?![ \t]*>)", re.MULTILINE)
_INDENTED = re.compile(r"(?:\A|^[ \t]*\n)(?:(?: {4}| {0,3}\t)[^\n]*\n?|[ \t]*\n)+", re.MULTILINE)
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_TICKS = re.compile(r"`+")
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
    if "```" not in text and "~~~" not in text:
        return []
    spans: list[Span] = []
    opened: re.Match[str] | None = None
    limit = 0
    for match in _FENCE.finditer(text):
        if opened is not None and match.start() > limit:
            spans.append((opened.start(), limit))
            opened = None
        if opened is None:
            if match["run"][0] != "`" or "`" not in match["rest"]:
                opened, limit = match, _quote_end(text, match)
        elif _closes(opened["run"], match):
            spans.append((opened.start(), match.end()))
            opened = None
    if opened is not None:
        spans.append((opened.start(), limit))
    return spans


def without_fences(text: str) -> str:
    """Return a flattened body with its fenced code masked."""
    return hide(text, fences(text))


def masked(text: str) -> str:
    """Return a flattened body with fenced and indented code, code spans and math masked."""
    text = without_fences(text)
    if "\n    " in text or "\t" in text or text.startswith("    "):
        text = hide(text, _indented(text))
    if "`" in text:
        text = hide(text, _code_spans(text))
    if "$" in text:
        text = _MATH.sub(lambda match: match[0] if match["kept"] else _hidden(match[0]), text)
    return text


def _hidden(text: str) -> str:
    return _SHOWN.sub(lambda match: MASK * len(match[0]), text)


def _quote_end(text: str, opener: re.Match[str]) -> int:
    if ">" not in opener["prefix"]:
        return len(text)
    outside = _OUTSIDE_QUOTE.search(text, min(opener.end() + 1, len(text)))
    return max(outside.start() - 1, opener.end()) if outside else len(text)


def _closes(run: str, match: re.Match[str]) -> bool:
    only_quotes = not match["prefix"].strip(" \t>")
    return only_quotes and match["run"][0] == run[0] and len(match["run"]) >= len(run) and not match["rest"].strip()


def _indented(text: str) -> list[Span]:
    """Return indented code: behind a blank line, and not what belongs to a list item above."""
    return [match.span() for match in _INDENTED.finditer(text) if not _in_list(text, match.start())]


def _in_list(text: str, offset: int) -> bool:
    """Say whether the nearest line above that is neither blank nor indented is a list item."""
    end = offset
    while end > 0:
        start = text.rfind("\n", 0, end - 1) + 1
        line = text[start:end]
        if _LIST_ITEM.match(line):
            return True
        if line.strip() and line[0] not in " \t":
            return False
        end = start
    return False


def _code_spans(text: str) -> list[Span]:
    """Return the code spans: a run of backticks up to the next run as long, within one paragraph."""
    runs = [match.span() for match in _TICKS.finditer(text)]
    breaks = [match.start() for match in _BLANK_LINE.finditer(text)]
    paragraphs = [bisect_right(breaks, start) for start, _ in runs]
    following: dict[tuple[int, int], int] = {}
    partner: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        key = (paragraphs[index], runs[index][1] - runs[index][0])
        if key in following:
            partner[index] = following[key]
        following[key] = index
    spans: list[Span] = []
    index = 0
    while index < len(runs):
        if index in partner and not _is_escaped(text, runs[index][0]):
            spans.append((runs[index][0], runs[partner[index]][1]))
            index = partner[index]
        index += 1
    return spans


def _is_escaped(text: str, offset: int) -> bool:
    backslashes = 0
    while offset > backslashes and text[offset - backslashes - 1] == "\\":
        backslashes += 1
    return backslashes % 2 == 1
