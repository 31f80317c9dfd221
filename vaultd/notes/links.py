"""The links of a body: `[[wikilinks]]`, `[Markdown](links.md)`, `[reference]: definitions.md`, and embeds of the first two.

Linear in the length of the text, whatever the brackets do. A link in the text of another link wins over it, as in
CommonMark; a picture in the text of a link stands beside it, and both count.
"""

import html
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple
from urllib.parse import unquote

from vaultd.notes.masking import hide, is_escaped

Kind = Literal["wiki", "md", "reference"]

# Most hold no bracket: one look ahead tells, without a loop.
_WIKILINK = re.compile(r"\[\[(?!\[)(?:[^\[\]\n]++(?=\]\])|(?:[^\[\]\n]++|\[(?!\[)|\](?!\]))++)\]\]")
_BRACKET = re.compile(r"\\[^\n]|[\[\]]|\n[ \t]*(?=\n)")
_GAP = r"[ \t]*+(?:\n[ \t]*+(?!\n))?"
_NESTED = r"\((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*+\))*+\)"
_DESTINATION = (
    rf"(?:<(?P<angled>(?:[^<>\\\n]|\\.)*+)>|(?P<bare>(?:[^\s()\\<]|\\.|{_NESTED})(?:[^\s()\\]|\\.|{_NESTED})*+))"
)
_TITLE = r"(?:\"(?:[^\"\\\n]|\\.|\n(?![ \t]*\n))*+\"|'(?:[^'\\\n]|\\.|\n(?![ \t]*\n))*+'|\((?:[^()\\\n]|\\.)*+\))"
_INLINE = re.compile(rf"\({_GAP}(?:{_DESTINATION}(?:(?:[ \t]|\n){_GAP}{_TITLE})?{_GAP})?\)")
_REFERENCE = re.compile(
    rf"^ {{0,3}}\[(?!\^)(?P<label>(?:[^\[\]\\\n]|\\.)++)\]:{_GAP}"
    rf"(?:<(?P<angled>(?:[^<>\\\n]|\\.)*+)>|(?P<bare>[^\s<]\S*+))(?:[ \t]++{_TITLE})?[ \t]*+$",
    re.MULTILINE,
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&#?\w+;")
_WEB = "//"
_NEW = tuple.__new__  # what `Written(…)` does, without a call in Python between


class Written(NamedTuple):
    """A link as it stands in a text; offsets are code points."""

    start: int
    end: int
    opaque: int
    """Where the part begins that no reader sees as text: up to `end` it holds no tags."""
    kind: Kind
    embed: bool
    target: str
    """As written, Markdown links decoded; "" for the note itself."""
    subpath: str
    """`#heading`, `#a#b` or `#^block`, with the number sign; "" for none."""
    display: str | None


def scan(text: str, shown: str) -> list[Written]:
    """Return the links in a masked text in the order they stand, those to the web left out.

    `shown` is the same text with nothing masked: what the links say is read there.
    """
    wiki = _wikilinks(text, shown) if "[[" in text else []
    # one character is found in a tenth of the time of two, and many notes have no such one
    inline = "(" in text and "](" in text
    reference = ":" in text and "]:" in text
    if not inline and not reference:
        return wiki
    rest = hide(text, [(link.start, link.end) for link in wiki])
    found = [*wiki, *(_inline(rest, shown) if inline else ())]
    if reference:
        found += _references(rest, shown)
    return sorted(found)


def wikilink(written: str) -> tuple[str, str, str | None]:
    """Return target, subpath and display of what stands between `[[` and `]]`."""
    if "|" not in written and "#" not in written:
        return written.strip(), "", None
    path, pipe, display = written.partition("|")
    # in a table the pipe is escaped, and the backslash is the pipe's
    if pipe and path.endswith("\\"):
        path = path[:-1]
    target, number_sign, subpath = path.partition("#")
    return target.strip(), (number_sign + subpath).strip(), display.strip() if pipe else None


def markdown_target(destination: str) -> tuple[str, str]:
    """Return target and subpath of the destination of a Markdown link: escapes, entities and `%20` read."""
    plain = _ESCAPE.sub(r"\1", destination) if "\\" in destination else destination
    if "&" in plain:
        plain = _ENTITY.sub(lambda match: html.unescape(match[0]), plain)
    path, number_sign, subpath = plain.partition("#")
    return unquote(path), unquote(number_sign + subpath)


def _wikilinks(text: str, shown: str) -> list[Written]:
    found: list[Written] = []
    for match in _WIKILINK.finditer(text):
        start, end = match.span()
        inside = shown[start + 2 : end - 2]
        embed = False
        if start and text[start - 1] in "\\!":
            if is_escaped(text, start):
                continue
            embed = text[start - 1] == "!" and not is_escaped(text, start - 1)
            start -= embed
        if "|" in inside or "#" in inside:
            found.append(_NEW(Written, (start, end, start, "wiki", embed, *wikilink(inside))))
        else:
            found.append(_NEW(Written, (start, end, start, "wiki", embed, inside.strip(), "", None)))
    return found


def _inline(text: str, shown: str) -> Iterator[Written]:
    opened: list[int] = []
    inactive = 0
    at = 0
    while match := _BRACKET.search(text, at):
        at = match.end()
        if match[0] == "[":
            opened.append(match.start())
        elif match[0] == "]" and opened:
            start = opened.pop()
            embed = start > 0 and text[start - 1] == "!" and not is_escaped(text, start - 1)
            active = embed or len(opened) >= inactive
            inactive = min(inactive, len(opened))
            if active and (link := _inline_at(text, shown, start, match.start(), embed=embed)):
                at = link.end
                # a link holds no other link, but a link may hold a picture
                inactive = inactive if embed else len(opened)
                if link.target != _WEB:
                    yield link
        elif match[0][0] == "\n":
            opened.clear()
            inactive = 0


def _inline_at(text: str, shown: str, start: int, closed: int, *, embed: bool) -> Written | None:
    if not text.startswith("(", closed + 1) or not (match := _INLINE.match(text, closed + 1)):
        return None
    destination = _destination(match, shown)
    target, subpath = (_WEB, "") if not destination or _SCHEME.match(destination) else markdown_target(destination)
    return Written(start - embed, match.end(), closed, "md", embed, target, subpath, shown[start + 1 : closed] or None)


def _destination(match: re.Match[str], shown: str) -> str:
    """Return the destination a pattern found, "" where there is none."""
    group = "bare" if match["bare"] is not None else "angled"
    return shown[match.start(group) : match.end(group)]


def _references(text: str, shown: str) -> Iterator[Written]:
    for match in _REFERENCE.finditer(text):
        destination = _destination(match, shown)
        if destination and not _SCHEME.match(destination):
            start = match.start("label") - 1
            target, subpath = markdown_target(destination)
            label = shown[match.start("label") : match.end("label")]
            yield Written(
                start, match.end(), start, "reference", embed=False, target=target, subpath=subpath, display=label
            )
