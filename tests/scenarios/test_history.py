"""What history may do to a memory when other tools write it, and what is believed of it afterwards."""

import shutil
from pathlib import Path

import pytest

from tests.vaults import AT, LATER, Vault, id_of, memory, new_vault, with_memories


@pytest.fixture
def two(vault: Vault) -> Vault:
    """A vault that remembers a and b."""
    return with_memories(vault, "a", "b")


def blamed(vault: Vault, commit: str) -> bool:
    """Return whether `check --head` fails for a lifecycle change in this commit and no other."""
    ran = vault.run("check", "--head")
    named = [line for line in ran.out.splitlines() if " V109 " in line]
    return ran.code == 1 and len(named) == 1 and f"commit {commit[:10]} " in named[0]


# Other tools commit ---------------------------------------------------------------------------------------------------


def test_a_valid_stamp_committed_by_another_tool_is_accepted(two: Vault):
    two.stamp("a", by="b")
    two.commit("backup")
    assert two.accepted == {"a": "superseded by b", "b": "active"}
    assert two.run("check", "--head").code == 0


def test_a_stamp_on_a_stamp_committed_past_the_hooks_is_not_believed(two: Vault):
    two.does("memory", "archive", "a")
    two.stamp("a", at=AT)
    commit = two.commit("backup")
    assert two.accepted["a"] == "archived"
    assert two.rejected == {"a": "V102"}
    assert blamed(two, commit)


