"""Who comes in over HTTP, judged on headers alone."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from vaultd.state.sidecar import Sidecar, open_sidecar
from vaultd.web import door
from vaultd.web.door import CLIENT, LONGEST, Door

HOST = ("host", "127.0.0.1:8421")


@pytest.fixture
def sidecar(tmp_path: Path) -> Iterator[Sidecar]:
    opened = open_sidecar(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def token(sidecar: Sidecar) -> str:
    return sidecar.tokens.create("editor")[1]


def status(sidecar: Sidecar, *headers: tuple[str, str], method: str = "POST") -> int:
    """Return what a request with these headers gets; 200 and the client's name stand for being let in."""
    said: list[dict] = []

    async def inside(scope: dict, _receive: object, send: object) -> None:
        assert scope[CLIENT] == "editor"
        said.append({"status": 200})

    async def send(message: dict) -> None:
        said.append(message)

    async def receive() -> dict:
        return {"type": "http.request", "body": b""}

    raw = [(name.encode(), value.encode()) for name, value in headers]
    scope = {"type": "http", "method": method, "path": "/mcp", "headers": raw}
    asyncio.run(Door(inside, sidecar.tokens, 8421)(scope, receive, send))
    return said[0]["status"]


def bearer(token: str) -> tuple[str, str]:
    return ("authorization", f"Bearer {token}")


@pytest.mark.parametrize("host", ["127.0.0.1:8421", "localhost:8421", "LOCALHOST:8421", "[::1]:8421"])
def test_a_client_with_its_token_is_let_in(sidecar: Sidecar, token: str, host: str) -> None:
    assert status(sidecar, ("host", host), bearer(token)) == 200


@pytest.mark.parametrize("host", ["evil.example:8421", "127.0.0.1", "127.0.0.1:80", "localhost.evil.example:8421", ""])
def test_a_rebound_name_is_refused_even_with_a_token(sidecar: Sidecar, token: str, host: str) -> None:
    assert status(sidecar, ("host", host), bearer(token)) == 421


def test_no_host_or_two_are_refused(sidecar: Sidecar, token: str) -> None:
    assert status(sidecar, bearer(token)) == 421
    assert status(sidecar, HOST, ("host", "evil.example"), bearer(token)) == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8421", "http://127.0.0.1:1"])
def test_a_foreign_page_is_refused_even_with_a_token(sidecar: Sidecar, token: str, origin: str) -> None:
    assert status(sidecar, HOST, ("origin", origin), bearer(token)) == 403


def test_an_own_page_is_let_in(sidecar: Sidecar, token: str) -> None:
    assert status(sidecar, HOST, ("origin", "http://localhost:8421"), bearer(token)) == 200


def test_a_body_that_is_too_long_is_refused_before_it_is_read(sidecar: Sidecar, token: str) -> None:
    assert status(sidecar, HOST, bearer(token), ("content-length", str(LONGEST + 1))) == 413
    assert status(sidecar, HOST, bearer(token), ("content-length", "-1")) == 413


@pytest.mark.parametrize("text", ["", "Bearer", "Bearer wrong", "Basic {token}", "{token}"])
def test_nobody_comes_in_without_a_token(sidecar: Sidecar, token: str, text: str) -> None:
    headers = (("authorization", text.format(token=token)),) if text else ()
    assert status(sidecar, HOST, *headers) == 401


def test_a_token_taken_back_opens_nothing(sidecar: Sidecar, token: str) -> None:
    sidecar.tokens.revoke(sidecar.tokens.list()[0].id)
    assert status(sidecar, HOST, bearer(token)) == 401


def test_nothing_is_held_open_for_who_only_listens(sidecar: Sidecar, token: str) -> None:
    assert status(sidecar, HOST, bearer(token), method="GET") == 405
    assert status(sidecar, HOST, bearer(token), method="DELETE") == 200


def sent(sidecar: Sidecar, token: str, parts: list[dict], *, ends: bool = True) -> tuple[list[bytes], list[dict]]:
    """Send a body in parts, and return what came in and what was answered."""
    bodies: list[bytes] = []
    said: list[dict] = []

    async def inside(_scope: dict, receive: object, _send: object) -> None:
        bodies.append((await receive())["body"])
        assert (await receive())["type"] == "http.disconnect"  # whatever comes after a body is told, too

    async def send(message: dict) -> None:
        said.append(message)

    async def receive() -> dict:
        if parts:
            return parts.pop(0)
        if not ends:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    raw = [(name.encode(), value.encode()) for name, value in (HOST, bearer(token))]
    scope = {"type": "http", "method": "POST", "headers": raw}
    asyncio.run(Door(inside, sidecar.tokens, 8421)(scope, receive, send))
    return bodies, said


def part(body: bytes, *, more: bool) -> dict:
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_body_in_parts_comes_in_whole(sidecar: Sidecar, token: str) -> None:
    assert sent(sidecar, token, [part(b"a", more=True), part(b"b", more=False)]) == ([b"ab"], [])


def test_a_body_whose_sender_left_comes_in_not_at_all(sidecar: Sidecar, token: str) -> None:
    assert sent(sidecar, token, [part(b"a", more=True)]) == ([], [])


def test_a_body_that_grows_too_long_is_refused_as_soon_as_it_is(sidecar: Sidecar, token: str) -> None:
    bodies, said = sent(sidecar, token, [part(b"x" * LONGEST, more=True), part(b"x", more=True)], ends=False)
    assert (bodies, said[0]["status"]) == ([], 413)


def test_a_body_that_does_not_come_in_time_is_given_up(
    sidecar: Sidecar, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "SLOWEST", 0.05)
    bodies, said = sent(sidecar, token, [part(b"x", more=True)], ends=False)
    assert (bodies, said[0]["status"]) == ([], 408)
