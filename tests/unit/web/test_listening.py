"""Connections: nobody who is slow, or sends nothing, keeps the place of somebody who asks."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from urllib.parse import urlsplit

import pytest
import uvicorn

from vaultd.web import listening
from vaultd.web.listening import Impatient, listen

WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HALF = b"GET / HTTP/1.1\r\nHo"
Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _answering(_scope: dict, _receive: object, send: Callable[[dict], Awaitable[None]]) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@contextlib.asynccontextmanager
async def listener() -> AsyncIterator[Callable[[], Awaitable[Line]]]:
    """Give what connects to a listener with nothing behind it that could refuse."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        line.listen(100)
        config = uvicorn.Config(
            _answering, http=Impatient, lifespan="off", log_level="error", limit_concurrency=listening.AT_ONCE
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[line]))
        opened: list[Line] = []

        async def connect() -> Line:
            opened.append(await asyncio.open_connection(*line.getsockname()))
            return opened[-1]

        yield connect
        for _, writer in opened:
            writer.close()
        server.should_exit = True
        await serving


async def asked(line: Line) -> bytes:
    line[1].write(WHOLE)
    return (await line[0].readuntil(b"\r\n\r\n"))[:12]


def test_a_request_that_does_not_come_whole_in_time_closes_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "SLOWEST", 3.0)

    async def story() -> None:
        async with listener() as connect:
            silent, slow, later = await connect(), await connect(), await connect()
            assert await asked(later) == b"HTTP/1.1 200"
            await later[0].readexactly(2)
            slow[1].write(HALF)
            later[1].write(HALF)  # the second request of a connection is waited for no longer than the first

            async def drips() -> None:
                while True:
                    later[1].write(b"s")
                    await asyncio.sleep(0.05)

            dripping = asyncio.create_task(drips())
            for reader, _ in (silent, slow, later):
                with contextlib.suppress(ConnectionError):
                    assert await asyncio.wait_for(reader.read(), 60) == b""
            dripping.cancel()

    asyncio.run(story())


def test_where_there_is_no_room_whoever_waits_longest_makes_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "AT_ONCE", 20)

    async def story() -> None:
        async with listener() as connect:
            for _ in range(50):
                slow = await connect()
                slow[1].write(HALF)
            for _ in range(3):
                assert await asked(await connect()) == b"HTTP/1.1 200"

    asyncio.run(story())


def test_who_comes_as_soon_as_it_is_said_is_not_turned_away() -> None:
    class ConnectedError(Exception):
        pass

    def heard(line: str) -> None:
        at = urlsplit(line.removeprefix("listening: "))
        socket.create_connection((str(at.hostname), int(at.port or 0)), 60).close()
        raise ConnectedError

    with pytest.raises(ConnectedError):
        listen(None, "daily", 0, heard)  # type: ignore[arg-type]  # nothing is served yet
