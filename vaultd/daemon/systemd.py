"""Telling systemd how the daemon is, on the socket it names in the environment; said to nobody where it names none."""

import contextlib
import os
import socket
from collections.abc import Mapping

from vaultd.values import dataclass


@dataclass(slots=True)
class Systemd:
    """What a unit of `Type=notify` waits for: ready, how it goes, a sign of life in time, the end."""

    address: str = ""
    every: float = 0.0
    """Seconds between signs of life; 0 where none are asked for."""
    _status: str = ""
    _beaten: float = float("-inf")

    def ready(self) -> None:
        """Say that the vault has been compared with what was known of it, and is watched."""
        self._say("READY=1")

    def status(self, text: str) -> None:
        """Say in a line how it goes; the same line is said once."""
        if text != self._status:
            self._status = text
            self._say(f"STATUS={text}")

    def alive(self, now: float) -> None:
        """Give a sign of life where one is asked for and due; `now` is a monotonic clock's."""
        if self.every and now - self._beaten >= self.every:
            self._beaten = now
            self._say("WATCHDOG=1")

    def stopping(self) -> None:
        """Say that the daemon is on its way out."""
        self._say("STOPPING=1")

    def _say(self, line: str) -> None:
        if not self.address:
            return
        # An address that begins with @ lives in no folder; the kernel writes it with a zero byte.
        place = "\0" + self.address[1:] if self.address.startswith("@") else self.address
        # A systemd that does not listen any more is no reason to stop watching a vault.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as way:
            way.sendto(line.encode("utf-8", "replace"), place)


def systemd_of(environment: Mapping[str, str]) -> Systemd:
    """Return the systemd that started this process, or one that hears nothing."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return Systemd()
    microseconds = environment.get("WATCHDOG_USEC", "")
    meant = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    # A third of the patience, so that one late sign is not the end.
    every = int(microseconds) / 3e6 if meant and microseconds.isdigit() else 0.0
    return Systemd(address, every)
