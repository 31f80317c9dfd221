"""One step: what a change of files makes of what was accepted."""

from tests.unit.lifecycle.steps import AT, LATER, Line, path, says
from vaultd.lifecycle.events import Explained
from vaultd.lifecycle.facts import UNREADABLE
from vaultd.lifecycle.states import Active, Archived, Superseded


def test_a_first_sight_is_believed_as_written():
    line = Line(a=says("A", AT, "B"), b=says("B"))
    assert line.ground.standings["A"].state == Superseded(AT, "B", "B")
    assert line.events == [("created", "A"), ("created", "B")]
    assert line.codes == []


def test_a_first_sight_with_an_edge_to_nobody_counts_as_archived():
    line = Line(a=says("A", AT, "nobody"))
    assert line.ground.standings["A"].state == Archived(AT)
    assert line.codes == ["V103"]


def test_a_first_sight_with_an_edge_and_no_end_counts_as_active():
    line = Line(a=says("A", None, "B"), b=says("B"))
    assert line.ground.standings["A"].state == Active()
    assert line.codes == ["V104"]


def test_an_end_is_an_event_with_its_successor():
    line = Line(a=says("A"), b=says("B"))
    line.step(a=says("A", AT, "B"))
    assert [(event.name, event.id, event.successor) for event in line.verdict.events] == [("superseded", "A", "B")]


def test_what_is_held_back_leaves_a_question_that_names_its_commit():
    line = Line(a=says("A", AT))
    line.step(commit="c1", a=says("A"))
    line.step(commit="c2", b=says("B"))
    assert line.ground.open["A"].commit == "c1"
    assert line.codes == ["V102"]


def test_a_question_ends_when_the_file_says_what_is_accepted():
    line = Line(a=says("A", AT))
    line.step(a=says("A"))
    line.step(a=says("A", AT))
    assert line.ground.open == {}
    assert line.codes == []


def test_a_question_is_asked_again_when_its_answer_came_later():
    line = Line(a=says("A"))
    line.step(a=says("A", AT, "B"))
    assert line.codes == ["V103"]
    line.step(b=says("B"))
    assert line.codes == []
    assert line.ground.standings["A"].state == Superseded(AT, "B", "B")


def test_a_successor_whose_file_leaves_with_the_change_is_none():
    line = Line(a=says("A"), b=says("B"))
    line.step(a=says("A", AT, "B"), b=None)
    assert line.codes == ["V103"]
    assert line.ground.standings["A"].state == Active()


def test_a_word_about_it_brings_an_ended_memory_back():
    line = Line(a=says("A", AT))
    line.step(Explained(restored=frozenset("A")), a=says("A"))
    assert line.events == [("restored", "A")]
    assert line.ground.standings["A"].state == Active()


def test_a_word_that_comes_after_the_change_still_explains_it():
    line = Line(a=says("A", AT))
    line.step(a=says("A"))
    line.step(Explained(restored=frozenset("A")), b=says("B"))
    assert line.ground.standings["A"].state == Active()


def test_a_word_does_not_lift_the_rule_of_names():
    line = Line(a=says("A", AT), b=says("B"))
    line.step(Explained(restored=frozenset("A")), a=None, B=says("A"))
    assert line.ground.standings["A"].state == Archived(AT)
    assert "V101" in line.codes


def test_a_revert_steps_back_once_and_no_further():
    line = Line(a=says("A"), b=says("B"))
    line.step(a=says("A", AT))
    line.step(a=says("A", AT, "B"))
    reverts = Explained(reverts=True)
    line.step(reverts, a=says("A"))
    assert line.codes == ["V102"]
    line.step(reverts, a=says("A", AT))
    assert line.ground.standings["A"].state == Archived(AT)


def test_a_new_path_is_an_event_of_its_own():
    line = Line(a=says("A"))
    line.step(a=None, z=says("A"))
    assert line.events == [("renamed", "A")]
    assert line.ground.standings["A"].path == path("z")


