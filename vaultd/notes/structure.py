"""Everything a note's text holds beside its words, found in one pass, each with its place in the file."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from vaultd.notes.blocks import Block, blocks
from vaultd.notes.callouts import Callout, Footnote, callouts, comments, footnotes
from vaultd.notes.fields import Field, fields
from vaultd.notes.lines import Lines
from vaultd.notes.links import Kind, Written, scan, wikilink
from vaultd.notes.markdown import Heading, frontmatter_tags, headings_in, tags_in
from vaultd.notes.masking import flatten, hide, masked_blocks, masked_inline
from vaultd.notes.note import Note
from vaultd.notes.scalars import Value
from vaultd.notes.tasks import Task, tasks
from vaultd.values import dataclass

_PROPERTY_LINK = re.compile(r"(!?)\[\[((?:(?!\[\[|\]\])[^\n])++)\]\]")
_DEEPEST = 20


class Link(NamedTuple):
    """A link to a note or file of the vault."""

    target: str
    """As written, Markdown links decoded; "" for the note itself."""
    subpath: str
    """`#heading`, `#a#b` or `#^block`, with the number sign; "" for none."""
    display: str | None
    embed: bool
    kind: Kind
    line: int
    column: int
    start: int
    """Code points into `Note.body`, embed mark included; -1 for a link in the frontmatter."""
    end: int
    key: str | None
    """The property it stands in, `cast.0` for an item of a list; None in the body."""


class Tag(NamedTuple):
    """One use of a tag, with its `#`; `start` is -1 in the frontmatter."""

    name: str
    line: int
    column: int
    start: int


@dataclass(frozen=True, slots=True)
class Structure:
    """What `structure` found, each kind in the order it stands; lines and columns are 1-based in the file."""

    headings: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    """Those of the frontmatter first."""
    tags: tuple[Tag, ...] = ()
    """Every use; those of the frontmatter first, each once."""
    blocks: tuple[Block, ...] = ()
    tasks: tuple[Task, ...] = ()
    fields: tuple[Field, ...] = ()
    callouts: tuple[Callout, ...] = ()
    footnotes: tuple[Footnote, ...] = ()


def structure(note: Note) -> Structure:
    """Return what a note holds; never raises, and takes linear time whatever the text is."""
    shown = flatten(note.body)
    lines = Lines(shown, note.body_line, _first_column(note))
    blockless = masked_blocks(shown)
    text = masked_inline(blockless)
    links = scan(text, shown) if "[[" in text or "](" in text or "]:" in text else []
    # a comment hides nothing from Obsidian's index but its checkboxes
    uncommented = hide(text, comments(text)) if "%%" in text else text
    return Structure(
        headings=tuple(headings_in(blockless, lines)),
        links=(*_property_links(note), *(_placed(link, lines) for link in links)),
        tags=(*_property_tags(note), *_inline_tags(text, links, lines)),
        blocks=tuple(blocks(text, lines)) if "^" in text else (),
        tasks=tuple(tasks(uncommented, shown, lines)) if "[" in uncommented else (),
        fields=tuple(fields(text, shown, lines)) if "::" in text else (),
        callouts=tuple(callouts(text, shown, lines)) if "[!" in text else (),
        footnotes=tuple(footnotes(text, shown, lines)) if "[^" in text or "^[" in text else (),
    )


def _first_column(note: Note) -> int:
    """Return where the body begins in its first line: behind what closes the block, where that shares the line."""
    if note.block is None:
        return 1
    before = note.data[: note.block.body]
    return note.block.body - max(before.rfind(b"\n"), before.rfind(b"\r"))


def _placed(link: Written, lines: Lines) -> Link:
    line, column = lines.position(link.start)
    return Link(
        link.target, link.subpath, link.display, link.embed, link.kind, line, column, link.start, link.end, None
    )


def _inline_tags(text: str, links: list[Written], lines: Lines) -> Iterator[Tag]:
    if "#" in text:
        for offset, name in tags_in(text, links):
            yield Tag(name, *lines.position(offset), offset)


def _property_tags(note: Note) -> Iterator[Tag]:
    if names := frontmatter_tags(note.properties):
        line = next((line for key, line in note.key_lines.items() if key.lower() == "tags"), 1)
        for name in names:
            yield Tag(name, line, 1, -1)


def _property_links(note: Note) -> Iterator[Link]:
    for key, value in note.properties.items():
        for path, text in _texts(key, value, _DEEPEST):
            if link := _whole_link(text):
                target, subpath, display, embed, kind = link
                yield Link(target, subpath, display, embed, kind, note.key_lines.get(key, 1), 1, -1, -1, path)


def _texts(path: str, value: Value, depth: int) -> Iterator[tuple[str, str]]:
    """Yield every text that may hold a link, with its key: `cast.0`, `a.b`."""
    if isinstance(value, str):
        if "[[" in value or "](" in value:
            yield path, value
    elif isinstance(value, list | dict) and depth:
        items = enumerate(value) if isinstance(value, list) else value.items()
        for name, item in items:
            yield from _texts(f"{path}.{name}", item, depth - 1)


def _whole_link(text: str) -> tuple[str, str, str | None, bool, Kind] | None:
    """Return the link a property value is; text around it makes it text."""
    text = text.strip()
    if match := _PROPERTY_LINK.fullmatch(text):
        return (*wikilink(match[2]), bool(match[1]), "wiki")
    found = scan(text, text)
    if len(found) == 1 and found[0].kind == "md" and (found[0].start, found[0].end) == (0, len(text)):
        link = found[0]
        return link.target, link.subpath, link.display, link.embed, link.kind
    return None