def test_clearing_a_stamp_in_a_commit_does_not_bring_the_memory_back(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.clear("a")
    commit = two.commit("I want it back")
    assert two.accepted["a"] == "superseded by b"
    assert blamed(two, commit)


def test_the_first_commit_that_held_a_rejected_change_stays_the_named_one(two: Vault):
    two.does("memory", "archive", "a")
    two.clear("a")
    commit = two.commit("back")
    two.edit("a", "The text", "Another text")
    two.commit("prose")
    assert blamed(two, commit)


def test_a_rejected_change_that_is_put_back_leaves_no_complaint(two: Vault):
    two.does("memory", "supersede", "a", "b")
    before = two.read("a")
    two.clear("a")
    two.commit("back")
    two.write("memory/_global/a.md", before)
    two.commit("and away")
    assert two.errors("--head") == []
    assert two.accepted["a"] == "superseded by b"


@pytest.mark.parametrize("edge", ["nobody", "a", "[one, two]", "42"])
def test_an_edge_to_no_single_other_memory_is_not_believed(two: Vault, edge: str):
    two.stamp("a", by=id_of("a") if edge == "a" else edge)
    commit = two.commit("backup")
    assert two.accepted["a"] == "active"
    assert two.rejected == {"a": "V103"}
    assert blamed(two, commit)


def test_an_edge_without_an_end_is_not_believed(two: Vault):
    two.stamp("a", at="null", by="b")
    two.commit("half")
    assert two.accepted["a"] == "active"
    assert two.rejected == {"a": "V104"}


def test_an_edge_that_changes_is_not_believed(vault: Vault):
    with_memories(vault, "a", "b", "c")
    vault.does("memory", "supersede", "a", "b")
    vault.edit("a", f"superseded_by: {id_of('b')}", f"superseded_by: {id_of('c')}")
    vault.commit("c is better")
    assert vault.accepted["a"] == "superseded by b"
    assert vault.rejected == {"a": "V103"}


def test_an_archived_memory_may_be_given_its_successor_later(two: Vault):
    two.stamp("a")
    two.commit("end")
    two.stamp("a", by="b")
    two.commit("the successor")
    assert two.accepted["a"] == "superseded by b"


def test_a_time_that_lies_ahead_is_not_believed(two: Vault):
    two.stamp("a", at="2999-01-01T00:00:00Z")
    two.commit("prophecy")
    assert two.accepted["a"] == "active"
    assert two.rejected == {"a": "V106"}


@pytest.mark.parametrize("at", ["yesterday", "2999-01-01T00:00:00Z"])
def test_a_wrong_time_that_was_imported_is_believed_and_stays_an_error(vault: Vault, at: str):
    vault.remember("a")
    vault.stamp("a", at=at)
    vault.commit("import")
    vault.write("prose.md", "words\n")
    vault.commit("prose")
    assert vault.accepted["a"] == "archived"
    assert "V106" in vault.errors("--head")


def test_ahead_is_measured_at_the_time_of_the_commit(two: Vault):
    two.stamp("a", at="2025-06-01T12:00:00Z")
    two.git("add", "-A")
    day = "2025-05-01T00:00:00Z"
    two.git("commit", "-q", "-m", "early", GIT_COMMITTER_DATE=day, GIT_AUTHOR_DATE=day)
    commit = two.head
    assert blamed(two, commit)
    assert two.accepted["a"] == "archived"  # the time has come since
    two.does("adopt", "memory/_global/a.md")
    assert two.errors("--head") == []


def test_a_time_without_a_zone_is_read_in_the_zone_of_the_vault(two: Vault):
    two.stamp("a", at="2025-06-01T12:00:00")
    two.commit("end")
    two.edit("a", "invalid_at: 2025-06-01T12:00:00", "invalid_at: 2025-06-01T12:00:00Z")
    two.commit("spell it out")
    assert two.accepted["a"] == "archived"
    assert two.errors("--head") == []


def test_a_date_may_be_completed_to_a_time(two: Vault):
    two.stamp("a", at="2025-06-01")
    two.commit("end")
    two.stamp("a", at="2025-06-01T18:00:00Z")
    two.commit("at six")
    assert two.accepted["a"] == "archived"
    assert two.errors("--head") == []


def test_a_date_may_not_become_another_date(two: Vault):
    two.stamp("a", at="2025-06-01")
    two.commit("end")
    two.stamp("a", at="2025-06-02")
    two.commit("a day later")
    assert two.rejected == {"a": "V102"}


def test_taking_the_marker_out_of_git_launders_nothing(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.git("rm", "-q", "-r", ".vaultd")
    two.clear("a")
    commit = two.commit("no vault any more")
    assert two.accepted["a"] == "superseded by b"
    assert two.rejected == {"a": "V102"}
    assert blamed(two, commit)
    assert "vaultd init brings it back" in two.run("check").err


def test_a_clone_without_the_marker_answers_like_the_vault_it_was_made_from(two: Vault, tmp_path: Path):
    two.does("memory", "archive", "a")
    two.write(".gitignore", ".vaultd\n")
    two.git("rm", "-q", "-r", "--cached", ".vaultd")
    two.clear("a")
    two.commit("ignored")
    two.git("clone", "-q", ".", str(tmp_path / "clone"))
    clone = Vault(tmp_path / "clone")
    assert clone.accepted == two.accepted
    assert clone.rejected == two.rejected == {"a": "V102"}


def test_a_graft_gives_no_commit_another_past(two: Vault):
    two.does("memory", "archive", "a")
    two.clear("a")
    commit = two.commit("back")
    grafts = two.root / ".git" / "info" / "grafts"
    grafts.parent.mkdir(exist_ok=True)
    grafts.write_text(f"{commit} {two.git('rev-parse', 'HEAD~2')}\n")
    assert two.accepted["a"] == "archived"
    assert blamed(two, commit)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("invalid_at: null", "invalid_at:"),
        ("invalid_at: null", "invalid_at: ~"),
        ("superseded_by: null\n", ""),
        ("kind: decision\nname: a\n", "name: 'a'\nkind: \"decision\"\n"),
    ],
)
def test_a_change_of_spelling_is_no_change(two: Vault, old: str, new: str):
    before = two.accepted
    two.edit("a", old, new)
    two.commit("re-serialised")
    assert two.accepted == before
    assert two.errors("--head") == []


