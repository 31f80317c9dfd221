"""Callouts, footnotes and comments."""

import pytest

from vaultd.notes.callouts import Callout, comments
from vaultd.notes.masking import masked
from vaultd.notes.note import parse
from vaultd.notes.structure import structure


def of(text: str):
    return structure(parse(text.encode()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("> [!note]", Callout("note", "", "", "", 1, 1, 1)),
        ("> [!faq]- T `x`\n> a\n> b\nc", Callout("faq", "-", "", "T `x`", 1, 1, 3)),
        (">[!Type|meta]+ T", Callout("type", "+", "meta", "T", 1, 1, 1)),
        ("> > [!todo] x\n> y", Callout("todo", "", "", "x", 2, 1, 1)),
    ],
)
def test_callouts(text, expected):
    assert of(text).callouts == (expected,)


def test_callouts_nest():
    found = of("> [!a] A\n> > [!b] B\n> > b\n> a\n").callouts
    assert [(callout.type, callout.line, callout.last_line) for callout in found] == [("a", 1, 4), ("b", 2, 3)]


@pytest.mark.parametrize(
    "text", ["> text\n> [!note]", "[!note] a", "> a [!note]", "`> [!note]`", "```\n> [!note]\n```"]
)
def test_what_only_looks_like_a_callout(text):
    assert of(text).callouts == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a[^1] b", [("reference", "1", "")]),
        ("[^A]: x `y`", [("definition", "a", "x `y`")]),
        ("[^1]: x\n\n    y\n  z\nw", [("definition", "1", "x y z")]),
        ("a[^b c]", []),
        ("a ^[in [l] line] and ^[two]", [("inline", "", "in [l] line"), ("inline", "", "two")]),
        ("a ^[open\nb]", []),
        ("`[^1]`", []),
    ],
)
def test_footnotes(text, expected):
    assert [(note.kind, note.id, note.text) for note in of(text).footnotes] == expected


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("a %%b%% c", ["%%b%%"]),
        ("%%\na\n\nb\n%%\nc", ["%%\na\n\nb\n%%"]),
        ("> %%\n> a\n> %%", ["%%\n> a\n> %%"]),
        ("100%% sure\n\nand %%b%%", ["%%b%%"]),
        ("a %% b", []),
        ("%%a%%%%b%%", ["%%a%%", "%%b%%"]),
        ("`%%` a `%%`", []),
    ],
)
def test_comments(text, hidden):
    assert [text[start:end] for start, end in comments(masked(text))] == hidden
