"""What a note's body holds: title, headings, links, tags, by a line scanner in linear time.

Code (fenced, indented, spans) and math are masked first, character for character, so that every position found in the
masked text is one of the body. Comments (`%%`) hide text from readers, not from Obsidian's index, and stay.
Where it differs from a full Markdown parser: a code span or a link text does not run over a blank line, and HTML blocks
are read like text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from vaultd.notes.masking import MASK, fences, flatten, masked, without_fences
from vaultd.notes.scalars import Value

_ATX = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+([^\n]*))?$", re.MULTILINE)
_ATX_CLOSER = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-+)[ \t]*$", re.MULTILINE)
_ENDS_PARAGRAPH = re.compile(rf" {{0,3}}(?:#{{1,6}}(?:[ \t]|$)|(?:=+|(?:[-*_][ \t]*){{3,}})[ \t]*$)|{MASK}|[ \t]*$")
_CONTAINER = re.compile(r"[ \t]*(?:[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|>|\|)| {4}|\t")
_WIKILINK = re.compile(r"(!?)\[\[(?!\[)((?:(?!\[\[|\]\])[^\n])+)\]\]")
_MARKDOWN_LINK = re.compile(
    r"(?<!\\)(!?)\[((?:[^\[\]\\\n]|\\.|!?\[[^\[\]\n]*\](?:\([^()\n]*\))?)*)\]"
    r"\([ \t]*(?:<([^<>\n]*)>|((?:[^\s()\\<]|\\.|\((?:[^\s()\\]|\\.)*\))(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*))"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*\)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_NOT_IN_TAG = rf"\u2000-\u206f\u2e00-\u2e7f\s{MASK}'!\"#$%&()*+,.:;<=>?@^`{{|}}~\[\]\\"
_TAG = re.compile(rf"(?:(?<=[\s*|])|(?<=%%)|(?<===)|(?<=~~)|^)#([^{_NOT_IN_TAG}]+)")
_WHOLE_TAG = re.compile(rf"#?([^{_NOT_IN_TAG}]+)")
_DIGITS = re.compile(r"[0-9/]*")
_LINK_PUNCTUATION = re.compile(r"[\s!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\]+")
_LINE_BREAK = re.compile(r"\n")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; `line` is 1-based in the body."""

    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a note or file of the vault; `line` and `column` are 1-based in the body."""

    target: str
    """As written, Markdown links decoded; "" for the note itself."""
    subpath: str
    """`#heading`, `#a#b` or `#^block`, with the number sign; "" for none."""
    display: str | None
    embed: bool
    line: int
    column: int
    kind: Literal["wiki", "md"]


def title(body: str) -> str | None:
    """Return the text of the first heading of level 1, or None."""
    return next((heading.text for heading in headings(body) if heading.level == 1 and heading.text), None)


def headings(body: str) -> list[Heading]:
    """Return the headings outside fenced code, both kinds: `# A`, and `A` over a line of `=` or `-`."""
    text = without_fences(flatten(body))
    lines = _Lines(text)
    found = [
        Heading(len(match[1]), _ATX_CLOSER.sub("", match[2] or "").strip(), lines.position(match.start())[0])
        for match in _ATX.finditer(text)
    ]
    for match in _UNDERLINE.finditer(text):
        if paragraph := _paragraph_above(text, match.start()):
            line = lines.position(match.start())[0] - len(paragraph)
            found.append(Heading(1 if match[1][0] == "=" else 2, " ".join(paragraph), line))
    return sorted(found, key=lambda heading: heading.line)


def heading_key(text: str) -> str:
    """Return what two heading texts share if a link to one finds the other: punctuation and case do not count."""
    return _LINK_PUNCTUATION.sub(" ", text).strip().casefold()


def links(body: str) -> list[Link]:
    """Return the links in the order they stand; not those in code and math, not those to the web."""
    if "[[" not in body and "](" not in body:
        return []
    text = masked(flatten(body))
    lines = _Lines(text)
    found = [*_wikilinks(text, lines), *_markdown_links(text, 0, lines)]
    return sorted(found, key=lambda link: (link.line, link.column))


def wikilink(written: str) -> tuple[str, str, str | None]:
    """Return target, subpath and display of what stands between `[[` and `]]`."""
    path, pipe, display = written.partition("|")
    # in a table the pipe is escaped, and the backslash is the pipe's
    if pipe and path.endswith("\\"):
        path = path[:-1]
    target, number_sign, subpath = path.partition("#")
    return target.strip(), (number_sign + subpath).strip(), display.strip() if pipe else None


def tags(body: str) -> list[str]:
    """Return the inline tags with their `#`, each once in its first spelling, in the order they stand."""
    if "#" not in body:
        return []
    text = masked(flatten(body))
    if "[[" in text:
        text = _WIKILINK.sub(lambda match: MASK * len(match[0]), text)
    if "](" in text:
        text = _MARKDOWN_LINK.sub(_without_destination, text)
    return _distinct(match[1] for match in _TAG.finditer(text))


def frontmatter_tags(properties: Mapping[str, Value]) -> list[str]:
    """Return the tags of the `tags` property (any case) with their `#`; numbers and texts with spaces are none."""
    found: list[str] = []
    for key, value in properties.items():
        if key.lower() == "tags":
            items = value if isinstance(value, list) else [value]
            texts = (item.strip() for item in items if isinstance(item, str))
            found += (match[1] for text in texts if (match := _WHOLE_TAG.fullmatch(text)))
    return _distinct(found)


def last_line(body: str) -> tuple[str, int] | None:
    """Return the last line that is not blank, without the space around it, and its 1-based number."""
    text = flatten(body).rstrip()
    if not text:
        return None
    return text[text.rfind("\n") + 1 :].strip(), text.count("\n") + 1


def in_fence(body: str, line: int) -> bool:
    """Say whether a line of the body (1-based) is part of a fenced code block, its fence lines included."""
    text = flatten(body)
    lines = _Lines(text)
    return any(lines.position(start)[0] <= line <= lines.position(end)[0] for start, end in fences(text))


class _Lines:
    """Turns offsets of a flattened body into lines and columns, both 1-based."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(match.end() for match in _LINE_BREAK.finditer(text))]

    def position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1


