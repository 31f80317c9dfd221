"""When a note says that it was changed: now, and never before it was made."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from vaultd.errors import ConflictError
from vaultd.lifecycle.changesets import Stamp, archived_text
from vaultd.lifecycle.touching import touched

NOW = datetime(2026, 11, 30, 18, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("created", "updated"),
    [
        ("2026-11-30T17:00:00Z", "2026-11-30T18:00:00Z"),
        ("2026-11-30T18:02:00Z", "2026-11-30T18:02:00Z"),
        ("2026-11-30T20:02:00+02:00", "2026-11-30T18:02:00Z"),
        ("2026-11-30T18:02:00", "2026-11-30T18:00:00Z"),
        ("long ago", "2026-11-30T18:00:00Z"),
        ("null", "2026-11-30T18:00:00Z"),
    ],
)
def test_a_clock_that_is_behind_puts_no_change_before_the_beginning(created: str, updated: str):
    text = touched(f"---\ncreated: {created}\nupdated: 2020-01-01T00:00:00Z\n---\nx\n".encode(), NOW)
    assert text == f"---\ncreated: {created}\nupdated: {updated}\n---\nx\n".encode()


def test_what_has_not_begun_by_this_clock_is_told_so_when_it_shall_end():
    begins = (NOW + timedelta(hours=1)).astimezone(timezone(timedelta(hours=2)))
    data = f"---\nid: x\nvalid_from: {begins.isoformat()}\ninvalid_at: null\n---\nx\n".encode()
    with pytest.raises(ConflictError, match="has not come yet"):
        archived_text(data, "", Stamp(NOW, UTC))
    soon = data.replace(b"T21:", b"T20:").replace(b"T20:00", b"T20:04")
    assert b"invalid_at: 2026-11-30T18:04:00Z" in archived_text(soon, "", Stamp(NOW, UTC))
