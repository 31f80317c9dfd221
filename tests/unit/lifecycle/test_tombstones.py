"""The line in an ended memory's body that names what replaced it."""

from datetime import UTC, datetime

import pytest

from vaultd.lifecycle.changesets import Stamp, archived_text, restored_text
from vaultd.lifecycle.places import Place
from vaultd.lifecycle.tombstones import (
    archived_line,
    find_tombstone,
    superseded_line,
    with_tombstone,
    without_tombstone,
)
from vaultd.notes.note import parse

LINE = superseded_line(Place("radio", "decoder-v2"), "01B", "2025-06-01")
BODY = b"---\nid: 01A\n---\n\nText.\n"


def test_lines_read_as_the_page_on_formats_shows_them():
    assert LINE == "> Superseded by radio/decoder-v2 (01B) on 2025-06-01"
    assert archived_line("2025-06-01") == "> Archived on 2025-06-01"
    assert archived_line("2025-06-01", "sold") == "> Archived (sold) on 2025-06-01"


def test_a_line_is_appended_after_a_blank_one():
    assert with_tombstone(BODY, LINE, "\n") == BODY + b"\n" + LINE.encode() + b"\n"


def test_a_line_is_appended_once():
    once = with_tombstone(BODY, LINE, "\n")
    assert with_tombstone(once, LINE, "\n") == once


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "end", ["", "Text.", "Text.\n", "Text.\n\n\n", "Text.\r\n", "Text.  \n \t\n", "> quote", "- item"]
)
def test_what_was_appended_can_be_taken_away_without_a_trace(newline: str, end: str):
    body = b"---\nid: 01A\n---\n".replace(b"\n", newline.encode()) + end.encode()
    marked = with_tombstone(body, LINE, newline)
    assert marked.startswith(body)
    found = find_tombstone(parse(marked))
    assert found is not None
    assert without_tombstone(marked, found) == body


@pytest.mark.parametrize(
    ("last", "successor"),
    [(LINE, "01B"), (archived_line("2025-06-01"), None), (archived_line("2025-06-01", "a (b) c"), None)],
)
def test_the_last_line_tells_which_kind_it_is(last: str, successor: str | None):
    found = find_tombstone(parse(with_tombstone(BODY, last, "\n")))
    assert found is not None
    assert (found.text, found.successor, found.line) == (last, successor, 7)


@pytest.mark.parametrize(
    "text",
    [
        f"{LINE}\n\nand more\n",
        f"```\n{LINE}\n",
        "> Superseded by somebody\n",
        "> Archived on a day\n",
    ],
)
def test_other_lines_are_prose(text: str):
    assert find_tombstone(parse(b"---\nid: 01A\n---\n\n" + text.encode())) is None


def test_a_line_at_the_end_of_code_that_is_never_closed_is_taken_away_all_the_same():
    data = b"---\nid: 01A\ninvalid_at: null\nsuperseded_by: null\n---\n```\ncode\n"
    stamp = Stamp(datetime(2025, 6, 1, tzinfo=UTC), UTC)
    assert restored_text(archived_text(data, "", stamp), stamp).endswith(b"---\n```\ncode\n")
