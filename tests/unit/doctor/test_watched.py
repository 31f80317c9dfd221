"""What is said of a daemon, from what it says of itself."""

import pytest

from tests.vaults import Vault
from vaultd import __version__
from vaultd.doctor.lines import Line
from vaultd.doctor.watched import daemon_lines
from vaultd.judging.opened import opened_vault
from vaultd.vault.locks import hold

READY = {
    "version": __version__,
    "state": "ready",
    "pid": 7,
    "notices": [],
    "watcher": {"kind": "InotifyObserver", "watches": 12, "limit": 1000, "overflows": 0},
}


def told(vault: Vault, status: dict | None, folders: int = 3) -> list[Line]:
    with opened_vault(vault.root) as opened:
        return list(daemon_lines(opened, status, folders))


def test_no_daemon_is_worth_knowing(vault: Vault):
    assert (told(vault, None)[0].level, told(vault, None)[0].fix) == ("info", "vaultd start")


def test_a_daemon_that_does_not_answer_is_warned_of(vault: Vault):
    with opened_vault(vault.root) as opened:
        lock = opened.places.lock
    assert lock is not None
    with hold(lock, 0.0):
        assert told(vault, None)[0].level == "warn"


def test_a_daemon_that_is_ready_is_fine(vault: Vault):
    assert [line.level for line in told(vault, READY)] == ["ok", "ok"]


def test_a_daemon_of_another_version_wants_a_restart(vault: Vault):
    assert told(vault, {**READY, "version": "0.0.1"})[0].fix == "vaultd restart"


@pytest.mark.parametrize(("state", "fix"), [("suspended", "vaultd resume"), ("degraded", "")])
def test_a_daemon_that_waits_says_why(vault: Vault, state: str, fix: str):
    line = told(vault, {**READY, "state": state, "notices": ["the disk is gone"]})[0]
    assert (line.level, line.says, line.fix) == ("warn", f"{state} (pid 7): the disk is gone", fix)


@pytest.mark.parametrize("how", [{"kind": "none", "lacking": True}, {"kind": "InotifyObserver", "lacking": True}])
def test_a_daemon_that_does_not_hear_everything_fails(vault: Vault, how: dict[str, object]):
    deaf = {**READY, "watcher": {"watches": 8, "limit": 1000, "overflows": 0, **how}}
    assert told(vault, deaf)[1].level == "fail"


def test_watches_that_are_nearly_used_up_are_warned_of(vault: Vault):
    assert told(vault, READY, folders=801)[1].level == "warn"
