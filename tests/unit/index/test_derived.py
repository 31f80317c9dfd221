"""What a note says beside its words is kept as typed rows."""

import json

import pytest

from vaultd.index.derived import Derived, Meaning, derived
from vaultd.index.rows import row_of
from vaultd.notes.note import parse
from vaultd.notes.resolution import link_key
from vaultd.notes.structure import structure


def rows_of(text: str) -> Derived:
    note = parse(text.encode())
    return derived("p/n.md", note, structure(note), lambda target, _source: Meaning(7, 1, link_key(target)))


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


def test_links_of_body_and_frontmatter_are_rows():
    rows = rows_of("---\nup: ['[[Top]]']\n---\nsee ![[Fig.png|small]] and [x](A%20b.md#Part)\n").links
    assert [row[2:11] for row in rows] == [
        (2, 1, "Top", "", None, 0, "wiki", "up.0", "top"),
        (4, 5, "Fig.png", "", "small", 1, "wiki", None, "fig.png"),
        (4, 28, "A b.md", "#Part", "x", 0, "md", None, "a b"),
    ]
    assert {row[0] for row in rows} == {row_of("p/n.md")}
    assert [row[11:] for row in rows] == [(7, 1)] * 3


def test_a_task_keeps_its_dates_and_the_rest_as_a_document():
    ((*_, status, kind, text, due, scheduled, start, done, priority, more),) = rows_of(
        "- [/] ring Ida #radio 🔼 🆔 r1 📅 2026-12-24\n"
    ).tasks
    assert (status, kind, text, due, priority) == ("/", "IN_PROGRESS", "ring Ida #radio", "2026-12-24", "medium")
    assert (scheduled, start, done) == (None, None, None)
    assert json.loads(more) == {"id": "r1", "tags": ["#radio"]}


def test_tags_headings_and_blocks_are_rows_with_their_lines():
    rows = rows_of("---\ntags: [Top]\n---\n# Head\ntext #In/Side ^b1\n")
    assert [row[2:] for row in rows.tags] == [("#Top", "#top", 2, 1), ("#In/Side", "#in/side", 5, 6)]
    assert [row[2:] for row in rows.headings] == [(1, "Head", 4)]
    assert [row[2:] for row in rows.blocks] == [("b1", 5, 5)]
