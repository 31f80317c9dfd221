"""Which blocks the quick reader takes, and which it leaves."""

import pytest

from vaultd.notes.careful import read_carefully, read_with_places
from vaultd.notes.plain import LARGEST_PLAIN, read_plainly
from vaultd.notes.plain_places import plain_places

MEMORY = """\
id: 01K0ABCDEFGHJKMNPQRSTVWXYZ
kind: gotcha
name: build-cache
description: The cache keeps stale files: clear it
project: seamless
created: 2026-07-10T18:00:00Z
valid_from: 2026-07-10T18:00:00Z
invalid_at: null
superseded_by:
favorite: true
tags: [build, "a, b"]
"""


@pytest.mark.parametrize(
    "text",
    [
        MEMORY.replace("files: clear", "files; clear"),
        MEMORY.replace("files: clear", "files; clear").replace("\n", "\r\n"),
        "a: 'q'\nb: \"q: #\"\n\n# c\nc:\n  - x\n  - 'y'\nd:\n- z\n",
        "é: C#\nAB: a:b\nn: 12\nf: -1.5\n".replace("-1.5", "1.5"),
        "tags: []\n",
        "a: wide  # by hand\nb: 'x' # y\nc: [d, e] # f\ng:\n  - h # - i\n",
        "\n",
    ],
)
def test_an_everyday_block_is_read_quickly_and_the_same(text):
    quick = read_plainly(text)
    assert quick is not None
    assert quick == read_carefully(text)
    assert plain_places(text, quick) == read_with_places(text)[0]


@pytest.mark.parametrize(
    "text",
    [
        MEMORY,
        "a: 1\na: 2\n",
        "a: x\n  y\n",
        "a: x\n- y\n",
        "a: b: c\n",
        "a: |\n  x\n",
        "a: {b: 1}\n",
        "a: [[x]]\n",
        "a: @x\n",
        "a: #x\n",
        "a: x #y\n",
        "a:\n  - x\n    - y\n",
        "a:\n  - x\n - y\n",
        "a:\n  - b: 1\n",
        "id: 12\n",
        "tags: [1]\n",
        "n: 007\n",
        "n: 1e3\n",
        "Kind: x\n",
        "a: 'it''s'\n",
        'a: "\\t"\n',
        "a:\xa0x\n",
        "a: x\u2028y\n",
        "a:\tx\n",
        "",
        "a: 99999999999999999999\n",
        "a: &x y\n",
        "- x\n",
        "just text\n",
        "a: 'x' y\n",
        "a: [x\n",
        "a: [x,,y]\n",
        "a: [x,]\n",
        "a: [x y: z]\n",
        "  a: 1\n",
        "? a\n",
        "a: x\rb: y\n",
    ],
)
def test_anything_unusual_is_left_to_the_full_reader(text):
    assert read_plainly(text) is None


def test_a_large_block_is_left_to_the_full_reader():
    assert read_plainly("a: " + "x" * LARGEST_PLAIN + "\n") is None
