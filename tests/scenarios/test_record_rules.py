"""Rules about records where people, editors and other tools meet them: check, the hook, history, and adopt."""

import shutil

import pytest

from tests.scenarios.test_records import HEAD, HISTORY, NEEDS, observe, prop, put
from tests.vaults import Vault, id_of


def test_what_commands_write_breaks_no_rule(vault: Vault):
    seen = observe(vault, "Asked about SSO.").json["id"]
    observe(vault, "line", "--store", "jsonl")
    put(vault, "a", "--derived-from", seen)
    put(vault, "b")
    draft = vault.does("record", "set", *NEEDS, "--body", "c", "--draft", "--json").json["id"]
    vault.does("review", "approve", draft)
    vault.does("record", "retract", *NEEDS)
    vault.does("record", "correct", seen, "--body", "Asked about SCIM.")
    ran = vault.run("check", "--json")
    assert ran.json["violations"] == []


def test_hand_edit_becomes_successor_only_by_adopt(vault: Vault):
    put(vault, "a")
    vault.edit(HEAD, "a\n", "edited\n")
    before = (vault.root / HEAD).read_bytes()
    assert vault.errors() == ["V402"]
    assert (vault.root / HEAD).read_bytes() == before


def test_passthrough_edit_makes_no_record(vault: Vault):
    put(vault, "a")
    vault.edit(HEAD, "type: fact", "type: fact\ntags: [sso]\nsources: ['[[Call]]']")
    assert vault.errors() == []
    assert vault.does("adopt", HEAD, "--json").json["event"] is None


def test_a_commit_past_every_hook_launders_nothing(vault: Vault):
    put(vault, "a")
    vault.edit(HEAD, "a\n", "edited\n")
    commit = vault.commit()
    vault.edit(HEAD, "edited\n", "edited again\n")
    vault.commit()
    assert vault.errors() == ["V402"]
    assert vault.errors("--head") == ["V402"]
    assert vault.errors("--history") == ["V402"]
    assert vault.errors("--history", f"{commit}^") == []
    vault.edit(HEAD, "edited again\n", "a\n")
    vault.commit()
    assert vault.errors() == vault.errors("--head") == []


def test_the_hook_stops_a_commit_that_edits_or_loses_a_record(vault: Vault):
    put(vault, "a")
    vault.edit(HEAD, "a\n", "edited\n")
    vault.git("add", "-A")
    assert vault.errors("--staged") == ["V402"]
    vault.git("rm", "-q", "-f", HEAD)
    assert vault.errors("--staged") == ["V402"]


def test_a_note_among_records_that_is_none_is_named(vault: Vault):
    vault.write("records/profiles/acme/x.md", "hello\n")
    vault.write("records/profiles/acme/2026-01.jsonl", "{oops\n")
    assert vault.errors() == ["V403", "V403"]


def test_what_a_published_schema_does_not_allow_is_named(vault: Vault):
    put(vault, "a")
    vault.write(".vaultd/catalog/c.yaml", "collections: [{}]\n")
    assert "V501" in vault.errors()


@pytest.mark.parametrize("again", ["rebuild", "clone"])
def test_a_deleted_index_and_a_fresh_clone_find_the_same(vault: Vault, again: str):
    put(vault, "a")
    put(vault, "b")
    vault.edit(HEAD, "b\n", "edited\n")
    vault.commit()
    before = vault.run("check", "--json").json["violations"]
    assert [row["code"] for row in before] == ["V402"]
    if again == "rebuild":
        vault.does("rebuild")
        assert vault.run("check", "--json").json["violations"] == before
    else:
        other = Vault(vault.root.parent / "clone")
        vault.git("clone", "-q", str(vault.root), str(other.root))
        assert other.run("check", "--json").json["violations"] == before


def test_adopt_makes_an_edit_the_successor_of_what_git_holds(vault: Vault):
    first = put(vault, "a")
    before = (vault.root / HEAD).read_text()
    vault.edit(HEAD, "a\n", "edited\n")
    new = vault.does("adopt", HEAD, "--json").json["id"]
    assert new != first
    assert [prop(vault, HEAD, key) for key in ("id", "supersedes")] == [new, first]
    past = (vault.root / f"{HISTORY}/{first}.md").read_text()
    assert [line for line in before.splitlines() if line not in past.splitlines()] == []
    assert vault.log[0] == "record: adopt customer_profiles · acme-corp · needs"
    assert "note: keep edits" not in "".join(vault.log)
    assert vault.status == []
    assert vault.errors() == []


def test_a_head_that_was_never_committed_has_nothing_to_succeed(vault: Vault):
    put(vault, "a")
    copy = "records/customer_profiles/acme-corp/risks.md"
    shutil.copy(vault.root / HEAD, vault.root / copy)
    vault.edit(copy, "key: needs", "key: risks")
    ran = vault.run("adopt", copy)
    assert (ran.code, "never committed" in ran.err) == (3, True)


