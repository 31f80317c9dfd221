"""Conditions on properties hold by type: numbers as numbers, days as days, lists by their items."""

import pytest

from tests.unit.index.conftest import Index
from tests.unit.search.test_query import index  # noqa: F401 — a fixture
from vaultd.search.conditions import condition
from vaultd.search.properties import declared, heights, holding

NOTES = {
    "a": "status: done\nrating: 10\ndue: 2026-12-01\ntags: [radio, to/do]",
    "b": "Status: Open\nrating: 9.5\ndue: 2026-12-01T10:00:00Z\nteam: []",
    "c": "status:\nrating: '7'\ndue: 2026-12-24\nflag: true",
    "d": "other: x",
}


@pytest.fixture
def found(index: Index):  # noqa: F811
    for name, block in NOTES.items():
        index.notes.write(f"{name}.md", f"---\n{block}\n---\n")
    index.catch_up()

    def found(expression: str, **types: str) -> str:
        paths = index.mirror.paths()
        return "".join(sorted(paths[row][0] for row in holding(index.mirror, condition(expression), types)))

    return found


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        ("status = DONE", "a"),
        ("status != done", "bc"),
        ("not status = done", "bcd"),
        ("status in (done, open)", "ab"),
        ("status exists", "abc"),
        ("status = null", "c"),
        ("rating > 9", "ab"),
        ("rating >= 10", "a"),
        ("rating = 10.0", "a"),
        ("rating = '10'", "a"),
        ("due = 2026-12-01", "ab"),
        ("due < 2026-12-01", ""),
        ("due <= 2026-12-01", "ab"),
        ("due > 2026-12-01", "c"),
        ("due >= 2026-12-01T09:00:00Z", "bc"),
        ("tags = radio", "a"),
        ("tags contains do", "a"),
        ("team exists", "b"),
        ("flag = true", "c"),
        ("status < e", "a"),
        ("rating < high", "c"),
        ("nobody = 1", ""),
        ("status = done or rating < 10 and due exists", "ab"),
    ],
)
def test_what_holds(found, expression: str, holds: str):
    assert found(expression) == holds


def test_a_declared_type_reads_a_value_its_way(found):
    assert found("rating < 8", rating="number") == "c"
    assert found("rating < 8", rating="text") == ""


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"types": 3}', b'{"types": {"a": 1}}', b"\xff"])
def test_a_broken_types_file_declares_nothing(broken: bytes):
    assert declared(broken) == {}


def test_names_are_declared_without_case():
    assert declared(b'{"types": {"Due": "date"}}') == {"due": "date"}


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("rating", "abc"),
        ("RATING:asc", "cba"),
        ("due", "cba"),
        ("due:asc", "abc"),
        ("status", "ba"),
        ("status:asc", "ab"),
        ("tags", "a"),
        ("nothing", ""),
    ],
)
def test_notes_stand_by_a_property_and_those_without_it_nowhere(
    index: Index,  # noqa: F811
    found: object,
    sort: str,
    order: str,
):
    standing = heights(index.mirror, sort, {"rating": "number"})
    paths = index.mirror.paths()
    assert "".join(paths[row][0] for row in sorted(standing, key=lambda row: -standing[row])) == order
