"""What is believed of a memory where branches and clones meet."""

from pathlib import Path

import pytest

from tests.vaults import AT, LATER, Vault, id_of, memory, new_vault, with_memories


@pytest.fixture
def forked(vault: Vault) -> Vault:
    """A vault that remembers a, b and c, on main, beside a branch that stands at the same commit."""
    with_memories(vault, "a", "b", "c")
    vault.git("branch", "side")
    return vault


def on(vault: Vault, branch: str) -> Vault:
    """Switch to a branch."""
    vault.git("switch", "-q", branch)
    return vault


def prose(vault: Vault, name: str = "prose") -> str:
    """Commit a change that is no memory's."""
    vault.write(f"{name}.md", "words\n")
    return vault.commit(name)


def merge(vault: Vault, *branches: str, taking: dict[str, str] | None = None, options: tuple[str, ...] = ()) -> str:
    """Merge branches, resolving files as told, and return the merge commit."""
    vault.git("merge", "-q", "--no-commit", "--no-ff", *options, *branches, ok=(0, 1))
    for path, text in (taking or {}).items():
        vault.write(path, text)
    return vault.commit(f"merge {' '.join(branches)}")


A = "memory/_global/a.md"


# Two sides ------------------------------------------------------------------------------------------------------------


def test_a_supersession_on_one_side_survives_a_clean_merge(forked: Vault):
    on(forked, "side").does("memory", "supersede", "a", "b")
    prose(on(forked, "main"))
    merge(forked, "side")
    assert forked.accepted == {"a": "superseded by b", "b": "active", "c": "active"}
    assert forked.errors("--head") == []


def test_keep_mine_does_not_undo_the_other_sides_supersession(forked: Vault):
    on(forked, "side").does("memory", "supersede", "a", "b")
    prose(on(forked, "main"))
    commit = merge(forked, "side", options=("-s", "ours"))
    assert forked.accepted["a"] == "superseded by b"
    assert forked.rejected == {"a": "V102"}
    assert f"commit {commit[:10]} " in forked.run("check", "--head").out


def test_keep_mine_does_not_undo_it_whichever_side_merges(forked: Vault):
    forked.does("memory", "supersede", "a", "b")
    kept = memory("a")
    prose(on(forked, "side"))
    merge(forked, "main", taking={A: kept})
    assert forked.accepted["a"] == "superseded by b"
    assert forked.rejected == {"a": "V102"}


@pytest.mark.parametrize("kept", ["b", "c"])
def test_where_both_sides_superseded_differently_the_resolution_decides(forked: Vault, kept: str):
    on(forked, "side").does("memory", "supersede", "a", "b", "--at", AT)
    ours = forked.read("a")
    on(forked, "main").does("memory", "supersede", "a", "c", "--at", LATER)
    theirs = forked.read("a")
    merge(forked, "side", taking={A: {"b": ours, "c": theirs}[kept]})
    assert forked.accepted["a"] == f"superseded by {kept}"
    assert forked.errors("--head") == []


@pytest.mark.parametrize("target", ["main", "side"])
def test_where_a_resolution_drops_both_the_earlier_end_holds(forked: Vault, target: str):
    on(forked, "side").does("memory", "supersede", "a", "b", "--at", AT)
    on(forked, "main").does("memory", "supersede", "a", "c", "--at", LATER)
    merge(on(forked, target), {"main": "side", "side": "main"}[target], taking={A: memory("a")})
    assert forked.accepted["a"] == "superseded by b"
    assert forked.rejected == {"a": "V102"}


def test_a_resolution_may_not_mix_the_time_of_one_side_with_the_edge_of_the_other(forked: Vault):
    on(forked, "side").does("memory", "supersede", "a", "b", "--at", AT)
    on(forked, "main").does("memory", "supersede", "a", "c", "--at", LATER)
    merge(forked, "side", taking={A: memory("a", at=AT, by=id_of("c"))})
    assert forked.accepted["a"] == "superseded by b"
    assert set(forked.rejected) == {"a"}


