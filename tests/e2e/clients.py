"""Agents that a test plays: the official client, over standard input and output or over HTTP."""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.vaults import Vault

_TRIES = 300
"""How often a call is made that finds git busy; each waits for it by itself, for two seconds."""
_PATIENCE = 600.0
"""Seconds that nobody waits for unless something is wrong."""


class Agent:
    """One client, connected."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def does(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Call a tool that must not refuse, and return its document; where git was busy it is called again, as it asks."""
        for _ in range(_TRIES):
            result = await self._client.call_tool(tool, arguments)
            if not result.is_error or "(busy)" not in result.content[0].text:
                break
        assert not result.is_error, result.content
        return result.structured_content

    async def refused(self, tool: str, /, **arguments: object) -> str:
        """Call a tool that must refuse, and return what it says."""
        result = await self._client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        return result.content[0].text

    async def tools(self) -> list[str]:
        """Return the names of the tools offered."""
        return [tool.name for tool in (await self._client.list_tools()).tools]


@contextlib.asynccontextmanager
async def over_stdio(vault: Vault) -> AsyncIterator[Agent]:
    """Give an agent whose program started `vaultd mcp`."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "vaultd", "-C", str(vault.root), "mcp"], env=env
    )
    async with Client(command, read_timeout_seconds=_PATIENCE) as client:
        yield Agent(client)


@contextlib.asynccontextmanager
async def over_http(url: str, token: str) -> AsyncIterator[Agent]:
    """Give an agent that reached a listener."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=_PATIENCE) as http,
        Client(streamable_http_client(url, http_client=http), read_timeout_seconds=_PATIENCE) as client,
    ):
        yield Agent(client)


def new_token(vault: Vault, client: str) -> str:
    """Make a client's token."""
    return str(vault.does("mcp", "--new-token", client, "--json").json["token"])


@contextlib.contextmanager
def listener(vault: Vault) -> Iterator[str]:
    """Give the address of a listener, and end it."""
    with listening(vault) as (url, _process):
        yield url


@contextlib.contextmanager
def listening(vault: Vault) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Give the address of a listener with its process, and end it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "vaultd", "-C", str(vault.root), "mcp", "--http", "--port", "0"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    lines: list[str] = []
    rest = threading.Thread(target=lambda: lines.extend(process.stderr or ()), daemon=True)
    try:
        first = process.stderr.readline()
        assert first.startswith("listening: "), first + process.stderr.read()
        rest.start()
        yield first.split()[1], process
    finally:
        process.terminate()
        process.wait(_PATIENCE)
        if rest.ident is not None:
            rest.join(_PATIENCE)
        process.stderr.close()


@contextlib.contextmanager
def holding_commits(vault: Vault) -> Iterator[Path]:
    """Hold whoever commits up, at its message, until the end of this; give the file that is there once somebody is."""
    hold, held = vault.root.parent / "hold", vault.root.parent / "held"
    hook = vault.root / ".git/hooks/commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n[ -e '{hold}' ] && touch '{held}'\nwhile [ -e '{hold}' ]; do sleep 0.1; done\n")
    hook.chmod(0o755)
    hold.touch()
    try:
        yield held
    finally:
        hold.unlink()
        held.unlink(missing_ok=True)


def play(story: Callable[[], Awaitable[None]]) -> None:
    """Run a story to its end."""
    asyncio.run(asyncio.wait_for(story(), _PATIENCE))


async def every_tool(agent: Agent) -> set[str]:
    """Call each tool once in a way that makes sense, and return the names of those called."""
    called = set()

    async def does(tool: str, /, **arguments: object) -> dict:
        called.add(tool)
        return await agent.does(tool, **arguments)

    await does("session_start", name="ada", project="radio")
    new = {"kind": "gotcha", "description": "The clock drifts.", "body": "By five seconds a day."}
    await does("memory_write", name="clock", **new)
    read = await does("memory_read", ref="radio/clock")
    await does("memory_edit", ref="radio/clock", edits=[{"old": "five", "new": "six"}], expect_hash=read["hash"])
    await does("memory_append", ref="radio/clock", body="Seen again.")
    await does("memory_write", name="clock-2", supersedes="radio/clock", **new)
    await does("memory_write", name="other", **new)
    await does("memory_supersede", old="radio/clock-2", new="radio/other")
    await does("memory_archive", ref="radio/other", reason="sold")
    await does("memory_restore", ref="radio/other")
    assert (await does("search", query="drifts"))["hits"][0]["path"] == "memory/radio/other.md"
    answer = {"collection": "profiles", "entity": "acme", "key": "needs", "body": "Evaluating."}
    assert (await does("record_set", **answer))["event"] == "set"
    note = await does("note_write", title="How it went", body="Well.", plan="autumn")
    await does("note_append", ref=note["path"], body="Very well.")
    await does("note_edit", ref=note["path"], edits=[{"old": "Very", "new": "Really"}])
    task = await does("tasks_add", title="Mend it", plan="autumn")
    assert [one["id"] for one in (await does("tasks_ready", plan="autumn"))["ready"]] == [task["id"]]
    await does("tasks_claim", id=task["id"], lease_seconds=60)
    await does("tasks_release", id=task["id"])
    await does("tasks_update", id=task["id"], status="done")
    assert (await does("tasks_list", plan="autumn"))["tasks"][0]["status"] == "done"
    assert (await does("plans_list"))["plans"][0]["active"] is False
    await does("projects_add", slug="film", description="Moving pictures")
    assert [one["slug"] for one in (await does("projects_list"))["projects"]] == ["film", "radio"]
    assert (await does("check"))["summary"]["error"] == 0
    await does("session_update", findings="so far")
    await does("session_end", findings="done", mishaps=["none"])
    assert (await does("usage_summary"))["sessions"] == {"completed": 1}
    return called
