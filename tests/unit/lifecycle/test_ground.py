"""A ground answers the same whether it was built up step by step or loaded at once."""

import pytest

from vaultd.lifecycle.ground import Ground, ground_of
from vaultd.lifecycle.places import key_of
from vaultd.lifecycle.states import Active, Archived, Standing, Superseded

STANDINGS = [
    Standing("A", "memory/_global/one.md", Active()),
    Standing("B", "memory/_global/ONE.md", Active()),
    Standing("C", "memory/atlas/one.md", Active()),
    Standing("D", "memory/_GLOBAL/one.md", Active()),
    Standing("E", "memory/atlas/gone.md", Active(), gone=True),
    Standing("F", "memory/atlas/ended.md", Archived("2025-01-01")),
    Standing("G", "memory/atlas/replaced.md", Superseded("2025-01-01", "C", "[[one]]")),
    Standing("H", "memory/atlas/ÉTÉ.md", Active()),
    Standing("I", "memory/atlas/e\N{COMBINING ACUTE ACCENT}te\N{COMBINING ACUTE ACCENT}.md", Active()),
    Standing("J", "memory/atlas/deeper/one.md", Active()),
    Standing("K", "memory/atlas/straße.md", Active()),
    Standing("L", "memory/atlas/STRASSE.md", Active()),
    Standing("M", "memory/another-one.md", Active()),
    Standing("N", "memory/atlas/another-one.md", Active()),
]


def built() -> Ground:
    ground = Ground("memory")
    for standing in STANDINGS:
        ground.put(standing)
    return ground


def test_a_loaded_ground_has_the_indexes_of_one_that_was_built():
    loaded = ground_of("memory", STANDINGS, ())
    assert loaded == built()
    assert (loaded.at, loaded.named, loaded.predecessors) == (built().at, built().named, built().predecessors)


@pytest.mark.parametrize("standing", STANDINGS, ids=lambda standing: standing.path)
def test_a_name_is_found_before_there_is_an_index_of_names(standing: Standing):
    key = key_of(standing.path, "memory") or ("", "nothing")
    assert ground_of("memory", STANDINGS, ()).active_under(key) == built().named.get(key, frozenset())


def test_names_are_found_however_often_they_are_asked_for():
    loaded = ground_of("memory", STANDINGS, ())
    asked = [loaded.active_under(("", "one")) for _ in range(20)]
    assert set(asked) == {frozenset(("A", "B"))}


@pytest.mark.parametrize("times", [0, 20])
def test_what_is_put_and_dropped_later_counts(times: int):
    loaded = ground_of("memory", STANDINGS, ())
    for _ in range(times):
        loaded.active_under(("", "nobody"))
    loaded.put(Standing("A", "memory/_global/one.md", Archived("2025-01-01")))
    loaded.drop("C")
    loaded.put(Standing("Z", "memory/atlas/One.md", Active()))
    assert loaded.active_under(("", "one")) == {"B"}
    assert loaded.active_under(("atlas", "one")) == {"Z"}
    again = loaded.copy()
    again.drop("Z")
    assert (loaded.active_under(("atlas", "one")), again.active_under(("atlas", "one"))) == ({"Z"}, frozenset())


def test_of_two_standings_of_one_id_the_last_counts():
    moved = Standing("A", "memory/atlas/moved.md", Active())
    ground = ground_of("memory", [*STANDINGS, moved], ())
    assert ground.at.get("memory/_global/one.md") is None
    assert ground.standings["A"] == moved


def put_in_turn(standings: tuple[Standing, ...]) -> Ground:
    ground = Ground("memory")
    for standing in standings:
        ground.put(standing)
    return ground


@pytest.mark.parametrize("make", [put_in_turn, lambda told: ground_of("memory", told, ())], ids=["built", "loaded"])
def test_whose_file_was_taken_stands_there_again_when_the_other_leaves(make):
    taken, taking = Standing("A", "memory/_global/a.md", Active()), Standing("B", "memory/_global/a.md", Active())
    for order in ((taken, taking), (taking, taken)):
        ground = make(order)
        ground.copy().drop("B")
        ground.drop("B")
        assert ground.at == {"memory/_global/a.md": "A"}
        ground.drop("A")
        assert ground.at == {}
