"""What a note's body holds: title, headings, links, tags, by a line scanner in linear time.

Code (fenced, indented, spans) and math are masked first, character for character, so that every position found in the
masked text is one of the body. Comments (`%%`) hide text from readers, not from Obsidian's index, and stay.
Where it differs from a full Markdown parser: a code span or a link text does not run over a blank line, and links and
tags in HTML blocks count, as text there is shown.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import NamedTuple

from vaultd.notes.html_blocks import html_blocks
from vaultd.notes.lines import Lines
from vaultd.notes.links import Kind, Written, scan
from vaultd.notes.masking import MASK, Span, fences, flatten, hide, masked, masked_blocks
from vaultd.notes.scalars import Value
from vaultd.values import dataclass

# Each pattern begins with the one character it is about: searching for that alone is many times faster.
_ATX = re.compile(r"#(#{0,5})(?:[ \t]+([^\n]*))?$", re.MULTILINE)
_DEEPEST_INDENT = 3
_ATX_CLOSER = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_UNDERLINE = re.compile(r"\n {0,3}(=+|-+)[ \t]*$", re.MULTILINE)
_ENDS_IN_DASH = re.compile(r"-[ \t]*$", re.MULTILINE)
_ENDS_PARAGRAPH = re.compile(rf" {{0,3}}(?:#{{1,6}}(?:[ \t]|$)|(?:=+|(?:[-*_][ \t]*){{3,}})[ \t]*$)|{MASK}|[ \t]*$")
_CONTAINER = re.compile(r"[ \t]*(?:[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|>|\|)| {4}|\t")
_NOT_IN_TAG = rf"\u2000-\u206f\u2e00-\u2e7f\s{MASK}'!\"#$%&()*+,.:;<=>?@^`{{|}}~\[\]\\"
_TAG = re.compile(rf"#(?:(?<=[\s*|]#)|(?<=%%#)|(?<===#)|(?<=~~#)|(?<=\A#))([^{_NOT_IN_TAG}]+)")
_WHOLE_TAG = re.compile(rf"#?([^{_NOT_IN_TAG}]+)")
_DIGITS = re.compile(r"[0-9/]*")
_LINE = attrgetter("line")
_NEW = tuple.__new__  # what `Heading(…)` does, without a call in Python between
_LINK_PUNCTUATION = re.compile(r"[\s!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\]+")


class Heading(NamedTuple):
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
    kind: Kind


def title(body: str) -> str | None:
    """Return the text of the first heading of level 1, or None."""
    return next((heading.text for heading in headings(body) if heading.level == 1 and heading.text), None)


def headings(body: str) -> list[Heading]:
    """Return the headings outside fenced code, both kinds: `# A`, and `A` over a line of `=` or `-`."""
    text = masked_blocks(flatten(body))
    return headings_in(text, Lines(text))


def headings_in(text: str, lines: Lines) -> list[Heading]:
    """Return the headings of a body whose code blocks are masked, none of raw HTML; their lines are those of `lines`."""
    if "<" in text:
        text = hide(text, html_blocks(text))
    found: list[Heading] = []
    starts, first_line = lines.starts, lines.first_line
    for match in _ATX.finditer(text):
        at = match.start()
        index = bisect_right(starts, at) - 1
        start = starts[index]
        if at == start or (at - start <= _DEEPEST_INDENT and not text[start:at].strip(" ")):
            signs, written = match.groups("")
            written = _ATX_CLOSER.sub("", written) if "#" in written else written
            found.append(_NEW(Heading, (len(signs) + 1, written.strip(), index + first_line)))
    for match in _UNDERLINE.finditer(text) if "=" in text or _ENDS_IN_DASH.search(text) else ():
        if paragraph := _paragraph_above(text, match.start() + 1):
            line = lines.number(lines.index(match.start() + 1)) - len(paragraph)
            found.append(Heading(1 if match[1][0] == "=" else 2, " ".join(paragraph), line))
    if len(found) > 1:
        found.sort(key=_LINE)
    return found


def heading_key(text: str) -> str:
    """Return what two heading texts share if a link to one finds the other: punctuation and case do not count."""
    return _LINK_PUNCTUATION.sub(" ", text).strip().casefold()


def links(body: str) -> list[Link]:
    """Return the links in the order they stand; not those in code and math, not those to the web."""
    if "[[" not in body and "](" not in body and "]:" not in body:
        return []
    flat = flatten(body)
    text = masked(flat)
    lines = Lines(text)
    return [
        Link(link.target, link.subpath, link.display, link.embed, *lines.position(link.start), link.kind)
        for link in scan(text, flat)
    ]


def tags(body: str) -> list[str]:
    """Return the inline tags with their `#`, each once in its first spelling, in the order they stand."""
    if "#" not in body:
        return []
    flat = flatten(body)
    text = masked(flat)
    return _distinct(name for _, name in tags_in(text, scan(text, flat)))


def tags_in(text: str, links_there: Iterable[Written]) -> Iterator[tuple[int, str]]:
    """Yield every inline tag of a masked body with the offset of its `#`; the targets of links hold none."""
    matches = [*_TAG.finditer(text)]
    opaque = _apart([(link[2], link[1]) for link in links_there]) if matches else []
    starts = [start for start, _ in opaque]
    for match in matches:
        index = bisect_right(starts, match.start()) - 1
        if (index < 0 or match.start() >= opaque[index][1]) and not _DIGITS.fullmatch(match[1]):
            yield match.start(), "#" + match[1].rstrip("/")


def frontmatter_tags(properties: Mapping[str, Value]) -> list[str]:
    """Return the tags of the `tags` property (any case) with their `#`; numbers and texts with spaces are none."""
    found: list[str] = []
    for key in properties:
        if len(key) == len("tags") and key.lower() == "tags":
            value = properties[key]
            items = value if isinstance(value, list) else [value]
            texts = (item.strip() for item in items if isinstance(item, str))
            names = (match[1] for text in texts if (match := _WHOLE_TAG.fullmatch(text)))
            found += ("#" + name.rstrip("/") for name in names if not _DIGITS.fullmatch(name))
    return _distinct(found) if found else found


def last_line(body: str) -> tuple[str, int] | None:
    """Return the last line that is not blank, without the space around it, and its 1-based number."""
    text = flatten(body).rstrip()
    if not text:
        return None
    return text[text.rfind("\n") + 1 :].strip(), text.count("\n") + 1


def in_fence(body: str, line: int) -> bool:
    """Say whether a line of the body (1-based) is part of a fenced code block, its fence lines included."""
    text = flatten(body)
    lines = Lines(text)
    return any(lines.position(start)[0] <= line <= lines.position(end)[0] for start, end in fences(text))


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


def _apart(spans: Iterable[Span]) -> list[Span]:
    """Return the spans, in order of their starts, without those that begin inside another."""
    apart: list[Span] = []
    behind = 0
    for span in sorted(spans):
        if span[0] >= behind:
            apart.append(span)
            behind = span[1]
    return apart


def _distinct(tags_there: Iterable[str]) -> list[str]:
    """Return each tag in its first spelling."""
    found: dict[str, str] = {}
    for tag in tags_there:
        found.setdefault(tag.casefold(), tag)
    return list(found.values())
