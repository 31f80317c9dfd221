"""Asking a daemon: whoever is slow is waited for, whoever is silent is not."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemons import until
from vaultd.daemon import listening, wire
from vaultd.daemon.listening import Listener
from vaultd.daemon.sockets import ACKNOWLEDGED, ask, listen
from vaultd.documents import Document

SHORT = 0.3
STALLED = 4.0
LONG = 60.0
"""Seconds that nobody waits for unless something is wrong."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(wire, "FIRST", LONG)
    monkeypatch.setattr(wire, "STALLED", STALLED)
    monkeypatch.setattr(listening, "_BEAT", STALLED / 80)
    with contextlib.chdir(tmp_path):
        yield Path("socket")


def test_a_slow_answer_is_waited_for(place: Path):
    going = threading.Event()

    def slowly(verb: str, _arguments: object) -> Document:
        going.wait(STALLED + SHORT)
        return {"verb": verb}

    listener = Listener(place, slowly)
    listener.start()
    try:
        assert ask(place, "check", {}) == {"verb": "check"}
    finally:
        listener.stop()


def test_whoever_waits_is_told_so_while_others_call_too(place: Path):
    going = threading.Event()

    def slowly(verb: str, _arguments: object) -> Document:
        if verb == "slow":
            going.wait(STALLED + SHORT)
        return {"verb": verb}

    listener = Listener(place, slowly)
    listener.start()
    try:
        answers: list[object] = []
        asking = threading.Thread(target=lambda: answers.append(ask(place, "slow", {})))
        asking.start()
        while asking.is_alive():
            assert ask(place, "quick", {}) == {"verb": "quick"}
            time.sleep(0.01)
        assert answers == [{"verb": "slow"}]
    finally:
        listener.stop()


def test_a_daemon_that_stops_in_the_middle_of_its_work_is_not_waited_for(place: Path):
    with listen(place) as line:

        def acknowledge() -> None:
            caller, _ = line.accept()
            caller.sendall(ACKNOWLEDGED)
            left.wait(LONG)
            caller.close()

        left = threading.Event()
        stopped = threading.Thread(target=acknowledge)
        stopped.start()
        began = time.monotonic()
        try:
            with pytest.raises(TimeoutError):
                ask(place, "check", {})
            assert STALLED <= time.monotonic() - began < LONG
        finally:
            left.set()
            stopped.join()


def test_a_thread_that_has_answered_answers_the_next_and_ends_with_the_listener(place: Path):
    by: list[threading.Thread] = []
    together = threading.Barrier(4, timeout=LONG)

    def answer(verb: str, _arguments: object) -> Document:
        by.append(threading.current_thread())
        if verb == "together":
            together.wait()
        return {"verb": verb}

    listener = Listener(place, answer)
    listener.start()
    try:
        for _ in range(9):
            ask(place, "alone", {})
            until(lambda: listener._idle)
        assert len(set(by)) == 1
        callers = [threading.Thread(target=ask, args=(place, "together", {})) for _ in range(4)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join(LONG)
        assert len(set(by[9:])) == 4
    finally:
        listener.stop()
    for thread in set(by):
        thread.join(LONG)
        assert not thread.is_alive()


def test_an_answer_is_waited_for_no_longer_than_is_asked(place: Path):
    going = threading.Event()
    listener = Listener(place, lambda _verb, _arguments: {"late": going.wait(LONG)})
    listener.start()
    try:
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            ask(place, "check", {}, SHORT)
        assert time.monotonic() - began < LONG
    finally:
        going.set()
        listener.stop()


@pytest.mark.parametrize("request_", [b"\n", b"\xff\n", b'{"a":' * 50_000 + b"\n", b"[" * 90_000 + b"\n", b"null\n"])
def test_what_is_no_request_is_refused_and_no_bug(place: Path, request_: bytes, caplog: pytest.LogCaptureFixture):
    listener = Listener(place, lambda _verb, _arguments: {})
    listener.start()
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(LONG)
            line.connect(str(place))
            line.sendall(request_)
            assert json.loads(line.makefile("rb").readline())["error"] == "UsageError"
        assert caplog.records == []
    finally:
        listener.stop()


def test_whoever_listens_and_is_silent_is_not_taken_for_nobody(place: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(wire, "FIRST", SHORT)
    with listen(place):
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            ask(place, "check", {})
        assert SHORT <= time.monotonic() - began < LONG
    assert ask(place, "check", {}) is None
