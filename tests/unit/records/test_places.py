"""Any text finds a name in paths, and two texts never the same one."""

import pytest

from vaultd.lifecycle.records.places import (
    SlotPlace,
    distinct_name,
    draft_path,
    is_event_path,
    is_head_path,
    plain_name,
)
from vaultd.lifecycle.records.values import Record
from vaultd.notes.names import unportable


@pytest.mark.parametrize("text", ["acme-corp", "needs", "skill.plan_meetings", "Acme Corp", "Łódź", "2026"])
def test_a_text_that_every_system_takes_is_its_own_name(text: str):
    assert plain_name(text) == text


@pytest.mark.parametrize(
    "text",
    ["user:42", "a/b", "..", "_history", ".git", "con", "x.", "a" * 255, "[[x]]", "x#y", "a\nb", "Cafe\u0301"],
)
def test_any_other_text_gets_a_name_of_its_own(text: str):
    name = plain_name(text)
    assert name == distinct_name(text) != text
    assert unportable(f"{name}.md") is None
    assert not name.startswith(("_", "."))


def test_texts_with_one_slug_get_two_names():
    assert plain_name("user:42") != plain_name("user/42")


def test_the_files_of_a_slot():
    place = SlotPlace("records/customer_profiles/acme-corp", "needs")
    assert place.head == "records/customer_profiles/acme-corp/needs.md"
    assert place.past("01K1") == "records/customer_profiles/acme-corp/_history/needs/01K1.md"


def test_a_draft_says_in_its_name_what_it_is_about():
    draft = Record("01K2F4AAAAAAAAAAAAAAAAK2F4", "customer_profiles", 1, "acme-corp", "fact", "2026", key="needs")
    assert draft_path("review", draft) == "review/customer_profiles · acme-corp · needs (AAK2F4).md"


def test_heads_and_events_are_told_apart_by_their_paths():
    assert is_head_path("records/c/e/needs.md", "records")
    assert not is_head_path("records/c/e/_history/needs/01.md", "records")
    assert is_event_path("records/c/e/2026/01.md", "records")
    assert not is_event_path("records/c/e/needs.md", "records")
