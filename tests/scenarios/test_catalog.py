"""A catalog in a vault: nothing acts before it is published, and publishing touches no record."""

import pytest

from tests.unit.catalog.test_compiling import GOOD
from tests.vaults import Vault

FILE = ".vaultd/catalog/crm.yaml"
SET = ("record", "set", "profiles", "--entity", "acme", "--key", "risks", "--body")
NOTE = "        level: {type: integer}\n        note: {type: string}\n"


@pytest.fixture
def crm(vault: Vault) -> Vault:
    vault.write(FILE, GOOD)
    vault.does("catalog", "publish")
    return vault


def edit(vault: Vault, old: str, new: str) -> None:
    assert old in (vault.root / FILE).read_text()
    vault.write(FILE, (vault.root / FILE).read_text().replace(old, new, 1))


def test_publishing_is_one_commit_of_the_lock_and_the_catalog(crm: Vault):
    assert crm.git("show", "--name-only", "--format=%s").splitlines() == [
        "catalog: publish all definitions",
        "",
        ".vaultd/catalog.lock",
        FILE,
    ]
    assert crm.status == []


def test_publishing_the_same_again_changes_nothing(crm: Vault):
    head = crm.head
    assert crm.does("catalog", "publish", "--json").json["event"] is None
    assert crm.head == head


def test_what_a_collection_does_not_allow_is_refused(crm: Vault):
    assert crm.run(*SET, "a", "--property", "level=3").code == 0
    assert "V405" in crm.run(*SET, "b", "--property", "level=high").err
    assert crm.run("record", "event", "profiles", "--entity", "acme", "--body", "a").code == 2
    assert crm.run("record", "set", "others", "--entity", "acme", "--key", "k", "--body", "a").code == 2


def test_retract_exempt_from_schema(vault: Vault):
    vault.write(FILE, GOOD.replace("[text]", "[text, level]"))
    vault.does("catalog", "publish")
    vault.does(*SET, "a", "--property", "level=3")
    vault.does("record", "retract", "profiles", "--entity", "acme", "--key", "risks")


def test_lock_is_the_truth_until_publish(crm: Vault):
    edit(crm, "mode: keyed", "mode: event")
    assert crm.run(*SET, "a").code == 0


def test_additive_publish_touches_no_note(crm: Vault):
    crm.does(*SET, "a")
    edit(crm, "        level: {type: integer}\n", NOTE)
    assert "additive: profiles@1" in crm.does("catalog", "check").out
    crm.does("catalog", "publish")
    assert [path for path in crm.git("show", "--name-only", "--format=").splitlines() if "records" in path] == []


def test_additive_refused_when_a_note_contradicts(crm: Vault):
    crm.does(*SET, "a", "--property", "note=5")
    edit(crm, "        level: {type: integer}\n", NOTE)
    head = crm.head
    assert crm.run("catalog", "check").code == 1
    assert "V502" in crm.run("catalog", "publish").err
    assert crm.head == head


def test_a_reinterpreting_change_needs_a_new_version(crm: Vault):
    crm.does(*SET, "a")
    edit(crm, "level: {type: integer}", "level: {type: number}")
    assert crm.run("catalog", "publish").code == 3


def test_slot_spans_collection_versions(crm: Vault):
    first = crm.does(*SET, "a", "--json").json["id"]
    old = GOOD.replace("active: true", "active: false")
    crm.write(FILE, old + GOOD.partition("collections:\n")[2].replace("version: 1", "version: 2"))
    crm.does("catalog", "publish")
    crm.does(*SET, "b")
    head = (crm.root / "records/profiles/acme/risks.md").read_text()
    assert "collection: profiles@2\n" in head
    assert f"supersedes: {first}\n" in head


def test_rollback_by_revert(crm: Vault):
    edit(crm, "        level: {type: integer}\n", NOTE + "        more: {type: integer}\n")
    crm.does("catalog", "publish")
    assert crm.run(*SET, "a", "--property", "more=x").code == 3
    crm.git("revert", "--no-edit", "HEAD")
    assert crm.run(*SET, "a", "--property", "more=x").code == 0


def test_a_broken_catalog_is_refused_whole_and_says_where(crm: Vault):
    edit(crm, "mode: keyed", "mode: keyd")
    ran = crm.run("catalog", "publish")
    assert ran.code == 3
    assert f"{FILE}:7: collections[0].mode" in ran.err


def test_prune_counts_real_references(crm: Vault):
    crm.does(*SET, "a")
    old = GOOD.replace("active: true", "active: false")
    crm.write(FILE, old + GOOD.partition("collections:\n")[2].replace("version: 1", "version: 2"))
    crm.does("catalog", "publish")
    assert crm.does("catalog", "prune", "--json").json["versions"] == [
        {"name": "profiles@1", "records": 1, "needed": True}
    ]


def test_a_text_is_made_of_properties_where_the_collection_says_how(vault: Vault):
    vault.write(FILE, GOOD.replace("mode: keyed", "mode: keyed\n    text_projection: 'Level {{level}}'"))
    vault.does("catalog", "publish")
    vault.does(*SET, "", "--property", "level=3")
    assert (vault.root / "records/profiles/acme/risks.md").read_text().endswith("---\nLevel 3\n")


def test_events_are_kept_as_their_collection_says(vault: Vault):
    vault.write(FILE, GOOD.replace("mode: keyed", "mode: event\n    store: jsonl"))
    vault.does("catalog", "publish")
    ran = vault.does("record", "event", "profiles", "--entity", "acme", "--body", "a", "--json")
    assert ran.json["path"].endswith(".jsonl")


def test_a_property_that_is_declared_as_text_is_text(crm: Vault):
    edit(crm, "level: {type: integer}", "level: {type: integer}\n        zip: {type: string}")
    crm.does("catalog", "publish")
    words = ("record", "set", "profiles", "--entity", "e", "--key", "k", "--body", "a")
    crm.does(*words, "--property", "zip=01234", "--property", "level=3")
    assert crm.does("document", "e", "--json").json["beliefs"][0]["content"] == {"level": 3, "zip": "01234"}


def test_a_lock_that_is_gone_is_told_until_it_is_back_or_the_catalog_left_with_it(crm: Vault):
    (crm.root / ".vaultd/catalog.lock").unlink()
    assert crm.errors() == ["V501"]
    crm.git("add", "-A")
    assert crm.errors("--staged") == ["V501"]
    (crm.root / FILE).unlink()
    crm.git("add", "-A")
    assert crm.errors() == crm.errors("--staged") == []
    crm.git("restore", "--source=HEAD", "--staged", "--worktree", ".vaultd")
    assert crm.errors() == []
