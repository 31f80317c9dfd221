"""link-health lists what its name says, and warns of links that work on one machine."""

from tests.plugins.conftest import Try

NOTES = {
    "a.md": "[[b]] and [[nowhere]]\n",
    "b.md": "no link\n",
    "c.md": "[x](file:///home/ada/x.md)\n[[c]]\n",
    "old/d.md": "[[gone]] [x](C:/x.md)\n",
}


def test_links_that_lead_nowhere_are_listed_with_their_place(try_shipped: Try) -> None:
    rows = try_shipped("link-health", NOTES).act("link-health:unresolved")
    assert {"path": "a.md", "target": "nowhere", "line": 1, "column": 11} in rows


def test_orphans_and_dead_ends(try_shipped: Try) -> None:
    tried = try_shipped("link-health", NOTES)
    assert tried.act("link-health:orphans") == [{"path": "a.md"}, {"path": "c.md"}, {"path": "old/d.md"}]
    assert tried.act("link-health:deadends") == [{"path": "b.md"}, {"path": "c.md"}, {"path": "old/d.md"}]


def test_a_link_to_one_machine_is_a_warning(try_shipped: Try) -> None:
    found = [(row["code"], row["path"], row["line"]) for row in try_shipped("link-health", NOTES).problems()]
    assert found == [("link-health/machine", "c.md", 1), ("link-health/machine", "old/d.md", 1)]


def test_ignored_folders_are_left_out(try_shipped: Try) -> None:
    tried = try_shipped("link-health", NOTES, {"ignore": ["old"]})
    assert [row["path"] for row in tried.problems()] == ["c.md"]
    assert tried.act("link-health:orphans") == [{"path": "a.md"}, {"path": "c.md"}]
