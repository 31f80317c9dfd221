"""Agents over standard input and output: with a daemon, without one, and through its death."""

import asyncio

import pytest
from mcp import MCPError

from tests.daemons import daemon, until
from tests.e2e.clients import every_tool, holding_commits, over_stdio, play
from tests.vaults import Vault
from vaultd.mcp_server.catalogue import tools_of


@pytest.fixture
def served(vault: Vault) -> Vault:
    vault.write(".vaultd/config.toml", 'mcp.tools = "all"\n')
    vault.commit("offer all tools")
    return vault


def test_every_tool_works_with_a_daemon(served: Vault) -> None:
    async def story() -> None:
        async with over_stdio(served) as agent:
            assert await every_tool(agent) == set(tools_of("all")) == set(await agent.tools())

    with daemon(served):
        play(story)
    assert served.trailers("HEAD")["Vaultd-Actor"] == "mcp/ada"


def test_every_tool_works_without_a_daemon(served: Vault) -> None:
    async def story() -> None:
        async with over_stdio(served) as agent:
            assert await every_tool(agent) == set(tools_of("all"))

    play(story)


def test_a_refusal_is_an_error_and_changes_nothing(vault: Vault) -> None:
    before = vault.head

    async def story() -> None:
        async with over_stdio(vault) as agent:
            new = {"name": "a", "description": "D", "body": "B", "project": "global"}
            assert "kind must be one of" in await agent.refused("memory_write", kind="fact", **new)
            said = await agent.refused("memory_write", kind="gotcha", supersedes="nothing-there", **new)
            assert said.startswith("memory_write: ")
            assert "title is missing" in await agent.refused("tasks_add", body="x")
            assert "no tool" in await agent.refused("memory_destroy")
            assert "session" in await agent.refused("tasks_claim", id="01HNOTHING")

    play(story)
    assert vault.head == before
    assert vault.status == []


OUTWARDS = (
    ("memory_write", {"project": "../..", "name": "x"}),
    ("memory_write", {"project": "p", "name": "../../x"}),
    ("memory_write", {"project": ".git", "name": "x"}),
    ("memory_write", {"project": "linked", "name": "x"}),
    ("note_write", {"project": "a/../..", "title": "x"}),
    ("note_write", {"name": "../x", "title": "x", "project": "global"}),
    ("memory_read", {"ref": "../outside.md"}),
    ("memory_read", {"ref": "leads-out.md"}),
    ("memory_read", {"ref": "/etc/passwd"}),
    ("memory_read", {"ref": ".git/config"}),
    ("memory_edit", {"ref": "../outside.md", "edits": [{"old": "secret", "new": "x"}]}),
)
"""Tools with arguments that would lead out of the vault, by their spelling or through a link."""


def test_no_argument_leads_out_of_the_vault(vault: Vault) -> None:
    outside = vault.root.parent / "outside.md"
    outside.write_text("secret\n")
    (vault.root.parent / "elsewhere").mkdir()
    (vault.root / "leads-out.md").symlink_to(outside)
    (vault.root / "memory").mkdir()
    (vault.root / "memory" / "linked").symlink_to(vault.root.parent / "elsewhere")
    new = {"kind": "gotcha", "description": "D", "body": "B"}

    async def story() -> None:
        async with over_stdio(vault) as agent:
            for tool, arguments in OUTWARDS:
                more = new if tool == "memory_write" else {}
                assert "secret" not in await agent.refused(tool, **more, **arguments)

    play(story)
    assert outside.read_text() == "secret\n"
    assert list((vault.root.parent / "elsewhere").iterdir()) == []


def test_the_death_of_the_daemon_is_an_error_and_loses_nothing_acknowledged(vault: Vault) -> None:
    async def story() -> None:
        with daemon(vault) as running:
            async with over_stdio(vault) as agent:
                await agent.does("session_start", name="ada")
                new = {"kind": "gotcha", "description": "D", "body": "B"}
                made = [await agent.does("memory_write", name=f"m{n}", **new) for n in range(3)]
                with holding_commits(vault) as held:
                    writing = asyncio.create_task(agent.does("memory_write", name="late", **new))
                    await asyncio.to_thread(until, held.exists)
                    running.kill()
                    with pytest.raises(MCPError, match="went away"):
                        await writing
                task = await agent.does("tasks_add", title="after")
                assert task["created_by"]
                assert [one["path"] for one in made if not (vault.root / one["path"]).is_file()] == []

    play(story)
    vault.does("up", "--once")
    assert vault.errors() == []
