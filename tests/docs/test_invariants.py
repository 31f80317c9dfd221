"""invariants.md names tests and places that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/explanation/invariants.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| invariant |")]


@pytest.mark.parametrize("named", re.findall(r"`(\w+/[\w/]+\.py::\w+)`", PAGE))
def test_a_named_test_exists(named: str) -> None:
    file, _, test = named.partition("::")
    assert re.search(rf"^ *def {test}\(", (ROOT / "tests" / file).read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.mark.parametrize("row", ROWS)
def test_a_row_says_which_test_and_what_breaks(row: str) -> None:
    _, invariant, _, test, without, _ = row.split("|")
    assert re.search(r"`(\w+/[\w/]+\.py::\w+|make check)`", test)
    assert invariant.strip()
    assert without.strip()


def test_every_place_of_enforcement_exists() -> None:
    named = re.findall(r"`([a-z]+/(?:\w+\.py)?)`", PAGE)
    assert named
    assert [place for place in named if not (ROOT / "vaultd" / place).exists()] == []
