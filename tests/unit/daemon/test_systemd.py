"""What the daemon tells systemd, heard on a real socket."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemons import PATIENCE
from tests.vaults import Vault, with_memories
from vaultd.app import open_app
from vaultd.daemon.loop import Daemon
from vaultd.daemon.sockets import ask
from vaultd.daemon.systemd import Systemd, systemd_of


class Ear:
    def __init__(self, address: str) -> None:
        self.line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.line.bind(address)
        self.line.settimeout(0.0)

    def heard(self) -> list[str]:
        said = []
        try:
            while True:
                said.append(self.line.recv(4096).decode())
        except BlockingIOError:
            return said


@pytest.fixture
def ear(tmp_path: Path) -> Iterator[tuple[str, Ear]]:
    address = os.fspath(tmp_path / "notify")
    heard = Ear(address)
    yield address, heard
    heard.line.close()


def test_a_status_is_said_once(ear: tuple[str, Ear]):
    systemd = Systemd(ear[0])
    for text in ("3 notes", "3 notes", "4 notes"):
        systemd.status(text)
    assert ear[1].heard() == ["STATUS=3 notes", "STATUS=4 notes"]


def test_signs_of_life_come_three_to_a_patience(ear: tuple[str, Ear]):
    systemd = systemd_of({"NOTIFY_SOCKET": ear[0], "WATCHDOG_USEC": "60000000"})
    for second in range(41):
        systemd.alive(float(second))
    assert ear[1].heard() == ["WATCHDOG=1"] * 3


@pytest.mark.parametrize(
    "asked", [{}, {"WATCHDOG_USEC": "nonsense"}, {"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"}]
)
def test_no_signs_of_life_where_none_are_asked_of_this_process(ear: tuple[str, Ear], asked: dict[str, str]):
    systemd_of({"NOTIFY_SOCKET": ear[0], **asked}).alive(0.0)
    assert ear[1].heard() == []


def test_an_address_outside_the_file_system_is_reached():
    name = f"vaultd-test-{os.getpid()}"
    heard = Ear("\0" + name)
    systemd_of({"NOTIFY_SOCKET": "@" + name}).ready()
    said = heard.heard()
    heard.line.close()
    assert said == ["READY=1"]


@pytest.mark.parametrize("environment", [{}, {"NOTIFY_SOCKET": "vsock:2:1234"}, {"NOTIFY_SOCKET": "/nowhere/at/all"}])
def test_without_a_systemd_that_listens_nothing_happens(environment: dict[str, str]):
    systemd_of(environment).ready()


def test_a_daemon_is_ready_once_it_has_looked_at_everything_and_says_when_it_stops(vault: Vault, ear: tuple[str, Ear]):
    with_memories(vault, "a", "b")
    app = open_app(vault.root)
    ready = threading.Event()
    daemon = Daemon(app, lambda line: ready.set() if line.startswith("ready") else None, Systemd(ear[0]))
    thread = threading.Thread(target=daemon.run)
    thread.start()
    assert ready.wait(PATIENCE)
    assert ask(app.opened.places.socket, "stop", {}) is not None
    thread.join(PATIENCE)
    app.close()
    assert ear[1].heard() == ["STATUS=ready: 2 notes, 0 problems", "READY=1", "STOPPING=1"]
