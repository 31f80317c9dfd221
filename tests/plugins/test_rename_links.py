"""rename-links proposes, or makes, the change of links that a rename by something else calls for."""

from tests.plugins.conftest import Try

NOTES = {"Frost.md": "Until May.\n", "Garden.md": "See [[Frost]].\n", "Plan.md": "![[Frost|cold]] [[Garden]]\n"}


def test_a_rename_waits_until_a_person_says_so(try_shipped: Try) -> None:
    tried = try_shipped("rename-links", NOTES)
    before = tried.log()
    tried.move("Frost.md", "Cold snap.md")
    tried.settle()
    assert tried.read("Garden.md") == "See [[Frost]].\n"
    assert tried.act("rename-links:list") == [{"old": "Frost.md", "new": "Cold snap.md"}]
    assert tried.log() == before
    assert tried.act("rename-links:apply") == "2 notes changed"
    assert tried.read("Garden.md") == "See [[Cold snap]].\n"
    assert tried.read("Plan.md") == "![[Cold snap|cold]] [[Garden]]\n"
    assert tried.act("rename-links:list") == []
    assert len(tried.log()) == len(before) + 1


def test_with_apply_several_renames_become_one_commit(try_shipped: Try) -> None:
    tried = try_shipped("rename-links", NOTES, {"apply": True, "theirs": 1})
    before = tried.log()
    tried.move("Frost.md", "cold/Frost in May.md")
    tried.move("Garden.md", "Beds.md")
    tried.settle()
    assert tried.read("Beds.md") == "See [[Frost in May]].\n"
    assert tried.read("Plan.md") == "![[Frost in May|cold]] [[Beds]]\n"
    assert len(tried.log()) == len(before) + 1


def test_a_note_that_came_back_waits_no_more(try_shipped: Try) -> None:
    tried = try_shipped("rename-links", NOTES)
    tried.move("Frost.md", "Cold.md")
    tried.settle()
    tried.move("Cold.md", "Frost.md")
    tried.settle()
    assert tried.act("rename-links:list") == []


def test_two_renames_of_one_note_are_one(try_shipped: Try) -> None:
    tried = try_shipped("rename-links", NOTES)
    for old, new in (("Frost.md", "Cold.md"), ("Cold.md", "Ice.md")):
        tried.move(old, new)
        tried.settle()
    assert tried.act("rename-links:list") == [{"old": "Frost.md", "new": "Ice.md"}]


def test_what_was_forgotten_is_left_alone(try_shipped: Try) -> None:
    tried = try_shipped("rename-links", NOTES)
    tried.move("Frost.md", "Cold.md")
    tried.settle()
    assert tried.act("rename-links:forget") == "1 renames forgotten"
    assert tried.act("rename-links:apply") == "0 notes changed"
    assert tried.read("Garden.md") == "See [[Frost]].\n"