def test_archived_here_and_superseded_there_may_be_either(forked: Vault):
    on(forked, "side").does("memory", "supersede", "a", "b", "--at", AT)
    on(forked, "main").does("memory", "archive", "a", "--at", LATER)
    merge(forked, "side", taking={A: forked.read("a")})
    assert forked.accepted["a"] == "archived"
    assert forked.errors("--head") == []


def test_a_restore_on_one_side_needs_no_word_in_the_merge(forked: Vault):
    forked.does("memory", "archive", "a")
    forked.git("branch", "-f", "side")
    on(forked, "side").does("memory", "restore", "a")
    prose(on(forked, "main"))
    merge(forked, "side")
    assert forked.accepted["a"] == "active"
    assert forked.errors("--head") == []


def test_keep_mine_does_not_undo_a_restore(forked: Vault):
    forked.does("memory", "archive", "a")
    forked.git("branch", "-f", "side")
    on(forked, "side").does("memory", "restore", "a")
    prose(on(forked, "main"))
    merge(forked, "side", options=("-s", "ours"))
    assert forked.accepted["a"] == "archived"
    assert forked.errors("--head") == []


def test_a_merge_may_hold_a_valid_stamp_of_its_own(forked: Vault):
    prose(on(forked, "side"))
    prose(on(forked, "main"), "more")
    merge(forked, "side", taking={A: memory("a", at=AT, by=id_of("b"))})
    assert forked.accepted["a"] == "superseded by b"
    assert forked.errors("--head") == []


def test_a_successor_that_only_the_other_side_has_may_succeed(forked: Vault):
    words = ("--kind", "decision", "--name", "d", "--description", "D.", "--body", "x", "--supersedes", "a")
    on(forked, "side").does("memory", "new", *words)
    prose(on(forked, "main"))
    merge(forked, "side")
    assert forked.accepted["a"] == "superseded by d"
    assert forked.errors("--head") == []


@pytest.mark.parametrize("target", ["main", "side"])
def test_a_circle_that_only_a_merge_closes_loses_its_latest_edge(forked: Vault, target: str):
    on(forked, "side").does("memory", "supersede", "a", "b", "--at", AT)
    on(forked, "main").does("memory", "supersede", "b", "a", "--at", LATER)
    merge(on(forked, target), {"main": "side", "side": "main"}[target])
    assert forked.accepted == {"a": "superseded by b", "b": "archived", "c": "active"}
    assert forked.rejected == {"b": "V103"}


def test_an_edge_that_only_the_resolution_has_is_the_one_that_closes_a_circle(forked: Vault):
    on(forked, "side").does("memory", "supersede", "b", "c", "--at", LATER)
    on(forked, "main").does("memory", "supersede", "c", "a", "--at", LATER)
    merge(forked, "side", taking={A: memory("a", at=AT, by=id_of("b"))})
    assert forked.accepted == {"a": "active", "b": "superseded by c", "c": "superseded by a"}
    assert forked.rejected == {"a": "V103"}


def test_a_circle_that_a_merge_closed_is_mended_by_revert_and_restore(forked: Vault):
    on(forked, "side").does("memory", "supersede", "a", "b", "--at", AT)
    on(forked, "main").does("memory", "supersede", "b", "a", "--at", LATER)
    merge(forked, "side")
    for scope in "", "--head":
        hints = [row["hint"] for row in forked.run("check", *scope.split(), "--json").json["violations"]]
        assert any(f"vaultd memory restore {id_of('b')} brings it back" in hint for hint in hints)
    forked.does("revert", "memory/_global/b.md")
    assert forked.errors() == []
    forked.does("memory", "restore", "b")
    assert forked.accepted == {"a": "superseded by b", "b": "active", "c": "active"}
    assert forked.errors("--head") == []


