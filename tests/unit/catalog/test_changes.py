"""What publishing changes: invisible, additive or reinterpreting, and when records are in the way."""

from collections.abc import Callable, Mapping

import pytest

from tests.unit.catalog.test_compiling import GOOD, PACKAGE, compiled
from vaultd.catalog.changes import Change, changes, published, selected
from vaultd.catalog.hashing import contract_hash, definition_hash
from vaultd.catalog.lock import LOCK, Lock, dump_lock, load_lock
from vaultd.catalog.schemas import content_problem
from vaultd.errors import NoteFormatError

LEVEL = "        level: {type: integer}\n"


def fits(schema: Mapping, content: Mapping) -> bool:
    return content_problem(schema, content) is None


def lock(text: str = GOOD) -> Lock:
    return published(Lock(), compiled(text), {}, "2026-01-01T00:00:00Z")


def change(text: str, *stored: Mapping, before: str = GOOD) -> Change:
    (found,) = changes(lock(before), compiled(text), lambda _: list(stored), fits)
    return found


def edited(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


CONTRACT: list[tuple[str, Callable[[], str], str]] = [
    ("a new optional property", lambda: edited(LEVEL, LEVEL + "        note: {type: string}\n"), "additive"),
    ("a new field", lambda: GOOD + "      text: {path: content.text, type: string}\n", "additive"),
    ("a property of another type", lambda: edited("level: {type: integer}", "level: {type: number}"), "reinterpreting"),
    ("a property less", lambda: edited(LEVEL, ""), "reinterpreting"),
    ("a new required property", lambda: edited("[text]", "[text, level]"), "reinterpreting"),
    ("another mode", lambda: edited("mode: keyed", "mode: mixed"), "reinterpreting"),
    ("another text", lambda: edited("mode: keyed", "mode: keyed\n    text_projection: '{{level}}'"), "reinterpreting"),
    ("a field that points elsewhere", lambda: edited("content.level", "content.text"), "reinterpreting"),
    (
        "closed to the rest",
        lambda: edited("type: object", "type: object\n      additionalProperties: false"),
        "reinterpreting",
    ),
]


@pytest.mark.parametrize(("what", "text", "effect"), CONTRACT, ids=[one[0] for one in CONTRACT])
def test_contract_vs_binding_table(what: str, text: Callable[[], str], effect: str):
    found = change(text(), {"text": "a"})
    assert found.effect == effect
    assert bool(found.blocker) is (effect == "reinterpreting")


def test_a_reinterpreting_change_may_be_published_while_nothing_is_stored():
    assert change(edited("mode: keyed", "mode: mixed")).blocker == ""


@pytest.mark.parametrize("binding", ["answerable: true", "store: jsonl", "optional_processors: [x]"])
def test_a_binding_is_no_part_of_the_contract(binding: str):
    found = change(edited("mode: keyed", f"mode: keyed\n    {binding}"), {"text": "a"})
    assert (found.effect, found.blocker) == ("invisible", "")


def test_a_new_property_is_refused_where_a_record_holds_something_else_under_that_key():
    text = edited(LEVEL, LEVEL + "        note: {type: string}\n")
    assert change(text, {"text": "a", "note": "x"}).blocker == ""
    assert "1 records" in change(text, {"text": "a", "note": 1}).blocker


def test_a_version_that_records_need_cannot_be_removed():
    assert "1 records" in change("search_profiles: [{name: default}]", {"text": "a"}).blocker
    assert change("search_profiles: [{name: default}]").blocker == ""


def test_new_version_alongside():
    old = GOOD.replace("active: true", "active: false")
    new = GOOD.partition("collections:\n")[2].replace("version: 1", "version: 2").replace("keyed", "mixed")
    found = changes(lock(), compiled(old + new), lambda name: [{"text": "a"}] if name == "profiles@1" else [], fits)
    assert {(one.name, one.effect, one.blocker) for one in found} == {
        ("profiles@1", "invisible", ""),
        ("profiles@2", "additive", ""),
    }


def test_only_what_a_package_lists_is_in_force():
    second = GOOD.partition("collections:\n")[2].replace("name: profiles", "name: others")
    assert set(selected(compiled(GOOD + second, crm=PACKAGE)).collections) == {"profiles@1"}
    assert set(selected(compiled(GOOD + second)).collections) == {"profiles@1", "others@1"}


def test_hashes_tell_a_contract_from_its_bindings():
    one = compiled(GOOD).collections["profiles@1"]
    other = compiled(edited("mode: keyed", "mode: keyed\n    answerable: true")).collections["profiles@1"]
    assert contract_hash(one) == contract_hash(other)
    assert definition_hash(one) != definition_hash(other)


def test_an_additive_publish_begins_a_generation():
    first = lock()
    second = published(
        first, compiled(edited(LEVEL, LEVEL + "        note: {type: string}\n")), {}, "2026-02-01T00:00:00Z"
    )
    assert [one.since for one in second.generations["profiles@1"]] == ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"]
    assert published(second, compiled(GOOD), {}, "x").generations["profiles@1"][0] == first.generations["profiles@1"][0]


def test_a_lock_is_read_as_it_was_written():
    assert load_lock(dump_lock(lock())) == lock()


@pytest.mark.parametrize("data", [b"{", b"[]", b"{}", dump_lock(lock()).replace(b'"integer"', b'"number"')])
def test_a_lock_that_was_damaged_or_edited_is_refused(data: bytes):
    with pytest.raises(NoteFormatError, match=LOCK):
        load_lock(data)
