"""Dataview's inline fields."""

import pytest

from vaultd.notes.note import parse
from vaultd.notes.structure import structure


def fields(text: str):
    return structure(parse(text.encode())).fields


def test_fields_in_brackets(row_inline_fields):
    text, expected = row_inline_fields
    assert [[field.key, field.value] for field in fields(text)] == expected


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Basic Field:: x", "Basic Field", "x"),
        ("**Bold**:: y", "Bold", "y"),
        ("- key:: v", "key", "v"),
        ("> key:: v", "key", "v"),
        ("- [ ] key:: v", "key", "v"),
        ("🎅:: red", "🎅", "red"),
        ("clé:: [[A|b]] and `c`", "clé", "[[A|b]] and `c`"),
        ("empty::", "empty", ""),
        ("a-b/c_d:: 1", "a-b/c_d", "1"),
    ],
)
def test_a_line_of_its_own_is_a_field(text, key, value):
    assert [(field.key, field.value, field.written) for field in fields(text)] == [(key, value, "line")]


@pytest.mark.parametrize(
    "text", ["`a:: b`", "```\na:: b\n```", "(std::vector", "a.b:: c", ":: x", "[:: x]", "see [[a]] b:: c", "$a:: b$"]
)
def test_what_only_looks_like_a_field(text):
    assert fields(text) == ()


def test_fields_in_brackets_keep_the_line_from_being_one():
    assert [(field.key, field.written) for field in fields("Key:: [a:: 1] (b:: 2)")] == [("a", "["), ("b", "(")]


def test_brackets_in_a_value_are_counted():
    assert [field.value for field in fields("x (k:: a (b) [c) d] (e))")] == ["a (b) [c"]


def test_the_same_key_twice_is_two_fields_with_their_places():
    found = fields("k:: 1\nx [k:: 2]")
    assert [(field.key, field.line, field.column) for field in found] == [("k", 1, 1), ("k", 2, 3)]


def test_a_key_is_also_known_in_lower_case_with_hyphens():
    assert fields("Basic  Field:: x")[0].name == "basic-field"
