"""What the systems that start daemons are told: texts that they themselves accept."""

import plistlib
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from vaultd.cli.services import escaped_path, launch_agent, launchd, systemd, systemd_unit, windows, windows_task

PYTHON = Path("/opt/py thon%n/bin/python")
ODD = Path("/srv/notes/Café & <co> 50%")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path):
    python = tmp_path / "py thon%n"
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    unit = tmp_path / f"vaultd@{escaped_path(ODD)}.service"
    unit.write_text(systemd_unit(python, {"PATH": "/usr/bin:/b in", "XDG_STATE_HOME": '/100%/"x"'}))
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", unit], capture_output=True, text=True, check=False, timeout=60
    )
    assert [line for line in done.stderr.splitlines() if "vaultd" in line or "py thon" in line] == []
    assert done.returncode == 0


@pytest.mark.skipif(shutil.which("systemd-escape") is None, reason="systemd-escape is not here")
@pytest.mark.parametrize("path", ["/srv/notes", "/.hidden/a-b_c", "/srv/A b/ü%x\\:1", "/", "/x.y/.z"])
def test_a_folder_is_escaped_as_systemd_does(path: str):
    done = subprocess.run(["systemd-escape", "--path", path], capture_output=True, text=True, check=True)
    assert escaped_path(Path(path)) == done.stdout.strip()


def test_the_unit_waits_for_ready_and_starts_again_only_what_failed():
    lines = systemd_unit(PYTHON, {}).splitlines()
    assert {"Type=notify", "Restart=on-failure", "WatchdogSec=60", "ConditionPathExists=%f/.vaultd"} <= set(lines)
    assert 'ExecStart="/opt/py thon%%n/bin/python" -P -m vaultd up %f' in lines


def test_every_vault_is_an_instance_of_one_template():
    one, other = (systemd(Path(path), PYTHON, {}, Path("/u")) for path in ("/a/b", "/a/c"))
    assert (one.file, one.text) == (other.file, other.text)
    assert (one.name, other.name) == ("vaultd@a-b.service", "vaultd@a-c.service")


def test_the_launch_agent_is_a_property_list_that_names_the_vault():
    said = plistlib.loads(launch_agent("dev.vaultd.x", ODD, PYTHON, {"PATH": "/bin"}, Path("/logs")).encode())
    assert said["ProgramArguments"] == [str(PYTHON), "-P", "-m", "vaultd", "up", str(ODD)]
    assert said["KeepAlive"] == {"SuccessfulExit": False}
    assert said["EnvironmentVariables"] == {"PATH": "/bin"}


def test_two_vaults_have_two_launch_agents():
    files = {launchd(Path(path), PYTHON, {}, Path("/h"), 501).file for path in ("/a/b", "/a/c")}
    assert len(files) == 2


def test_a_launch_agent_is_taken_out_under_the_name_it_was_put_in():
    agent = launchd(ODD, PYTHON, {}, Path("/h"), 501)
    assert agent.install == (("launchctl", "bootstrap", "gui/501", str(agent.file)),)
    assert agent.uninstall == (("launchctl", "bootout", f"gui/501/{agent.name}"),)


def test_the_windows_task_begins_at_logon_and_has_no_time_limit():
    namespace = {"t": "http://schemas.microsoft.com/windows/2004/02/mit/task"}
    task = ET.fromstring(windows_task(Path("C:\\Notes & co"), Path("C:\\py\\python.exe")))
    assert task.find("t:Triggers/t:LogonTrigger", namespace) is not None
    assert task.findtext("t:Settings/t:ExecutionTimeLimit", namespaces=namespace) == "PT0S"
    assert task.findtext("t:Actions/t:Exec/t:Arguments", namespaces=namespace) == '-P -m vaultd up "C:\\Notes & co"'


def test_a_windows_task_is_made_from_its_file_and_run():
    task = windows(Path("C:\\Notes"), Path("python.exe"), Path("/state"))
    assert task.install[0][-2:] == ("/XML", str(task.file))
    assert task.install[1] == ("schtasks", "/Run", "/TN", task.name)
