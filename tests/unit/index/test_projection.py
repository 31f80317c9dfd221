"""A note's bytes become the document that is indexed."""

import pytest

from vaultd.index.projection import Projected, project
from vaultd.notes.note import parse
from vaultd.notes.structure import structure


def projected(text: str, path: str = "folder/Some File.md") -> Projected:
    note = parse(text.encode())
    return project(path, note, structure(note))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: From the block\n---\n# From the body\n", "From the block"),
        ("## Sub\n# From the body\n", "From the body"),
        ("no heading\n", "Some File"),
        ("---\ntitle:\n---\ntext\n", "Some File"),
        ("---\ntitle: 42\n---\ntext\n", "42"),
        ("---\ntitle: [unreadable\n---\n# Body\n", "Body"),
    ],
)
def test_the_title_is_the_first_that_is_there(text: str, title: str):
    assert projected(text).title == title


def test_the_text_is_the_body_and_the_words_of_unknown_properties():
    text = projected("---\nid: X1\nkind: decision\nreviewer: Ida\nlevels: [one, {two: three}]\n---\nbody\n").text
    assert text.startswith("body\n")
    assert {"X1", "decision", "reviewer", "Ida", "one", "two", "three"} <= set(text.split())
    assert "kind" not in text.split()


def test_stamps_are_not_words():
    assert "2026" not in projected("---\ncreated: 2026-01-01T00:00:00Z\ninvalid_at: null\n---\nbody\n").text


def test_tags_come_with_their_parents_and_without_signs():
    tags = projected("---\ntags: [to/do/now]\n---\n#inline/one\n").tags
    assert tags == ("to/do/now", "to/do", "to", "inline/one", "inline")


def test_name_and_description_have_fields_of_their_own():
    note = projected("---\nname: slow-disk\ndescription: Disks are slow\n---\nbody\n")
    assert (note.name, note.description) == ("slow-disk", "Disks are slow")
    assert "Disks" not in note.text


def test_a_path_that_is_not_utf8_becomes_proper_text():
    assert projected("body", path="caf\udce9/x\udce9.md").title == "x?"


def test_headings_are_listed():
    assert projected("# One\ntext\n## Two\n").headings.split() == ["One", "Two"]
