"""MCP sessions over HTTP: where there is no room for another, the one that was silent longest ends.

Many programs leave without a word, and each of them keeps its place for half an hour.
"""

from collections import Counter
from collections.abc import MutableMapping
from typing import Any

from vaultd.web.door import TOKEN, Application, Receive, Scope, Send

SESSION = b"mcp-session-id"


class Rooms:
    """Knows which sessions there are, whose they are and which of them was silent longest."""

    def __init__(self, inside: Application, most: int) -> None:
        self._inside = inside
        self._most = most
        self._theirs: dict[bytes, str] = {}
        """The token of each session, whoever was silent longest first."""
        self._busy: Counter[bytes] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._inside(scope, receive, send)
            return
        session = next((value for key, value in scope["headers"] if key == SESSION), b"")
        if session in self._theirs:
            self._theirs[session] = self._theirs.pop(session)
        elif not session:
            await self._make_room(scope)
        self._busy[session] += 1
        try:
            await self._inside(scope, receive, self._noting(scope, session, send))
        finally:
            self._busy[session] -= 1
            self._busy += Counter()  # drops what is at zero

    def _noting(self, scope: Scope, session: bytes, send: Send) -> Send:
        async def noted(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                begun = next((value for key, value in message.get("headers", ()) if key.lower() == SESSION), b"")
                if message["status"] == 404 or (scope["method"] == "DELETE" and message["status"] < 400):
                    self._theirs.pop(session, None)
                elif begun and not session:
                    self._theirs[begun] = str(scope.get(TOKEN, ""))
            await send(message)

        return noted

    async def _make_room(self, scope: Scope) -> None:
        """End a session of the program that has most of them, so that one that opens many shuts out only itself."""
        if len(self._theirs) < self._most:
            return
        crowd = Counter(self._theirs.values())
        idle = [session for session in self._theirs if not self._busy[session]]
        if not idle:
            return
        ending = max(idle, key=lambda session: crowd[self._theirs[session]])  # of equal ones the first
        del self._theirs[ending]
        headers = [(key, value) for key, value in scope["headers"] if key == b"host"]
        await self._inside({**scope, "method": "DELETE", "headers": [*headers, (SESSION, ending)]}, _nothing, _unheard)


async def _nothing() -> MutableMapping[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _unheard(_message: MutableMapping[str, Any]) -> None:
    pass
