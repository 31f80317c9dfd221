"""The loop beside others who are at the same vault at that moment."""

import fcntl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemons import daemon_on, until
from tests.vaults import Vault, with_memories
from vaultd.daemon import loop
from vaultd.daemon.loop import Daemon
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


@pytest.fixture
def committed(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    """A daemon that judged a hand edit, and does not look of itself whether another tool has committed it."""
    monkeypatch.setattr(Daemon, "_head_moved", lambda _daemon: False)
    with_memories(vault, "old")
    with daemon_on(vault) as daemon:
        vault.stamp("old", by="nobody")
        until(lambda: daemon.life.overview and daemon.life.overview.rejected)
        vault.commit("another tool")
        yield daemon


def checked(daemon: Daemon) -> set[str]:
    found = daemon.answer("check", {})["violations"]
    assert isinstance(found, list)
    return {row["code"] for row in found}


def test_a_check_right_after_a_commit_is_about_that_commit(committed: Daemon):
    assert checked(committed) == {"V103", "V109"}


def test_a_check_while_git_is_at_work_is_about_what_was_before(committed: Daemon, vault: Vault):
    lock = vault.write(".git/index.lock", "")
    assert checked(committed) == {"V103"}
    lock.unlink()
