"""Plain scalars read as YAML 1.2 core, and values spelled as Obsidian's writer would."""

import math
import sys

import pytest

from vaultd.notes.scalars import LONGEST_NUMBER, resolve, same, spell, spell_item


def test_a_scalar_reads_as_obsidian_reads_it(row_scalar):
    text, expected = row_scalar
    assert same(resolve(text), expected)


@pytest.mark.parametrize(
    "text", ["0b11", "nULL", "0x", "1e", "e5", ".", "-", "+", "1_0", "0o8", "١٢", "0xg", ".Nan", "..5"]
)
def test_what_only_looks_like_a_number_is_text(text):
    assert resolve(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1234e567", math.inf),
        ("+.inf", math.inf),
        ("-.INF", -math.inf),
        ("1.", 1.0),
        ("+12", 12),
        ("-0", 0),
        ("1e-5", 1e-05),
        ("TRUE", True),
        ("FALSE", False),
        ("NULL", None),
        ("+.5", 0.5),
        ("0xFf", 255),
    ],
)
def test_every_spelling_of_a_value_is_known(text, value):
    assert same(resolve(text), value)


def test_nan_is_read():
    assert math.isnan(resolve(".NaN"))


def test_digits_without_end_are_text_and_take_no_time():
    assert resolve("9" * LONGEST_NUMBER) == 10**LONGEST_NUMBER - 1
    assert resolve("9" * 1_000_000) == "9" * 1_000_000


def test_the_longest_hexadecimal_number_can_be_written_again():
    value = resolve("0x" + "f" * (LONGEST_NUMBER - 2))
    assert resolve(spell(value)) in {value, spell(value)}
    assert len(str(value)) < sys.get_int_max_str_digits()


QUOTED = [
    "[[x]]",
    "007",
    "1e3",
    "#x",
    "a: b",
    "true",
    "null",
    "~",
    " x",
    "x ",
    "@x",
    "-",
    "x-",
    "a #b",
    "",
    "a\nb",
    "12",
    ".5",
]


@pytest.mark.parametrize("text", QUOTED)
def test_text_that_would_read_as_something_else_is_double_quoted(text):
    assert spell(text) == '"' + text.replace("\n", "\\n") + '"'


@pytest.mark.parametrize(
    "text", ["yes", "10:30", "2020-01-01", "1_000", "it's", "🛒", "a, b", "a]b", "x#y", "-x", "2026-07-10T18:00:00Z"]
)
def test_text_that_reads_back_stays_plain(text):
    assert spell(text) == text


def test_single_quotes_serve_only_text_with_double_ones():
    assert spell('"a" b: c') == "'\"a\" b: c'"
    assert spell('"it\'s"') == '"\\"it\'s\\""'


@pytest.mark.parametrize(
    ("value", "text"), [([], "[]"), ({}, "{}"), ("", '""'), (None, "null"), ([None, ""], '[null, ""]')]
)
def test_empty_values_stay_apart(value, text):
    assert spell(value) == text


def test_lists_and_maps_are_in_flow_style():
    assert spell(["a", "b, c", 1, {"k": [True]}]) == '[a, "b, c", 1, {k: [true]}]'


def test_commas_and_brackets_need_quotes_only_inside_a_list():
    assert (spell("a, b"), spell_item("a, b")) == ("a, b", '"a, b"')


def test_what_libyaml_takes_for_the_end_of_a_key_is_quoted_where_it_does():
    assert spell({"0:?": None}) == '{"0:?": null}'
    assert spell(["a:?b", "why?"]) == '["a:?b", why?]'
    assert spell("0:?") == "0:?"


@pytest.mark.parametrize(
    ("value", "text"), [(math.inf, ".inf"), (-math.inf, "-.inf"), (math.nan, ".nan"), (1.0, "1.0"), (False, "false")]
)
def test_numbers_and_booleans_are_spelled_as_yaml_reads_them(value, text):
    assert spell(value) == text


@pytest.mark.parametrize("text", ["a\u2028b", "a\x85b", "\ufeff", "\x07", "\x7f"])
def test_characters_that_editors_hide_are_escaped(text):
    assert spell(text).isascii()


@pytest.mark.parametrize(
    ("a", "b"),
    [(1, True), (1, 1.0), (0, False), ("1", 1), ("", None), ([], None), ([1], [True]), ({"a": 1}, {"a": True})],
)
def test_values_of_two_types_are_not_the_same(a, b):
    assert not same(a, b)


def test_order_of_keys_does_not_matter_and_order_of_items_does():
    assert same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not same([1, 2], [2, 1])
    assert not same([1], [1, 2])


def test_nan_equals_nan():
    assert same([math.nan], [math.nan])
    assert not same(math.nan, 1.0)
