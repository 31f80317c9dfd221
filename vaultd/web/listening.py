"""MCP over streamable HTTP: a listener on the loopback address, there only while somebody asked for it."""

import asyncio
import socket
from collections.abc import Callable

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from vaultd.errors import StorageError
from vaultd.mcp_server.catalogue import tools_of
from vaultd.mcp_server.desk import Caller, Desk
from vaultd.mcp_server.speaking import Context, server_of
from vaultd.settings import ToolSet
from vaultd.web.door import CLIENT, LONGEST, SLOWEST, TOKEN, Door

ADDRESS = "127.0.0.1"
PATH = "/mcp"
_AT_ONCE = 256
"""Connections; they are cheap, and slow ones must not keep others out."""
_SESSIONS = 64


class _Impatient(H11Protocol):
    """Closes a connection whose first request does not begin in time."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to wait."""
        super().connection_made(transport)
        self.loop.call_later(SLOWEST, self._close_where_nothing_came)

    def _close_where_nothing_came(self) -> None:
        # uvicorn has no cycle before a request's headers have come whole.
        if getattr(self, "cycle", None) is None:
            self.transport.close()


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
        bound: int = line.getsockname()[1]
        say(f"listening: http://{ADDRESS}:{bound}{PATH}")
        asyncio.run(_serve(desk, tools, line, bound))


async def _serve(desk: Desk, tools: ToolSet, line: socket.socket, port: int) -> None:
    inside = server_of(desk, tools_of(tools), _who).streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        max_request_body_size=LONGEST,
        max_sessions=_SESSIONS,
        host=ADDRESS,
    )
    config = uvicorn.Config(
        Door(inside, desk.sidecar.tokens, port),
        http=_Impatient,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=_AT_ONCE,
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
