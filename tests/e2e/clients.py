"""Agents that a test plays: the official client, over standard input and output or over HTTP."""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.vaults import Vault


class Agent:
    """One client, connected."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def does(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Call a tool that must not refuse, and return its document."""
        result = await self._client.call_tool(tool, arguments)
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
    async with Client(command, read_timeout_seconds=60) as client:
        yield Agent(client)


@contextlib.asynccontextmanager
async def over_http(url: str, token: str) -> AsyncIterator[Agent]:
    """Give an agent that reached a listener."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), read_timeout_seconds=60) as client,
    ):
        yield Agent(client)


@contextlib.contextmanager
def listener(vault: Vault) -> Iterator[str]:
    """Give the address of a listener, and end it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "vaultd", "-C", str(vault.root), "mcp", "--http", "--port", "0"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    lines: list[str] = []
    try:
        first = process.stderr.readline()
        assert first.startswith("listening: "), first + process.stderr.read()
        rest = threading.Thread(target=lambda: lines.extend(process.stderr or ()), daemon=True)
        rest.start()
        yield first.split()[1]
    finally:
        process.terminate()
        process.wait(20)
        rest.join(5)
        process.stderr.close()


def play(story: Callable[[], Awaitable[None]]) -> None:
    """Run a story to its end."""
    asyncio.run(asyncio.wait_for(story(), 120))
