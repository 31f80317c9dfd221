"""MCP over streamable HTTP: a listener on the loopback address, there only while somebody asked for it."""

import asyncio
import socket
from collections.abc import Callable

import uvicorn

from vaultd.errors import StorageError
from vaultd.mcp_server.catalogue import tools_of
from vaultd.mcp_server.desk import Desk
from vaultd.mcp_server.speaking import Context, server_of
from vaultd.settings import ToolSet
from vaultd.web.door import CLIENT, LONGEST, Door

ADDRESS = "127.0.0.1"
PATH = "/mcp"
_AT_ONCE = 64
_SLOWEST = 30.0
"""Seconds after which a connection that says nothing is closed."""
_SESSIONS = 64


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
    inside = server_of(desk, tools_of(tools), _connection).streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        max_request_body_size=LONGEST,
        max_sessions=_SESSIONS,
        host=ADDRESS,
    )
    config = uvicorn.Config(
        Door(inside, desk.sidecar.tokens, port),
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=_AT_ONCE,
        timeout_keep_alive=int(_SLOWEST),
        timeout_graceful_shutdown=5,
        lifespan="on",
    )
    await uvicorn.Server(config).serve(sockets=[line])


def _connection(context: Context) -> str:
    """Return what a session is bound to: the client's MCP session, or its token where the protocol has none."""
    request = context.request
    session = getattr(request, "headers", {}).get("mcp-session-id", "")
    client = getattr(request, "scope", {}).get(CLIENT, "")
    return f"http:{client}:{session}"
