"""The MCP protocol around the tools; the only module that knows the SDK, and nobody imports it before a client comes."""

import json
import re
from collections.abc import Callable, Mapping

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from vaultd import __version__
from vaultd.documents import Document, error_document
from vaultd.errors import RejectedError, VaultdError
from vaultd.lifecycle.violations import Violation
from vaultd.mcp_server.calling import call_tool
from vaultd.mcp_server.catalogue import INSTRUCTIONS, Effect, Tool
from vaultd.mcp_server.desk import Caller, Desk
from vaultd.mcp_server.parameters import schema_of

Context = ServerRequestContext[dict[str, object]]
Who = Callable[[Context], Caller]
"""Says who sent a request, and over which line."""
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
_CALLED = {"slug": "name", "replace": "old", "with": "new", "as-of": "as_of"}
"""Options that are called otherwise where they are parameters."""
_COMMANDS = tuple(
    (re.compile(said), tool, called)
    for said, tool, called in (
        (r"vaultd task list, or tasks_ready,", "tasks_ready", "tasks_ready"),
        (r"vaultd task list", "tasks_list", "tasks_list"),
        (r"vaultd session start --name NAME", "session_start", "session_start begins one"),
        (r"vaultd search", "search", "search"),
        (
            r"vaultd memory chain (\S+) shows (?:the chain|what replaced it|it)",
            "memory_read",
            r"memory_read \1 tells it",
        ),
        (r"vaultd memory restore (\S+)", "memory_restore", r"memory_restore \1"),
        (r"vaultd memory supersede OLD NEW", "memory_supersede", "memory_supersede"),
        (r", or say --all$", "memory_edit", ""),
    )
)
"""Commands, the tool that does the same, and how that is said; a tool that is not offered is not named."""
AT_ONCE = 16
"""Calls that are carried out at once; others wait."""


def server_of(desk: Desk, tools: Mapping[str, Tool], who: Who) -> Server[dict[str, object]]:
    """Return an MCP server that offers the tools."""
    declared = [_declared(tool) for tool in tools.values()]
    seats = anyio.CapacityLimiter(AT_ONCE)

    async def list_tools(_context: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=declared, ttl_ms=0, cache_scope="private")

    async def call(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        caller = who(context)

        def carry_out() -> types.CallToolResult:
            return answered(desk, tools, params.name, params.arguments or {}, caller)

        return await anyio.to_thread.run_sync(carry_out, limiter=seats)

    return Server(
        "vaultd",
        version=__version__,
        title="vaultd",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call,
    )


def answered(
    desk: Desk, tools: Mapping[str, Tool], name: str, arguments: Mapping[str, object], caller: Caller
) -> types.CallToolResult:
    """Return what a call gave, or the error that it was refused with."""
    try:
        document = call_tool(desk, tools, name, arguments, caller)
    except VaultdError as exc:
        said = {"message": _as_told(exc.message, tools), "hint": _as_told(exc.hint, tools)}
        told = _told(name, exc, said["message"], said["hint"])
        return _result(told, {**error_document(exc), **said, "exit_code": exc.exit_code}, failed=True)
    return _result(json.dumps(document, ensure_ascii=False), document, failed=False)


def _result(text: str, document: Document, *, failed: bool) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=document, is_error=failed
    )


def _told(name: str, error: VaultdError, message: str, hint: str) -> str:
    violations = error.violations if isinstance(error, RejectedError) else ()
    lines = [f"{name}: {message}"]
    told = [v for v in violations if isinstance(v, Violation) and v.message not in message]
    lines += [f"{v.path}:{v.line}: {v.code} {v.message}" for v in told]
    return "\n".join((*lines, f"hint: {hint}") if hint else lines)


def _as_told(text: str, tools: Mapping[str, Tool]) -> str:
    """Return what is said of commands and options as said of tools and parameters; another command stays one to type."""
    for command, tool, called in _COMMANDS:
        if tool in tools:
            text = command.sub(called, text)
    return text if "vaultd " in text else _OPTION.sub(lambda found: _CALLED.get(found[1], found[1]), text)


def _declared(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.says,
        input_schema=schema_of(tool.parameters),
        annotations=_hints(tool.effect),
    )


def _hints(effect: Effect) -> types.ToolAnnotations:
    match effect:
        case "reads":
            return types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        case "adds":
            return _writing(destructive=False, idempotent=False)
        case "sets":
            return _writing(destructive=False, idempotent=True)
        case "replaces":
            return _writing(destructive=True, idempotent=False)


def _writing(*, destructive: bool, idempotent: bool) -> types.ToolAnnotations:
    return types.ToolAnnotations(
        read_only_hint=False, destructive_hint=destructive, idempotent_hint=idempotent, open_world_hint=False
    )


def client_of(context: Context) -> str:
    """Return what a client calls itself."""
    told = context.session.client_params
    return told.client_info.name if told is not None else ""
