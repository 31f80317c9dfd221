"""What the tests of the directory share: an empty vault, a way to step in between two steps, a process that may die."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from vaultd.vault import crashing

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    vault = tmp_path / "vault"
    vault.mkdir()
    return vault


@pytest.fixture
def when(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[], object]], None]:
    """Do something, once, at a named point of a write: what another program may do at that very moment."""

    def arrange(name: str, action: Callable[[], object]) -> None:
        waiting = [action]
        monkeypatch.setattr(crashing, "point", lambda now: waiting.pop()() if now == name and waiting else None)

    return arrange


def _python(code: str, *arguments: str, step: int = 0, at: str = "") -> int:
    environment = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY),
        "VAULTD_CRASH_AT_STEP": str(step),
        "VAULTD_CRASH_AT": at,
    }
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments], env=environment, check=False, capture_output=True
    )
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr.decode()
    return done.returncode


def _every_crash(code: str, fresh: Callable[[], Sequence[str]]) -> Iterator[Sequence[str]]:
    step = 1
    while True:
        arguments = fresh()
        if _python(code, *arguments, step=step) == 0:
            assert step > 1, "the code passes no point"
            return
        yield arguments
        step += 1


@pytest.fixture
def permissions(tmp_path: Path) -> None:
    """Skip where permissions do not bind the user that runs the tests, as they do not bind root."""
    (tmp_path / "closed").touch(mode=0o000)
    if os.access(tmp_path / "closed", os.R_OK):
        pytest.skip("permissions do not bind root")
    (tmp_path / "closed").unlink()


@pytest.fixture
def python() -> Callable[..., int]:
    """Run code in a process of its own, killed at a numbered or named point, and return its exit code."""
    return _python


@pytest.fixture
def every_crash() -> Callable[[str, Callable[[], Sequence[str]]], Iterator[Sequence[str]]]:
    """Yield, for each point in turn, the arguments of a process that was killed there, until none is left to kill."""
    return _every_crash


@pytest.fixture
def beside_home() -> Iterator[Path]:
    """A folder outside the system's temporary one, where vim makes backups and so saves as it does at home."""
    folder = REPOSITORY / ".pytest_cache" / f"saves-{os.getpid()}"
    folder.mkdir(parents=True)
    yield folder
    shutil.rmtree(folder)
