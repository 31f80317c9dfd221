"""`--where` is read forgivingly, and what cannot be read is named with its column."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.errors import UsageError
from vaultd.search.conditions import Both, Compare, Condition, Either, Literally, Not, condition, literally


@pytest.mark.parametrize(
    ("expression", "read"),
    [
        ("status = done", Compare("status", "=", (Literally("done"),))),
        ("status=done", Compare("status", "=", (Literally("done"),))),
        ("status == done", Compare("status", "=", (Literally("done"),))),
        ("status <> done", Compare("status", "!=", (Literally("done"),))),
        ("rating>=4.5", Compare("rating", ">=", (Literally("4.5", 4.5),))),
        ('"due date" < 3', Compare("due date", "<", (Literally("3", 3.0),))),
        ('rating = "4"', Compare("rating", "=", (Literally("4"),))),
        ("tags contains radio", Compare("tags", "contains", (Literally("radio"),))),
        ("due exists", Compare("due", "exists")),
        ("exists due", Compare("due", "exists")),
        ("exists(due)", Compare("due", "exists")),
        ("exists = yes", Compare("exists", "=", (Literally("yes"),))),
        ("due not exists", Not(Compare("due", "exists"))),
        ("kind in (a, b)", Compare("kind", "in", (Literally("a"), Literally("b")))),
        ("kind not in [a b]", Not(Compare("kind", "in", (Literally("a"), Literally("b"))))),
        ("kind in a", Compare("kind", "in", (Literally("a"),))),
        ("NOT a = ''", Not(Compare("a", "=", (Literally(""),)))),
    ],
)
def test_one_condition(expression: str, read: Condition):
    assert condition(expression) == read


def test_and_binds_closer_than_or():
    a, b, c = (Compare(name, "exists") for name in "abc")
    assert condition("a exists or b exists and c exists") == Either(a, Both(b, c))
    assert condition("(a exists || b exists) && !c exists") == Both(Either(a, b), Not(c))


def test_a_day_lasts_a_day_and_an_instant_nothing():
    assert literally("1970-01-02").span == (86_400.0, 172_800.0)
    assert literally("1970-01-02T00:00:00Z").span == (86_400.0, 86_400.0)


@pytest.mark.parametrize("impossible", ["2026-02-30", "9" * 400, "nan", "12:30"])
def test_what_is_no_number_and_no_date_is_a_text(impossible: str):
    assert literally(impossible) == Literally(impossible)


@pytest.mark.parametrize(
    ("expression", "column"),
    [
        ("status done", 8),
        ("status =", 9),
        ("= done", 1),
        ("(a = 1", 7),
        ("a = 1 b = 2", 7),
        ("a = 'open", 5),
        ("a = 1)", 6),
        ("a in (1", 8),
    ],
)
def test_an_error_names_its_column(expression: str, column: int):
    with pytest.raises(UsageError, match=f"column {column}:"):
        condition(expression)


@pytest.mark.parametrize(
    "expression", ["", "  ", "(" * 200 + "a = 1" + ")" * 200, "not " * 100 + "a = 1", "a" * 20_000]
)
def test_the_empty_and_the_endless_are_refused(expression: str):
    with pytest.raises(UsageError, match="--where"):
        condition(expression)


@given(st.text(st.sampled_from("ab=<>!()[],\"'&| \\1-:\x00é") | st.characters(), max_size=40))
def test_any_text_is_read_or_refused(expression: str):
    with contextlib.suppress(UsageError):
        assert condition(expression) is not None
