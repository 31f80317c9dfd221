"""How deep a record lies, and what it rests on."""

import pytest

from tests.unit.records.test_rules import event, one
from vaultd.lifecycle.records.provenance import depth_of, evidence, in_circle
from vaultd.lifecycle.records.values import Record

SEEN, HEARD = event("r1"), event("r2")
THOUGHT = event("r3", "r1")
DRAFT = one("r4", status="draft", derived_from=("r3",))
KNOWN = {record.id: record for record in (SEEN, HEARD, THOUGHT, DRAFT, one("r5", derived_from=("r3",)))}
TABLE = {
    "nothing cited": (event("r9"), 0),
    "an event": (event("r9", "r1"), 1),
    "a conclusion": (event("r9", "r3"), 2),
    "the deepest counts": (event("r9", "r1", "r3"), 2),
    "the slot's own past adds nothing": (one("r9", derived_from=("r5",)), 2),
    "another slot's answer adds one": (one("r9", key="risks", derived_from=("r5",)), 3),
    "an approved draft adds nothing": (one("r9", derived_from=("r4",)), 2),
    "what is gone counts as observed": (event("r9", "r0"), 0),
}


@pytest.mark.parametrize("what", TABLE)
def test_depth_rules_table(what: str):
    record, depth = TABLE[what]
    assert depth_of(record, KNOWN.get) == depth


def test_what_a_record_rests_on_is_walked_to_its_end_and_circles_end():
    assert [(below, id_) for below, id_, _ in evidence(event("r9", "r3", "r2"), KNOWN.get)] == [
        (1, "r3"),
        (2, "r1"),
        (1, "r2"),
    ]
    known: dict[str, Record] = {"r1": event("r1", "r2"), "r2": event("r2", "r1")}
    assert in_circle(known["r1"], known.get)
