"""What `mcp` does besides carrying lines: say who may come in over HTTP, listen there, serve the vault in this process."""

import contextlib
import socket
import sys
import threading
from argparse import Namespace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.reaching import opened_sidecar, require_started, start_of

if TYPE_CHECKING:
    from vaultd.mcp_server.streams import Speaker
    from vaultd.settings import Settings
    from vaultd.state.tokens import Token


def admit(asked: Namespace) -> Outcome:
    """Make a token, take one back, list them, or listen."""
    start = start_of(asked.vault)
    if asked.new_token is not None:
        return _new_token(start, asked.new_token)
    if asked.revoke is not None:
        with opened_sidecar(start) as sidecar:
            token = sidecar.tokens.revoke(asked.revoke)
        return Outcome({"vaultd": 1, "id": token.id, "client": token.client}, (f"taken back: {token.client}",))
    if asked.tokens:
        return _tokens(start)
    require_started(start)
    return _over_http(start, asked.port)


def _new_token(start: Path, client: str) -> Outcome:
    with opened_sidecar(start) as sidecar:
        token, text = sidecar.tokens.create(client)
    document: Document = {"vaultd": 1, "id": token.id, "client": token.client, "token": text}
    return Outcome(document, (text,), talk=(f"vaultd: {token.client} comes in with it; it is not shown again",))


def _tokens(start: Path) -> Outcome:
    with opened_sidecar(start) as sidecar:
        found = sidecar.tokens.list()
    rows = [
        {
            "id": one.id,
            "client": one.client,
            "created_at": one.created_at,
            "last_used_at": one.last_used_at,
            "revoked_at": one.revoked_at,
        }
        for one in found
    ]
    return Outcome({"vaultd": 1, "tokens": rows}, tuple(map(_token_line, found)))


def _token_line(token: "Token") -> str:
    used = f"last used {token.last_used_at[:10]}" if token.last_used_at else "never used"
    return f"{token.id}  {token.client}  ({'taken back' if token.revoked_at else used})"


def _over_http(start: Path, port: int) -> Outcome:
    from vaultd.mcp_server.alone import desk_alone  # noqa: PLC0415  -- a proxy needs none of it
    from vaultd.web.listening import listen  # noqa: PLC0415

    with desk_alone(start) as desk:
        tools = settings_of(desk.root).mcp_tools
        listen(desk, tools, port, lambda line: print(line, file=sys.stderr, flush=True))
    return Outcome({"vaultd": 1})


class Here:
    """The vault served in this process, from the first line that no daemon takes."""

    def __init__(self, start: Path, stack: contextlib.ExitStack) -> None:
        self._root, _ = require_started(start)
        self._stack = stack

    @cached_property
    def _speaker(self) -> "Speaker":
        from vaultd.mcp_server.alone import desk_alone  # noqa: PLC0415
        from vaultd.mcp_server.streams import Speaker  # noqa: PLC0415

        desk = self._stack.enter_context(desk_alone(self._root))
        speaker = Speaker(lambda: desk, settings_of(self._root).mcp_tools)
        self._stack.callback(speaker.stop)
        return speaker

    def line(self, connection: str) -> socket.socket:
        """Return the client's end of a connection that is served here."""
        ours, theirs = socket.socketpair()
        threading.Thread(target=self._speaker.serve, args=(theirs, connection), daemon=True).start()
        return ours


def settings_of(root: Path) -> "Settings":
    """Return what a vault's config says."""
    from vaultd.settings import parse_settings  # noqa: PLC0415

    config = root / ".vaultd" / "config.toml"
    return parse_settings(config.read_text("utf-8") if config.is_file() else "")
