"""A running daemon answers what a commit waits for, and answers what a check without it does."""

import threading
from collections.abc import Iterator

import pytest

from tests.vaults import Vault, with_memories
from vaultd.app import open_app
from vaultd.checks import check_git
from vaultd.cli.quick import stages_as_usual
from vaultd.daemon.loop import Daemon
from vaultd.daemon.systemd import systemd_of


@pytest.fixture
def watched(vault: Vault) -> Iterator[tuple[Vault, Daemon]]:
    """A vault with two memories, and its daemon."""
    with_memories(vault, "a", "b")
    app = open_app(vault.root)
    ready = threading.Event()
    daemon = Daemon(app, lambda line: ready.set() if line.startswith("ready") else None, systemd_of({}))
    thread = threading.Thread(target=daemon.run)
    thread.start()
    assert ready.wait(10)
    yield vault, daemon
    daemon.stop()
    thread.join(10)
    app.close()


def test_a_daemon_finds_in_the_index_what_a_check_alone_finds(watched: tuple[Vault, Daemon]):
    vault, daemon = watched
    vault.stamp("a", at="nonsense")
    vault.git("add", "-A")
    answer = daemon.answer("check_staged", {})
    assert check_git(vault.root, "staged", (), (), "info") == answer
    assert [row["code"] for row in answer["violations"]] == ["V106"]


def test_a_daemon_that_has_seen_nothing_yet_leaves_the_check_to_the_hook(vault: Vault):
    with vault.app() as app:
        assert Daemon(app, print, systemd_of({})).answer("check_staged", {}) == {"vaultd": 1, "busy": True}


@pytest.mark.parametrize(("named", "usual"), [(".git/index", True), (".git/index.lock", False)])
def test_only_gits_own_index_is_left_to_the_daemon(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, named: str, *, usual: bool
):
    monkeypatch.chdir(vault.root)
    monkeypatch.setenv("GIT_INDEX_FILE", named)
    assert stages_as_usual(vault.root) is usual
