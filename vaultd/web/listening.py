"""MCP over streamable HTTP: a listener on the loopback address, there only while somebody asked for it."""

import asyncio
import math
import socket
from collections.abc import Callable

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from vaultd.errors import StorageError
from vaultd.mcp_server.catalogue import tools_of
from vaultd.mcp_server.desk import Caller, Desk
from vaultd.mcp_server.speaking import Context, server_of
from vaultd.settings import ToolSet
from vaultd.web.door import CLIENT, LONGEST, SLOWEST, TOKEN, Door
from vaultd.web.rooms import Rooms

ADDRESS = "127.0.0.1"
PATH = "/mcp"
AT_ONCE = 256
"""Connections; they are cheap, and slow ones must not keep others out."""
_SESSIONS = 64
"""That may be open; beyond them the one that was silent longest ends."""


class Impatient(H11Protocol):
    """Closes a connection over which no request comes in time, and sooner where others need the place.

    uvicorn itself waits for ever for the rest of a request's headers, and then has no room for anybody.
    """

    since = 0.0
    """When the request began that is waited for, 0 where nothing of it has come."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to wait; where there is no room, the one that waits longest makes some."""
        super().connection_made(transport)
        self.since = self.loop.time()
        self._close_later()
        there = [one for one in self.connections if isinstance(one, Impatient) and not one.transport.is_closing()]
        waiting = [one for one in there if one is not self and one.waits]
        if len(there) >= AT_ONCE and waiting:
            min(waiting, key=lambda one: one.since or math.inf).transport.close()

    def data_received(self, data: bytes) -> None:
        """Take some bytes; a request that is not whole after them was begun when its first ones came."""
        super().data_received(data)
        if self.waits:
            self.since = self.since or self.loop.time()
            self._close_later()
        else:
            self.since = 0.0

    @property
    def waits(self) -> bool:
        """Return whether no request is at work: uvicorn has a cycle for each whose headers have come whole."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def _close_later(self) -> None:
        self._unset_keepalive_if_required()
        self.timeout_keep_alive_task = self.loop.call_at(self.since + SLOWEST, self.timeout_keep_alive_handler)


def listen(desk: Desk, tools: ToolSet, port: int, say: Callable[[str], None]) -> None:
    """Serve until told to stop.

    Raises:
        StorageError: the port is taken.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            line.bind((ADDRESS, port))
        except OSError as exc:
            raise StorageError(f"port {port} cannot be used: {exc.strerror}", "--port N names another") from exc
        line.listen(AT_ONCE)  # before it is said: who comes at once waits until it is served, and is not turned away
        bound: int = line.getsockname()[1]
        say(f"listening: http://{ADDRESS}:{bound}{PATH}")
        asyncio.run(_serve(desk, tools, line, bound))


async def _serve(desk: Desk, tools: ToolSet, line: socket.socket, port: int) -> None:
    inside = server_of(desk, tools_of(tools), _who).streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        max_request_body_size=LONGEST,
        max_sessions=_SESSIONS + AT_ONCE,
        host=ADDRESS,
    )
    config = uvicorn.Config(
        Door(Rooms(inside, _SESSIONS), desk.sidecar.tokens, port),
        http=Impatient,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=AT_ONCE,
        timeout_keep_alive=int(SLOWEST),
        timeout_graceful_shutdown=5,
        lifespan="on",
    )
    await uvicorn.Server(config).serve(sockets=[line])


def _who(context: Context) -> Caller:
    """Return the client whose token a request came with, and its line: its MCP session where the protocol has one.

    Where it has none, all that is known is the token, and several programs may come with the same one.
    """
    request = context.request
    session = getattr(request, "headers", {}).get("mcp-session-id", "")
    scope = getattr(request, "scope", {})
    line = f"http:{scope.get(TOKEN, '')}:{session}"
    return Caller(str(scope.get(CLIENT, "")), line, shared=not session)
