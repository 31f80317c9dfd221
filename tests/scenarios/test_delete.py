"""`memory delete` is the only way in which an ended memory, or a successor, leaves."""

import pytest

from tests.vaults import Vault, id_of, with_memories


@pytest.fixture
def chain(vault: Vault) -> Vault:
    """`old` is superseded by `new`."""
    with_memories(vault, "old", "new")
    vault.does("memory", "supersede", "old", "new")
    return vault


def test_a_superseded_memory_leaves_by_command(chain: Vault):
    ran = chain.does("memory", "delete", id_of("old"), "--yes", "--json")
    assert ran.json["event"] == "deleted"
    assert ran.json["hash"] == ""
    assert not chain.file("old").exists()
    assert chain.accepted == {"new": "active"}
    assert chain.errors() == []
    assert chain.trailers()["Vaultd-Event"] == "deleted"


def test_a_successor_leaves_by_command_and_its_predecessor_keeps_its_edge(chain: Vault):
    chain.does("memory", "delete", "_global/new", "--yes")
    assert chain.accepted == {"old": f"superseded by {id_of('new')}"}
    assert chain.errors() == []


def test_a_chain_that_lost_its_end_is_told_of(chain: Vault):
    chain.does("memory", "delete", "_global/new", "--yes")
    ran = chain.does("check", "--severity", "warning")
    assert f"warning V103 its successor {id_of('new')} was deleted" in ran.out
    chain.does("memory", "restore", "old")
    assert "V103" not in chain.does("check", "--severity", "warning").out


def test_what_was_trashed_by_hand_can_be_said_to_be_meant(chain: Vault):
    chain.file("old").unlink()
    assert chain.errors() == ["V111"]
    chain.does("memory", "delete", id_of("old"), "--yes")
    assert chain.errors() == []
    assert chain.accepted == {"new": "active"}


def test_what_another_tool_committed_away_can_be_said_to_be_meant(chain: Vault):
    chain.file("old").unlink()
    chain.commit("tidy up")
    assert chain.errors("--head") == ["V109", "V111"]
    chain.does("memory", "delete", "memory/_global/old.md", "--yes")
    assert chain.errors("--head") == []


def test_without_yes_nothing_is_deleted(chain: Vault):
    ran = chain.run("memory", "delete", id_of("old"))
    assert ran.code == 2
    assert chain.file("old").exists()


def test_a_beginning_of_an_id_is_not_exact_enough(chain: Vault):
    ran = chain.run("memory", "delete", id_of("old")[:12], "--yes")
    assert ran.code == 2
    assert "not exact enough" in ran.err
    assert chain.file("old").exists()


def test_a_deleted_memory_can_come_back_from_git_as_a_first_sight(chain: Vault):
    text = chain.read("old")
    chain.does("memory", "delete", id_of("old"), "--yes")
    chain.write("memory/_global/old.md", text)
    chain.commit("back again")
    assert chain.accepted["old"] == "superseded by new"
