"""The daemon in the background, started, stopped and installed as a person does it."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemons import until
from tests.vaults import Ran, Vault, with_memories
from vaultd.cli import background
from vaultd.cli.background import wait_until_gone
from vaultd.cli.running import STOP_PATIENCE
from vaultd.daemon import agents
from vaultd.errors import ConflictError, StorageError
from vaultd.host import hosted
from vaultd.plugged import company
from vaultd.vault.locks import hold, holder
from vaultd.vault.places import claim_clone

SYSTEMCTL = """\
#!/bin/sh
# Stands in for systemd: writes down what it is told, and keeps the links as `enable` and `disable` do.
echo "$*" >> "$TOLD"
units="$HOME/.config/systemd/user"
for unit; do :; done
case "$*" in
  *" enable "*) mkdir -p "$units/default.target.wants"; ln -sf ../vaultd@.service "$units/default.target.wants/$unit" ;;
  *" disable "*) rm -f "$units/default.target.wants/$unit" ;;
esac
[ -z "$REFUSES" ] || { echo "Unit is masked." >&2; exit 1; }
"""


PATIENT = """
from vaultd.cli import background
from vaultd.daemon import wire
status_of = background.status_of
background.status_of = lambda where, _patience: status_of(where, 60.0)
background.READY_PATIENCE, wire.FIRST = 240.0, 60.0
from vaultd.cli.main import entry
entry()
"""
"""The command line on a machine that may be busy: how soon a daemon is ready, or says a word, is no part of what is told."""
VAULTD = [sys.executable, "-c", PATIENT]


def typed(vault: Vault, *words: str) -> Ran:
    """Run a command line as a process of its own, as `start` must."""
    done = subprocess.run(
        [*VAULTD, *words],
        cwd=vault.root,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def running(vault: Vault) -> Iterator[Vault]:
    with_memories(vault, "a")
    yield vault
    typed(vault, "stop")


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Give a systemd session, and the file of what systemd was told."""
    (Path(os.environ["XDG_RUNTIME_DIR"]) / "systemd").mkdir()
    stand_in = tmp_path / "bin" / "systemctl"
    stand_in.parent.mkdir()
    stand_in.write_text(SYSTEMCTL)
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stand_in.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("TOLD", str(tmp_path / "told"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path / "told"


def units() -> Path:
    return Path(os.environ["HOME"]) / ".config/systemd/user"


def log_of(vault: Vault) -> Path:
    return claim_clone(vault.root, vault.root / ".git").log


# start, restart -------------------------------------------------------------------------------------------------------


def test_start_gives_the_prompt_back_when_the_daemon_is_ready(running: Vault):
    ran = typed(running, "start", "--json")
    assert (ran.code, ran.json["state"]) == (0, "ready")
    assert typed(running, "status", "--json").json["pid"] == ran.json["pid"]


def test_start_again_finds_the_one_that_runs(running: Vault):
    first = typed(running, "start", "--json").json["pid"]
    again = typed(running, "start")
    assert (again.code, again.out.partition(":")[0]) == (0, "runs already")
    assert typed(running, "status", "--json").json["pid"] == first


def test_what_the_daemon_says_goes_to_the_log(running: Vault):
    typed(running, "start")
    typed(running, "stop")
    lines = log_of(running).read_text().splitlines()
    assert (lines[-2], lines[-1]) == ("ready: 1 notes, 0 problems", "stopped")


def test_a_daemon_that_the_system_ends_leaves_its_last_word_in_the_log(running: Vault):
    pid = int(str(typed(running, "start", "--json").json["pid"]))
    os.kill(pid, signal.SIGBUS)  # as when somebody cuts a file short that it has mapped
    until(lambda: "Fatal Python error: Bus error" in log_of(running).read_text())
    until(lambda: typed(running, "status", "--json").json["state"] == "off")
    assert typed(running, "start", "--json").json["pid"] != pid


def test_a_long_log_is_put_aside_before_the_next_start(running: Vault):
    log = log_of(running)
    log.write_bytes(b"x\n" * 600_000)
    typed(running, "start")
    assert log.stat().st_size < 10_000
    assert log.with_name("log.1").stat().st_size == 1_200_000


def test_restart_begins_another_daemon(running: Vault):
    first = typed(running, "start", "--json").json["pid"]
    second = typed(running, "restart", "--json").json["pid"]
    assert first != second
    assert typed(running, "status", "--json").json["pid"] == second


def test_a_start_that_fails_tells_the_last_words_of_the_daemon(vault: Vault):
    where = claim_clone(vault.root, vault.root / ".git")
    where.log.write_text("yesterday's words\n")
    assert where.lock is not None
    where.lock.mkdir(parents=True)  # so that nobody can hold it
    ran = typed(vault, "start")
    assert ran.code == 6
    assert re.search(r"the daemon ended: .*/lock cannot be", ran.err), ran.err
    assert "yesterday" not in ran.err


def test_of_several_starts_at_once_each_finds_the_daemon_that_one_of_them_began(running: Vault):
    start = [*VAULTD, "start", "--json"]
    starting = [subprocess.Popen(start, cwd=running.root, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    told = [json.loads(one.communicate(timeout=600)[0]) for one in starting]
    assert [one.returncode for one in starting] == [0, 0, 0], told
    assert len({one["pid"] for one in told}) == 1


def test_a_start_beside_one_that_holds_the_vault_and_does_not_answer_says_so(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(background, "READY_PATIENCE", 2.0)
    where = claim_clone(vault.root, vault.root / ".git")
    assert where.lock is not None
    with subprocess.Popen(["false"]) as beaten, hold(where.lock, 0.0):
        beaten.wait()
        with pytest.raises(ConflictError, match=r"watched already by process .* which does not answer"):
            background.wait_until_ready(where, beaten, 0)


def test_one_that_has_not_come_as_far_as_the_vault_is_still_starting(vault: Vault, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(background, "READY_PATIENCE", 0.2)
    where = claim_clone(vault.root, vault.root / ".git")
    with subprocess.Popen(["sleep", "600"]) as slow:
        try:
            assert background.wait_until_ready(where, slow, 0) is None
        finally:
            slow.kill()
    with pytest.raises(StorageError, match="the daemon did not start"):
        background.wait_until_ready(where, None, 0)


def test_a_folder_that_is_no_vault_is_refused(folder: Vault):
    assert typed(folder, "start").code == 2


def test_waiting_for_a_daemon_to_go_ends_with_its_lock(running: Vault):
    typed(running, "start")
    where = claim_clone(running.root, running.root / ".git")
    typed(running, "stop")
    wait_until_gone(where, 60.0)
    assert where.lock is not None
    assert holder(where.lock) is None


# service --------------------------------------------------------------------------------------------------------------


def test_show_prints_the_unit_and_writes_nothing(vault: Vault):
    ran = vault.does("service", "show")
    assert ran.out.startswith("[Unit]\n")
    assert "not installed" in ran.err
    assert not units().exists()


def test_without_a_session_install_is_refused_and_names_what_works(vault: Vault):
    ran = vault.run("service", "install")
    assert (ran.code, units().exists()) == (2, False)
    assert "vaultd up" in ran.err


def test_install_writes_the_unit_and_enables_this_vault(vault: Vault, session: Path):
    name = vault.does("service", "install", "--json").json["name"]
    assert (units() / "vaultd@.service").read_text() == vault.does("service", "show").out
    assert session.read_text().splitlines() == ["--user daemon-reload", f"--user --no-block enable --now {name}"]


def test_install_again_changes_nothing(vault: Vault, session: Path):
    vault.does("service", "install")
    told = session.read_text()
    assert "is installed" in vault.does("service", "install").out
    assert session.read_text() == told


def test_uninstall_takes_the_unit_away(vault: Vault, session: Path):
    name = vault.does("service", "install", "--json").json["name"]
    assert vault.does("service", "uninstall").out == f"uninstalled: {name}\n"
    assert list(units().rglob("*.service")) == []
    assert session.read_text().splitlines()[-1] == f"--user --no-block disable --now {name}"


def test_uninstall_leaves_the_template_to_other_vaults(vault: Vault, session: Path):
    vault.does("service", "install")
    (units() / "default.target.wants/vaultd@other.service").symlink_to("../vaultd@.service")
    vault.does("service", "uninstall")
    assert (units() / "vaultd@.service").is_file()


def test_uninstall_of_what_is_not_installed_is_no_error(vault: Vault, session: Path):
    assert vault.does("service", "uninstall").out == "nothing installed\n"
    assert not session.exists()


def test_a_refusal_of_the_system_is_told_in_its_own_words(vault: Vault, session: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("REFUSES", "yes")
    ran = vault.run("service", "install")
    assert (ran.code, "Unit is masked." in ran.err) == (6, True)


# completion -----------------------------------------------------------------------------------------------------------


def test_completion_prints_the_script(vault: Vault):
    assert "complete -o filenames -F _vaultd vaultd" in vault.does("completion", "bash").out


def test_a_stop_waits_for_longer_than_a_daemon_that_is_busy_needs_to_end():
    assert agents.ENDING + company.ENDING + hosted.UNLOAD < STOP_PATIENCE
