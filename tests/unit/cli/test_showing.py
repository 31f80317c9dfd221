"""The demos: what they leave, and that what they show really happened."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.vaults import Vault
from vaultd.cli.showing import sample_vault
from vaultd.cli.steps import Typed
from vaultd.cli.tours import TOURS

DEMO = [sys.executable, "-m", "vaultd", "demo"]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """Run the tour once and return its document."""
    place = tmp_path_factory.mktemp("demo")
    outside = {"HOME": os.fspath(place), "TMPDIR": os.fspath(place), "GIT_CONFIG_NOSYSTEM": "1"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "XDG_", "VAULTD_"))}
    done = subprocess.run(
        [*DEMO, "--json"], env={**kept, **outside}, cwd="/", capture_output=True, text=True, check=True, timeout=120
    )
    return json.loads(done.stdout)


@pytest.fixture
def left(shown: dict) -> Vault:
    return Vault(Path(shown["vault"]))


def test_the_document_has_the_keys_that_scripts_rely_on(shown: dict):
    assert (shown["vaultd"], shown["demo"]) == (1, "tour")
    assert {tuple(step) for step in shown["steps"]} == {("did", "current", "path", "commit")}


def test_every_commit_it_tells_of_is_in_the_vault(shown: dict, left: Vault):
    told = [step["commit"] for step in shown["steps"] if step["commit"]]
    assert [left.git("rev-parse", commit) for commit in told] == told
    assert len(told) == 2


def test_what_is_believed_changes_when_it_is_replaced_and_not_when_a_rule_is_broken(shown: dict):
    believed = [step["current"] for step in shown["steps"] if "photo-archive" in step["path"]]
    assert believed[0].startswith("Pictures live on a mirror")
    assert set(believed[1:]) == {"As before, but the nightly copy runs at 03:30"}


def test_what_ended_by_hand_is_believed_no_more(shown: dict):
    assert shown["steps"][-1]["current"] is None


def test_the_vault_that_is_left_breaks_no_rule_and_has_no_daemon(left: Vault):
    assert left.errors() == []
    assert left.does("status", "--json").json["state"] == "off"
    assert left.status == []


def test_a_demo_that_is_not_there_is_refused_with_those_that_are(vault: Vault):
    ran = vault.run("demo", "nothing")
    assert ran.code == 2
    assert all(name in ran.err for name in TOURS)


def test_without_json_the_daemon_stays_until_it_is_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TMPDIR", os.fspath(tmp_path))
    with subprocess.Popen(DEMO, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as demo:
        assert demo.stdout is not None
        said = []
        for line in demo.stdout:
            said.append(line)
            if line.startswith("ready:"):
                demo.send_signal(signal.SIGINT)
    assert demo.returncode == 0
    typed = [line for line in said if line.startswith("$ vaultd ")]
    assert len(typed) == sum(isinstance(step, Typed) for step in TOURS["tour"])
    (vault,) = re.findall(r"^The vault stays at (.*)$", "".join(said), flags=re.MULTILINE)
    assert Path(vault).parent == tmp_path.resolve()


def test_an_interrupted_tour_ends_as_any_command_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TMPDIR", os.fspath(tmp_path))
    with subprocess.Popen(DEMO, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        assert any(line.startswith("$ vaultd ") for line in demo.stdout)
        asked = interrupted(demo)
        said = demo.communicate()[1]
    # Python drops an interrupt that strikes in a finalizer and says so; a person presses the keys again.
    assert demo.returncode == 130 if asked == 1 else demo.returncode in (0, 130)
    assert asked > 1 or said == ""


def interrupted(demo: subprocess.Popen[str]) -> int:
    """Press Ctrl-C until the demo ends, again where it goes on with its steps, and return how often that was."""
    assert demo.stdout is not None
    for asked in range(1, 10):
        demo.send_signal(signal.SIGINT)
        steps = 0
        for line in demo.stdout:
            steps += line.startswith("$ vaultd ")
            if steps == 3 or line.startswith("ready:"):
                break
        else:
            demo.wait()
            return asked
    demo.kill()
    raise AssertionError("the demo did not end")


def test_the_sample_vault_is_the_one_of_this_checkout():
    assert (sample_vault() / "START HERE.md").is_file()
