"""Everything a note's text holds beside its words, found in one pass, each with its place in the file."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

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
_LINKING = (b"[[", b"](", b"\\")
_DEEPEST = 20
_Found = TypeVar("_Found")
_NEW = tuple.__new__  # what `Link(…)` does, without a call in Python between


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
    return structures((note,))[0]


def structures(notes: Sequence[Note]) -> list[Structure]:
    """Return what each of several notes holds.

    One kind of thing in all of them and then the next is a fifth faster than all kinds in one note and then the next note: the
    processor keeps the code of one kind at hand.
    """
    shown = [flatten(note.body) for note in notes]
    lines = [Lines(one, note.body_line, _first_column(note)) for one, note in zip(shown, notes, strict=True)]
    blockless = [*map(masked_blocks, shown)]
    texts = [*map(masked_inline, blockless)]
    written = _each(scan, texts, shown)
    kinds = (
        _each(headings_in, blockless, lines),
        _each(_links, notes, written, lines),
        _each(_tags, notes, texts, written, lines),
        _each(_blocks, texts, lines),
        _each(_tasks, texts, shown, lines),
        _each(_fields, texts, shown, lines),
        _each(_callouts, texts, shown, lines),
        _each(_footnotes, texts, shown, lines),
    )
    return [Structure(*of_one) for of_one in zip(*kinds, strict=True)]


def _each(find: Callable[..., Iterable[_Found]], *of_notes: Sequence[object]) -> list[tuple[_Found, ...]]:
    return [tuple(find(*of_one)) for of_one in zip(*of_notes, strict=True)]


def _first_column(note: Note) -> int:
    """Return where the body begins in its first line: behind what closes the block, where that shares the line."""
    if note.block is None:
        return 1
    before = note.data[: note.block.body]
    return note.block.body - max(before.rfind(b"\n"), before.rfind(b"\r"))


def _links(note: Note, written: Iterable[Written], lines: Lines) -> list[Link]:
    found = [*_property_links(note)] if _may_link(note) else []
    starts, first_line, first_column = lines.starts, lines.first_line, lines.first_column
    for start, end, _opaque, kind, embed, target, subpath, display in written:
        index = bisect_right(starts, start) - 1
        line, column = index + first_line, start - starts[index] + (1 if index else first_column)
        found.append(_NEW(Link, (target, subpath, display, embed, kind, line, column, start, end, None)))
    return found


def _tags(note: Note, text: str, written: Sequence[Written], lines: Lines) -> list[Tag]:
    found = [*_property_tags(note)]
    if "#" in text:
        found += [Tag(name, *lines.position(offset), offset) for offset, name in tags_in(text, written)]
    return found


# Most notes hold none of what follows, and one character mostly tells: it is found in a tenth of the time of two.


def _blocks(text: str, lines: Lines) -> Iterable[Block]:
    return blocks(text, lines) if "^" in text else ()


def _tasks(text: str, shown: str, lines: Lines) -> Iterable[Task]:
    # a comment hides nothing from Obsidian's index but its checkboxes
    uncommented = hide(text, comments(text)) if "%" in text and "%%" in text else text
    return tasks(uncommented, shown, lines) if "[" in uncommented else ()


def _fields(text: str, shown: str, lines: Lines) -> Iterable[Field]:
    return fields(text, shown, lines) if ":" in text and "::" in text else ()


def _callouts(text: str, shown: str, lines: Lines) -> Iterable[Callout]:
    return callouts(text, shown, lines) if "!" in text and "[!" in text else ()


def _footnotes(text: str, shown: str, lines: Lines) -> Iterable[Footnote]:
    return footnotes(text, shown, lines) if "^" in text and ("[^" in text or "^[" in text) else ()


def _property_tags(note: Note) -> Iterator[Tag]:
    if names := frontmatter_tags(note.properties):
        line = next((line for key, line in note.key_lines.items() if key.lower() == "tags"), 1)
        for name in names:
            yield Tag(name, line, 1, -1)


def _may_link(note: Note) -> bool:
    """Say whether a property may hold a link: brackets stand there as they are, or as an escape."""
    if note.block is None:
        return False
    data, start, end = note.data, note.block.start, note.block.end
    return data.find(b"[", start, end) >= 0 and any(data.find(sign, start, end) >= 0 for sign in _LINKING)


def _property_links(note: Note) -> Iterator[Link]:
    for key, value in note.properties.items():
        if isinstance(value, str) and "[" not in value:
            continue
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