def test_a_chain_that_only_a_merge_makes_is_believed(forked: Vault):
    on(forked, "side").does("memory", "supersede", "a", "b", "--at", AT)
    on(forked, "main").does("memory", "supersede", "b", "c", "--at", LATER)
    merge(forked, "side")
    assert forked.accepted == {"a": "superseded by b", "b": "superseded by c", "c": "active"}
    assert forked.errors("--head") == []


def test_namesakes_made_on_two_sides_are_not_both_active(forked: Vault):
    on(forked, "side").write("memory/_global/New.md", memory("New", id_=id_of("one")))
    forked.commit("New")
    on(forked, "main").write("memory/_global/new.md", memory("new", id_=id_of("two")))
    forked.commit("new")
    merge(forked, "side")
    assert "V101" in forked.errors("--head")
    named = [state for name, state in forked.accepted.items() if name.lower() == "new"]
    assert named.count("active") <= 1


@pytest.mark.parametrize("target", ["main", "side"])
def test_which_namesake_stays_does_not_hang_on_who_merges_whom(forked: Vault, target: str):
    on(forked, "side").write("memory/_global/New.md", memory("New", id_=id_of("one")))
    forked.commit("New")
    on(forked, "main").write("memory/_global/new.md", memory("new", id_=id_of("two")))
    forked.commit("new")
    merge(on(forked, target), {"main": "side", "side": "main"}[target])
    with forked.app() as app:
        standings = app.look().present.ground.standings
    kept = [id_ for id_ in (id_of("one"), id_of("two")) if id_ in standings and standings[id_].active]
    assert kept in ([], [min(id_of("one"), id_of("two"))])


def test_a_memory_superseded_there_and_deleted_here_does_not_leave(forked: Vault):
    on(forked, "side").does("memory", "supersede", "a", "b")
    on(forked, "main").git("rm", "-q", A)
    forked.commit("away")
    forked.git("merge", "-q", "--no-commit", "side", ok=(1,))
    forked.git("rm", "-q", A)
    forked.commit("merge: still away")
    assert forked.accepted["a"] in ("superseded by b", "superseded by b (gone)")
    assert "V111" in forked.errors("--head")


@pytest.mark.parametrize("target", ["main", "side"])
def test_a_merge_that_gives_a_path_back_to_its_memory_changes_no_id(forked: Vault, target: str):
    on(forked, "side").file("b").replace(forked.file("a"))
    forked.commit("b over a")
    assert "V107" in forked.errors("--head")
    prose(on(forked, "main"))
    text = forked.read("a")
    forked.git("switch", "-q", target)
    forked.git("merge", "-q", "--no-commit", "--no-ff", {"main": "side", "side": "main"}[target], ok=(0, 1))
    forked.write(A, text)
    forked.file("b").unlink(missing_ok=True)
    forked.commit("merge: a is a")
    assert forked.accepted == {"a": "active", "b": "active (gone)", "c": "active"}
    assert forked.errors("--head") == []


def test_prose_deleted_there_and_memory_edited_here_keeps_the_edit(forked: Vault):
    on(forked, "side").git("rm", "-q", A)
    forked.commit("away")
    on(forked, "main").edit("a", "The text", "Words")
    forked.commit("words")
    forked.git("merge", "-q", "--no-commit", "side", ok=(1,))
    forked.commit("merge: keep it")
    assert forked.accepted["a"] == "active"
    assert forked.errors("--head") == []


# In the middle of it --------------------------------------------------------------------------------------------------


def test_conflict_markers_say_nothing_and_what_was_accepted_holds(forked: Vault):
    on(forked, "side").does("memory", "supersede", "a", "b", "--at", AT)
    on(forked, "main").does("memory", "supersede", "a", "c", "--at", LATER)
    forked.git("merge", "-q", "side", ok=(1,))
    assert "<<<<<<<" in forked.read("a")
    assert forked.accepted["a"] == "superseded by b"
    assert "V210" in forked.errors()
    assert "V102" not in forked.errors()


