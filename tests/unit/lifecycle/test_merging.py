"""Which parents count at a merge, and which value holds."""

from tests.unit.lifecycle.steps import AT, LATER
from vaultd.lifecycle.ground import Ground, ground_of
from vaultd.lifecycle.merging import disagreeing, held_of, priors_of
from vaultd.lifecycle.states import Active, Archived, Standing, State, Superseded


def stands(state: State, *, gone: bool = False) -> Standing:
    return Standing("A", "memory/_global/a.md", state, gone=gone)


def ground(*standings: Standing) -> Ground:
    return ground_of("memory", standings, ())


def counting(*sides: Standing | None, base: Standing | None) -> list[State]:
    parents = [ground(side) if side is not None else ground() for side in sides]
    found = priors_of("A", parents, [{"A": base} if base is not None else {}])
    return [standing.state for standing in found]


def test_a_side_that_never_heard_of_the_end_does_not_count():
    active, ended = stands(Active()), stands(Archived(AT))
    assert counting(active, ended, base=active) == [Archived(AT)]
    assert counting(ended, active, base=active) == [Archived(AT)]


def test_a_side_that_never_heard_of_the_return_does_not_count():
    assert counting(stands(Archived(AT)), stands(Active()), base=stands(Archived(AT))) == [Active()]


def test_where_both_moved_both_count():
    one, other = stands(Archived(AT)), stands(Superseded(AT, "B", "B"))
    assert counting(one, other, base=stands(Active())) == [Archived(AT), Superseded(AT, "B", "B")]


def test_where_none_moved_all_count():
    assert counting(stands(Active()), stands(Active()), base=stands(Active())) == [Active(), Active()]


def test_the_spelling_of_an_edge_is_no_move():
    one, other = stands(Superseded(AT, "B", "[[b]]")), stands(Superseded(AT, "B", "B"))
    assert len(counting(one, other, base=other)) == 2


def test_a_leaving_is_a_move():
    assert priors_of("A", [ground(stands(Active())), ground(stands(Active(), gone=True))], [{"A": stands(Active())}])[
        0
    ].gone


def test_a_memory_no_base_knows_began_as_active():
    assert counting(stands(Active()), stands(Archived(AT)), base=None) == [Archived(AT)]
    assert counting(None, stands(Archived(AT)), base=None) == [Archived(AT)]
    assert counting(None, stands(Active()), base=None) == [Active()]


def test_the_end_is_held_before_the_life_and_the_earlier_end_before_the_later():
    active, early, late = stands(Active()), stands(Superseded(AT, "C", "C")), stands(Archived(LATER))
    assert held_of([active, late, early]) == early
    assert held_of([early, late, active]) == early
    assert held_of([stands(Superseded(AT, "C", "C")), stands(Superseded(AT, "B", "B"))]) == stands(
        Superseded(AT, "B", "B")
    )
    assert held_of([]) is None


def test_grounds_disagree_where_one_lacks_what_the_other_has():
    assert list(disagreeing(ground(stands(Active())), ground())) == ["A"]
    assert list(disagreeing(ground(), ground(stands(Active())))) == ["A"]
    assert list(disagreeing(ground(stands(Active())), ground(stands(Active())))) == []
