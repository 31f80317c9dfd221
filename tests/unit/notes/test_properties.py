"""What a person types becomes the value that the vault's types ask for."""

import pytest

from vaultd.errors import UsageError
from vaultd.notes.properties import ALWAYS, Assignment, held_item, item_of, parse_assignment, parse_kinds, value_of


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("a=b", ("a", "=", "b")),
        ("a=", ("a", "=", "")),
        ("a+=b", ("a", "+=", "b")),
        ("a-=b", ("a", "-=", "b")),
        ("a-b=c", ("a-b", "=", "c")),
        ("Status: Rate=1", ("Status: Rate", "=", "1")),
        ("a=b=c+=d", ("a", "=", "b=c+=d")),
        ("a=two\nlines", ("a", "=", "two\nlines")),
    ],
)
def test_an_assignment_is_a_key_an_operation_and_a_text(text: str, parsed: tuple):
    assert parse_assignment(text) == Assignment(*parsed)


@pytest.mark.parametrize("text", ["", "a", "=b", "+=b", " =b", "a\nb=c"])
def test_what_sets_nothing_is_refused(text: str):
    with pytest.raises(UsageError, match="sets nothing"):
        parse_assignment(text)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("text", "7", "7"),
        ("text", "null", "null"),
        ("text", "", None),
        ("number", "7", 7),
        ("number", "1.5", 1.5),
        ("checkbox", "true", True),
        ("checkbox", "", None),
        ("date", "2026-02-28", "2026-02-28"),
        ("datetime", "2026-02-28T10:30", "2026-02-28T10:30"),
        ("datetime", "2026-02-28T10:30:00Z", "2026-02-28T10:30:00Z"),
        ("multitext", "a, b", ["a, b"]),
        ("multitext", "[a, 7]", ["a", "7"]),
        ("multitext", "", []),
        ("aliases", "[[Note]]", ["[[Note]]"]),
        ("tags", "#a, b/c", ["a", "b/c"]),
    ],
)
def test_a_typed_property_takes_a_value_of_its_type(kind, text, value):
    found = value_of("key", text, kind, None)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("number", "seven"),
        ("number", "true"),
        ("checkbox", "yes"),
        ("checkbox", "1"),
        ("date", "2026-02-30"),
        ("date", "28.2.2026"),
        ("date", "2026-02-28T10:30"),
        ("datetime", "2026-02-28"),
        ("datetime", "2026-02-28T25:00"),
        ("tags", "two words"),
        ("tags", "123"),
        ("tags", "#"),
    ],
)
def test_a_value_of_another_type_is_refused(kind, text):
    with pytest.raises(UsageError):
        value_of("key", text, kind, None)


@pytest.mark.parametrize(
    ("text", "held", "value"),
    [
        ("7", None, 7),
        ("007", None, "007"),
        ("1.10", None, "1.10"),
        ("1.5", 2, 1.5),
        ("true", None, True),
        ("null", None, None),
        ("~", None, "~"),
        ("2026-01-01", None, "2026-01-01"),
        ("[[Note]]", None, "[[Note]]"),
        ("[a, 2]", None, ["a", 2]),
        ("[a", None, "[a"),
        ("7", "six", "7"),
        ("true", "no", "true"),
        ("b", ["a"], ["b"]),
    ],
)
def test_without_a_type_a_property_keeps_the_kind_it_has(text, held, value):
    found = value_of("key", text, None, held)
    assert (type(found), found) == (type(value), value)


def test_an_item_of_what_is_no_list_is_refused():
    with pytest.raises(UsageError, match="rating is a number, not a list"):
        item_of("rating", "1", "number")


def test_an_empty_item_is_refused():
    with pytest.raises(UsageError):
        item_of("tags", "", "tags")


@pytest.mark.parametrize(
    ("items", "text", "kind", "held"),
    [(["#Garden"], "garden", "tags", "#Garden"), (["7"], "7", None, "7"), ([7], "7", None, 7), (["a"], "A", None, "A")],
)
def test_an_item_is_found_as_the_list_spells_it(items, text, kind, held):
    assert held_item(items, item_of("key", text, kind), kind) == held


def test_types_are_read_by_their_folded_names_and_unknown_ones_left_out():
    assert parse_kinds(b'{"types": {"Due": "date", "x": "wizard", "y": ["date"]}}') == {"due": "date", **ALWAYS}


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"types": 3}', b"\xff"])
def test_types_that_are_no_types_are_named_as_such(data: bytes):
    with pytest.raises(ValueError):
        parse_kinds(data)
