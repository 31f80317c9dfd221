"""Asking a daemon: whoever is slow is waited for, whoever is silent is not."""

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from vaultd.checks import Document
from vaultd.daemon import wire
from vaultd.daemon.listening import Listener
from vaultd.daemon.sockets import ask, listen

PATIENCE = 0.2


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(wire, "FIRST", PATIENCE)
    with contextlib.chdir(tmp_path):
        yield Path("socket")


def test_a_slow_answer_is_waited_for(place: Path):
    going = threading.Event()

    def slowly(verb: str, _arguments: object) -> Document:
        going.wait(3 * PATIENCE)
        return {"verb": verb}

    listener = Listener(place, slowly)
    listener.start()
    try:
        assert ask(place, "check", {}) == {"verb": "check"}
    finally:
        listener.stop()


def test_whoever_listens_and_is_silent_is_not_taken_for_nobody(place: Path):
    with listen(place):
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            ask(place, "check", {})
        assert PATIENCE <= time.monotonic() - began < 10 * PATIENCE
    assert ask(place, "check", {}) is None
