"""What the bytes of a note say about its lifecycle."""

import pytest

from vaultd.lifecycle.facts import ABSENT, dump_facts, facts_of
from vaultd.notes.note import parse


def said(line: str, key: str) -> object:
    return getattr(facts_of(parse(f"---\nid: 01A\n{line}\n---\n".encode())), key)


@pytest.mark.parametrize("line", ["invalid_at: null", "invalid_at: ~", "invalid_at:", "invalid_at: ''", "other: 1"])
def test_null_empty_and_absent_are_one_value(line: str):
    assert said(line, "invalid_at") is None


@pytest.mark.parametrize("text", ["2025-06-01", "'2025-06-01'", '"2025-06-01"', "2025-06-01  # when it ended"])
def test_quotes_and_comments_are_no_part_of_a_value(text: str):
    assert said(f"invalid_at: {text}", "invalid_at") == "2025-06-01"


@pytest.mark.parametrize("text", ["[[b]]", '"[[b]]"', "'[[b]]'"])
def test_a_link_is_read_with_and_without_quotes(text: str):
    assert said(f"superseded_by: {text}", "superseded_by") == "[[b]]"


@pytest.mark.parametrize(
    ("line", "key", "what"),
    [
        ("invalid_at: true", "invalid_at", "is true or false, not text"),
        ("invalid_at: 20250601", "invalid_at", "is a number, not text"),
        ("superseded_by: [a, b]", "superseded_by", "is a list, not text"),
        ("superseded_by: {a: b}", "superseded_by", "is a mapping, not text"),
    ],
)
def test_a_value_of_the_wrong_type_is_there_and_odd(line: str, key: str, what: str):
    facts = facts_of(parse(f"---\nid: 01A\n{line}\n---\n".encode()))
    assert getattr(facts, key) is not None
    assert facts.oddness(key) == what


@pytest.mark.parametrize("text", ["null", "[a]", "12", ""])
def test_an_id_that_is_no_text_is_none(text: str):
    assert facts_of(parse(f"---\nid: {text}\n---\n".encode())).id is None


def test_an_end_in_other_letters_is_no_end():
    assert said("Invalid_At: 2025-06-01", "invalid_at") is None


def test_a_note_that_says_nothing_of_a_lifecycle_is_kept_as_next_to_nothing():
    facts = facts_of(parse(b"---\nrating: 3\n---\ntext\n"))
    assert facts == ABSENT
    assert dump_facts(facts) == "{}"
