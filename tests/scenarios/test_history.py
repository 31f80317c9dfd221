"""What git history may do to a memory, and what is believed of it afterwards."""

from tests.vaults import Vault, with_memories


def test_a_valid_stamp_committed_by_another_tool_is_accepted(vault: Vault):
    with_memories(vault, "a", "b")
    vault.stamp("a", by="b")
    vault.commit("backup")
    assert vault.accepted == {"a": "superseded by b", "b": "active"}
    assert vault.run("check", "--head").code == 0
