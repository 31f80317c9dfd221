"""Whom the proxy connects a client with."""

import contextlib
import socket
import time
from collections.abc import Callable, Iterator

import pytest

from tests.vaults import Vault
from vaultd.cli import serving
from vaultd.cli.serving import _Connected
from vaultd.errors import UsageError


@pytest.fixture
def connecting(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., _Connected]]:
    """Give what opens a proxy beside a daemon that answers, or not, as it is told to in turn; in the end it does not."""
    lines: list[socket.socket] = []
    with contextlib.ExitStack() as stack:

        def connect(*answers: bool) -> _Connected:
            turns = iter(answers)

            def daemon(_self: _Connected) -> socket.socket | None:
                if not next(turns, False):
                    return None
                ours, theirs = socket.socketpair()
                lines.extend((ours, theirs))
                return ours

            monkeypatch.setattr(_Connected, "_daemon", daemon)
            return _Connected(str(vault.root), stack)

        yield connect
    for one in lines:
        one.close()


def test_a_daemon_that_is_started_again_is_waited_for(connecting: Callable[..., _Connected]) -> None:
    connected = connecting(True, False, False, True)
    assert connected.line() is not connected.line()
    assert connected._here is None


def test_a_daemon_that_stays_away_is_not_waited_for_twice(
    connecting: Callable[..., _Connected], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "RETURNS", 0.2)
    connected = connecting(True)
    connected.line()
    began = time.monotonic()
    assert connected._daemon_again() is None
    assert time.monotonic() - began >= 0.2
    connected._alone()
    monkeypatch.setattr(serving, "RETURNS", 60.0)
    assert connected._daemon_again() is None


def test_a_port_without_a_listener_is_refused(vault: Vault) -> None:
    for line in ("mcp --port 9000", "mcp --tokens --port 9000"):
        ran = vault.run(*line.split())
        assert (ran.code, "hint: vaultd mcp --http --port 9000" in ran.err) == (2, True)
    assert vault.run("mcp", "--tokens").code == 0


def test_a_folder_that_is_no_vault_is_told_of_at_once(vault: Vault) -> None:
    with contextlib.ExitStack() as stack, pytest.raises(UsageError, match="no vault yet"):
        _Connected(str(vault.root.parent), stack)
