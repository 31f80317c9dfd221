"""MCP over a socket, a JSON-RPC message a line: one event loop in a thread of its own serves every connection."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from vaultd.mcp_server.desk import Caller, Desk
from vaultd.mcp_server.messages import LONGEST, NO_JSON, NO_MESSAGE, peeked
from vaultd.settings import ToolSet

if TYPE_CHECKING:
    import mcp_types as types
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.lowlevel import Server
    from mcp.shared.message import SessionMessage

_GOODBYE = 5.0
_NO_MESSAGE = (
    "this is no call, answer or notification of JSON-RPC 2.0, each on a line of its own; "
    "or a text in it holds half a character, or it is nested too deeply"
)


class Speaker:
    """Serves connections until it is stopped; the SDK is imported when the first one comes."""

    def __init__(self, desk: Callable[[], Desk], tools: ToolSet) -> None:
        self._desk = desk
        self._tools: ToolSet = tools
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def serve(self, line: socket.socket, connection: str) -> None:
        """Serve one connection to its end; the caller's thread waits so long."""
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run_coroutine_threadsafe(self._served(line, connection), self._running()).result()

    def stop(self) -> None:
        """End every connection."""
        loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(_cancel_others(), loop).result(_GOODBYE)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_GOODBYE)
        loop.close()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="vaultd-mcp", daemon=True)
                self._thread.start()
            return self._loop

    async def _served(self, line: socket.socket, connection: str) -> None:
        from vaultd.mcp_server.catalogue import tools_of  # noqa: PLC0415  -- a daemon that no agent calls goes without
        from vaultd.mcp_server.speaking import client_of, server_of  # noqa: PLC0415

        server = server_of(self._desk(), tools_of(self._tools), lambda context: Caller(client_of(context), connection))
        await _over_socket(server, line)


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=_GOODBYE)


async def _over_socket(server: "Server[dict[str, object]]", line: socket.socket) -> None:
    import anyio  # noqa: PLC0415
    from mcp.shared.message import SessionMessage  # noqa: PLC0415

    reading, writing = await asyncio.open_connection(sock=line, limit=LONGEST + 2)
    to_server, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    said, to_client = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_hear, reading, to_server, said.clone())
        tasks.start_soon(_say, writing, to_client)
        await server.run(heard, said, server.create_initialization_options())
    writing.close()


async def _hear(
    reading: asyncio.StreamReader,
    to_server: "MemoryObjectSendStream[SessionMessage | Exception]",
    said: "MemoryObjectSendStream[SessionMessage]",
) -> None:
    """Give the server each whole line, or say why not; half a line at the end was never sent."""
    import anyio  # noqa: PLC0415
    from mcp.shared.message import SessionMessage  # noqa: PLC0415

    async with to_server, said:
        with contextlib.suppress(OSError, ValueError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            while (line := await reading.readline()).endswith(b"\n"):
                message = _understood(line)
                if message is not None:
                    await to_server.send(SessionMessage(message))
                else:
                    await said.send(SessionMessage(_complaint(line)))


def _understood(line: bytes) -> "types.JSONRPCMessage | None":
    """Return a line as the server takes it; None where somebody would wait for an answer that never comes."""
    import mcp_types as types  # noqa: PLC0415

    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return None
    if isinstance(message, types.JSONRPCNotification) and b'"id"' in line:
        seen = peeked(line)
        return None if seen is None or seen.mislabelled else message
    return message


def _complaint(line: bytes) -> "types.JSONRPCError":
    """Return what is said to a line that is no message."""
    import mcp_types as types  # noqa: PLC0415

    seen = peeked(line)
    code, why = NO_MESSAGE, _NO_MESSAGE
    if seen is None:
        code, why = NO_JSON, "this line is no JSON"
    elif seen.mislabelled:
        why = "the id of a call is a text or a whole number"
    id_ = seen.id if seen is not None else None
    return types.JSONRPCError(jsonrpc="2.0", id=id_, error=types.ErrorData(code=code, message=why))


async def _say(writing: asyncio.StreamWriter, to_client: "MemoryObjectReceiveStream[SessionMessage]") -> None:
    async with to_client:
        with contextlib.suppress(OSError):
            async for one in to_client:
                writing.write(one.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
                await writing.drain()
