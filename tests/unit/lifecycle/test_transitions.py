"""May one memory go from what was accepted to what its file says?"""

import pytest

from tests.unit.lifecycle.steps import AT, CLOCK, LATER, says
from vaultd.lifecycle.facts import Facts, Odd
from vaultd.lifecycle.states import Active, Archived, Superseded
from vaultd.lifecycle.transitions import Written, transition


class World:
    """Every edge means the id it spells; C is not active."""

    def resolve(self, text: str, path: str) -> tuple[str, ...]:
        del path
        return () if text == "nobody" else (("B", "C") if text == "two" else (text.strip("[]"),))

    def may_succeed(self, id_: str) -> bool:
        return id_ != "C"


def judged(before, facts: Facts) -> str:
    """Return the state that is accepted, or the code that forbids it."""
    after, problems = transition(before, Written("A", "memory/_global/a.md", facts), World(), CLOCK)
    return repr(after) if after is not None else problems[0].code


@pytest.mark.parametrize(
    ("before", "at", "by", "after"),
    [
        (Active(), AT, None, repr(Archived(AT))),
        (Active(), AT, "B", repr(Superseded(AT, "B", "B"))),
        (Active(), AT, "[[B]]", repr(Superseded(AT, "B", "[[B]]"))),
        (Active(), None, "B", "V104"),
        (Active(), AT, "nobody", "V103"),
        (Active(), AT, "two", "V103"),
        (Active(), AT, "A", "V103"),
        (Active(), AT, "C", "V103"),
        (Active(), "soon", None, "V106"),
        (Active(), "2026-01-01T00:04:59Z", None, repr(Archived("2026-01-01T00:04:59Z"))),
        (Active(), "2026-01-01T00:05:01Z", None, "V106"),
        (Active(), "2025-02-30", None, "V106"),
        (Archived(AT), None, None, "V102"),
        (Archived(AT), LATER, None, "V102"),
        (Archived(AT), AT, "B", repr(Superseded(AT, "B", "B"))),
        (Archived(AT), LATER, "B", "V102"),
        (Archived("2025-06-01"), AT, None, repr(Archived(AT))),
        (Archived("2025-06-01"), LATER, None, "V102"),
        (Archived("2025-06-01"), AT, "B", "V102"),
        (Archived("2025-06-01T12:00:00"), AT, None, repr(Archived(AT))),
        (Superseded(AT, "B", "B"), None, None, "V102"),
        (Superseded(AT, "B", "B"), AT, None, "V103"),
        (Superseded(AT, "B", "B"), AT, "D", "V103"),
        (Superseded(AT, "C", "C"), AT, "C", repr(Superseded(AT, "C", "C"))),
        (Superseded("2025-06-01", "B", "B"), AT, "B", repr(Superseded(AT, "B", "B"))),
        (Superseded(AT, "B", "old name"), AT, "old name", repr(Superseded(AT, "B", "old name"))),
    ],
)
def test_what_may_follow_what(before, at: str | None, by: str | None, after: str):
    assert judged(before, says("A", at, by)) == after


@pytest.mark.parametrize("what", ["a list", "a number", "true or false"])
def test_a_value_of_the_wrong_type_is_no_successor(what: str):
    assert (
        judged(Active(), Facts(id="A", invalid_at=AT, superseded_by="B", odd=(Odd("superseded_by", what),))) == "V103"
    )


def test_an_end_that_is_true_is_no_time():
    assert judged(Active(), Facts(id="A", invalid_at="true", odd=(Odd("invalid_at", "true or false"),))) == "V106"


def test_a_violation_stands_at_the_line_of_its_key_with_the_command_that_mends_it():
    written = Written("A", "memory/my notes/a.md", Facts(id="A", lines={"invalid_at": 7}))
    _, (violation,) = transition(Archived(AT), written, World(), CLOCK)
    assert (violation.line, violation.subject) == (7, "A")
    assert "vaultd memory restore A" in violation.hint
    assert "vaultd revert 'memory/my notes/a.md'" in violation.hint
