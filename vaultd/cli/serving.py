"""The verb `mcp`: a thin proxy between an agent and the daemon; all else that the verb does is imported when it is asked for.

Most clients start it anew for each conversation, and wait for it.
"""

import contextlib
import os
import sys
import time

from vaultd.cli.forms import MCP_PORT
from vaultd.cli.outcome import Outcome
from vaultd.cli.quick import folder_meant
from vaultd.errors import UsageError
from vaultd.mcp_server.pumping import Pump
from vaultd.quickly import import_dataclasses
from vaultd.vault.addresses import socket_above

TYPE_CHECKING = False
if TYPE_CHECKING:  # argparse, socket and pathlib take as long to import as all else here
    import socket
    from argparse import Namespace

    from vaultd.cli.admitting import Here

RETURNS = 2.0
"""Seconds that a daemon is waited for which was there before: `vaultd restart` and systemd bring it back."""
_BETWEEN = 0.05


def mcp(asked: "Namespace") -> Outcome:
    """Serve agents, or say who may come in.

    Raises:
        UsageError: a port is named that nobody is to listen at.
    """
    if asked.port != MCP_PORT and not asked.http:
        raise UsageError("--port says where --http listens", f"vaultd mcp --http --port {asked.port}")
    if asked.http or asked.tokens or asked.new_token is not None or asked.revoke is not None:
        import_dataclasses()
        from vaultd.cli.admitting import admit  # noqa: PLC0415

        return admit(asked)
    with contextlib.ExitStack() as stack:
        connected = _Connected(folder_meant(asked.vault), stack)
        Pump(connected.line, sys.stdout.buffer).run(iter(sys.stdin.buffer.readline, b""))
    return Outcome({"vaultd": 1})


class _Connected:
    """Who serves the vault: the daemon where one runs, else this process; found out at once, and again for each line."""

    def __init__(self, start: str, stack: contextlib.ExitStack) -> None:
        self._start = start
        self._stack = stack
        self._connection = os.urandom(8).hex()
        self._here: Here | None = None
        self._first = self._daemon()
        if self._first is None:
            self._alone()  # a folder that is no vault is told of before a client says anything

    def line(self) -> "socket.socket":
        """Return the client's end of a new connection."""
        first, self._first = self._first, None
        return first or self._daemon_again() or self._alone().line(self._connection)

    def _daemon_again(self) -> "socket.socket | None":
        """Return a connection to the daemon; one that was there and is started again is given a moment to come back."""
        end = time.monotonic() + (RETURNS if self._here is None else 0.0)
        while (line := self._daemon()) is None and time.monotonic() < end:
            time.sleep(_BETWEEN)
        return line

    def _daemon(self) -> "socket.socket | None":
        from vaultd.daemon.sockets import call  # noqa: PLC0415  -- `socket` is slow to import

        place = socket_above(self._start)
        return call(place, "mcp", {"connection": self._connection}) if place is not None else None

    def _alone(self) -> "Here":
        if self._here is None:
            import_dataclasses()
            from pathlib import Path  # noqa: PLC0415

            from vaultd.cli.admitting import Here  # noqa: PLC0415

            self._here = Here(Path(self._start), self._stack)
        return self._here
