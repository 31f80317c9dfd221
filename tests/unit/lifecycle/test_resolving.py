"""Which memory an edge means."""

import pytest

from tests.unit.lifecycle.steps import says
from vaultd.lifecycle.ground import Ground, Open, ground_of
from vaultd.lifecycle.resolving import Resolver
from vaultd.lifecycle.states import Active, Standing


def ground(**paths: str) -> Ground:
    return ground_of("memory", [Standing(id_, f"memory/{path}.md", Active()) for id_, path in paths.items()], ())


GROUND = ground(A="_global/a", B="radio/b", C="radio/name", D="tower/name", E="_global/solo")


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("A", ("A",)),
        (" A ", ("A",)),
        ("a", ("A",)),
        ("b", ("B",)),
        ("radio/b", ("B",)),
        ("memory/radio/b", ("B",)),
        ("memory/radio/b.md", ("B",)),
        ("_global/solo", ("E",)),
        ("[[b]]", ("B",)),
        ("[[b|the new one]]", ("B",)),
        ("[[b#a heading]]", ("B",)),
        ("[[memory/radio/b.md]]", ("B",)),
        ("SOLO", ("E",)),
        ("tower/b", ()),
        ("nobody", ()),
        ("", ()),
        ("[[]]", ()),
        ("a/b/c/d", ()),
    ],
)
def test_an_edge_in_a_global_memory(text: str, ids: tuple[str, ...]):
    assert Resolver(GROUND, []).resolve(text, "memory/_global/x.md") == ids


def test_a_name_means_the_memory_of_the_own_project_first():
    assert Resolver(GROUND, []).resolve("name", "memory/tower/x.md") == ("D",)


def test_a_name_that_two_projects_have_means_both():
    assert set(Resolver(GROUND, []).resolve("name", "memory/_global/x.md")) == {"C", "D"}


def test_a_memory_that_the_step_brings_is_found_by_name_and_id():
    resolver = Resolver(GROUND, [("memory/_global/new.md", says("N"))])
    assert resolver.resolve("new", "memory/_global/x.md") == resolver.resolve("N", "memory/_global/x.md") == ("N",)


def test_a_file_that_the_step_takes_away_is_not_found_by_name():
    assert Resolver(GROUND, [("memory/_global/solo.md", None)]).resolve("solo", "memory/_global/x.md") == ()


def test_a_name_means_what_the_file_says_where_that_is_not_accepted():
    """Which parent of a merge comes first makes no difference: only one of them has the file among its changes."""
    held = ground(A="_global/a", B="_global/b")
    held.settle("A", Open("A", (("memory/_global/a.md", says("A")), ("memory/_global/b.md", says("A"))), ()))
    held.settle("B", Open("B", (), ()))
    changed = [("memory/_global/b.md", says("A"))]
    for resolver in Resolver(held, []), Resolver(ground(A="_global/a", B="_global/b"), changed):
        assert resolver.resolve("b", "memory/_global/a.md") == ("A",)
        assert resolver.resolve("B", "memory/_global/a.md") == ("B",)


def test_a_file_that_says_no_id_any_more_is_not_found_by_name():
    held = ground(A="_global/a")
    held.settle("A", Open("A", (), ()))
    assert Resolver(held, []).resolve("a", "memory/_global/x.md") == ()
    assert Resolver(held, []).resolve("[[a]]", "memory/radio/x.md") == ()