def test_an_ended_memory_may_be_spelt_in_other_ways(two: Vault):
    two.does("memory", "supersede", "a", "b", "--at", AT)
    two.edit("a", f"invalid_at: {AT}", 'invalid_at: "2025-06-01T14:00:00+02:00"')
    two.edit("a", f"superseded_by: {id_of('b')}", 'superseded_by: "[[b]]"')
    two.commit("re-serialised")
    assert two.accepted["a"] == "superseded by b"
    assert two.errors("--head") == []


@pytest.mark.parametrize("edge", ["b", "other/b", "[[b]]", '"[[other/b]]"', '"[[b|the new one]]"', "b.md"])
def test_an_edge_may_be_a_name_a_path_or_a_link(vault: Vault, edge: str):
    with_memories(vault, "a", "other/b")
    vault.stamp("a", by=edge)
    vault.commit("end")
    assert vault.accepted["a"] == "superseded by other/b"


def test_a_name_that_two_memories_have_is_no_edge(vault: Vault):
    vault.remember("a")
    vault.write("memory/one/b.md", memory("b", project="one", id_=id_of("b1")))
    vault.write("memory/two/b.md", memory("b", project="two", id_=id_of("b2")))
    vault.commit()
    vault.stamp("a", by="b")
    vault.commit("end")
    assert vault.rejected == {"a": "V103"}


def test_an_edge_written_as_a_link_keeps_its_meaning_when_the_successor_is_renamed(two: Vault):
    two.stamp("a", by='"[[b]]"')
    two.commit("end")
    two.git("mv", "memory/_global/b.md", "memory/_global/better.md")
    two.edit("better", "name: b\n", "name: better\n")
    two.edit("a", "[[b]]", "[[better]]")
    two.commit("rename")
    assert two.accepted == {"a": "superseded by better", "better": "active"}
    assert two.errors("--head") == []


def test_an_edge_written_as_a_link_is_not_retargeted_by_a_newcomer_of_that_name(two: Vault):
    two.stamp("a", by='"[[b]]"')
    two.commit("end")
    two.git("mv", "memory/_global/b.md", "memory/_global/better.md")
    two.edit("better", "name: b\n", "name: better\n")
    two.write("memory/_global/b.md", memory("b", id_=id_of("newcomer")))
    two.commit("rename, and another b")
    assert two.accepted == {"a": "superseded by better", "better": "active", "b": "active"}
    assert two.errors("--head") == []


def test_a_chain_of_three_in_the_first_commit_is_believed(folder: Vault):
    folder.remember("a", "b", "c")
    folder.stamp("a", by="b")
    folder.stamp("b", at=LATER, by="c")
    folder.commit("import")
    folder.does("init", "--yes")
    assert folder.accepted == {"a": "superseded by b", "b": "superseded by c", "c": "active"}
    assert folder.errors("--head") == []


def test_a_chain_grown_commit_by_commit_is_believed(vault: Vault):
    with_memories(vault, "a", "b", "c")
    vault.stamp("a", by="b")
    vault.commit("one")
    vault.stamp("b", at=LATER, by="c")
    vault.commit("two")
    assert vault.accepted == {"a": "superseded by b", "b": "superseded by c", "c": "active"}


def test_a_chain_stamped_in_one_commit_is_believed(vault: Vault):
    with_memories(vault, "a", "b", "c")
    vault.stamp("a", by="b")
    vault.stamp("b", at=LATER, by="c")
    vault.commit("both")
    assert vault.accepted == {"a": "superseded by b", "b": "superseded by c", "c": "active"}
    assert vault.errors("--head") == []


def test_a_successor_that_ended_long_ago_is_no_successor(two: Vault):
    two.does("memory", "archive", "b")
    two.stamp("a", by="b")
    two.commit("end")
    assert two.rejected == {"a": "V103"}


