"""Block ids and the lines they name."""

import pytest

from vaultd.notes.note import parse
from vaultd.notes.structure import structure


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("para text ^37066d", [("37066d", 1, 1)]),
        ("para^x", []),
        ("> quote\n\n^q1\n\nnext", [("q1", 1, 3)]),
        ("- item ^li-1", [("li-1", 1, 1)]),
        ("text ^a_b", []),
        ("text ^a ", [("a", 1, 1)]),
        ("^[inline footnote]", []),
        ("one\ntwo\nthree ^p", [("p", 1, 3)]),
        ("one ^mid\ntwo", []),
        ("# H\npara ^p\n# I", [("p", 2, 2)]),
        ("# Heading ^h", [("h", 1, 1)]),
        ("- a\n- b\n  more ^b\n- c", [("b", 2, 3)]),
        ("| a |\n| - |\n| b |\n\n^t", [("t", 1, 5)]),
        ("- a\n- b\n^list", [("list", 1, 3)]),
        ("x\n\n> [!note] T\n> text\n\n^c", [("c", 3, 6)]),
        ("^alone", [("alone", 1, 1)]),
        ("`code ^no`", []),
        ("```\ncode ^no\n```", []),
        ("a ^x\r\n\r\nb ^y\r\n", [("x", 1, 1), ("y", 3, 3)]),
        ("x^2 ^y", [("y", 1, 1)]),
    ],
)
def test_blocks(text, expected):
    found = structure(parse(text.encode())).blocks
    assert [(block.id, block.line, block.last_line) for block in found] == expected