def _paragraph_above(text: str, offset: int) -> list[str]:
    """Return the lines of the paragraph that ends right above, [] where lists, quotes, tables or code stand there."""
    lines: list[str] = []
    while offset > 0:
        start = text.rfind("\n", 0, offset - 1) + 1
        line = text[start : offset - 1]
        if _ENDS_PARAGRAPH.match(line):
            break
        lines.append(line)
        offset = start
    lines.reverse()
    return [] if any(map(_CONTAINER.match, lines)) else [line.strip() for line in lines]


def _wikilinks(text: str, lines: _Lines) -> Iterator[Link]:
    for match in _WIKILINK.finditer(text):
        target, subpath, display = wikilink(match[2])
        yield Link(target, subpath, display, bool(match[1]), *lines.position(match.start()), "wiki")


def _markdown_links(text: str, offset: int, lines: _Lines) -> Iterator[Link]:
    """Yield Markdown links, those in the text of another (an image that is a link) too."""
    for match in _MARKDOWN_LINK.finditer(text):
        if "](" in match[2]:
            yield from _markdown_links(match[2], offset + match.start(2), lines)
        destination = match[3] if match[3] is not None else match[4]
        if destination and not _SCHEME.match(destination):
            path, number_sign, subpath = destination.partition("#")
            place = lines.position(offset + match.start())
            yield Link(unquote(path), unquote(number_sign + subpath), match[2] or None, bool(match[1]), *place, "md")


def _without_destination(match: re.Match[str]) -> str:
    shown = match.end(2) - match.start()
    return match[0][:shown] + MASK * (len(match[0]) - shown)


def _distinct(names: Iterable[str]) -> list[str]:
    """Return tags with their `#`, no trailing `/`, none of digits alone, the first spelling of each."""
    found: dict[str, str] = {}
    for name in names:
        if not _DIGITS.fullmatch(name):
            tag = "#" + name.rstrip("/")
            found.setdefault(tag.casefold(), tag)
    return list(found.values())
