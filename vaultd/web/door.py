"""Who comes in over HTTP: only what was sent to this machine by name, from no foreign page, with a client's token."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from vaultd.state.tokens import Tokens

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

LONGEST = 4 << 20
"""Bytes of the longest request body."""
SLOWEST = 30.0
"""Seconds in which a request must have come whole."""
_TOO_LONG = (413, f"at most {LONGEST} bytes")
_MORE = {
    401: ((b"www-authenticate", b"Bearer"),),
    405: ((b"allow", b"POST, DELETE"),),
    408: ((b"connection", b"close"),),
}
CLIENT = "vaultd.client"
TOKEN = "vaultd.token"  # noqa: S105  -- the name of an entry
"""Where a request's scope says whose token it came with, and its id."""


class Door:
    """Lets requests through to an application, or answers why not; looks at nothing but headers."""

    def __init__(self, inside: Application, tokens: Tokens, port: int) -> None:
        self._inside = inside
        self._tokens = tokens
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._inside(scope, receive, send)
            return
        refused = self._refusal(scope)
        if refused is not None:
            await _refuse(send, *refused)
            return
        # another process that writes may keep it waiting, and nobody else with it
        token = await asyncio.to_thread(self._tokens.owner_of, _bearer(scope))
        if token is None:
            await _refuse(send, 401, "a token is needed: vaultd mcp --new-token CLIENT makes one")
            return
        scope[CLIENT], scope[TOKEN] = token.client, token.id
        try:
            body = await asyncio.wait_for(_whole(receive), SLOWEST)
        except TimeoutError:
            await _refuse(send, 408, f"a request must have come whole within {SLOWEST:.0f} seconds")
            return
        if body is None:
            return  # nobody is there any more
        if len(body) > LONGEST:
            await _refuse(send, *_TOO_LONG)
            return
        await self._inside(scope, _given(body, receive), send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        hosts, origins = _all(scope, b"host"), _all(scope, b"origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return 421, "this server answers only to its own address"
        if any(origin.lower() not in self._origins for origin in origins):
            return 403, "requests from web pages are not taken"
        lengths = _all(scope, b"content-length")
        if any(not length.isdigit() or int(length) > LONGEST for length in lengths):
            return _TOO_LONG
        if scope["method"] == "GET":
            return 405, "there is nothing to wait for: each answer comes with its request"
        return None


async def _whole(receive: Receive) -> bytes | None:
    """Return a request's body, no more of it than shows that it is too long; None where its sender left."""
    body, more = b"", True
    while more and len(body) <= LONGEST:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


def _given(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that has come whole, and after it whatever the connection has to tell."""
    waiting = [body]

    async def received() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": waiting.pop(), "more_body": False} if waiting else await receive()

    return received


def _bearer(scope: Scope) -> str:
    found = _all(scope, b"authorization")
    kind, _, token = found[0].partition(" ") if len(found) == 1 else ("", "", "")
    return token.strip() if kind.lower() == "bearer" else ""


def _all(scope: Scope, name: bytes) -> list[str]:
    headers: Iterable[tuple[bytes, bytes]] = scope["headers"]
    return [value.decode("latin-1") for key, value in headers if key == name]


async def _refuse(send: Send, status: int, why: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"x-content-type-options", b"nosniff")]
    headers += _MORE.get(status, ())
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": why.encode() + b"\n"})
