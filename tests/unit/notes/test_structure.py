"""Everything a note holds, with its place in the file."""

from collections.abc import Callable

import pytest

from tests.growth import assert_linear
from tests.unit.notes.conftest import CASES
from vaultd.notes.note import parse
from vaultd.notes.structure import Structure, structure

NOTE = """\
---
up: "[[Up|shown]]"
cast: ["[[A#H]]", plain, "![[B]]", "see [[C]]"]
source: "[text](My%20Note.md)"
more: {deep: ["[[D]]"]}
Tags: [one, two]
---
# Title

See [[N#H|n]] and ![p](p.png) #three. ^b1

> [!Tip]- Fold me
> - [x] done ✅ 2026-01-02

[key:: value] [^1]

[^1]: note
"""


def of(text: str | bytes) -> Structure:
    return structure(parse(text if isinstance(text, bytes) else text.encode()))


@pytest.fixture(scope="module")
def found() -> Structure:
    return of(NOTE)


def test_links_of_properties_have_the_key_they_stand_in(found):
    links = [(link.key, link.target, link.subpath, link.display, link.embed, link.line) for link in found.links]
    assert links[:5] == [
        ("up", "Up", "", "shown", False, 2),
        ("cast.0", "A", "#H", None, False, 3),
        ("cast.2", "B", "", None, True, 3),
        ("source", "My Note.md", "", "text", False, 4),
        ("more.deep.0", "D", "", None, False, 5),
    ]


def test_links_of_the_body_have_their_place(found):
    links = [link for link in found.links if link.key is None]
    assert [(link.target, link.line, link.column, link.kind) for link in links] == [
        ("N", 10, 5, "wiki"),
        ("p.png", 10, 19, "md"),
    ]
    body = parse(NOTE.encode()).body
    assert [body[link.start : link.end] for link in links] == ["[[N#H|n]]", "![p](p.png)"]


@pytest.mark.parametrize("written", ['"[[Up]]"', '"\\x5b[Up]]"', '"[\\\n  [Up]]"', "[ '[[Up]]' ]"])
def test_a_link_in_a_property_counts_however_yaml_spells_its_brackets(written: str):
    note = parse(f"---\nup: {written}\n---\n".encode())

    assert [(link.target, link.line) for link in structure(note).links] == [("Up", 2)]


def test_tags_of_frontmatter_and_text_are_listed_with_their_place(found):
    assert [(tag.name, tag.line, tag.column) for tag in found.tags] == [
        ("#one", 6, 1),
        ("#two", 6, 1),
        ("#three", 10, 31),
    ]


def test_every_kind_counts_lines_of_the_file(found):
    assert [(heading.text, heading.line) for heading in found.headings] == [("Title", 8)]
    assert [(block.id, block.line, block.last_line) for block in found.blocks] == [("b1", 10, 10)]
    assert [(callout.type, callout.line, callout.last_line) for callout in found.callouts] == [("tip", 12, 13)]
    assert [(task.done, task.line, task.column) for task in found.tasks] == [("2026-01-02", 13, 6)]
    assert [(field.key, field.value, field.line) for field in found.fields] == [("key", "value", 15)]
    assert [(note.kind, note.id, note.line) for note in found.footnotes] == [
        ("definition", "1", 17),
        ("reference", "1", 15),
    ]


def test_an_empty_note_holds_nothing():
    assert of("") == Structure()
    assert of("---\na: 1\n---") == Structure()


def test_offsets_hold_with_carriage_returns_and_wide_characters():
    text = "---\r\na: 1\r\n---\r\n🔥 é\r\nsee [[漢字]] #t\r\n"
    found = of(text)
    body = parse(text.encode()).body
    link = found.links[0]
    assert (link.line, link.column, body[link.start : link.end]) == (5, 5, "[[漢字]]")
    assert [(tag.line, tag.column) for tag in found.tags] == [(5, 12)]


def test_a_body_that_begins_behind_its_fence_keeps_its_columns():
    link = of("---\na: 1\n---x [[A]]").links[0]
    assert (link.line, link.column) == (3, 6)


def test_bytes_that_are_not_utf8_hide_nothing_else():
    assert [link.target for link in of(b"\xff [[A]]").links] == ["A"]


def test_tag_case_lists_exactly_its_tags():
    found = structure(parse((CASES / "29-tag-false-positives" / "input" / "t.md").read_bytes()))
    assert [tag.name.casefold() for tag in found.tags] == [
        "#fmone",
        "#fmtwo",
        "#y1984",
        "#project",
        "#project/sub",
        "#emoji🎯",
        "#日本語",
        "#under_score",
        "#da-sh",
        "#incomment",
    ]


PATHOLOGICAL = {
    "open wikilinks": "[[",
    "open brackets": "[",
    "brackets with text": "[a",
    "links never closed": "[a](b",
    "links in an open bracket": "[a](b) [",
    "pictures in pictures": "![",
    "angles": "[a](<",
    "titles": '[a](b "',
    "parentheses": "[a](b(",
    "stars": "****",
    "backticks": "`",
    "runs of backticks": "` `` ``` ",
    "fences in quotes": "> ```\n",
    "fences in lists": "- ```\n",
    "fences of two kinds": "```\n~~~\n",
    "deep quotes": ">",
    "quoted callouts": "> [!a]\n\n",
    "callouts": "> [!a]\n",
    "indented code": "\n    a\n x\n",
    "blank lines": "\n",
    "spaces": " ",
    "tabs": "\t",
    "lines of spaces": "     \n",
    "dollars": "$",
    "dollars apart": "$a ",
    "open math": "$$ a",
    "backslashes": "\\",
    "escaped ticks": "\\`",
    "comments": "%%",
    "comments apart": "a %% b\n\n",
    "html comments": "<!--",
    "number signs": "#",
    "tags": "#a ",
    "underlines": "a\n===\n",
    "underlines alone": "===\n",
    "a long paragraph": "words and words\n",
    "block ids": "a ^b\n",
    "block ids alone": "^b\n\n",
    "block ids on list items": "- a ^b\n",
    "carets": "^[",
    "footnotes": "[^1]: a\n",
    "footnotes continued": "[^1]: a\n\n  b\n",
    "fields": "[a:: ",
    "fields closed": "[a:: b] ",
    "colons": "a::",
    "colons in brackets": "[a:",
    "tasks": "- [ ] a 📅 2026-01-02\n",
    "signs on one line": "📅",
    "boxes on one line": "[x] ",
    "carriage returns": "\r",
    "definitions": "[a]: b\n",
    "definitions open": "[a]:",
    "long words": "x",
    "items": "- ",
    "quoted items": "> - ",
    "nulls": "\x00",
    "callouts on one line": "> [!a]",
    "footnotes on one line": "[^1]: ",
    "fields on one line": "(a:: b ",
    "wikilinks on one line": "[[a]]",
    "embeds escaped": "\\\\\\![[a]]",
    "headings on one line": "# #",
    "math in links": "[[a$",
    "fences on one line": "x```",
}
BEFORE = {"boxes on one line": "- [ ] ", "signs on one line": "- [ ] a ", "spaces": "- [ ] 🔁 a", "deep quotes": "a\n"}


@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_no_text_takes_more_than_linear_time(name):
    piece = PATHOLOGICAL[name]

    def work(size: int) -> Callable[[], object]:
        note = parse((BEFORE.get(name, "") + piece * (size // len(piece)) + "\nend").encode())
        return lambda: structure(note)

    assert_linear(work, 12_500)
