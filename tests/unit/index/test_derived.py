"""What a note says beside its words is kept as typed rows."""

import json
from collections.abc import Callable

import pytest

from vaultd.index.derived import Derived, derived, meaning
from vaultd.index.mirror import FileRow, open_mirror
from vaultd.index.rows import row_of
from vaultd.notes.note import parse
from vaultd.notes.resolution import link_key
from vaultd.notes.structure import structure


def rows_of(text: str) -> Derived:
    note = parse(text.encode())
    return derived("p/n.md", note, structure(note), lambda target, _: meaning(target, 7, 1, link_key(target)))


@pytest.fixture
def kept(tmp_path) -> Callable[[str, str], list[tuple]]:
    """Return what an index finds of a note, given its text and a question."""
    mirror = open_mirror(tmp_path / "index")

    def ask(text: str, question: str) -> list[tuple]:
        mirror.record([FileRow("p/n.md", 1, 1, 1, 1, "key", "n")], [], [rows_of(text)])
        return mirror.rows(f"{question} ORDER BY place")

    return ask


@pytest.mark.parametrize(
    ("value", "typed"),
    [
        ("4.5", ("number", "4.5", 4.5)),
        ("true", ("checkbox", "true", 1.0)),
        ("2026-12-01", ("date", "2026-12-01", 1_796_083_200.0)),
        ("2026-12-01T00:00:00Z", ("datetime", "2026-12-01T00:00:00Z", 1_796_083_200.0)),
        ("2026-13-01", ("text", "2026-13-01", None)),
        ("", ("null", "", None)),
        ("[]", ("list", "", None)),
        ("{a: [1]}", ("object", '{"a": [1]}', None)),
        ("1" + "0" * 400, ("number", "1" + "0" * 400, float("inf"))),
    ],
)
def test_a_property_is_typed_by_its_value(value: str, typed: tuple):
    ((*_, kind, text, number),) = rows_of(f"---\nx: {value}\n---\n").properties
    assert (kind, text, number) == typed


def test_each_item_of_a_list_is_a_row_with_its_place():
    rows = rows_of("---\nFirst: 1\nTeam: [Ada, 2]\n---\n").properties
    assert [row[2:] for row in rows] == [
        ("first", "First", 2, -1, "number", "1", 1.0),
        ("team", "Team", 3, 0, "text", "Ada", None),
        ("team", "Team", 3, 1, "number", "2", 2.0),
    ]


def test_links_of_body_and_frontmatter_are_rows(kept):
    text = "---\nup: ['[[Top]]']\n---\nsee ![[Fig.png|small]] and [x](A%20b.md#Part)\n"
    columns = "line, column, target, subpath, display, embed, kind, property, key"
    assert kept(text, f"SELECT {columns} FROM links") == [
        (2, 1, "Top", "", None, 0, "wiki", "up.0", "top"),
        (4, 5, "Fig.png", "", "small", 1, "wiki", None, "fig.png"),
        (4, 28, "A b.md", "#Part", "x", 0, "md", None, "a b"),
    ]
    assert kept(text, "SELECT DISTINCT note FROM links") == [(row_of("p/n.md"),)]
    assert kept(text, "SELECT resolved, rivals FROM links") == [(7, 1)] * 3


def test_a_plain_wikilink_has_all_that_any_link_has(kept):
    columns = "line, column, target, subpath, display, embed, kind, property, key, resolved, rivals"
    assert kept("a [[Top]]", f"SELECT {columns} FROM links") == [(1, 3, "Top", "", None, 0, "wiki", None, "top", 7, 1)]


def test_a_note_that_says_something_else_is_mentioned_by_its_new_links_alone(kept):
    kept("[[Top]] [[Old]]", "SELECT * FROM links")
    assert kept("[[Top]] [[New#Part]]", "SELECT key, doubtful, note AS place FROM mentions") == [
        ("new", 1, row_of("p/n.md")),
        ("top", 0, row_of("p/n.md")),
    ]


def test_a_task_keeps_its_dates_and_the_rest_as_a_document(kept):
    columns = "status, type, text, due, scheduled, start, done, priority, more"
    ((status, kind, text, due, scheduled, start, done, priority, more),) = kept(
        "- [/] ring Ida #radio 🔼 🆔 r1 📅 2026-12-24\n", f"SELECT {columns} FROM tasks"
    )
    assert (status, kind, text, due, priority) == ("/", "IN_PROGRESS", "ring Ida #radio", "2026-12-24", "medium")
    assert (scheduled, start, done) == (None, None, None)
    assert json.loads(more) == {"id": "r1", "tags": ["#radio"]}


def test_a_plain_task_has_all_that_any_task_has(kept):
    assert kept("x\n- [x] ring\n", "SELECT * FROM tasks") == [
        (row_of("p/n.md"), 0, 2, 4, "x", "DONE", "ring", None, None, None, None, "normal", "")
    ]


def test_tags_headings_and_blocks_are_rows_with_their_lines(kept):
    text = "---\ntags: [Top]\n---\n# Head\ntext #In/Side ^b1\n"
    assert [row[2:] for row in kept(text, "SELECT * FROM tags")] == [
        ("#Top", "#top", 2, 1),
        ("#In/Side", "#in/side", 5, 6),
    ]
    assert [row[2:] for row in kept(text, "SELECT * FROM headings")] == [(1, "Head", 4)]
    assert [row[2:] for row in kept(text, "SELECT * FROM blocks")] == [("b1", 5, 5)]


def test_text_with_a_nul_is_kept_whole_but_for_it(kept):
    text = "# a\0b \\u0000 c\n[[x\0y]]\n"
    assert kept(text, "SELECT text, note AS place FROM headings") == [("a\ufffdb \\u0000 c", row_of("p/n.md"))]
    assert kept(text, "SELECT target, key, note AS place FROM links") == [("x\ufffdy", "x\ufffdy", row_of("p/n.md"))]
    assert kept("nothing", "SELECT key, note AS place FROM mentions") == []
