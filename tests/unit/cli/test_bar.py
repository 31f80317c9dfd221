"""Long work is shown on a terminal, and leaves nothing there."""

import io
import sys

import pytest

from tests.vaults import Vault
from vaultd.cli.bar import Bar
from vaultd.cli.reaching import opened_app


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def shown(out: io.StringIO) -> str:
    """Return what a terminal would show on its last line."""
    return out.getvalue().rpartition("\r\x1b[K")[2]


def test_long_work_is_a_line_that_is_written_over_and_gone_in_the_end():
    out, clock = io.StringIO(), Clock()
    bar = Bar(out, clock)
    bar(64, 10_000)
    assert out.getvalue() == ""
    clock.now += 1
    bar(5_000, 10_000)
    assert shown(out) == "indexing ###############............... 5,000 of 10,000 notes"
    clock.now += 0.01
    bar(5_064, 10_000)
    assert "5,064" not in out.getvalue()
    clock.now += 1
    bar(7_000, 10_000)
    assert "7,000 of 10,000" in shown(out)
    bar(10_000, 10_000)
    assert shown(out) == ""


def test_work_that_is_soon_over_is_not_shown_nor_is_the_next():
    out, clock = io.StringIO(), Clock()
    bar = Bar(out, clock)
    for _ in range(3):
        bar(64, 100)
        clock.now += 0.3
        bar(100, 100)
    bar.clear()
    assert out.getvalue() == ""


@pytest.mark.parametrize(
    ("terminal", "term", "has_bar"), [(True, "xterm", True), (True, "dumb", False), (False, "xterm", False)]
)
def test_only_a_terminal_gets_a_bar(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, terminal: bool, term: str, has_bar: bool
):
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with opened_app(vault.root) as app:
        assert isinstance(app.progress, Bar) is has_bar
