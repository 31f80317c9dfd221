"""A note's bytes become the document to index; no disk, no clock."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from vaultd.index.derived import plain
from vaultd.index.words import literals, spaced
from vaultd.notes.note import Note
from vaultd.notes.scalars import Value
from vaultd.notes.structure import Structure, Tag
from vaultd.values import dataclass

# Searched in fields of their own, or stamps that nobody types into a search.
_ELSEWHERE = frozenset(
    {"name", "description", "title", "tags", "tag", "created", "updated", "valid_from", "invalid_at", "superseded_by"}
)
# Keys every memory has: their names would match everything.
_NAMELESS = frozenset({"id", "kind", "project", "favorite", "model", "source_session"})
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Projected:
    """What the full text knows of a note; every field is ready to be split into words."""

    title: str
    text: str
    """The body without frontmatter, then the words of its properties."""
    name: str
    description: str
    tags: tuple[str, ...]
    """Without `#`, each followed by its parents: `to/do`, `to`."""
    headings: str
    literals: str
    """Spellings that splitting would lose, between blanks."""
    place: str
    """The path as words."""
    file: str
    """The file's name as words."""


def project(path: str, note: Note, found: Structure) -> Projected:
    """Return the document for a note: its title is the frontmatter's, else the first H1, else the file's name."""
    return projections((path,), (note,), (found,))[0]


def projections(paths: Sequence[str], notes: Sequence[Note], found: Sequence[Structure]) -> list[Projected]:
    """Return the documents for several notes; step by step for all of them, as `structures` does."""
    # Apart, for most bodies are ASCII, which needs no closer look, though a property may be in any language.
    bodies = [note.body for note in notes]  # Unicode proper as they were read
    words = ["".join(["\n" + plain(line) for line in _property_words(note.properties)]) for note in notes]
    spelled = [" ".join(literals(body) | literals(line)) for body, line in zip(bodies, words, strict=True)]
    texts = [spaced(body) + spaced(line) for body, line in zip(bodies, words, strict=True)]
    return [*map(_projected, paths, notes, found, texts, spelled)]


def _projected(path: str, note: Note, found: Structure, text: str, spelled: str) -> Projected:
    properties, headings = note.properties, found.headings
    stem = plain(path.rpartition("/")[2].removesuffix(".md"))
    first = ""
    for heading in headings:
        if heading.level == 1:
            first = heading.text
            break
    return Projected(
        title=plain(_word(properties.get("title")) or first or stem),
        text=text,
        name=spaced(plain(_word(properties.get("name")) or stem)),
        description=spaced(plain(_word(properties["description"]))) if "description" in properties else "",
        tags=tuple(_with_parents(found.tags)) if found.tags else (),
        headings=spaced("\n".join([heading.text for heading in headings])),
        literals=spelled,
        place=spaced(plain(path)),
        file=spaced(stem),
    )


def _with_parents(tags: Iterable[Tag]) -> dict[str, None]:
    """Return each tag and what it lies in, once each."""
    return dict.fromkeys(level for name in dict.fromkeys(tag.name for tag in tags) for level in _levels(name))


def _word(value: Value) -> str:
    return value if isinstance(value, str) else "" if value is None or isinstance(value, list | dict) else str(value)


def _levels(tag: str) -> Iterator[str]:
    name = unicodedata.normalize("NFC", tag.lstrip("#").strip("/"))
    while name:
        yield name
        name = name.rpartition("/")[0]


def _property_words(properties: Mapping[str, Value]) -> Iterator[str]:
    for key, value in properties.items():
        if key not in _ELSEWHERE:
            words = value if isinstance(value, str) else " ".join(_scalars(value, _DEEPEST))
            yield words if key in _NAMELESS else f"{key} {words}"


def _scalars(value: Value, depth: int) -> Iterator[str]:
    if isinstance(value, list | dict):
        for item in value if depth else ():
            yield from _scalars(item, depth - 1)
            if isinstance(value, dict) and isinstance(item, str):
                yield from _scalars(value[item], depth - 1)
    else:
        yield _word(value)
