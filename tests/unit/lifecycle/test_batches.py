"""Which accepted hand edits share a commit, and in which order."""

from tests.unit.lifecycle.steps import AT, CLOCK, LATER, Line, path, says
from vaultd.lifecycle.batches import batches
from vaultd.lifecycle.events import NOTHING_EXPLAINED
from vaultd.lifecycle.facts import Facts
from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.step import Change, Step, judge


def planned(ground: Ground, before: dict[str, Facts], **after: Facts | None) -> list[list[str]]:
    """Return the names of the files in each commit, in order."""
    changes = [Change(path(name), before.get(name), facts) for name, facts in after.items()]
    verdict = judge(ground, Step(changes, CLOCK, NOTHING_EXPLAINED))
    made = batches(ground, verdict, changes, CLOCK)
    return [sorted(one.rsplit("/", 1)[1].removesuffix(".md") for one in batch.paths) for batch in made]


OLD = {"a": says("A"), "b": says("B"), "c": says("C")}


def ground() -> Ground:
    return Line(**OLD).ground


def test_two_ends_are_two_commits():
    assert planned(ground(), OLD, a=says("A", AT), b=says("B", AT)) == [["a"], ["b"]]


def test_a_new_successor_goes_with_what_it_replaces():
    assert planned(ground(), OLD, a=says("A", AT, "N"), new=says("N")) == [["a", "new"]]


def test_an_old_successor_stays_out_of_the_commit():
    assert planned(ground(), OLD, a=says("A", AT, "B")) == [["a"]]


def test_a_chain_is_recorded_from_its_beginning():
    assert planned(ground(), OLD, b=says("B", LATER, "C"), a=says("A", AT, "B")) == [["a"], ["b"]]


def test_a_swap_is_one_commit():
    assert planned(ground(), OLD, a=says("B"), b=says("A")) == [["a", "b"]]


def test_what_is_held_back_is_left_out_and_stops_nothing_else():
    assert planned(ground(), OLD, a=says("A", AT, "nobody"), b=says("B", AT)) == [["b"]]


def test_a_change_without_a_lifecycle_waits_for_nobody():
    assert planned(ground(), OLD, a=Facts(id="A", name="another")) == []
