"""The loop beside others who are at the same vault at that moment."""

import fcntl
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemons import daemon_on, until
from tests.vaults import Vault, with_memories
from vaultd.app import Overview
from vaultd.daemon import loop
from vaultd.daemon.loop import Daemon
from vaultd.plugged.company import Company
from vaultd.vault.locks import holder
from vaultd.vault.settling import Doubts


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


@pytest.fixture
def suspended(vault: Vault, judged: list[Overview]) -> Iterator[Daemon]:
    """A daemon under which thirty notes went at once."""
    vault.write(".vaultd/config.toml", "[commit]\nquiet = 0.1\n")
    with_memories(vault, *(f"m{number}" for number in range(30)))
    with daemon_on(vault) as daemon:
        lock = vault.write(".git/index.lock", "")  # for as long as it takes to delete them
        for number in range(30):
            vault.file(f"m{number}").unlink()
        lock.unlink()
        until(lambda: daemon.life.state == "suspended")
        judged.clear()
        yield daemon


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Overview]:
    """What was judged."""
    found: list[Overview] = []
    monkeypatch.setattr(Company, "judged", lambda _company, seen: found.append(seen))
    return found


def test_what_is_heard_of_few_among_many_that_are_gone_is_not_believed(
    suspended: Daemon, vault: Vault, judged: list[Overview]
):
    """The last of many deletions may be heard after the first were found to be too many."""
    path = "memory/_global/m0.md"
    vault.git("restore", path)
    suspended.answer("refresh", {"paths": [path]})
    vault.file("m0").unlink()
    suspended.answer("refresh", {"paths": [path]})
    grace = time.monotonic() + 2 * Doubts().grace
    until(lambda: time.monotonic() > grace)
    assert (suspended.life.state, judged, vault.log[0]) == ("suspended", [], "memories")


def test_what_is_all_back_is_judged(suspended: Daemon, vault: Vault, judged: list[Overview]):
    vault.git("restore", ".")
    until(lambda: suspended.life.state == "ready")
    assert [seen.memories["active"] for seen in judged] == [30] * len(judged)
    assert vault.log[0] == "memories"
