"""What history remembers of records, one commit after the other."""

from tests.unit.records.test_rules import one, stamped
from vaultd.lifecycle.records.seals import LEFT, Seals, Version


def changed(*commits: list[Version]) -> dict[str, tuple[str, ...]]:
    seals = Seals()
    for number, versions in enumerate(commits):
        seals.advance(f"c{number}", versions)
    return {id_: seal.changed for id_, seal in seals.known.items()}


def test_a_record_that_moves_into_the_history_stays_what_it_was():
    after = [Version("h/r1.md", stamped(one("r1"), "r2")), Version("needs.md", one("r2", "r1"))]
    assert changed([Version("needs.md", one("r1"))], after) == {"r1": (), "r2": ()}


def test_an_edit_is_remembered_and_putting_the_text_back_ends_it():
    edit = [Version("needs.md", one("r1", text="edited"))]
    assert changed([Version("needs.md", one("r1"))], edit) == {"r1": ("text",)}
    assert changed([Version("needs.md", one("r1"))], edit, [Version("needs.md", one("r1"))]) == {"r1": ()}


def test_a_second_edit_is_measured_on_the_first_text():
    edits = [[Version("needs.md", one("r1", text=text))] for text in ("edited", "again")]
    assert changed([Version("needs.md", one("r1"))], *edits) == {"r1": ("text",)}


def test_a_file_that_left_is_remembered():
    assert changed([Version("needs.md", one("r1"))], [Version("needs.md", None)]) == {"r1": (LEFT,)}


def test_a_record_that_another_one_was_written_over_left():
    assert changed([Version("needs.md", one("r1"))], [Version("needs.md", one("r2"))]) == {"r1": (LEFT,), "r2": ()}


def test_a_line_that_left_or_changed_is_remembered_and_its_neighbours_are_not():
    begun = [Version("2026-01.jsonl", event, line=event.id) for event in (one("r1", key=None), one("r2", key=None))]
    edited = Version("2026-01.jsonl", one("r1", key=None, text="edited"), line="r1")
    assert changed(begun, [Version("2026-01.jsonl", None, line="r1"), edited]) == {"r1": ("text",), "r2": ()}
    assert changed(begun, [Version("2026-01.jsonl", None, line="r1")]) == {"r1": (LEFT,), "r2": ()}
