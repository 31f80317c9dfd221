"""Eight agents at once, over each transport, while a person edits by hand."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager

import pytest

from tests.daemons import daemon
from tests.e2e.clients import Agent, listener, new_token, over_http, over_stdio, play
from tests.vaults import Vault

AGENTS = 8
Connect = Callable[[int], AbstractAsyncContextManager[Agent]]


@contextlib.contextmanager
def stdio(vault: Vault) -> Iterator[Connect]:
    """Give what connects over standard input and output; every client calls itself the same."""
    yield lambda _number: over_stdio(vault)


@contextlib.contextmanager
def http(vault: Vault) -> Iterator[Connect]:
    """Give what connects over HTTP, each client with a token of its own."""
    tokens = [new_token(vault, "mcp") for _ in range(AGENTS)]
    with listener(vault) as url:
        yield lambda number: over_http(url, tokens[number])


@contextlib.asynccontextmanager
async def _started(connect: Connect, number: int) -> AsyncIterator[Agent]:
    async with connect(number) as agent:
        await agent.does("session_start", name=f"agent{number}")
        yield agent


@pytest.mark.parametrize("transport", [stdio, http])
def test_eight_agents_at_once_while_a_person_edits(
    vault: Vault, transport: Callable[[Vault], contextlib.AbstractContextManager[Connect]]
) -> None:
    vault.write("diary.md", "start\n")
    vault.commit("diary")
    ids = [vault.does("task", "add", f"step {n}", "--json").json["id"] for n in range(4)]

    async def work(number: int, connect: Connect) -> list[str]:
        won = []
        async with _started(connect, number) as agent:
            for id_ in ids:
                with contextlib.suppress(AssertionError):
                    won.append((await agent.does("tasks_claim", id=id_))["id"])
            new = {"kind": "gotcha", "description": f"D {number}", "body": f"word{number}"}
            await agent.does("memory_write", name=f"m{number}", **new)
            found = await agent.does("search", query=f"word{number}")
            assert [hit["path"] for hit in found["hits"]] == [f"memory/_global/m{number}.md"]
        return won

    async def person() -> None:
        for number in range(10):
            vault.write("diary.md", f"start\n{number}\n")
            await asyncio.sleep(0.1)

    async def story(connect: Connect) -> None:
        *claims, _ = await asyncio.gather(*(work(n, connect) for n in range(AGENTS)), person())
        assert sorted(id_ for won in claims for id_ in won) == sorted(ids)

    with daemon(vault), transport(vault) as connect:
        play(lambda: story(connect))
    assert (vault.root / "diary.md").read_text() == "start\n9\n"
    actors = vault.git("log", "--format=%(trailers:key=Vaultd-Actor,valueonly)").split()
    assert sorted(actors) == [f"mcp/agent{n}" for n in range(AGENTS)]
    assert vault.errors() == []
