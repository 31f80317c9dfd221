"""What `pip install .` gives: a vaultd that needs nothing of the checkout, and has its sample vault with it."""

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.daemons import until

ROOT = Path(__file__).parents[2]
PIP = [sys.executable, "-m", "pip", "--quiet", "--no-cache-dir", "--disable-pip-version-check"]


def run(*words: str | Path, cwd: Path) -> str:
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, with nothing from a network."""
    place = tmp_path_factory.mktemp("wheel")
    run(*PIP, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", place, ROOT, cwd=place)
    (built,) = place.glob("vaultd-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel where nothing of the checkout can be imported, and return its vaultd."""
    place = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", place, cwd=place)
    (packages,) = place.glob("lib/python3*/site-packages")
    # What vaultd depends on is borrowed; a .pth inside a borrowed folder, that of the checkout, is not read.
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    run(*PIP, "--python", place / "bin/python", "install", "--no-deps", "--no-index", wheel, cwd=place)
    return place / "bin/vaultd"


def test_the_wheel_holds_every_file_of_the_sample_vault(wheel: Path):
    here = {path.relative_to(ROOT / "sample-vault").as_posix() for path in (ROOT / "sample-vault").rglob("*")}
    with zipfile.ZipFile(wheel) as packed:
        there = {name.removeprefix("vaultd/_sample_vault/") for name in packed.namelist() if "_sample_vault/" in name}
    assert there == {path for path in here if (ROOT / "sample-vault" / path).is_file()}


def test_an_installed_vaultd_is_not_the_checkout(installed: Path):
    where = run(installed.with_name("python"), "-c", "import vaultd; print(vaultd.__file__)", cwd=Path("/"))
    assert Path(where.strip()).is_relative_to(installed.parents[1])


def test_an_installed_vaultd_shows_its_demo(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TMPDIR", os.fspath(tmp_path))
    shown = json.loads(run(installed, "demo", "--json", cwd=Path("/")))
    assert run(installed, "check", "--severity", "warning", cwd=Path(shown["vault"])) == ""


def test_an_installed_vaultd_runs_in_the_background(installed: Path, tmp_path: Path):
    run("git", "init", "-q", cwd=tmp_path)
    run(installed, "init", "--yes", cwd=tmp_path)
    run(installed, "start", cwd=tmp_path)
    try:
        until(lambda: json.loads(run(installed, "status", "--json", cwd=tmp_path))["state"] == "ready")
    finally:
        run(installed, "stop", cwd=tmp_path)
    assert json.loads(run(installed, "status", "--json", cwd=tmp_path))["state"] == "off"


def test_an_installed_vaultd_brings_its_plugins(installed: Path, tmp_path: Path):
    run("git", "init", "-q", cwd=tmp_path)
    run(installed, "init", "--yes", cwd=tmp_path)
    (tmp_path / "Frost.md").write_text("Until May.\n")
    run(installed, "plugin", "enable", "link-health", cwd=tmp_path)
    assert run(installed, "link-health:orphans", cwd=tmp_path) == "Frost.md\n"
