"""Each rule about records, on a shelf that breaks it and on one that does not."""

from dataclasses import dataclass, replace

import pytest

from vaultd.lifecycle.records.places import SlotPlace
from vaultd.lifecycle.records.rules import Shelf, record_violations
from vaultd.lifecycle.records.seals import Seal, pieces_of
from vaultd.lifecycle.records.values import Record, Stamps

PLACE = SlotPlace("records/profiles/acme", "needs")


@dataclass(frozen=True)
class At:
    path: str
    record: Record
    line: int = 1
    blob: str = ""


def one(id_: str, *supersedes: str, **fields: object) -> Record:
    record = Record(id_, "profiles", 1, "acme", "fact", f"2026-01-0{id_[-1]}", text=id_, key="needs")
    return replace(record, supersedes=supersedes, **fields)


def event(id_: str, *rests_on: str, **fields: object) -> Record:
    return one(id_, key=None, derived_from=rests_on, **fields)


def stamped(record: Record, by: str) -> Record:
    return replace(record, stamps=Stamps(f"2026-01-0{by[-1]}", by))


def head(record: Record) -> At:
    return At(PLACE.head, record)


def past(record: Record) -> At:
    return At(PLACE.past(record.id), record)


def happened(record: Record) -> At:
    return At(f"records/profiles/acme/2026/{record.id}.md", record)


def draft(record: Record) -> At:
    return At(f"review/{record.id}.md", record)


def codes(*placed: At, **more: object) -> list[str]:
    return sorted({violation.code for violation in record_violations(Shelf(placed, "records", **more))})


def sealed(*placed: At) -> dict[str, Seal]:
    return {at.record.id: Seal(at.path, pieces_of(at.record)) for at in placed}


SOUND = {
    "a slot with its history": (past(stamped(one("r1"), "r2")), head(one("r2", "r1"))),
    "a retraction": (past(stamped(one("r1"), "r2")), past(one("r2", "r1", retracted=True, text=""))),
    "a draft beside an answer": (head(one("r1")), draft(one("r2", status="draft", replaces="r1"))),
    "an approved draft": (
        draft(one("r1", status="draft", stamps=Stamps(review="approved"))),
        head(one("r2", derived_from=("r1",))),
    ),
    "conclusions on an event": (
        happened(event("r1")),
        happened(event("r2", "r1")),
        head(one("r3", derived_from=("r2",))),
    ),
    "a correction": (happened(event("r1")), happened(event("r2", corrects="r1"))),
}
BROKEN = {
    "an id twice": ("V401", (head(one("r1")), happened(event("r1")))),
    "a stamp that names nobody": ("V404", (past(stamped(one("r1"), "r9")), head(one("r2", "r1")))),
    "no stamp": ("V404", (past(one("r1")), head(one("r2", "r1")))),
    "an end without a successor": ("V404", (head(one("r1", stamps=Stamps("2026-02-01"))),)),
    "a supersession of itself": ("V406", (head(one("r1", "r1")),)),
    "a supersession in a circle": (
        "V406",
        (past(stamped(one("r1", "r2"), "r2")), past(stamped(one("r2", "r1"), "r1"))),
    ),
    "a stamp with another time": (
        "V404",
        (past(one("r1", stamps=Stamps("2020-01-01", "r2"))), head(one("r2", "r1"))),
    ),
    "a supersession of what is not there": ("V406", (head(one("r2", "r1")),)),
    "a supersession of another slot": ("V406", (head(one("r2", "r1")), At("records/o/a/k.md", one("r1", key="k")))),
    "a supersession of another lane": ("V406", (head(one("r2", "r1")), draft(one("r1", status="draft")))),
    "a citation of what is not there": ("V407", (happened(event("r1", "r9")),)),
    "a citation of what is younger": ("V407", (happened(event("r1", "r2")), happened(event("r2")))),
    "citations in a circle": (
        "V407",
        (happened(event("r1", "r2", created="x")), happened(event("r2", "r1", created="x"))),
    ),
    "five conclusions": ("V408", tuple(happened(event(f"r{n}", *([f"r{n - 1}"] if n else []))) for n in range(6))),
    "a retraction of nothing": ("V409", (past(one("r1", retracted=True, text="")),)),
    "a retraction with a text": ("V409", (past(stamped(one("r1"), "r2")), past(one("r2", "r1", retracted=True)))),
    "two heads": ("V410", (head(one("r1")), past(one("r2")))),
    "a draft among records": ("V411", (head(one("r1", status="draft")),)),
    "an active record among drafts": ("V411", (draft(event("r1")),)),
    "an approval that is none": ("V411", (draft(one("r1", status="draft", stamps=Stamps(review="approved"))),)),
    "an answer under another name": ("V412", (At("records/profiles/a/other.md", one("r1")),)),
    "an event that corrects itself": ("V414", (happened(event("r1", corrects="r1")),)),
    "an answer that lies in the history": ("V412", (past(one("r1")),)),
    "a dedupe key twice": ("V413", (happened(event("r1", dedupe="m")), happened(event("r2", dedupe="m")))),
    "a correction of a slot": ("V414", (head(one("r1")), happened(event("r2", corrects="r1")))),
}


@pytest.mark.parametrize("what", SOUND)
def test_nothing_is_wrong_with(what: str):
    assert codes(*SOUND[what], seals=sealed(*SOUND[what])) == []


@pytest.mark.parametrize("what", BROKEN)
def test_a_rule_is_broken_by(what: str):
    code, placed = BROKEN[what]
    assert code in codes(*placed)


def test_four_conclusions_are_few_enough():
    assert codes(*(happened(event(f"r{n}", *([f"r{n - 1}"] if n else []))) for n in range(5))) == []


def test_an_edited_record_is_told_with_the_key_that_was_edited():
    before = head(one("r1", content={"level": 1}))
    after = head(one("r1", content={"level": 2}))
    (found,) = record_violations(Shelf((after,), "records", sealed(before)))
    assert (found.code, "level" in found.message) == ("V402", True)


def test_a_key_that_a_closed_collection_does_not_declare_may_change():
    before, after = head(one("r1", content={"mine": 1})), head(one("r1", content={"mine": 2}))
    assert codes(after, seals=sealed(before), declared={"profiles@1": frozenset({"level"})}) == []


def test_a_record_whose_file_is_gone_is_missed():
    assert codes(seals=sealed(head(one("r1")))) == ["V402"]


def test_a_decided_draft_may_be_thrown_away():
    assert codes(seals=sealed(draft(one("r1", status="draft")))) == []


def test_parents_must_exist_older_acyclic():
    seen, thought = event("r1"), event("r2", "r1")
    assert codes(happened(seen), happened(thought)) == []
    assert codes(happened(thought)) == ["V407"]
    assert codes(happened(replace(seen, created="2026-01-03")), happened(thought)) == ["V407"]
    assert codes(happened(replace(seen, derived_from=("r2",), created=thought.created)), happened(thought)) == ["V407"]


def test_a_wish_in_a_draft_is_told_where_nobody_carries_it_out():
    asked = draft(one("r1", status="draft", stamps=Stamps(wish="approve")))
    assert codes(asked) == ["V411"]
    assert codes(asked, decided_in_notes=True) == []
