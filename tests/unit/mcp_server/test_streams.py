"""A connection: whatever a client sends, it hears of it, and the next call is served."""

import json
import socket
import threading
from collections.abc import Iterator

import pytest

from tests.vaults import Vault
from vaultd.mcp_server.alone import desk_alone
from vaultd.mcp_server.streams import Speaker

HELLO = (
    b'{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",'
    b' "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}}\n'
    b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
)
CALL = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {"query": %b}}}'

WRONG = {
    "half a character": (CALL % b'"\\ud800"', 1),
    "nested": (CALL % (b"[" * 300 + b"]" * 300), 1),
    "deep": (b"[" * 100_000, None),
    "no JSON": (b"{", None),
    "no UTF-8": (b"\xff\xfe", None),
    "two at once": (
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping"} {"jsonrpc": "2.0", "id": 2, "method": "ping"}',
        None,
    ),
    "a batch": (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', None),
    "null": (b"null", None),
    "nothing": (b"{}", None),
    "another protocol": (b'{"id": 1, "method": "ping"}', 1),
    "no method": (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', 1),
    "no parameters": (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}', 1),
    "a null id": (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', None),
    "half an id": (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', None),
    "an id that none can write": (b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', None),
}


@pytest.fixture
def line(vault: Vault) -> Iterator[socket.socket]:
    """Give a client's end of a connection that has been introduced."""
    ours, theirs = socket.socketpair()
    with desk_alone(vault.root) as desk:
        speaker = Speaker(lambda: desk, "daily")
        serving = threading.Thread(target=speaker.serve, args=(theirs, "c"))
        serving.start()
        ours.settimeout(60)
        ours.sendall(HELLO)
        yield ours
        ours.close()
        serving.join(60)
        speaker.stop()
        assert not serving.is_alive()


def test_every_line_that_wants_an_answer_gets_one(line: socket.socket) -> None:
    with line.makefile("rb") as heard:
        assert json.loads(heard.readline())["id"] == 0
        for what, (wrong, id_) in WRONG.items():
            line.sendall(wrong + b"\n")
            told = json.loads(heard.readline())
            assert (told["id"], "error" in told) == (id_, True), (what, told)
            line.sendall(b'{"jsonrpc": "2.0", "id": "next", "method": "ping"}\n')
            assert json.loads(heard.readline()) == {"jsonrpc": "2.0", "id": "next", "result": {}}, what


def test_a_notification_of_something_with_an_id_is_no_call(line: socket.socket) -> None:
    with line.makefile("rb") as heard:
        heard.readline()
        line.sendall(b'{"jsonrpc": "2.0", "method": "notifications/x", "params": {"id": 5}}\n')
        line.sendall(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        assert json.loads(heard.readline())["id"] == 1
