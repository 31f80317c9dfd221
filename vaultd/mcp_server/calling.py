"""One call from its arguments to its answer, and the entry that says it was made."""

import time
from collections.abc import Mapping

from vaultd.documents import Document
from vaultd.errors import UsageError, VaultdError
from vaultd.mcp_server.catalogue import Tool
from vaultd.mcp_server.desk import Call, Caller, Desk
from vaultd.mcp_server.parameters import Given, given
from vaultd.state.activity import Happening
from vaultd.state.sessions import Session
from vaultd.values import replace

_STARTS = "session_start"


def call_tool(
    desk: Desk, tools: Mapping[str, Tool], name: str, arguments: Mapping[str, object], caller: Caller
) -> Document:
    """Carry a call out.

    Raises:
        VaultdError: it was refused; nothing was changed.
    """
    tool = tools.get(name)
    if tool is None:
        raise UsageError(f"no tool is called {name[:60]!r}", "one of " + ", ".join(tools))
    call = Call(desk, caller, given(tool.parameters, arguments))
    began = time.monotonic()
    try:
        call = replace(call, session=_session(call, tool))
        document = tool.run(call)
    except VaultdError as exc:
        _record(call, tool, began, type(exc).__name__)
        raise
    _record(call, tool, began, "")
    return document


def _session(call: Call, tool: Tool) -> Session | None:
    """Return who acts; a session that is to begin is not looked for."""
    return call.desk.sidecar.sessions.find(call.acting) if tool.name != _STARTS else None


def _record(call: Call, tool: Tool, began: float, error: str) -> None:
    """Note the call, and take it as a sign of life; whether and when that works is not the call's concern."""
    session = call.session
    payload = {"tool": tool.name, "client": call.caller.client, "ms": round((time.monotonic() - began) * 1000, 1)}
    happened = Happening(
        "tool.call",
        session.id if session is not None else "",
        session.project if session is not None else "",
        payload={**payload, "error": error, "arguments": _brief(call.given)},
    )
    call.desk.sidecar.sessions.heard(session.id if session is not None else "", happened)


def _brief(arguments: Given) -> dict[str, object]:
    """Return arguments with long texts replaced by their length: the log is no second copy of the notes."""
    return {
        name: value if not isinstance(value, str) or len(value) <= 100 else f"{len(value)} characters"
        for name, value in arguments.values.items()
        if isinstance(value, str | int)
    }
