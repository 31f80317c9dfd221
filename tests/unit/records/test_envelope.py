"""Records are read from frontmatter and lines as they are written; what is wrong is a value."""

from dataclasses import replace

import pytest

from vaultd.lifecycle.records.envelope import (
    Misread,
    lines_of,
    read_record,
    record_line,
    record_text,
    stamped,
)
from vaultd.lifecycle.records.seals import pieces_of
from vaultd.lifecycle.records.values import Record, Stamps
from vaultd.notes.note import parse

NEEDS = Record(
    id="01K2F4AAAAAAAAAAAAAAAAAAAA",
    collection="customer_profiles",
    version=1,
    entity="acme-corp",
    key="needs",
    type="fact",
    created="2026-07-10T18:00:00Z",
    text="Committed to SSO rollout in Q4.",
    supersedes=("01K1AAAAAAAAAAAAAAAAAAAAAA",),
    derived_from=("01K0EVAAAAAAAAAAAAAAAAAAAA",),
    content={"confidence": 0.9},
)


def test_a_record_is_read_as_it_was_written():
    assert read_record(parse(record_text(NEEDS))) == NEEDS


def test_a_record_is_read_from_its_line_as_it_was_written():
    assert list(lines_of(record_line(NEEDS))) == [(1, NEEDS)]


def test_a_line_that_two_clones_both_hold_is_one_record():
    assert len(list(lines_of(record_line(NEEDS) * 2))) == 1


def test_a_line_that_is_no_json_names_itself_and_spares_the_others():
    found = list(lines_of(b"{oops\n" + record_line(NEEDS)))
    assert found == [(1, Misread("line", "is not JSON")), (2, NEEDS)]


def test_several_heads_are_superseded_as_a_list():
    healed = replace(NEEDS, supersedes=("01K1A", "01K1B"))
    assert b"supersedes: [01K1A, 01K1B]\n" in record_text(healed)
    assert read_record(parse(record_text(healed))) == healed


def test_a_note_with_an_id_and_no_collection_claims_to_be_no_record():
    assert read_record(parse(b"---\nid: a\n---\n")) is None


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        (b"customer_profiles@1", b"customer_profiles", "collection"),
        (b"customer_profiles@1", b"Customer@0", "collection"),
        (b"entity: acme-corp", b"entity: '*'", "entity"),
        (b"entity: acme-corp", b"entity: ''", "entity"),
        (b"key: needs", b"key: ''", "key"),
        (b"key: needs", b"key: " + b"k" * 129, "key"),
        (b"type: fact", b"type: [fact]", "type"),
        (b"status: active", b"status: live", "status"),
        (b"created: 20", b"created: soon 20", "created"),
        (b"supersedes: 01K1AAAAAAAAAAAAAAAAAAAAAA", b"supersedes: [a, a]", "supersedes"),
    ],
)
def test_an_envelope_that_is_wrong_names_its_key(old: bytes, new: bytes, key: str):
    data = record_text(NEEDS)
    assert old in data
    found = read_record(parse(data.replace(old, new)))
    assert isinstance(found, Misread)
    assert found.key == key


def test_a_stamp_adds_its_lines_and_keeps_every_other_byte():
    data = record_text(NEEDS).replace(b"type: fact", b"type:   fact  # chosen")
    after = stamped(data, {"invalid_at": "2026-08-01T00:00:00Z", "superseded_by": "01K3"})
    assert [line for line in after.splitlines() if line not in data.splitlines()] == [
        b"invalid_at: 2026-08-01T00:00:00Z",
        b"superseded_by: 01K3",
    ]
    assert b"type:   fact  # chosen\n" in after


def test_stamps_tags_and_sources_are_outside_the_seal():
    data = record_text(NEEDS).replace(b"type: fact", b"type: fact\ntags: [sso]\naliases: x")
    touched = read_record(parse(stamped(data, {"invalid_at": "2026-08-01T00:00:00Z", "superseded_by": "01K3"})))
    assert isinstance(touched, Record)
    assert touched.stamps == Stamps("2026-08-01T00:00:00Z", "01K3")
    assert pieces_of(replace(touched, sources=("[[Call]]",))) == pieces_of(NEEDS)


@pytest.mark.parametrize(
    "edit",
    [
        {"text": "x"},
        {"type": "x"},
        {"entity": "x"},
        {"key": None},
        {"created": "x"},
        {"occurred": "x"},
        {"supersedes": ()},
        {"derived_from": ()},
        {"content": {"confidence": 1}},
        {"status": "draft"},
        {"retracted": True},
    ],
)
def test_the_seal_holds_all_that_was_remembered(edit: dict):
    assert pieces_of(replace(NEEDS, **edit)) != pieces_of(NEEDS)
