"""The proxy: lines both ways, an error for what is owed when the other end goes away, and on with the next."""

import io
import json
import queue
import socket
import threading
from collections.abc import Iterator

import pytest

from vaultd.mcp_server.messages import LONGEST
from vaultd.mcp_server.pumping import Pump


class Server:
    """The other end, played by the test: each connection is a pair of files."""

    def __init__(self) -> None:
        self.came: queue.Queue[socket.socket] = queue.Queue()

    def connect(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        self.came.put(theirs)
        return ours


class Client:
    """What the pump writes, line by line, and what it reads."""

    def __init__(self, server: Server) -> None:
        self._typed: queue.Queue[bytes | None] = queue.Queue()
        self._heard: queue.Queue[dict] = queue.Queue()
        pump = Pump(server.connect, _Out(self._heard))  # type: ignore[arg-type]
        self.thread = threading.Thread(target=pump.run, args=(iter(self._typed.get, None),), daemon=True)
        self.thread.start()

    def says(self, **message: object) -> None:
        self._typed.put(json.dumps(message).encode() + b"\n")

    def hears(self) -> dict:
        return self._heard.get(timeout=60)

    def types(self, line: bytes) -> None:
        self._typed.put(line)

    def stops(self) -> None:
        self._typed.put(None)

    def leaves(self) -> None:
        self.stops()
        self.thread.join(60)
        assert not self.thread.is_alive()
        assert self._heard.empty()


class _Out(io.RawIOBase):
    def __init__(self, heard: "queue.Queue[dict]") -> None:
        super().__init__()
        self._lines = heard

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._lines.put(json.loads(data))
        return len(data)


def lines(line: socket.socket) -> Iterator[dict]:
    with line.makefile("rb") as reading:
        yield from (json.loads(one) for one in reading)


def answer(line: socket.socket, id_: int) -> None:
    line.sendall(json.dumps({"jsonrpc": "2.0", "id": id_, "result": {}}).encode() + b"\n")


def test_lines_go_both_ways() -> None:
    server = Server()
    client = Client(server)
    client.says(id=1, method="tools/list")
    there = server.came.get(timeout=60)
    assert next(lines(there)) == {"id": 1, "method": "tools/list"}
    answer(there, 1)
    assert client.hears()["id"] == 1
    there.close()
    client.leaves()


def test_a_call_under_way_when_the_other_end_goes_is_answered_with_an_error() -> None:
    server = Server()
    client = Client(server)
    client.says(id=7, method="tools/call")
    there = server.came.get(timeout=60)
    next(lines(there))
    there.close()
    told = client.hears()
    assert told["id"] == 7
    assert "look whether it was carried out" in told["error"]["message"]
    client.leaves()


def test_the_next_call_reaches_whoever_serves_by_then_and_the_introduction_is_not_answered_twice() -> None:
    server = Server()
    client = Client(server)
    client.says(id=0, method="initialize")
    first = server.came.get(timeout=60)
    hello = lines(first)
    next(hello)
    answer(first, 0)
    client.hears()
    client.says(method="notifications/initialized")
    next(hello)
    hello.close()
    first.close()
    client.says(id=1, method="tools/list")
    second = server.came.get(timeout=60)
    said = lines(second)
    assert [next(said).get("method") for _ in range(3)] == ["initialize", "notifications/initialized", "tools/list"]
    answer(second, 0)
    answer(second, 1)
    assert client.hears()["id"] == 1
    said.close()
    second.close()
    client.leaves()


def test_an_introduction_that_was_refused_is_not_said_again() -> None:
    """A client that speaks a newer protocol tries an older one where the first answer is long in coming."""
    server = Server()
    client = Client(server)
    client.says(id=0, method="initialize")
    first = server.came.get(timeout=60)
    said = lines(first)
    next(said)
    first.sendall(b'{"jsonrpc": "2.0", "id": 0, "error": {"code": -32022, "message": "too old"}}\n')
    assert "error" in client.hears()
    client.says(method="notifications/initialized")
    next(said)
    said.close()
    first.close()
    client.says(id=1, method="tools/list")
    second = server.came.get(timeout=60)
    said = lines(second)
    assert next(said)["method"] == "tools/list"
    answer(second, 1)
    assert client.hears()["id"] == 1
    said.close()
    second.close()
    client.leaves()


class Dying(socket.socket):
    """A line whose other end goes away while something is sent; whoever reads from it has noticed by then."""

    noticed = threading.Event()

    def sendall(self, *_data: object) -> None:  # type: ignore[override]
        self.shutdown(socket.SHUT_RDWR)
        assert self.noticed.wait(60)
        raise BrokenPipeError

    def close(self) -> None:
        super().close()
        self.noticed.set()


class Fragile(Server):
    """A server whose first connection dies."""

    def connect(self) -> socket.socket:
        ours = super().connect()
        return Dying(fileno=ours.detach()) if not Dying.noticed.is_set() else ours


def test_a_call_that_nobody_heard_is_said_again_and_is_no_error() -> None:
    server = Fragile()
    client = Client(server)
    client.says(id=1, method="tools/list")
    first, second = server.came.get(timeout=60), server.came.get(timeout=60)
    said = lines(second)
    assert next(said)["id"] == 1
    answer(second, 1)
    assert "result" in client.hears()
    said.close()
    for one in (first, second):
        one.close()
    client.leaves()


def test_half_an_answer_is_none() -> None:
    server = Server()
    client = Client(server)
    client.says(id=3, method="tools/call")
    there = server.came.get(timeout=60)
    next(lines(there))
    there.sendall(b'{"jsonrpc": "2.0", "id": 3, "resu')
    there.close()
    assert "error" in client.hears()
    client.leaves()


def test_a_client_that_says_no_more_still_hears_its_answer() -> None:
    server = Server()
    client = Client(server)
    client.says(id=1, method="tools/call")
    client.stops()
    there = server.came.get(timeout=60)
    reading = lines(there)
    next(reading)
    answer(there, 1)
    assert next(reading, None) is None
    there.close()
    assert client.hears()["id"] == 1
    client.thread.join(60)


@pytest.mark.parametrize(
    ("line", "id_", "says"),
    [
        (b"{\n", None, "no JSON"),
        (b"[" * 100_000 + b"]" * 100_000 + b"\n", None, "no JSON"),
        (b'{"id": 5, "method": "tools/call", "params": "' + b"x" * LONGEST + b'"}\n', 5, "at most"),
    ],
    ids=["garbage", "deep", "long"],
)
def test_what_would_cost_the_connection_is_answered_and_goes_no_further(
    line: bytes, id_: int | None, says: str
) -> None:
    server = Server()
    client = Client(server)
    client.types(line)
    told = client.hears()
    assert told["id"] == id_
    assert says in told["error"]["message"]
    client.says(id=1, method="ping")
    there = server.came.get(timeout=60)
    assert next(lines(there))["id"] == 1
    there.close()
    assert client.hears()["id"] == 1
    client.leaves()


def test_a_cancelled_call_is_not_waited_for() -> None:
    server = Server()
    client = Client(server)
    client.says(id=1, method="tools/call")
    client.says(method="notifications/cancelled", params={"requestId": 1})
    there = server.came.get(timeout=60)
    reading = lines(there)
    assert [next(reading)["method"] for _ in range(2)] == ["tools/call", "notifications/cancelled"]
    client.stops()
    assert next(reading, None) is None  # it said goodbye at once
    there.close()
    client.leaves()
