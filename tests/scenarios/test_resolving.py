"""adopt and revert: the two ways out of a lifecycle edit that a person typed."""

import pytest

from tests.vaults import AT, Vault, id_of, memory, with_memories

OLD, NEW = "memory/_global/old.md", "memory/_global/new.md"


@pytest.fixture
def pair(vault: Vault) -> Vault:
    return with_memories(vault, "old", "new")


# adopt -----------------------------------------------------------------------------------------------------------------


def test_adopt_commits_a_waiting_change_at_once(pair: Vault):
    pair.stamp("old", by="new")
    ran = pair.does("adopt", OLD, "--json")
    assert (ran.json["event"], ran.json["id"], ran.json["path"]) == ("adopted", id_of("old"), OLD)
    assert pair.accepted["old"] == "superseded by new"
    assert pair.status == []


def test_adopt_adds_the_tombstone_line(pair: Vault):
    pair.stamp("old", by="new")
    pair.does("adopt", OLD)
    assert pair.read("old").endswith(f"\n\n> Superseded by new ({id_of('new')}) on 2025-06-01\n")
    assert "V108" not in pair.run("check").out


def test_adopt_adds_the_missing_time(pair: Vault):
    pair.stamp("old", at="null", by="new")
    assert pair.rejected == {"old": "V104"}
    pair.does("adopt", OLD)
    assert pair.accepted["old"] == "superseded by new"
    assert pair.errors() == []


def test_adopt_keeps_every_other_byte(pair: Vault):
    pair.edit("old", "kind: decision", "kind:   decision  # why\r\nodd:  [ 1,2 ]")
    pair.stamp("old", at="null", by="new")
    before = pair.file("old").read_bytes().splitlines()
    pair.does("adopt", OLD)
    after = pair.file("old").read_bytes().splitlines()
    assert [line for line in before if line not in after] == [b"invalid_at: null"]


def test_adopt_makes_a_plain_note_a_memory(vault: Vault):
    vault.write("memory/radio/clock.md", "# The clock drifts\n\nBy a minute a week.\n")
    vault.does("adopt", "memory/radio/clock.md")
    assert vault.accepted == {"radio/clock": "active"}
    text = vault.read("radio/clock")
    assert text.endswith("---\n# The clock drifts\n\nBy a minute a week.\n")
    assert "description: The clock drifts\n" in text
    assert vault.errors() == []
    assert vault.status == []


def test_adopt_keeps_the_frontmatter_a_plain_note_has(vault: Vault):
    vault.write("memory/radio/clock.md", "---\ntags: [a,  b]   # mine\nkind:   runbook\n---\nText.\n")
    vault.does("adopt", "memory/radio/clock.md")
    text = vault.read("radio/clock")
    assert "tags: [a,  b]   # mine\n" in text
    assert "kind:   runbook\n" in text
    assert vault.errors() == []


def test_adopt_gives_a_successor_without_an_id_one_too(vault: Vault):
    with_memories(vault, "old")
    vault.write(NEW, "The new truth.\n")
    vault.stamp("old", by="'[[new]]'")
    assert vault.rejected == {"old": "V103"}
    vault.does("adopt", OLD)
    assert vault.accepted == {"old": "superseded by new", "new": "active"}
    assert sorted(vault.git("show", "--name-only", "--format=").splitlines()) == [NEW, OLD]
    assert vault.errors() == []


def test_adopt_takes_a_successor_that_git_lacks_into_its_commit(pair: Vault):
    pair.remember("fresh")
    pair.stamp("old", by="fresh")
    pair.does("adopt", OLD)
    assert pair.accepted["old"] == "superseded by fresh"
    assert pair.status == []


def test_adopt_of_a_successor_that_is_no_memory_is_refused(pair: Vault):
    pair.stamp("old", by="nobody")
    ran = pair.run("adopt", OLD)
    assert (ran.code, "V103" in ran.err) == (3, True)


def test_adopt_of_a_future_end_is_refused(pair: Vault):
    pair.stamp("old", at="2099-01-01T00:00:00Z")
    before = pair.read("old")
    assert pair.run("adopt", OLD).code == 3
    assert pair.read("old") == before


def test_adopt_of_what_is_recorded_is_no_event(pair: Vault):
    head = pair.head
    assert pair.does("adopt", OLD, "--json").json["event"] is None
    assert pair.head == head


def test_adopt_completes_what_another_tool_committed_half(pair: Vault):
    pair.stamp("old", at="null", by="new")
    pair.commit("obsidian-git")
    assert pair.errors("--head") == ["V104", "V109"]
    pair.does("adopt", OLD)
    assert pair.accepted["old"] == "superseded by new"
    assert pair.errors("--head") == []


