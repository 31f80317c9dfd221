"""Times as people type them."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from vaultd.notes.times import completes, parse_moment, render, same_moment

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-30T18:00:00Z", "2026-11-30T18:00:00Z"),
        ("2026-11-30t18:00:00z", "2026-11-30T18:00:00Z"),
        ("2026-11-30T18:00:00+02:00", "2026-11-30T16:00:00Z"),
        ("2026-11-30 18:00:00 -0430", "2026-11-30T22:30:00Z"),
        ("2026-11-30T18:00:00.123456789Z", "2026-11-30T18:00:00Z"),
        ("2026-11-30T18:00", "2026-11-30T18:00:00Z"),
        ("2026-11-30", "2026-11-30T00:00:00Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ("2024-02-29", "2024-02-29T00:00:00Z"),
    ],
)
def test_every_form_is_read(text, expected):
    assert render(parse_moment(text, UTC).utc) == expected


@pytest.mark.parametrize(
    "text",
    [
        "0000-00-00",
        "2024-02-30",
        "2023-13-01T25:61:00Z",
        "2023-02-29",
        "2024-01-01T24:00:00Z",
        "2024-01-01T10:00:60Z",
        "true",
        "",
        "2024",
        "2024-1-1",
        "tomorrow",
        "2024-01-01T",
        "2024-01-01T10",
        "2024-01-01T10:00:00+25:00",
        "2024-01-01Z",
        "٢٠٢٤-٠١-٠١",
        "2024-01-01T10:00:00+01:99",
        "2024-01-01\n2024-01-02",
    ],
)
def test_what_is_no_moment_is_none(text):
    assert parse_moment(text, UTC) is None


def test_a_moment_without_a_zone_is_read_in_the_given_one():
    moment = parse_moment("2026-07-10T18:00:00", BERLIN)
    assert (render(moment.utc), moment.zoned) == ("2026-07-10T16:00:00Z", False)


def test_a_moment_at_the_edge_of_time_has_digits_and_no_instant():
    moment = parse_moment("0001-01-01T00:00:00+01:00", UTC)
    assert moment.utc is None
    assert same_moment("0001-01-01T00:00:00+01:00", "0001-01-01T00:00:00+01:00", UTC)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("2026-11-30T18:00:00Z", "2026-11-30T20:00:00+02:00", True),
        ("2026-11-30T18:00:00Z", "2026-11-30T18:00:00", True),  # the same digits, one without a zone
        ("2026-11-30T18:00:00", "2026-11-30 18:00", True),
        ("2026-11-30T18:00:00Z", "2026-11-30T18:00:00+02:00", False),
        ("2026-11-30T18:00:00Z", "2026-11-30T18:00:01Z", False),
        ("2026-11-30", "2026-11-30T00:00:00Z", True),
        ("someday", " someday", True),
        ("someday", "2026-11-30", False),
    ],
)
def test_two_texts_are_one_moment_by_instant_or_by_digits(a, b, same):
    assert same_moment(a, b, BERLIN) is same
    assert same_moment(b, a, BERLIN) is same


def test_a_text_is_completed_by_typing_on():
    assert completes("2026-11-30", "2026-11-30T18:00:00Z")
    assert completes("", "2026")
    assert not completes("2026-11-30", "2026-11-30")
    assert not completes("2026-11-30", "2026-11-3")


def test_moments_are_written_in_utc_to_the_second():
    assert render(datetime(2026, 7, 10, 20, 0, 0, 999, timezone(timedelta(hours=2)))) == "2026-07-10T18:00:00Z"
    assert render(datetime(1, 1, 1, tzinfo=UTC)) == "0001-01-01T00:00:00Z"
