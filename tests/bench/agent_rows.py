"""Rows about agents: a tool's round trip, claims under contention, what is safe on disk each second, a client's start."""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.ground import Ground, command
from tests.bench.measuring import Figure, in_turns, milliseconds, percentile, to_know
from vaultd.errors import ConflictError
from vaultd.state.activity import Happening
from vaultd.state.sessions import Beginning
from vaultd.state.sidecar import Sidecar, open_sidecar
from vaultd.state.tasks import Wish

_CALLS = 100
_CONTENDERS = 16
_TASKS = 100
_ROWS = 2_000
_HELLO = {
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}


class _Client:
    """A client that speaks lines to `vaultd mcp`."""

    def __init__(self, root: Path) -> None:
        words = command("--vault", str(root), "mcp")
        self._child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0

    def asks(self, message: dict[str, object]) -> dict[str, object]:
        """Send a request and return its answer."""
        self._number += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self._number, **message}).encode() + b"\n"
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(line)
        self._child.stdin.flush()
        answer: dict[str, object] = json.loads(self._child.stdout.readline())
        return answer

    def leaves(self) -> None:
        """Close and wait."""
        self._child.communicate()


def tool_call(ground: Ground) -> Iterator[Figure]:
    """Call a tool over standard input and output, beside a refusal over the daemon's socket."""
    with ground.daemon() as daemon:
        client = _Client(daemon.root)
        client.asks(_HELLO)
        call = {"method": "tools/call", "params": {"name": "tasks_ready", "arguments": {}}}
        spent = [_seconds(lambda: client.asks(call)) for _ in range(_CALLS)]
        floor = [_seconds(lambda: daemon.ask("nothing")) for _ in range(_CALLS)]
        client.leaves()
    half = percentile(spent, 0.5)
    beside = f"socket round trip: {milliseconds(percentile(floor, 0.5))}"
    yield Figure(
        "MCP tool call", f"p50 {milliseconds(half)}, p95 {milliseconds(percentile(spent, 0.95))}", beside, "", "", None
    )


def mcp_start(ground: Ground) -> Iterator[Figure]:
    """Start the stdio server and introduce a client, beside an interpreter that starts and ends."""
    with ground.daemon() as daemon:

        def ours() -> None:
            client = _Client(daemon.root)
            client.asks(_HELLO)
            client.leaves()

        ours()  # the daemon imports the SDK when the first client comes
        compared = in_turns(ours, lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
    yield to_know("MCP over stdio: start, hello, end", "python -c pass", compared)


def claims(ground: Ground) -> Iterator[Figure]:
    """Have contenders claim the same tasks, one after the other, beside SQLite changing a row as safely."""
    sidecar = open_sidecar(ground.folder / "claims")
    try:
        sessions = [sidecar.sessions.start(Beginning(name=f"agent{n}"))[0].id for n in range(_CONTENDERS)]
        tasks = [sidecar.tasks.add(Wish(f"task {n}")).id for n in range(_TASKS)]
        threads = [threading.Thread(target=_claim, args=(sidecar, session, tasks)) for session in sessions]
        spent = _seconds(lambda: _together(threads))
    finally:
        sidecar.close()
    floor = _bare_commits(ground.folder / "bare.db", 100)
    ours = f"{len(tasks) * _CONTENDERS / spent:,.0f} a second, {len(tasks) / spent:,.0f} won"
    yield Figure(
        f"claims, {_CONTENDERS} contenders", ours, f"bare commits, one at a time: {floor:,.0f} a second", "", "", None
    )


def durable_rows(ground: Ground) -> Iterator[Figure]:
    """Append to the log from many threads, each waiting until its row is on disk."""
    sidecar = open_sidecar(ground.folder / "rows")

    def append() -> None:
        for _ in range(_ROWS // _CONTENDERS):
            sidecar.activity.record(Happening("bench"))

    try:
        spent = _seconds(lambda: _together([threading.Thread(target=append) for _ in range(_CONTENDERS)]))
    finally:
        sidecar.close()
    floor = _bare_commits(ground.folder / "bare-rows.db", 100)
    beside = f"bare commits, one at a time: {floor:,.0f} a second"
    yield Figure("durable log rows", f"{_ROWS / spent:,.0f} a second", beside, "", "", None)


def _claim(sidecar: Sidecar, session: str, tasks: list[str]) -> None:
    for task in tasks:
        with contextlib.suppress(ConflictError):
            sidecar.tasks.claim(task, session)


def _together(threads: list[threading.Thread]) -> None:
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def _bare_commits(file: Path, number: int) -> float:
    sql = sqlite3.connect(os.fspath(file), isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        sql.execute(f"PRAGMA {pragma}")
    sql.execute("CREATE TABLE rows (text TEXT)")
    spent = _seconds(lambda: [sql.execute("INSERT INTO rows VALUES (?)", ("x" * 100,)) for _ in range(number)])
    sql.close()
    return number / spent


def _seconds(work: object) -> float:
    began = time.perf_counter()
    assert callable(work)
    work()
    return time.perf_counter() - began
