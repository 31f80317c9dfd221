"""YAML structure as Obsidian's parser gives it, and exact places."""

import pytest

from vaultd.notes.careful import read_carefully
from vaultd.notes.yaml_nodes import YamlProblem, read_tree


def properties(text: str) -> object:
    reading = read_carefully(text)
    assert reading.readable, reading.findings
    return reading.properties


@pytest.mark.parametrize(
    ("row", "text", "expected"),
    [
        ("YS-02", "A: 1\na: 2\n", {"A": 1, "a": 2}),
        ("YS-04", "link: [[Foo]]\n", {"link": [["Foo"]]}),
        ("YS-05", "tags: #foo\n", {"tags": None}),
        ("YS-09", "a: {{date}}\n", {"a": {"{ date }": None}}),
        ("YS-12", '{"tags":["j"],"publish":false}\n', {"tags": ["j"], "publish": False}),
        ("YS-13", "<<: {a: 1}\n", {"<<": {"a": 1}}),
        ("YS-14", "a: !foo x\n", {"a": "x"}),
        ("YS-15", "x: &a {b: 1}\ny: *a\n", {"x": {"b": 1}, "y": {"b": 1}}),
        ("YS-16", "? k\n: v\n", {"k": "v"}),
        ("YS-19", "__proto__: 1\n", {"__proto__": 1}),
        ("YS-20", "10: a\n2: b\nz: c\n", {"10": "a", "2": "b", "z": "c"}),
        ("B-13", "o: |-\n  it's\n\n  x\n", {"o": "it's\n\nx"}),
        ("B-31", "yes: 1\ncontent: 2\nself: 3\n", {"yes": 1, "content": 2, "self": 3}),
        ("tags of core", "a: !!str 1\nb: !!int 07\nc: !!bool x\nd: !!float 1\n", {"a": "1", "b": 7, "c": "x", "d": 1}),
        ("list as key", "? [1, 2]\n: v\n", {"[ 1, 2 ]": "v"}),
        ("null as key", "~: x\nnull: y\n", {"~": "x", "null": "y"}),
        ("only comments", "# nothing\n", {}),
        ("nothing", "", {}),
        ("no value in flow", "m: {a, b: }\n", {"m": {"a": None, "b": None}}),
        ("line separators", "a: x\u2028y\nb: x\x85y\n", {"a": "x\u2028y", "b": "x\x85y"}),
        ("control characters", "a: x\x07y\nb\x00: \ufeff1\n", {"a": "x\x07y", "b\x00": "\ufeff1"}),
        ("quoted scalars are text", "a: '1'\nb: \"null\"\n", {"a": "1", "b": "null"}),
    ],
)
def test_a_structure_reads_as_obsidian_reads_it(row, text, expected):
    assert properties(text) == expected


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("YS-06", "a: b: c\n"),
        ("YS-07 @", "a: @x\n"),
        ("YS-07 `", "a: `x`\n"),
        ("YS-07 %", "a: %x\n"),
        ("YS-08", "a: *x\n"),
        ("YS-18", "%YAML 1.1\na: yes\n"),
        ("stand-ins", "a: \x07\U0010f007\n"),
    ],
)
def test_a_structure_obsidian_refuses_is_refused(row, text):
    with pytest.raises(YamlProblem):
        read_tree(text)


def test_places_are_exact_behind_wide_and_exchanged_characters():
    text = "é: 日\u2028😀  # c\nb: |\n  x\n\n\nc: [1,\n 2]\n"
    root = read_tree(text).root
    values = root.parts[1::2]
    assert [text[node.start : node.end] for node in values] == ["日\u2028😀", "|\n  x", "[1,\n 2]"]
    assert [(node.line, node.kind) for node in values] == [(0, "plain"), (1, "literal"), (5, "flow")]


def test_a_block_list_ends_behind_its_last_item():
    text = "a:\n  - x\n  - y  # c\n\n# d\nb: 1\n"
    node = read_tree(text).root.parts[1]
    assert text[node.start : node.end] == "- x\n  - y"


def test_every_duplicate_is_found():
    tree = read_tree("a: 1\na: 2\nm: {b: 1, b: 2}\n")
    assert [(found.key, found.first, found.second) for found in tree.duplicates] == [("a", 0, 1), ("b", 2, 2)]
