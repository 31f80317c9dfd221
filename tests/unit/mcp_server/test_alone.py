"""A vault served without a daemon, beside one that hangs: what was asked is done here, and what was done is told as done."""

import socket

import pytest

from tests.besieged import trusted
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


COUNT = """
class P(Plugin):
    async def onload(self):
        self.register_indexer("word_count", int, lambda file, cache: len(cache.body.split()))
        self.register_validator("count/draft", self.draft)
    def draft(self, change):
        if change.cache.frontmatter.get("draft") is True:
            yield change.problem("still a draft", key="draft", level="error")
"""


def test_what_plugins_add_is_there_without_a_daemon_too(vault: Vault) -> None:
    vault.write("a.md", "one two three\n")
    vault.write("b.md", "---\ndraft: true\n---\none\n")
    trusted(vault, count=COUNT)
    with desk_alone(vault.root) as desk:
        assert [hit["path"] for hit in does(desk, "search", where="word_count > 1")["hits"]] == ["a.md"]
        found = does(desk, "check", severity="error")["violations"]
        assert [(row["code"], row["path"]) for row in found] == [("count/draft", "b.md")]
        assert does(desk, "check", paths=["a.md"], severity="error")["violations"] == []


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
