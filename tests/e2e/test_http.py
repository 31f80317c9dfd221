"""Agents over HTTP: every client with its own token, nobody else, on this machine only."""

import asyncio
import signal
import socket
import subprocess
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp import MCPError

from tests.daemons import daemon, until
from tests.e2e.clients import every_tool, holding_commits, listener, listening, new_token, over_http, play
from tests.vaults import Vault
from vaultd.mcp_server.catalogue import tools_of

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}
ACCEPTS = {"Accept": "application/json, text/event-stream"}
PATIENCE = 300.0
"""Seconds that nobody waits for unless something is wrong."""


def test_every_tool_works_beside_a_daemon_and_commits_name_the_tokens_client(vault: Vault) -> None:
    vault.write(".vaultd/config.toml", 'mcp.tools = "all"\n')
    vault.commit("offer all tools")
    token = new_token(vault, "editor")

    async def story(url: str) -> None:
        async with over_http(url, token) as agent:
            assert await every_tool(agent) == set(tools_of("all"))

    with daemon(vault), listener(vault) as url:
        play(lambda: story(url))
    assert vault.trailers()["Vaultd-Actor"] == "editor/ada"


def test_two_clients_share_a_queue_and_a_revoked_one_is_out(vault: Vault) -> None:
    first, second = new_token(vault, "one"), new_token(vault, "two")

    async def story(url: str) -> None:
        async with over_http(url, first) as ada, over_http(url, second) as bob:
            await ada.does("session_start", name="ada")
            await bob.does("session_start", name="bob")
            task = await ada.does("tasks_add", title="Mend it")
            await ada.does("tasks_claim", id=task["id"])
            assert "held by ada" in await bob.refused("tasks_claim", id=task["id"])
            made = await bob.does("memory_write", name="m", kind="gotcha", description="D", body="findable")
            assert (await ada.does("search", query="findable"))["hits"][0]["path"] == made["path"]

    with listener(vault) as url:
        play(lambda: story(url))
        assert vault.trailers()["Vaultd-Actor"] == "two/bob"
        (row,) = [one for one in vault.does("mcp", "--tokens", "--json").json["tokens"] if one["client"] == "two"]
        vault.does("mcp", "--revoke", row["id"])
        answer = httpx2.post(
            url, json=HELLO, headers={**ACCEPTS, "Authorization": f"Bearer {second}"}, timeout=PATIENCE
        )
        assert answer.status_code == 401
        answer = httpx2.post(url, json=HELLO, headers={**ACCEPTS, "Authorization": f"Bearer {first}"}, timeout=PATIENCE)
        assert answer.status_code == 200


def test_two_windows_with_one_token_are_two_sessions(vault: Vault) -> None:
    token = new_token(vault, "editor")
    new = {"kind": "gotcha", "description": "D", "body": "B"}

    async def story(url: str) -> None:
        async with over_http(url, token) as ada, over_http(url, token) as bob:
            await ada.does("session_start", name="ada", project="radio")
            await bob.does("session_start", name="bob", project="film")
            task = await ada.does("tasks_add", title="Mend it", project="radio", session="ada")
            await ada.does("tasks_claim", id=task["id"], session="ada")
            assert "held by ada" in await bob.refused("tasks_claim", id=task["id"], session="bob")
            made = await ada.does("memory_write", name="m", session="ada", **new)
            assert made["path"] == "memory/radio/m.md"

    with listener(vault) as url:
        play(lambda: story(url))
    assert vault.trailers()["Vaultd-Actor"] == "editor/ada"


def test_a_listener_refuses_everybody_else(vault: Vault) -> None:
    token = {"Authorization": f"Bearer {new_token(vault, 'one')}"}
    with listener(vault) as url:
        place = urlsplit(url)

        def status(headers: dict[str, str], content: bytes = b"{}") -> int:
            return httpx2.post(url, content=content, headers={**ACCEPTS, **headers}, timeout=PATIENCE).status_code

        assert status({}) == 401
        assert status({"Authorization": "Bearer wrong"}) == 401
        assert status({**token, "Host": "evil.example"}) == 421
        assert status({**token, "Origin": "http://evil.example"}) == 403
        assert status(token, b"x" * (5 << 20)) == 413
        pieces = httpx2.post(url, content=iter([b"x" * (1 << 20)] * 5), headers={**ACCEPTS, **token}, timeout=PATIENCE)
        assert pieces.status_code == 413
        assert status({**token, "Content-Type": "application/json"}, b"{not json") == 400
        assert place.hostname == "127.0.0.1"
        _slow_clients_are_in_nobodys_way(place.port or 0, url, token)


def _slow_clients_are_in_nobodys_way(port: int, url: str, token: dict[str, str]) -> None:
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(300)]
    try:
        for one in slow:
            one.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le")
        answer = httpx2.post(url, json=HELLO, headers={**ACCEPTS, **token}, timeout=PATIENCE)
        assert answer.status_code == 200  # 503 where there is no room
    finally:
        for one in slow:
            one.close()


def test_the_death_of_the_daemon_or_of_the_listener_loses_nothing_acknowledged(vault: Vault) -> None:
    """The listener goes on where the daemon dies; where it dies itself, who waits is told so."""
    token = new_token(vault, "one")
    new = {"project": "global", "kind": "gotcha", "description": "D", "body": "B"}
    made: list[dict] = []

    async def story(url: str, victim: "subprocess.Popen[str]") -> None:
        async with over_http(url, token) as agent:
            made.append(await agent.does("memory_write", name=f"m{len(made)}", **new))
            with holding_commits(vault) as held:
                late = asyncio.create_task(agent.does("memory_write", name=f"m{len(made)}", **new))
                await asyncio.to_thread(until, held.exists)
                victim.kill()
            made.append(await late)

    with listening(vault) as (url, process):
        with daemon(vault) as running:
            running.process.send_signal(signal.SIGSTOP)
            play(lambda: story(url, running.process))
        assert len(made) == 2
        with pytest.raises((MCPError, ExceptionGroup)):
            play(lambda: story(url, process))
    vault.does("up", "--once")
    assert [one["path"] for one in made if not (vault.root / one["path"]).is_file()] == []
    assert vault.errors() == []


def test_nobody_listens_unless_asked(vault: Vault) -> None:
    with listener(vault) as url:
        port = urlsplit(url).port or 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