def test_a_memory_in_conflict_under_its_new_name_has_not_left(forked: Vault):
    on(forked, "side").does("memory", "supersede", "a", "b", "--at", AT)
    on(forked, "main").does("memory", "rename", "a", "renamed", "--now")
    forked.edit("renamed", "invalid_at: null", "invalid_at: ~")
    forked.commit("words")
    forked.git("merge", "-q", "side", ok=(1,))
    assert "<<<<<<<" in forked.read("renamed")
    assert forked.accepted["a"] == "superseded by b"
    assert forked.errors() == ["V210"]


def test_committed_conflict_markers_change_nothing_that_was_accepted(forked: Vault):
    on(forked, "side").does("memory", "supersede", "a", "b", "--at", AT)
    on(forked, "main").does("memory", "supersede", "a", "c", "--at", LATER)
    forked.git("merge", "-q", "side", ok=(1,))
    forked.commit("merged, not looked")
    assert forked.accepted["a"] == "superseded by b"
    assert "V210" in forked.errors("--head")


def test_a_merge_in_progress_counts_the_side_that_comes_in(forked: Vault):
    on(forked, "side").does("memory", "supersede", "a", "b")
    prose(on(forked, "main"))
    forked.git("merge", "-q", "--no-commit", "--no-ff", "side")
    assert forked.accepted["a"] == "superseded by b"
    assert forked.errors() == []
    forked.write(A, memory("a"))
    assert forked.accepted["a"] == "superseded by b"
    assert forked.errors() == ["V102"]


def test_an_aborted_merge_leaves_no_trace(forked: Vault):
    on(forked, "side").does("memory", "supersede", "a", "b")
    prose(on(forked, "main"))
    forked.git("merge", "-q", "--no-commit", "--no-ff", "side")
    assert forked.accepted["a"] == "superseded by b"
    forked.git("merge", "--abort")
    assert forked.accepted["a"] == "active"
    assert forked.errors() == []


# More than two sides, more than one base ------------------------------------------------------------------------------


def test_an_octopus_brings_what_each_side_did(forked: Vault):
    forked.git("branch", "third")
    on(forked, "side").does("memory", "supersede", "a", "b")
    on(forked, "third").does("memory", "archive", "c")
    prose(on(forked, "main"))
    forked.git("merge", "-q", "--no-edit", "side", "third")
    assert len(forked.git("log", "-1", "--format=%P").split()) == 3
    assert forked.accepted == {"a": "superseded by b", "b": "active", "c": "archived"}
    assert forked.errors("--head") == []


def test_an_octopus_that_keeps_ours_drops_nothing(forked: Vault):
    forked.git("branch", "third")
    on(forked, "side").does("memory", "supersede", "a", "b")
    on(forked, "third").does("memory", "archive", "c")
    prose(on(forked, "main"))
    forked.git("merge", "-q", "--no-edit", "-s", "ours", "side", "third")
    assert forked.accepted == {"a": "superseded by b", "b": "active", "c": "archived"}
    assert sorted(forked.rejected) == ["a", "c"]


def criss_cross(vault: Vault) -> None:
    """Merge main into side and side into main from the same two commits: two merge bases for what follows."""
    on(vault, "side").does("memory", "supersede", "a", "b")
    prose(on(vault, "main"))
    one, other = vault.head, vault.git("rev-parse", "side")
    vault.git("merge", "-q", "--no-ff", "--no-edit", other)
    on(vault, "side").git("merge", "-q", "--no-ff", "--no-edit", one)
    prose(vault, "on side")
    prose(on(vault, "main"), "on main")
    assert len(vault.git("merge-base", "--all", "main", "side").split()) == 2


def test_a_criss_cross_merge_believes_what_both_sides_believe(forked: Vault):
    criss_cross(forked)
    merge(forked, "side")
    assert forked.accepted["a"] == "superseded by b"
    assert forked.errors("--head") == []


def test_a_criss_cross_merge_does_not_open_a_way_back(forked: Vault):
    criss_cross(forked)
    merge(forked, "side", taking={A: memory("a")})
    assert forked.accepted["a"] == "superseded by b"
    assert forked.rejected == {"a": "V102"}


