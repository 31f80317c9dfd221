"""When a change is believed, decided over times that are passed in."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultd.vault.settling import Doubts, Settling, too_many_gone


def test_a_change_settles_once_nothing_was_heard_for_a_while() -> None:
    settling = Settling()
    assert not settling.ready(first=10.0, last=10.0, now=10.29)
    assert settling.ready(first=10.0, last=10.0, now=10.31)


def test_a_note_that_is_saved_without_pause_settles_after_the_cap() -> None:
    settling = Settling()
    assert not settling.ready(first=10.0, last=11.9, now=11.99)
    assert settling.ready(first=10.0, last=11.9, now=12.0)


def test_wt_02_twenty_saves_at_100_ms_settle_two_or_three_times() -> None:
    settling, first, last, settled = Settling(), None, 0.0, 0
    for tick in range(400):
        now = tick / 100
        if tick % 10 == 0 and tick < 200:
            first, last = (now if first is None else first), now
        if first is not None and settling.ready(first, last, now):
            settled, first = settled + 1, None
    assert 1 <= settled <= 3
    assert first is None


@settings(deadline=None)
@given(st.floats(0, 100), st.floats(0, 10), st.floats(0, 10))
def test_waiting_for_what_is_left_makes_it_ready(first: float, spread: float, later: float) -> None:
    settling = Settling()
    now = first + spread + later
    left = settling.wait(first, first + spread, now)
    assert settling.ready(first, first + spread, now + max(left, 0) + 1e-6)


def test_wt_15_a_note_that_returns_within_the_grace_was_never_gone() -> None:
    doubts = Doubts()
    assert not doubts.gone("n.md", 10.0)
    assert not doubts.gone("n.md", 11.4)
    doubts.cleared("n.md")
    assert not doubts.gone("n.md", 11.6)


def test_a_note_that_stays_away_is_gone() -> None:
    doubts = Doubts()
    doubts.gone("n.md", 10.0)
    assert doubts.gone("n.md", 11.5)


def test_wt_16_a_save_that_pauses_while_empty_is_never_believed_empty() -> None:
    doubts = Doubts()
    assert not any(doubts.emptied("n.md", now) for now in (10.3, 10.4, 10.5, 10.69))


def test_wt_17_a_note_that_stays_empty_is_believed_after_three_more_looks() -> None:
    doubts = Doubts()
    assert [doubts.emptied("n.md", now) for now in (10.0, 10.5, 11.0, 11.5)] == [False, False, False, True]


def test_looks_that_come_too_soon_do_not_count() -> None:
    doubts = Doubts()
    assert not any(doubts.emptied("n.md", 10.0 + look / 100) for look in range(40))


def test_doubted_notes_say_when_to_look_again() -> None:
    doubts = Doubts()
    assert doubts.wait(10.0) is None
    doubts.gone("a.md", 10.0)
    doubts.emptied("b.md", 10.0)
    assert doubts.wait(10.1) == pytest.approx(0.4)
    assert doubts.doubted() == {"a.md", "b.md"}
    doubts.cleared("a.md")
    doubts.cleared("b.md")
    assert doubts.wait(10.0) is None


@pytest.mark.parametrize(
    ("before", "gone", "stop"),
    [
        (100, 60, True),
        (10, 10, False),
        (21, 21, True),
        (1000, 100, False),
        (1000, 101, True),
        (0, 0, False),
        (50, 20, False),
    ],
)
def test_wt_18_many_notes_gone_at_once_stop_everything(before: int, gone: int, stop: bool) -> None:
    assert too_many_gone(before, gone) is stop
