"""Whoever watches hears of what became wrong and right again, once, and of a flood only its beginning."""

from datetime import UTC, datetime

import pytest

from vaultd.app import Overview
from vaultd.daemon.verdicts import Verdicts
from vaultd.lifecycle.violations import Severity, Violation

HINT = "\n  vaultd check says why, and how to mend it"


class Heard:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._verdicts = Verdicts(self.lines.append)

    def after(self, *violations: Violation, rejected: tuple[str, ...] = ()) -> list[str]:
        """Return what is said of one look more."""
        self.lines.clear()
        held = dict.fromkeys(rejected, "V102")
        seen = Overview(datetime.now(UTC), {}, None, {}, violations, pytest.fail, rejected=held)
        self._verdicts.judged(seen)
        return [*self.lines]


def broken(path: str, code: str = "V205", line: int = 3, severity: Severity = "error") -> Violation:
    return Violation(code, severity, path, line, "some text of the note")


@pytest.fixture
def heard() -> Heard:
    heard = Heard()
    heard.after(broken("old.md"))
    return heard


def test_what_was_wrong_at_the_start_is_not_said_again():
    assert Heard().after(broken("old.md")) == []


def test_what_becomes_wrong_is_said_once_and_without_text(heard: Heard):
    assert heard.after(broken("old.md"), broken("new.md")) == ["wrong: new.md:3 V205" + HINT]
    assert heard.after(broken("old.md"), broken("new.md")) == []


def test_a_lifecycle_change_that_is_not_accepted_is_called_rejected(heard: Heard):
    two = (broken("a.md", "V104", 9), broken("a.md", "V102", 8), broken("old.md"))
    assert heard.after(*two, rejected=("a.md",)) == ["rejected: a.md:8 V102, V104" + HINT]


def test_one_more_rule_in_the_same_note_is_said_alone(heard: Heard):
    assert heard.after(broken("old.md"), broken("old.md", "V206", 7)) == ["wrong: old.md:7 V206" + HINT]


def test_what_is_right_again_is_said(heard: Heard):
    assert heard.after() == ["right again: old.md"]


@pytest.mark.parametrize("severity", ["warning", "info"])
def test_warnings_are_not_said(heard: Heard, severity: Severity):
    assert heard.after(broken("old.md"), broken("new.md", severity=severity)) == []


def test_of_a_flood_five_are_named(heard: Heard):
    flood = [broken(f"{number}.md") for number in range(8)]
    said = heard.after(*flood)
    assert [line.split(":")[0] for line in said] == ["wrong"] * 5 + ["right again", "wrong"]
    assert said[-1] == "wrong: 3 more"
    said = heard.after()
    assert said == [*(f"right again: {number}.md" for number in range(5)), "right again: 3 more"]
