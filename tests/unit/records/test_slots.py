"""What answers a slot: the head of its lane, whoever asks."""

from dataclasses import replace
from itertools import permutations

from vaultd.lifecycle.records.slots import current
from vaultd.lifecycle.records.values import Record, Stamps


def record(id_: str, *supersedes: str, **fields: object) -> Record:
    one = Record(id_, "profiles", 1, "acme", "fact", f"2026-01-0{id_[-1]}", text=id_, key="needs")
    return replace(one, supersedes=supersedes, **fields)


def answer(*records: Record) -> str | None:
    found = current(records).answer
    return found.id if found else None


def test_five_writes_give_the_answers_of_the_table():
    one, two = record("r1"), record("r2", "r1")
    three = record("r3", status="draft")
    four = record("r4", "r2", derived_from=("r3",))
    five = record("r5", "r4", retracted=True, text="")
    all_five = (one, two, three, four, five)
    assert [answer(*all_five[:n]) for n in range(1, 6)] == ["r1", "r2", "r2", "r4", None]


def test_current_ignores_occurred():
    assert answer(record("r1", occurred="2030-01-01"), record("r2", "r1", occurred="1999-01-01")) == "r2"


def test_another_version_of_the_collection_is_the_same_slot():
    assert answer(record("r1"), record("r2", "r1", version=2)) == "r2"


def test_draft_lane_independent():
    records = (record("r1"), record("d2", "r1", status="draft"))
    assert answer(*records) == "r1"
    assert current(records, "draft").ids == ("d2",)


def test_a_draft_that_was_decided_on_is_no_draft_any_more():
    done = record("d2", status="draft", stamps=Stamps(review="rejected"))
    assert current((done,), "draft").heads == ()


def test_a_fork_has_the_same_winner_in_any_order():
    records = (record("r1"), record("r2", "r1"), record("r3", "r1"))
    found = {tuple(head.id for head in current(order).heads) for order in permutations(records)}
    assert found == {("r3", "r2")}
    assert current(records).forked


def test_one_record_that_supersedes_all_heads_ends_a_fork():
    healed = current((record("r1"), record("r2", "r1"), record("r3", "r1"), record("r4", "r2", "r3")))
    assert (healed.ids, healed.forked) == (("r4",), False)


def test_a_value_after_a_retraction_answers_again():
    assert answer(record("r1"), record("r2", "r1", retracted=True), record("r3", "r2")) == "r3"


def test_a_record_that_supersedes_itself_hides_nothing():
    assert answer(record("r1", "r1")) == "r1"
