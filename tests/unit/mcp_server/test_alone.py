"""A vault served without a daemon, beside one that hangs: what was asked is done here, and what was done is told as done."""

import socket

import pytest

from tests.vaults import Vault
from vaultd.daemon import wire
from vaultd.daemon.sockets import listen
from vaultd.mcp_server import alone
from vaultd.mcp_server.alone import SILENCE, desk_alone
from vaultd.mcp_server.calling import call_tool
from vaultd.mcp_server.catalogue import tools_of
from vaultd.mcp_server.desk import Caller, Desk

SHORT = 0.3


def does(desk: Desk, tool: str, **arguments: object) -> dict:
    return call_tool(desk, tools_of("all"), tool, arguments, Caller("editor", "c"))


def silence(vault: Vault) -> socket.socket:
    """Listen where the vault's daemon would, and say nothing."""
    with vault.app() as app:
        return listen(app.opened.places.socket)


def test_beside_a_daemon_that_hangs_every_tool_answers_and_says_so(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "FIRST", SHORT)
    with desk_alone(vault.root) as desk, silence(vault):
        new = {"kind": "gotcha", "description": "The clock drifts.", "body": "Daily."}
        assert does(desk, "memory_write", name="clock", project="global", **new)["event"] == "created"
        found = does(desk, "search", query="drifts")
        assert [hit["path"] for hit in found["hits"]] == ["memory/_global/clock.md"]
        assert found["notices"] == [SILENCE]
        assert does(desk, "check")["notices"] == [SILENCE]


def test_one_that_hangs_is_asked_again_only_after_a_while(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "FIRST", SHORT)
    monkeypatch.setattr(alone, "_NOT_ASKED", 3_600.0)
    with desk_alone(vault.root) as desk, silence(vault) as heard:
        for _ in range(3):
            does(desk, "search", query="drifts")
        heard.setblocking(False)
        heard.accept()[0].close()
        with pytest.raises(BlockingIOError):
            heard.accept()
