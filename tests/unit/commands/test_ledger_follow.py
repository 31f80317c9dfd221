"""What commits tell, in the activity log: once, whoever made them, with the session that did it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vaults import Vault
from vaultd.commands.ledger_follow import follow_ledger
from vaultd.judging.opened import opened_vault
from vaultd.state.sessions import Beginning
from vaultd.state.sidecar import Sidecar, open_sidecar


@pytest.fixture
def sidecar(vault: Vault) -> Iterator[Sidecar]:
    with opened_vault(vault.root) as opened:
        opened.claim()
        found = open_sidecar(opened.places.state)
    yield found
    found.close()


def follow(vault: Vault, sidecar: Sidecar) -> int:
    with opened_vault(vault.root) as opened:
        return follow_ledger(opened, sidecar)


def test_what_commits_tell_is_noted_once_with_project_and_session(
    vault: Vault, sidecar: Sidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = ("--kind", "gotcha", "--description", "D", "--body", "B")
    vault.does("memory", "new", "--project", "radio", "--name", "a", *new)
    session, _ = sidecar.sessions.start(Beginning(name="ada"))
    follow(vault, sidecar)
    assert sidecar.activity.counts() == {"memory.created": 1, "session.started": 1}
    monkeypatch.setenv("VAULTD_ACTOR", "editor/ada")
    vault.does("memory", "new", "--name", "b", *new)
    vault.does("memory", "supersede", "radio/a", "b", "--reason", "moved")
    assert follow(vault, sidecar) == 2
    assert follow(vault, sidecar) == 0
    told = {one["kind"]: one for one in sidecar.activity.latest()}
    assert told["memory.superseded"]["payload"]["reason"] == "moved"
    assert sidecar.activity.counts()["memory.created"] == 2
    rows = sidecar.database.rows("SELECT project, session FROM activity WHERE kind = 'memory.created' ORDER BY 1 DESC")
    assert [tuple(row) for row in rows] == [("radio", ""), ("", session.id)]


def test_another_clone_that_imports_counts_a_commit_once(vault: Vault, sidecar: Sidecar, tmp_path: Path) -> None:
    vault.remember("a")
    vault.commit("by hand")
    vault.does("memory", "archive", "a")
    follow(vault, sidecar)
    other = open_sidecar(tmp_path / "other")
    other.carrying.take_in(sidecar.carrying.export())
    assert follow(vault, other) == 0
    assert other.activity.counts() == sidecar.activity.counts()
    other.close()


def test_history_that_was_rewritten_is_heard_of_anew_and_breaks_nothing(vault: Vault, sidecar: Sidecar) -> None:
    vault.remember("a")
    vault.commit("by hand")
    sidecar.activity.follow("ledger", "f" * 40, [])
    vault.does("memory", "archive", "a")
    assert follow(vault, sidecar) == 2  # it began, and it ended
    assert sidecar.activity.followed("ledger") == vault.head
