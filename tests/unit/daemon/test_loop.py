"""The loop beside others who are at the same vault at that moment."""

import fcntl
import threading
from pathlib import Path

import pytest

from tests.daemons import daemon_on
from tests.vaults import Vault
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