def test_two_files_that_swap_ids_are_two_renames():
    line = Line(a=says("A"), b=says("B"))
    line.step(a=says("B"), b=says("A"))
    assert line.events == [("renamed", "A"), ("renamed", "B")]
    assert line.codes == []


def test_an_active_memory_may_leave_and_return():
    line = Line(a=says("A"))
    line.step(a=None)
    assert line.ground.standings["A"].gone
    line.step(a=says("A", AT))
    assert line.ground.standings["A"].state == Archived(AT)


def test_an_ended_memory_that_returns_active_is_refused():
    line = Line(a=says("A", AT))
    line.step(a=None)
    assert line.codes == ["V111"]
    line.step(a=says("A"))
    assert line.codes == ["V102"]


def test_a_deletion_that_was_told_forgets_the_memory():
    line = Line(a=says("A", AT))
    line.step(Explained(deleted=frozenset("A")), a=None)
    assert line.ground.standings == {}
    assert line.events == [("deleted", "A")]


def test_a_file_that_cannot_be_read_changes_nothing():
    line = Line(a=says("A", AT))
    line.step(a=UNREADABLE)
    assert line.ground.standings["A"].state == Archived(AT)
    assert line.codes == []


def test_an_id_that_changed_stays_in_question_step_after_step():
    line = Line(a=says("A"))
    line.step(a=says("X"))
    assert line.codes == ["V107"]
    line.step(b=says("B"))
    assert line.codes == ["V107"]
    assert set(line.ground.standings) == {"A", "B"}
    line.step(a=says("A"))
    assert line.codes == []


def test_an_id_that_changed_may_be_mended_by_giving_the_old_one_a_file():
    line = Line(a=says("A"))
    line.step(a=says("X"))
    line.step(z=says("A"))
    assert line.codes == []
    assert {id_: standing.path for id_, standing in line.ground.standings.items()} == {"A": path("z"), "X": path("a")}


def test_a_copy_has_no_say():
    line = Line(a=says("A"))
    line.step(a2=says("A", AT))
    assert line.codes == ["V100"]
    assert line.ground.standings["A"].state == Active()
    line.step(a2=None)
    assert line.codes == []


def test_the_copy_seen_first_follows_an_owner_that_leaves():
    line = Line(b=says("A"), z=says("A"))
    line.step(b=None, a=says("A"))
    assert line.ground.standings["A"].path == path("z")


def test_a_name_belongs_to_who_had_it():
    line = Line(Name=says("Z"))
    line.step(name=says("A"))
    assert line.codes == ["V101"]
    assert set(line.ground.standings) == {"Z"}


def test_a_name_is_free_when_its_memory_ends_in_the_same_step():
    line = Line(Name=says("Z"))
    line.step(Name=says("Z", AT, "A"), name=says("A"))
    assert line.codes == []
    assert line.ground.standings["A"].state == Active()


def test_a_chain_may_be_stamped_in_one_step_in_any_order():
    line = Line(a=says("A"), b=says("B"), c=says("C"))
    line.step(b=says("B", LATER, "C"), a=says("A", AT, "B"))
    assert line.codes == []
    assert line.ground.predecessors == {"B": frozenset("A"), "C": frozenset("B")}


def test_a_circle_of_three_is_refused_whole():
    line = Line(a=says("A"), b=says("B"), c=says("C"))
    line.step(a=says("A", AT, "B"), b=says("B", AT, "C"), c=says("C", AT, "A"))
    assert line.codes == ["V103", "V103", "V103"]
    assert all(standing.active for standing in line.ground.standings.values())


def test_a_first_sight_in_a_circle_is_believed_to_have_ended():
    line = Line(a=says("A", AT, "B"), b=says("B", AT, "A"))
    assert [standing.state for standing in line.ground.standings.values()] == [Archived(AT), Archived(AT)]
