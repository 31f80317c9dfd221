"""How long an accepted hand edit still waits for its commit; the clock is passed in."""

from vaultd.judging.waiting import Waiting
from vaultd.lifecycle.batches import Batch
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.ground import Ground, ground_of
from vaultd.lifecycle.states import Active, Archived, Standing, State

BATCH = Batch((Event("archived", "A", "memory/_global/a.md"),), ())


def ground(state: State, path: str = "memory/_global/a.md") -> Ground:
    return ground_of("memory", [Standing("A", path, state)], ())


def seen(waiting: Waiting, now: float, *, at: str = "2025-06-01", saved: float | None = None, head: str = "h") -> float:
    """Observe one state at a moment and return how long it still waits."""
    times = {"A": now if saved is None else saved}
    waiting.observe(head, ground(Archived(at)), ["A"], times, now)
    return waiting.left(BATCH, times, now)


def begun() -> Waiting:
    waiting = Waiting(30.0)
    waiting.observe("h", ground(Active()), [], {}, 900.0)
    return waiting


def test_a_new_value_waits_for_the_whole_quiet():
    assert seen(begun(), 1000.0) == 30.0


def test_a_value_that_stood_still_long_enough_waits_no_more():
    waiting = begun()
    seen(waiting, 1000.0)
    assert seen(waiting, 1030.0, saved=1000.0) == 0.0


def test_a_value_typed_on_starts_the_count_again():
    waiting = begun()
    seen(waiting, 1000.0)
    assert seen(waiting, 1020.0, at="2025-06-01T12:00:00Z") == 30.0


def test_prose_saved_meanwhile_does_not_start_the_count_again():
    waiting = begun()
    seen(waiting, 1000.0)
    assert seen(waiting, 1020.0, saved=1020.0) == 10.0


def test_a_file_saved_just_now_holds_its_commit_back():
    waiting = begun()
    seen(waiting, 1000.0)
    assert seen(waiting, 1031.0, saved=1030.5) == 1.5


def test_a_file_that_is_saved_all_the_time_is_recorded_after_five_minutes():
    waiting = begun()
    seen(waiting, 1000.0)
    assert seen(waiting, 1300.0, saved=1300.0) == 0.0


def test_a_moved_head_starts_the_count_again():
    waiting = begun()
    seen(waiting, 1000.0)
    assert seen(waiting, 1020.0, saved=1000.0, head="other") == 30.0


def test_a_start_counts_from_when_the_file_was_saved():
    assert seen(Waiting(30.0), 1000.0, saved=975.0) == 5.0
    assert seen(Waiting(30.0), 1000.0, saved=500.0) == 0.0


def test_a_clock_that_is_behind_the_file_waits_no_longer_than_the_quiet():
    assert seen(Waiting(30.0), 1000.0, saved=5000.0) >= 30.0


def test_a_batch_waits_for_the_youngest_of_its_memories():
    waiting = begun()
    seen(waiting, 1000.0)
    both = ground_of("memory", [Standing(i, f"memory/_global/{i}.md", Archived("2025-06-01")) for i in "AB"], ())
    waiting.observe("h", both, ["A", "B"], {"A": 1000.0, "B": 1010.0}, 1010.0)
    batch = Batch((*BATCH.events, Event("archived", "B", "memory/_global/B.md")), ())
    assert waiting.left(batch, {"A": 1000.0, "B": 1010.0}, 1010.0) == 30.0