def test_copy_gets_new_id_from_nobody_and_is_reported(vault: Vault):
    put(vault, "a")
    shutil.copy(vault.root / HEAD, vault.root / "records/customer_profiles/acme-corp/copy.md")
    before = (vault.root / "records/customer_profiles/acme-corp/copy.md").read_bytes()
    assert "V401" in vault.errors()
    assert (vault.root / "records/customer_profiles/acme-corp/copy.md").read_bytes() == before


def test_an_edited_key_is_no_successor(vault: Vault):
    put(vault, "a")
    vault.edit(HEAD, "key: needs", "key: risks")
    assert vault.run("adopt", HEAD).code == 3


@pytest.mark.parametrize("words", [("undo",), ("record", "retract", *NEEDS)])
def test_what_a_command_takes_back_is_not_missed(vault: Vault, words: tuple[str, ...]):
    put(vault, "a")
    put(vault, "b")
    vault.does(*words)
    assert vault.run("check", "--json").json["violations"] == []


def test_a_revert_in_git_takes_a_record_back(vault: Vault):
    put(vault, "a")
    put(vault, "b")
    vault.git("revert", "--no-edit", "HEAD")
    assert (vault.root / HEAD).read_text().endswith("\na\n")
    assert vault.errors() == vault.errors("--head") == []


def test_a_kept_judgement_is_not_believed_once_a_line_or_the_catalog_changed(vault: Vault):
    path = observe(vault, "a", "--store", "jsonl").json["path"]
    assert vault.errors() == vault.errors() == []
    before = (vault.root / path).read_bytes()
    (vault.root / path).write_bytes(before + b"{oops\n")
    assert vault.errors() == vault.errors() == ["V403"]
    (vault.root / path).write_bytes(before)
    vault.write(".vaultd/catalog/c.yaml", "colections: []\n")
    assert vault.errors() == ["V501"]
    put(vault, "b")
    assert vault.errors() == vault.errors() == ["V501"]


def test_the_hook_holds_a_commit_to_all_rules_and_not_to_what_was_broken_before(vault: Vault):
    first, second = put(vault, "a"), put(vault, "b")
    vault.write("records/profiles/acme/old.md", "no record\n")
    vault.commit("somebody else's mess")
    assert vault.errors("--staged") == []
    cites = "type: fact\nderived_from: [01K0NOTHERE]"
    text = (vault.root / HEAD).read_text().replace(f"id: {second}", f"id: {id_of('a third')}")
    broken = {
        "V406": text.replace(f"supersedes: {first}", "supersedes: 01K0NOTHERE"),
        "V407": text.replace("type: fact", cites).replace(f"supersedes: {first}\n", ""),
        "V409": text.replace("type: fact", "type: fact\nretracted: true"),
        "V411": text.replace("status: active", "status: draft"),
    }
    for code, record in broken.items():
        vault.write("records/customer_profiles/acme-corp/_history/needs/x.md", record)
        vault.git("add", "-A")
        assert code in vault.errors("--staged")
        assert code in vault.errors()
        vault.git("rm", "-q", "-f", "records/customer_profiles/acme-corp/_history/needs/x.md")
    assert vault.errors("--staged") == []


def test_the_hook_misses_what_others_rest_on(vault: Vault):
    seen = observe(vault, "seen", "--store", "jsonl").json
    put(vault, "a", "--derived-from", seen["id"])
    vault.git("rm", "-q", seen["path"])
    assert vault.errors("--staged") == ["V402", "V407"]
    vault.commit("past the hook")
    assert vault.errors("--head") == vault.errors() == ["V402", "V407"]
    assert vault.errors("--history", "HEAD^..HEAD") == ["V402", "V407"]


def test_the_lines_of_events_only_grow(vault: Vault):
    observe(vault, "a", "--store", "jsonl")
    path = observe(vault, "b", "--store", "jsonl").json["path"]
    whole = (vault.root / path).read_text()
    edited = whole.replace('"text":"a"', '"text":"A"')
    removed = whole.splitlines(keepends=True)[1]
    for text in (edited, removed):
        vault.write(path, text)
        vault.git("add", "-A")
        assert vault.errors() == vault.errors("--staged") == ["V402"]
    vault.write(path, whole + whole)
    vault.git("add", "-A")
    assert vault.errors() == vault.errors("--staged") == []
    vault.write(path, edited)
    vault.commit("past the hook")
    assert vault.errors("--head") == ["V402"]
    vault.does("rebuild")
    assert f"{path}:1:1: error V402" in vault.run("check").out
    vault.write(path, whole)
    vault.commit("put back")
    assert vault.errors() == vault.errors("--head") == []


def test_an_undo_takes_a_line_back(vault: Vault):
    observe(vault, "a", "--store", "jsonl")
    observe(vault, "b", "--store", "jsonl")
    vault.does("undo")
    assert vault.errors() == vault.errors("--head") == []


def test_the_hook_reads_the_catalog_that_would_be_committed(vault: Vault):
    vault.write(".vaultd/catalog/c.yaml", "collections: [{}]\n")
    assert vault.errors("--staged") == []
    vault.git("add", "-A")
    assert "V501" in vault.errors("--staged")
    vault.commit("past the hook")
    assert vault.errors("--staged") == []
