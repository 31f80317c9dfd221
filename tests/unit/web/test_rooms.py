"""MCP sessions over HTTP: nobody is kept out by those who left without a word."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable

from mcp.server.lowlevel import Server

from vaultd.web.door import TOKEN
from vaultd.web.rooms import Rooms

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
Post = Callable[..., Awaitable[tuple[int, bytes]]]


@contextlib.asynccontextmanager
async def rooms(most: int) -> AsyncIterator[Post]:
    """Give what posts to the real thing with so many rooms; it returns the status and the session."""
    app = Server("x").streamable_http_app(streamable_http_path="/mcp", json_response=True)
    inside = Rooms(app, most)

    async def post(document: object, token: str, session: bytes = b"", method: str = "POST") -> tuple[int, bytes]:
        headers = [
            (b"host", b"127.0.0.1:80"),
            (b"content-type", b"application/json"),
            (b"accept", b"application/json, text/event-stream"),
            *([(b"mcp-session-id", session)] if session else []),
        ]
        scope = {
            "type": "http", "method": method, "path": "/mcp", "raw_path": b"/mcp", "query_string": b"", "root_path": "",
            "headers": headers, "scheme": "http", "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1),
            "http_version": "1.1", "asgi": {"version": "3.0"}, TOKEN: token,
        }  # fmt: skip
        body = [json.dumps(document).encode()]
        answers: list[dict] = []

        async def receive() -> dict:
            if body:
                return {"type": "http.request", "body": body.pop(), "more_body": False}
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: dict) -> None:
            answers.append(message)

        await inside(scope, receive, send)
        begun = [value for key, value in answers[0]["headers"] if key.lower() == b"mcp-session-id"]
        return answers[0]["status"], begun[0] if begun else b""

    async with app.router.lifespan_context(app):
        yield post


def test_where_all_rooms_are_taken_the_one_that_was_silent_longest_ends() -> None:
    async def story() -> None:
        async with rooms(3) as post:
            first, second, third = [(await post(HELLO, "ada"))[1] for _ in range(3)]
            assert (await post(PING, "ada", first))[0] == 200
            status, fourth = await post(HELLO, "ada")
            assert status == 200
            pings = {one: (await post(PING, "ada", one))[0] for one in (first, second, third, fourth)}
            assert pings == {first: 200, second: 404, third: 200, fourth: 200}

    asyncio.run(story())


def test_a_program_that_opens_many_shuts_out_only_itself() -> None:
    async def story() -> None:
        async with rooms(4) as post:
            _, mine = await post(HELLO, "ada")
            for _ in range(12):
                assert (await post(HELLO, "forgetful"))[0] == 200
            assert (await post(PING, "ada", mine))[0] == 200

    asyncio.run(story())


def test_a_session_that_was_ended_leaves_its_room() -> None:
    async def story() -> None:
        async with rooms(2) as post:
            _, mine = await post(HELLO, "ada")
            _, other = await post(HELLO, "ada")
            assert (await post(None, "ada", other, "DELETE"))[0] == 200
            await post(HELLO, "ada")
            assert (await post(PING, "ada", mine))[0] == 200

    asyncio.run(story())
