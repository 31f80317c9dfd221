"""The loop beside others who are at the same vault at that moment."""

import fcntl
import threading
from pathlib import Path

import pytest

from tests.daemons import daemon_on, until
from tests.vaults import Vault, with_memories
from vaultd.daemon import loop
from vaultd.vault.locks import holder


def test_who_just_asks_whether_one_runs_keeps_none_from_starting(vault: Vault, monkeypatch: pytest.MonkeyPatch):
    def asked_twice(lock: Path):
        found = holder(lock)
        lock.touch()
        other = lock.open()
        fcntl.flock(other, fcntl.LOCK_SH)
        threading.Timer(0.1, other.close).start()
        return found

    monkeypatch.setattr(loop, "holder", asked_twice)
    with daemon_on(vault) as daemon:
        assert daemon.life.state == "ready"


def test_a_check_right_after_a_commit_is_about_that_commit(vault: Vault, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(loop, "_TICK", 600.0)  # nothing else makes it look at HEAD
    with_memories(vault, "old")
    with daemon_on(vault) as daemon:
        vault.stamp("old", by="nobody")
        until(lambda: daemon.life.overview and daemon.life.overview.rejected)
        vault.commit("another tool")
        found = daemon.answer("check", {})["violations"]
    assert {row["code"] for row in found} == {"V103", "V109"}
