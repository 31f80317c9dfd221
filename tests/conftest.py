"""What every test stands on: no home, no machine's git settings, state of its own, one time zone."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.git_fixtures import TEMPLATE
from tests.vaults import Vault, new_vault

# How long an example takes says how busy the machine is.
settings.register_profile("desk", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# What a change is judged by must not hang on luck; at a desk, and in `make soak`, every run looks somewhere else.
settings.register_profile("ci", settings.get_profile("desk"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")

GITCONFIG = f"""\
[user]
\tname = Ada
\temail = ada@example.org
[init]
\tdefaultBranch = main
\ttemplateDir = {TEMPLATE}
[advice]
\tdetachedHead = false
"""


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the machine, its user and the git that runs the tests out of every test."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "VAULTD_"))]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # or each of hundreds of processes compiles it all
    outside = tmp_path_factory.mktemp("outside")
    for variable, folder in (("HOME", "home"), ("XDG_STATE_HOME", "state"), ("XDG_RUNTIME_DIR", "run")):
        (outside / folder).mkdir(mode=0o700)
        monkeypatch.setenv(variable, os.fspath(outside / folder))
    (outside / "gitconfig").write_text(GITCONFIG)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.fspath(outside / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setattr("vaultd.daemon.wire.FIRST", 60.0)  # how soon a daemon says a word says how busy the machine is
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
    shutil.rmtree(outside, ignore_errors=True)  # thousands of indexes that nobody looks at again


@pytest.fixture
def folder(tmp_path: Path) -> Vault:
    """A git repository with a first commit that is no vault yet."""
    return new_vault(tmp_path / "vault", started=False)


@pytest.fixture(scope="session")
def _fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the vault that every test gets a copy of is made by the first one."""
    return tmp_path_factory.mktemp("fresh") / "vault"


@pytest.fixture
def vault(tmp_path: Path, _fresh: Path) -> Vault:
    """A vault without memories: a repository, and `init`."""
    if not _fresh.is_dir():
        new_vault(_fresh)
        shutil.rmtree(_fresh / ".git/vaultd")  # a clone gets its own when it is first written to
    shutil.copytree(_fresh, tmp_path / "vault", symlinks=True)
    return Vault(tmp_path / "vault")