def test_adopt_does_not_launder_a_committed_clearing(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    pair.clear("old")
    pair.commit("a tool's commit")
    ran = pair.run("adopt", OLD)
    assert (ran.code, "V102" in ran.err) == (3, True)
    assert pair.accepted["old"] == "superseded by new"


def test_restore_accepts_a_committed_clearing(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    pair.clear("old")
    pair.commit("a tool's commit")
    pair.does("memory", "restore", "old")
    assert pair.accepted["old"] == "active"
    assert pair.errors("--head") == []


@pytest.mark.parametrize("path", ["Daily.md", "notes/_global/n.md", "memory/a/b/deep.md", "memory/none.md"])
def test_adopt_of_a_file_where_no_memory_can_be_is_refused(vault: Vault, path: str):
    vault.write(path, "Text.\n")
    ran = vault.run("adopt", path)
    assert (ran.code, "memory/" in ran.err) == (2, True)
    assert vault.root.joinpath(path).read_text() == "Text.\n"


def test_adopt_of_a_file_that_is_not_there_is_refused(vault: Vault):
    assert vault.run("adopt", "memory/_global/none.md").code == 2


def test_adopt_of_a_frontmatter_that_cannot_be_read_names_the_line(pair: Vault):
    pair.edit("old", "kind: decision", "kind: [decision")
    ran = pair.run("adopt", OLD)
    assert (ran.code, f"{OLD}:" in ran.err) == (3, True)


def test_adopt_needs_an_end_that_is_a_time(pair: Vault):
    pair.stamp("old", at="soon", by="new")
    assert pair.run("adopt", OLD).code == 3


def test_a_path_is_taken_from_where_the_person_stands(pair: Vault):
    pair.stamp("old", by="new")
    inside = Vault(pair.root / "memory/_global")
    assert inside.run("adopt", "old.md").code == 0
    assert pair.accepted["old"] == "superseded by new"


# revert ----------------------------------------------------------------------------------------------------------------


def test_revert_takes_a_rejected_end_out_and_keeps_every_other_edit(pair: Vault):
    pair.edit("old", "The text", "My better text")
    pair.edit("old", "kind: decision", "kind: gotcha   # better")
    kept = pair.read("old")
    pair.stamp("old", at="2099-01-01T00:00:00Z")
    pair.does("revert", OLD)
    assert pair.read("old") == kept
    assert pair.errors() == []


def test_revert_takes_a_waiting_end_out(pair: Vault):
    kept = pair.read("old")
    pair.stamp("old", by="new")
    pair.does("revert", OLD)
    assert pair.read("old") == kept
    assert pair.status == []


def test_revert_puts_a_cleared_end_back(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    kept = pair.read("old")
    pair.clear("old")
    pair.edit("old", "The text", "My better text")
    pair.does("revert", OLD)
    assert pair.read("old") == kept.replace("The text", "My better text")


def test_revert_puts_a_removed_key_back(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    pair.edit("old", f"superseded_by: {id_of('new')}\n", "")
    pair.does("revert", OLD)
    assert pair.errors() == []
    assert f"superseded_by: {id_of('new')}\n" in pair.read("old")


def test_revert_puts_a_changed_id_back(pair: Vault):
    kept = pair.read("old")
    pair.edit("old", id_of("old"), id_of("stranger"))
    assert pair.rejected == {"old": "V107"}
    pair.does("revert", OLD)
    assert pair.read("old") == kept


def test_revert_brings_a_deleted_memory_back(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    kept = pair.read("old")
    pair.file("old").unlink()
    assert pair.rejected == {"old": "V111"}
    pair.does("revert", OLD)
    assert pair.read("old") == kept
    assert pair.status == []


def test_revert_brings_back_a_memory_whose_deletion_was_committed(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    kept = pair.read("old")
    pair.file("old").unlink()
    pair.commit("tidy up")
    pair.does("revert", OLD)
    assert pair.read("old") == kept
    assert pair.errors() == []
    assert pair.errors("--head") == []
    assert pair.status == []


def test_revert_records_that_a_committed_clearing_is_taken_back(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    pair.clear("old")
    pair.commit("a tool's commit")
    pair.does("revert", OLD)
    assert pair.trailers()["Vaultd-Event"] == "reverted"
    assert pair.accepted["old"] == "superseded by new"
    assert pair.errors("--head") == []
    assert pair.errors() == []


def test_revert_of_a_committed_clearing_that_was_mended_by_hand_records_it(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    whole = pair.read("old")
    pair.clear("old")
    pair.commit("a tool's commit")
    pair.write(OLD, whole)
    pair.does("revert", OLD)
    assert pair.errors("--head") == []
    assert pair.status == []


def test_revert_of_what_is_accepted_is_no_event(pair: Vault):
    head = pair.head
    assert pair.does("revert", OLD, "--json").json["event"] is None
    assert pair.head == head


def test_revert_of_what_was_never_accepted_is_refused(vault: Vault):
    vault.remember("fresh")
    assert vault.run("revert", "memory/_global/fresh.md").code == 2


def test_revert_follows_a_memory_that_was_renamed(pair: Vault):
    pair.stamp("old", at="2099-01-01T00:00:00Z")
    pair.file("old").rename(pair.file("moved"))
    pair.does("revert", "memory/_global/moved.md")
    assert "invalid_at: null" in pair.read("moved")


def test_revert_of_a_frontmatter_that_cannot_be_read_is_refused(pair: Vault):
    pair.edit("old", "kind: decision", "kind: [decision")
    before = pair.read("old")
    assert pair.run("revert", OLD).code in {3, 5}
    assert pair.read("old") == before


def test_revert_gives_a_removed_block_back(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    pair.write(OLD, "Only text.\n")
    pair.does("revert", OLD)
    assert pair.errors() == []
    assert pair.accepted["old"] == "superseded by new"
    assert pair.read("old").endswith("Only text.\n")


def test_revert_keeps_line_endings(pair: Vault):
    pair.file("old").write_bytes(memory("old").replace("\n", "\r\n").encode())
    pair.commit()
    kept = pair.file("old").read_bytes()
    pair.file("old").write_bytes(kept.replace(b"invalid_at: null", f"invalid_at: 2099{AT[4:]}".encode()))
    pair.does("revert", OLD)
    assert pair.file("old").read_bytes() == kept


def test_several_files_are_reverted_one_by_one(pair: Vault):
    pair.stamp("old", at="2099-01-01T00:00:00Z")
    pair.stamp("new", at="soon")
    pair.does("revert", OLD, NEW)
    assert pair.status == []