# Clones ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def clone(forked: Vault, tmp_path: Path) -> Vault:
    """A clone of the forked vault."""
    forked.git("clone", "-q", str(forked.root), str(tmp_path / "clone"))
    return Vault(tmp_path / "clone")


def test_a_pull_that_stamps_again_is_not_believed(forked: Vault, clone: Vault):
    forked.does("memory", "archive", "a", "--at", AT)
    clone.git("pull", "-q")
    assert clone.accepted["a"] == "archived"
    forked.stamp("a", at=LATER)
    commit = forked.commit("a better time")
    clone.git("pull", "-q")
    assert clone.accepted["a"] == "archived"
    assert clone.rejected == {"a": "V102"}
    assert f"commit {commit[:10]} " in clone.run("check", "--head").out


def test_a_pulled_supersession_is_believed(forked: Vault, clone: Vault):
    forked.does("memory", "supersede", "a", "b")
    clone.git("pull", "-q")
    assert clone.accepted["a"] == "superseded by b"
    assert clone.errors() == []


def test_pulling_with_rebase_over_a_local_supersession_keeps_both(forked: Vault, clone: Vault):
    forked.does("memory", "archive", "c")
    clone.does("memory", "supersede", "a", "b")
    clone.git("pull", "-q", "--rebase")
    assert clone.accepted == {"a": "superseded by b", "b": "active", "c": "archived"}
    assert clone.errors("--head") == []


def test_two_clones_that_were_both_made_vaults_agree_once_merged(folder: Vault, tmp_path: Path):
    with_memories(folder, "a", "b")
    folder.git("clone", "-q", str(folder.root), str(tmp_path / "clone"))
    clone = Vault(tmp_path / "clone")
    folder.does("init", "--yes")
    clone.does("init", "--yes")
    folder.does("memory", "supersede", "a", "b")
    marker = (clone.root / ".vaultd/vault-id").read_text()
    clone.git("fetch", "-q", "origin")
    merge(clone, "origin/main", taking={".vaultd/vault-id": marker})
    assert clone.accepted == {"a": "superseded by b", "b": "active"}
    assert clone.errors("--head") == []
    clone.clear("a")
    clone.commit("back")
    assert clone.accepted["a"] == "superseded by b"


def test_an_unrelated_history_that_is_merged_in_is_seen_for_the_first_time(forked: Vault, tmp_path: Path):
    other = new_vault(tmp_path / "other", started=False)
    other.remember("x", "y")
    other.stamp("x", by="y")
    other.commit("old notes")
    forked.does("memory", "supersede", "a", "b")
    forked.git("fetch", "-q", str(other.root), "main:other")
    merge(forked, "other", options=("--allow-unrelated-histories",))
    assert forked.accepted == {
        "a": "superseded by b",
        "b": "active",
        "c": "active",
        "x": "superseded by y",
        "y": "active",
    }
    assert forked.errors("--head") == []


def test_a_memory_that_both_sides_imported_is_not_brought_back_by_keep_mine(forked: Vault):
    on(forked, "side").remember("d")
    forked.commit("import")
    on(forked, "main").remember("d")
    forked.commit("import")
    on(forked, "side").does("memory", "supersede", "d", "a")
    merge(on(forked, "main"), "side", options=("-s", "ours"))
    assert forked.accepted["d"] == "superseded by a"
    assert forked.rejected == {"d": "V102"}


def test_merging_an_unrelated_vault_does_not_bring_our_ended_memory_back(forked: Vault, tmp_path: Path):
    other = new_vault(tmp_path / "other", "a", started=False)
    forked.does("memory", "supersede", "a", "b")
    forked.git("fetch", "-q", str(other.root), "main:other")
    merge(forked, "other", taking={A: memory("a")}, options=("--allow-unrelated-histories",))
    assert forked.accepted["a"] == "superseded by b"
