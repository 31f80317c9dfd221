"""Which memory an edge means."""

import pytest

from tests.unit.lifecycle.steps import says
from vaultd.lifecycle.ground import Ground, ground_of
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
