"""What is wrong with links is told once a note and target, with what mends it."""

import pytest

from tests.unit.index.conftest import Index
from tests.unit.search.test_query import index  # noqa: F401 — a fixture
from vaultd.index.mirror import State
from vaultd.search.broken_links import link_violations


@pytest.fixture
def told(index: Index):  # noqa: F811
    def told(states: dict[str, State] | None = None, **notes: str) -> list[tuple[str, str, int, str]]:
        for name, text in notes.items():
            index.notes.write(name.replace("__", "/") + ".md", text)
        index.catch_up()
        index.mirror.set_states(states or {})
        found = link_violations(index.mirror)
        assert {violation.severity for violation in found} <= {"info"}
        return sorted((one.code, one.path, one.line, one.subject) for one in found)

    return told


def test_a_link_to_nothing_is_v301_once_a_note_at_its_first_line(told):
    assert told(a="x\n[[none]] [[none]]", b="[[a]]") == [("V301", "a.md", 2, "none")]


def test_a_template_is_no_link_to_nothing(told):
    assert told(a="[[{{date}}]] [[<% tp.x %>]]") == []


def test_a_name_of_several_files_is_v302_and_a_whole_path_is_not(told):
    assert told(p__n="", q__n="", a="[[n]] [[p/n]]") == [("V302", "a.md", 1, "n")]


def test_a_heading_or_block_that_is_not_there_is_v303(told):
    notes = {
        "n": "# One\n## Two!\ntext ^b1\n",
        "a": "[[n#One#Two]] [[n#two]] [[n#^B1]] [[n#Three]] [[n#^b2]] [[#Mine]]\n# Mine",
    }
    assert told(**notes) == [("V303", "a.md", 1, "n#Three"), ("V303", "a.md", 1, "n#^b2")]


def test_a_link_to_a_replaced_memory_is_v304_but_not_from_its_heirs_and_what_ended(told, index: Index):  # noqa: F811
    states = {
        "memory/p/old.md": State("superseded", "1", type="memory", superseded_by="2"),
        "memory/p/mid.md": State("superseded", "2", type="memory", superseded_by="3"),
        "memory/p/new.md": State("active", "3", type="memory"),
        "memory/p/gone.md": State("archived", "4", type="memory"),
    }
    notes = {path.removesuffix(".md").replace("/", "__"): "[[old]]" for path in states}
    assert told(states, **notes, a="see [[old]]") == [("V304", "a.md", 1, "old")]
    (violation,) = link_violations(index.mirror)
    assert violation.hint == "link to memory/p/new.md"
