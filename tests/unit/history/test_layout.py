"""What is taken for a plain repository without asking git is what git says it is."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.git_fixtures import Scratch
from vaultd.history import repository
from vaultd.history.layout import is_plain
from vaultd.history.repository import open_repository


@pytest.fixture
def known(vault: Scratch) -> Scratch:
    """Return a repository that vaultd has kept something in."""
    (vault.top / ".git" / "vaultd").mkdir(exist_ok=True)
    return vault


def asked(vault: Scratch, monkeypatch: pytest.MonkeyPatch) -> object:
    """Return what git says, or how it refuses."""
    monkeypatch.setattr(repository, "is_plain", lambda _root: False)
    return open_repository(vault.top)


def test_a_plain_repository_is_what_git_says(known: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    known.git("remote", "add", "origin", "https://example.org/notes.git")
    assert is_plain(known.top)
    found = open_repository(known.top)
    assert found == asked(known, monkeypatch)


def test_it_is_found_without_starting_git(known: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert open_repository(known.top) is not None


def test_a_link_to_it_means_the_same(known: Scratch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(known.top)
    assert is_plain(tmp_path / "link")
    assert open_repository(tmp_path / "link") == asked(known, monkeypatch)


def _elsewhere(top: Path) -> None:
    (top / ".git").rename(top.parent / "moved.git")
    (top / ".git").symlink_to(top.parent / "moved.git")


def _own_file(top: Path) -> None:
    (top / ".git").rename(top.parent / "moved.git")
    (top / ".git").write_text(f"gitdir: {top.parent / 'moved.git'}\n")


def _told(text: str) -> Callable[[Path], None]:
    def told(top: Path) -> None:
        with (top / ".git" / "config").open("a") as config:
            config.write(text)

    return told


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda top: (top / ".git" / "vaultd").rmdir(), id="new to vaultd"),
        pytest.param(lambda top: (top / ".git" / "HEAD").unlink(), id="no HEAD"),
        pytest.param(lambda top: (top / ".git" / "refs").rename(top / ".git" / "were"), id="no refs"),
        pytest.param(_elsewhere, id="a link to its folder"),
        pytest.param(_own_file, id="a separate git directory"),
        pytest.param(_told("[core]\n\tworktree = ../other\n"), id="another work tree"),
        pytest.param(_told("[core] bare = true\n"), id="bare"),
        pytest.param(_told("[CORE]\n\tBare\n"), id="bare without a value"),
        pytest.param(_told("[core]\n\tbare = \\\ntrue\n"), id="a line that goes on"),
        pytest.param(_told("[core]\n\trepositoryformatversion = 1\n"), id="format 1"),
        pytest.param(_told("[Extensions]\n\tobjectFormat = sha256\n"), id="an extension"),
        pytest.param(_told("[include]\n\tpath = more\n"), id="an included file"),
        pytest.param(lambda top: (top / ".git" / "config").write_bytes(b"\xff"), id="no text"),
    ],
)
def test_anything_else_is_left_to_git(known: Scratch, make: Callable[[Path], None]) -> None:
    make(known.top)
    assert not is_plain(known.top)


def test_a_config_from_outside_is_left_to_git(known: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    assert not is_plain(known.top)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_somebody_else_is_left_to_git(known: Scratch) -> None:
    os.chown(known.top, 12345, -1)
    assert not is_plain(known.top)


def test_a_vault_below_its_repository_is_left_to_git(below: Scratch) -> None:
    (below.top / ".git" / "vaultd").mkdir(exist_ok=True)
    assert not is_plain(below.root)
