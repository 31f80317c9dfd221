"""Small real repositories for tests."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from vaultd.history.repository import Repository, open_repository

TEMPLATE = Path(__file__).with_name("template")
"""What repositories are made from: git's own folders, without its samples, of which thousands were copied and removed."""


@dataclass(frozen=True)
class Scratch:
    """A repository that a test may do anything to; `root` is the vault, `top` the work tree."""

    top: Path
    root: Path

    def git(self, *args: str, ok: tuple[int, ...] = (0,), stdin: bytes = b"", **env: str) -> str:
        """Run git as a user would at the top of the work tree; the trimmed output comes back."""
        done = subprocess.run(
            ["git", *args], cwd=self.top, input=stdin, capture_output=True, check=False, env={**os.environ, **env}
        )
        assert done.returncode in ok, (args, done.returncode, done.stderr.decode())
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str, data: str | bytes) -> Path:
        """Write a file of the vault."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
        return file

    def commit(self, message: str = "change", /, *, at: int = 0, **files: str) -> str:
        """Commit everything (a file per keyword: `a="x"` is `a.md`) and return the commit."""
        for name, text in files.items():
            self.write(f"{name}.md", text)
        self.git("add", "-A")
        stamps = {"GIT_COMMITTER_DATE": f"@{at} +0000", "GIT_AUTHOR_DATE": f"@{at} +0000"} if at else {}
        self.git("commit", "-q", "--allow-empty", "-m", message, **stamps)
        return self.head

    @property
    def head(self) -> str:
        """Where HEAD stands."""
        return self.git("rev-parse", "HEAD")

    @property
    def status(self) -> str:
        """What `git status` lists."""
        return self.git("status", "--porcelain", "-uall")

    @property
    def repo(self) -> Repository:
        """The repository as vaultd opens it."""
        found = open_repository(self.root)
        assert found is not None
        return found


def scratch(top: Path, prefix: str = "", *options: str) -> Scratch:
    """Make an empty repository with an identity."""
    subprocess.run(["git", "init", "-q", "-b", "main", f"--template={TEMPLATE}", *options, os.fspath(top)], check=True)
    made = Scratch(top, top / prefix)
    made.root.mkdir(parents=True, exist_ok=True)
    made.git("config", "user.name", "Ada")
    made.git("config", "user.email", "ada@example.org")
    return made


@pytest.fixture(autouse=True)
def _only_the_repository_configures_git(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory):
    """Keep the machine's own git settings, and those of a git that runs the tests, out of every test."""
    empty = tmp_path_factory.getbasetemp() / "no-gitconfig"
    empty.touch()
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.fspath(empty))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def vault(tmp_path: Path) -> Scratch:
    """A vault at the top of a repository without commits."""
    return scratch(tmp_path / "vault")


@pytest.fixture
def below(tmp_path: Path) -> Scratch:
    """A vault in a folder of a repository."""
    return scratch(tmp_path / "work", "my notes")