def test_a_circle_of_two_is_refused_in_the_commit_that_closes_it(two: Vault):
    two.stamp("a", by="b")
    two.stamp("b", by="a")
    commit = two.commit("circle")
    assert set(two.accepted.values()) == {"active"}
    assert two.run("check", "--head").out.count(f"commit {commit[:10]} ") == 2


def test_our_bytes_carried_by_another_tools_commit_are_accepted(two: Vault):
    two.stamp("a", by="b")
    two.git("commit", "-qam", "vault backup: 2025-06-01")
    assert two.accepted["a"] == "superseded by b"
    assert two.does("adopt", "memory/_global/a.md").code == 0
    assert two.errors("--head") == []


# Reverting, amending, rebasing ----------------------------------------------------------------------------------------


def test_git_revert_of_a_supersession_brings_the_memory_back(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.git("revert", "--no-edit", "HEAD")
    assert two.accepted == {"a": "active", "b": "active"}
    assert two.errors("--head") == []


def test_the_revert_of_a_revert_ends_it_again(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.git("revert", "--no-edit", "HEAD")
    two.git("revert", "--no-edit", "HEAD")
    assert two.accepted["a"] == "superseded by b"
    assert two.errors("--head") == []


def test_a_message_that_claims_to_revert_explains_nothing_but_a_step_back(two: Vault):
    two.does("memory", "archive", "a", "--at", AT)
    two.stamp("a", at=LATER)
    two.commit('Revert "something"')
    assert two.rejected == {"a": "V102"}


def test_git_revert_of_the_commit_that_made_a_memory_takes_it_away(two: Vault):
    two.does("memory", "new", "--kind", "decision", "--name", "c", "--description", "C.", "--body", "x")
    two.git("revert", "--no-edit", "HEAD")
    assert set(two.accepted) == {"a", "b"}
    assert two.errors("--head") == []


def test_git_revert_of_a_new_memory_that_supersedes_brings_the_old_one_back(two: Vault):
    words = ("--kind", "decision", "--name", "c", "--description", "C.", "--body", "x", "--supersedes", "a")
    two.does("memory", "new", *words)
    two.git("revert", "--no-edit", "HEAD")
    assert two.accepted == {"a": "active", "b": "active"}
    assert two.errors("--head") == []


def test_an_amended_supersession_stays_accepted(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.edit("a", "The text of a.", "The text of a, in other words.")
    two.git("commit", "-qa", "--amend", "--no-edit", "--no-verify")
    assert two.accepted["a"] == "superseded by b"
    assert two.errors("--head") == []


def test_amending_a_supersession_away_brings_the_memory_back(two: Vault):
    before = two.read("a")
    two.does("memory", "supersede", "a", "b")
    assert two.accepted["a"] == "superseded by b"
    two.write("memory/_global/a.md", before)
    two.git("commit", "-qa", "--amend", "--no-edit", "--no-verify", "--allow-empty")
    assert two.accepted["a"] == "active"
    assert two.errors("--head") == []


def test_a_rebase_that_drops_the_commit_brings_the_memory_back(two: Vault):
    two.does("memory", "supersede", "a", "b")
    dropped = two.head
    two.write("prose.md", "words\n")
    two.commit("prose")
    assert two.accepted["a"] == "superseded by b"
    two.git("rebase", "-q", "--onto", f"{dropped}^", dropped)
    assert two.accepted == {"a": "active", "b": "active"}
    assert two.errors("--head") == []


def test_a_hard_reset_brings_the_memory_back(two: Vault):
    two.does("memory", "supersede", "a", "b")
    assert two.accepted["a"] == "superseded by b"
    two.git("reset", "-q", "--hard", "HEAD^")
    assert two.accepted["a"] == "active"


def test_a_cherry_picked_supersession_is_accepted_there_too(two: Vault):
    two.git("switch", "-qc", "side")
    two.does("memory", "supersede", "a", "b")
    two.git("switch", "-q", "main")
    two.write("prose.md", "words\n")
    two.commit("prose")
    two.git("cherry-pick", "side")
    assert two.accepted["a"] == "superseded by b"
    assert two.errors("--head") == []


def test_a_branch_has_its_own_truth_there_and_back(two: Vault):
    two.git("switch", "-qc", "side")
    two.does("memory", "supersede", "a", "b")
    two.git("switch", "-q", "main")
    assert two.accepted["a"] == "active"
    two.git("switch", "-q", "side")
    assert two.accepted["a"] == "superseded by b"


def test_a_stash_takes_a_stamp_away_and_brings_it_back(two: Vault):
    two.stamp("a", by="b")
    assert two.accepted["a"] == "superseded by b"
    two.git("stash", "-q")
    assert two.accepted["a"] == "active"
    two.git("stash", "pop", "-q")
    assert two.accepted["a"] == "superseded by b"
    assert two.errors() == []


def test_checking_out_an_old_version_of_an_ended_memory_is_rejected(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.git("checkout", "-q", "HEAD^", "--", "memory/_global/a.md")
    assert two.accepted["a"] == "superseded by b"
    assert two.rejected == {"a": "V102"}


# Explained ------------------------------------------------------------------------------------------------------------


def test_a_memory_ends_returns_and_ends_again(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.does("memory", "restore", "a")
    assert two.accepted["a"] == "active"
    two.does("memory", "archive", "a", "--at", LATER)
    assert two.accepted["a"] == "archived"
    assert two.errors("--head") == []


def test_a_squashed_restore_is_explained_by_its_indented_trailers(two: Vault):
    two.does("memory", "archive", "a", "--at", AT)
    two.git("switch", "-qc", "side")
    two.does("memory", "restore", "a")
    two.git("switch", "-q", "main")
    two.git("merge", "-q", "--squash", "side")
    two.git("commit", "-q", "--no-edit", "--no-verify")
    assert any(line.startswith("    Vaultd-Event:") for line in two.git("log", "-1", "--format=%B").splitlines())
    assert two.accepted["a"] == "active"
    assert two.errors("--head") == []


def test_a_squash_of_restore_and_archive_is_explained(two: Vault):
    two.does("memory", "archive", "a", "--at", AT)
    two.git("switch", "-qc", "side")
    two.does("memory", "restore", "a")
    two.does("memory", "supersede", "a", "b", "--at", LATER)
    two.git("switch", "-q", "main")
    two.git("merge", "-q", "--squash", "side")
    two.git("commit", "-q", "--no-edit", "--no-verify")
    assert two.accepted["a"] == "superseded by b"
    assert two.errors("--head") == []


def test_a_forged_trailer_can_do_no_more_than_the_command_it_imitates(two: Vault):
    two.does("memory", "archive", "a", "--at", AT)
    two.write("memory/_global/A.md", memory("A", id_=id_of("the other A")))
    two.commit("a namesake by case")
    two.clear("a")
    commit = two.commit(f"forged\n\nVaultd-Event: restored\nVaultd-Id: {id_of('a')}\n")
    assert two.accepted["a"] == "archived"
    assert blamed(two, commit)
    assert "(V101: " in two.run("check", "--head").out


def test_a_trailer_explains_only_the_memory_it_names(two: Vault):
    two.does("memory", "archive", "a", "--at", AT)
    two.clear("a")
    two.commit(f"forged\n\nVaultd-Event: restored\nVaultd-Id: {id_of('b')}\n")
    assert two.accepted["a"] == "archived"


# Paths, ids and names -------------------------------------------------------------------------------------------------


def test_two_memories_may_swap_names(two: Vault):
    one, other = two.read("a"), two.read("b")
    two.write("memory/_global/a.md", other.replace("name: b", "name: a"))
    two.write("memory/_global/b.md", one.replace("name: a", "name: b"))
    two.commit("swap")
    with two.app() as app:
        standings = app.look().present.ground.standings
    assert {standings[id_of("a")].path, standings[id_of("b")].path} == {"memory/_global/b.md", "memory/_global/a.md"}
    assert standings[id_of("a")].path == "memory/_global/b.md"
    assert two.errors("--head") == []


def test_an_ended_memory_may_move_to_another_project(two: Vault):
    two.does("memory", "supersede", "a", "b")
    (two.root / "memory/attic").mkdir()
    two.git("mv", "memory/_global/a.md", "memory/attic/a.md")
    two.edit("attic/a", "description:", "project: attic\ndescription:")
    two.commit("tidy")
    assert two.accepted == {"attic/a": "superseded by b", "b": "active"}
    assert two.errors("--head") == []


@pytest.mark.parametrize("target", [None, ".trash/a.md", "elsewhere/a.md"])
def test_an_ended_memory_may_not_leave(two: Vault, target: str | None):
    two.does("memory", "supersede", "a", "b")
    if target is None:
        two.file("a").unlink()
    else:
        (two.root / target).parent.mkdir()
        two.file("a").rename(two.root / target)
    assert two.errors() == ["V111"]
    commit = two.commit("away")
    assert two.accepted["a"] == "superseded by b"
    assert blamed(two, commit)


def test_a_successor_may_not_leave(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.file("b").unlink()
    two.commit("away")
    assert two.errors("--head") == ["V109", "V111"]
    assert two.accepted["b"] == "active"


def test_an_active_memory_may_leave_and_is_compared_when_it_returns(two: Vault):
    text = two.read("a")
    two.file("a").unlink()
    two.commit("away")
    assert two.accepted["a"] == "active (gone)"
    assert two.errors("--head") == []
    two.write("memory/_global/a.md", text)
    two.commit("back")
    assert two.accepted["a"] == "active"
    assert two.errors("--head") == []


def test_an_explained_deletion_lets_an_ended_memory_go(two: Vault):
    two.does("memory", "archive", "a")
    two.file("a").unlink()
    two.commit(f"memory: delete a\n\nVaultd-Event: deleted\nVaultd-Id: {id_of('a')}\n")
    assert two.accepted == {"b": "active"}
    assert two.errors("--head") == []


def test_a_commit_that_only_deletes_notes_passes(two: Vault):
    two.write("prose.md", "words\n")
    two.commit()
    two.git("rm", "-q", "prose.md", "memory/_global/a.md")
    assert two.run("check", "--staged").code == 0


def test_an_id_may_not_change(two: Vault):
    two.edit("a", id_of("a"), id_of("another"))
    two.commit("new id")
    assert two.rejected == {"a": "V107"}
    assert two.accepted == {"a": "active", "b": "active"}


def test_a_changed_id_that_was_committed_is_put_back_by_revert(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.edit("a", f"id: {id_of('a')}", f"id: {id_of('another')}")
    two.commit("new id")
    two.write("prose.md", "words\n")
    two.commit("prose")
    assert two.errors("--head") == ["V107", "V109"]
    two.does("revert", "memory/_global/a.md")
    assert two.accepted == {"a": "superseded by b", "b": "active"}
    assert two.errors("--head") == []
    assert two.status == []


def test_a_rejected_stamp_that_was_committed_is_put_back_by_revert(two: Vault):
    two.does("memory", "archive", "a", "--at", AT)
    two.stamp("a", at=LATER)
    two.edit("a", "The text of a.", "Other words.")
    two.commit("a better time")
    two.does("revert", "memory/_global/a.md")
    assert f"invalid_at: {AT}" in two.read("a")
    assert "Other words." in two.read("a")
    assert two.errors("--head") == []
    assert two.trailers()["Vaultd-Event"] == "reverted"


def test_an_ended_memory_that_left_in_a_commit_is_brought_back_by_revert(two: Vault):
    two.does("memory", "supersede", "a", "b")
    before = two.read("a")
    two.git("rm", "-q", "memory/_global/a.md")
    two.commit("away")
    two.does("revert", "memory/_global/a.md")
    assert two.read("a") == before
    assert two.errors("--head") == []


def test_a_clearing_that_was_committed_becomes_right_by_restore(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.clear("a")
    two.commit("back")
    two.does("memory", "restore", "a")
    assert two.accepted["a"] == "active"
    assert two.errors("--head") == []


def test_a_block_may_not_be_taken_from_a_memory(two: Vault):
    two.write("memory/_global/a.md", "only words\n")
    two.commit("no block")
    assert two.rejected == {"a": "V107"}
    assert two.accepted["a"] == "active"


def test_a_block_that_cannot_be_read_says_nothing(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.edit("a", "kind: decision", "kind: [decision")
    two.commit("typo")
    assert two.accepted["a"] == "superseded by b"
    assert "V205" in two.errors("--head")
    assert "V102" not in two.errors("--head")


def test_a_copied_file_does_not_take_the_id(two: Vault):
    two.write("memory/_global/a copy.md", two.read("a"))
    two.commit("a copy")
    with two.app() as app:
        assert app.look().present.ground.standings[id_of("a")].path == "memory/_global/a.md"
    assert two.errors("--head") == ["V100"] or two.errors("--head") == ["V100", "V109"]


@pytest.mark.parametrize(
    "copy", ["a (Ada's conflicted copy 2025-06-01).md", "a.sync-conflict-20250601-120000-AAAAAAA.md"]
)
def test_a_conflict_copy_never_owns_the_id_even_where_its_name_sorts_first(vault: Vault, copy: str):
    vault.write(f"memory/_global/{copy}", memory("a"))
    vault.write("memory/_global/a.md", memory("a"))
    vault.commit("both at once")
    with vault.app() as app:
        assert app.look().present.ground.standings[id_of("a")].path == "memory/_global/a.md"


@pytest.mark.parametrize("twin", ["A", "Caf\u00e9"])
def test_twin_names_by_case_or_unicode_form_are_not_both_active(vault: Vault, twin: str):
    first = {"A": "a", "Caf\u00e9": "Cafe\u0301"}[twin]
    with_memories(vault, first)
    vault.write(f"memory/_global/{twin}.md", memory(twin, id_=id_of("twin")))
    vault.commit("a twin")
    assert "V101" in vault.errors("--head")
    assert list(vault.accepted.values()).count("active") == 1


def test_an_ended_memory_may_have_a_namesake(two: Vault):
    two.does("memory", "archive", "a")
    two.write("memory/_global/A.md", memory("A", id_=id_of("again")))
    two.commit("again")
    assert two.accepted["A"] == "active"
    assert "V101" not in two.errors("--head")


# Vaults in odd places -------------------------------------------------------------------------------------------------


def test_a_vault_below_the_top_of_a_repository_is_judged_like_any(tmp_path: Path):
    around = new_vault(tmp_path / "work", started=False)
    vault = new_vault(tmp_path / "work" / "my notes", "a", "b", inside=around.root)
    vault.does("memory", "supersede", "a", "b")
    assert vault.accepted == {"a": "superseded by b", "b": "active"}
    vault.clear("a")
    commit = vault.commit("back")
    assert blamed(vault, commit)
    assert vault.errors("--head") == ["V102", "V109"]


def test_what_lies_beside_a_vault_in_its_repository_is_none_of_its_business(tmp_path: Path):
    around = new_vault(tmp_path / "work", started=False)
    vault = new_vault(tmp_path / "work" / "notes", "a", inside=around.root)
    around.write("memory/_global/b.md", memory("b", at="null", by="nobody"))
    around.commit("another folder of that name")
    assert vault.accepted == {"a": "active"}
    assert vault.errors("--head") == []


def test_a_renamed_memory_folder_keeps_what_was_accepted(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.git("mv", "memory", "claims")
    two.edit(".vaultd/config.toml", "format = 1\n", 'format = 1\n[folders]\nmemory = "claims"\n')
    two.commit("another name for the folder")
    with two.app() as app:
        standings = app.look().present.ground.standings
        assert {s.path for s in standings.values()} == {"claims/_global/a.md", "claims/_global/b.md"}
    assert two.errors("--head") == []
    two.write("claims/_global/a.md", memory("a"))
    two.commit("back")
    assert "V102" in two.errors("--head")


def test_a_folder_setting_that_hides_every_memory_does_not_let_them_leave(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.edit(".vaultd/config.toml", "format = 1\n", 'format = 1\n[folders]\nmemory = "nowhere"\n')
    two.commit("hide")
    assert "V111" in two.errors("--head")


def test_an_old_vault_with_a_dangling_edge_may_be_used_at_once(folder: Vault):
    folder.remember("a", "b")
    folder.stamp("a", by="nobody")
    folder.commit("years of notes")
    folder.does("init", "--yes")
    assert folder.accepted == {"a": "archived", "b": "active"}
    assert folder.errors("--head") == ["V103"]
    folder.write("prose.md", "words\n")
    folder.git("add", "-A")
    assert folder.run("check", "--staged").code == 0
    folder.stamp("b", by="a")
    folder.git("add", "-A")
    assert folder.errors("--staged") == ["V103"]


def test_a_shallow_clone_is_believed_at_its_boundary_with_a_notice(two: Vault, tmp_path: Path):
    two.does("memory", "supersede", "a", "b")
    two.write("prose.md", "words\n")
    two.commit("prose")
    two.git("clone", "-q", "--depth", "1", f"file://{two.root}", str(tmp_path / "clone"))
    clone = Vault(tmp_path / "clone")
    assert clone.accepted == two.accepted
    assert any("shallow" in notice for notice in clone.look().notices)
    clone.clear("a")
    clone.commit("back")
    assert "V102" in clone.errors("--head")


def test_a_history_that_no_init_began_is_believed_and_says_so(two: Vault, tmp_path: Path):
    two.git("rm", "-q", "--cached", ".vaultd/vault-id")
    two.git("commit", "-q", "-m", "lose the marker", "--no-verify")
    two.git("checkout", "-q", "--orphan", "fresh")
    two.git("commit", "-q", "--no-verify", "-m", "history begins here")
    ran = two.run("check", "--head")
    assert "no commit of this history made the folder a vault" in ran.err
    assert two.accepted == {"a": "active", "b": "active"}


def test_a_deleted_index_gives_the_same_answers(two: Vault):
    two.does("memory", "supersede", "a", "b")
    two.clear("a")
    two.commit("back")
    before, checked = two.accepted, two.run("check").out
    with two.app() as app:
        index = app.opened.places.index
    shutil.rmtree(index)
    assert (two.accepted, two.run("check").out) == (before, checked)


def test_a_fresh_clone_gives_the_same_answers(two: Vault, tmp_path: Path):
    two.does("memory", "supersede", "a", "b")
    two.clear("a")
    two.commit("back")
    two.git("clone", "-q", str(two.root), str(tmp_path / "clone"))
    clone = Vault(tmp_path / "clone")
    assert clone.accepted == two.accepted
    assert clone.run("check").out == two.run("check").out


# Time travel ----------------------------------------------------------------------------------------------------------


def test_a_range_that_git_does_not_know_makes_no_sense(two: Vault):
    ran = two.run("check", "--history", "nope..HEAD")
    assert (ran.code, "names no commits" in ran.err) == (2, True)


def test_check_history_names_a_change_only_in_the_range_that_holds_it(two: Vault):
    two.does("memory", "archive", "a")
    before = two.head
    two.clear("a")
    bad = two.commit("back")
    two.write("prose.md", "words\n")
    two.commit("prose")
    assert f"commit {bad[:10]} " in two.run("check", "--history").out
    assert two.run("check", "--history", f"{before}..HEAD").code == 1
    assert two.run("check", "--history", f"{bad}..HEAD").code == 0
