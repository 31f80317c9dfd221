"""Files of lines are found among the names without a look at each of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from vaultd.index.mirror import Mirror, open_mirror
from vaultd.search.record_lines import OF_LINES, lines_in


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Mirror]:
    opened = open_mirror(tmp_path / "index")
    yield opened
    opened.close()


def test_only_files_of_lines_below_the_folder_of_records_are_found(mirror: Mirror):
    names = [
        (1, "records/b.jsonl"),
        (2, "records/a.JSONL"),
        (3, "records/c.md"),
        (4, "d.jsonl"),
        (5, "recordsX/e.jsonl"),
    ]
    with mirror.writing() as sql:
        sql.executemany("INSERT INTO names VALUES (?, ?)", names)
    assert list(lines_in(mirror, lambda _path: None, "records").paths) == ["records/a.JSONL", "records/b.jsonl"]


def test_they_are_found_by_an_index(mirror: Mirror):
    plan = mirror.rows(f"EXPLAIN QUERY PLAN {OF_LINES}", "records/", "records0")
    assert [detail for *_, detail in plan] == ["SEARCH names USING COVERING INDEX names_of_lines (path>? AND path<?)"]
