"""What the daemon does for agents beside serving them: the reaper, the pruner, the export."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.vaults import Vault
from vaultd.daemon import agents
from vaultd.daemon.agents import Tending, agents_served
from vaultd.daemon.life import Life
from vaultd.judging.opened import Opened, opened_vault
from vaultd.state.activity import Happening
from vaultd.state.sessions import Beginning
from vaultd.state.sidecar import Sidecar, open_sidecar
from vaultd.state.tasks import Wish


class Clock:
    """A clock that a test moves."""

    now = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the moment at which it stands."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def opened(vault: Vault) -> Iterator[Opened]:
    with opened_vault(vault.root) as found:
        found.claim()
        yield found


@pytest.fixture
def sidecar(opened: Opened, clock: Clock) -> Iterator[Sidecar]:
    found = open_sidecar(opened.places.state, clock)
    yield found
    found.close()


def exports(vault: Vault) -> list[str]:
    return sorted(place.name for place in vault.root.glob(".vaultd/state/*/*.jsonl"))


def test_b24_sessions_are_reaped_whatever_is_switched_off(
    vault: Vault, opened: Opened, sidecar: Sidecar, clock: Clock
) -> None:
    vault.write(".vaultd/config.toml", "state.export = 0\n")
    with opened_vault(vault.root) as without:
        tending = Tending(without, sidecar, Life())
        sidecar.sessions.start(Beginning(name="ada"))
        tending.turn()
        clock.now += timedelta(minutes=46)
        tending.turn()
    assert [one.status for one in sidecar.sessions.list()] == ["expired"]
    assert exports(vault) == []


def test_the_vault_is_not_opened_to_learn_that_head_stands_still(
    vault: Vault, opened: Opened, sidecar: Sidecar, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    tending = Tending(opened, sidecar, Life())
    tending.turn()
    was_opened: list[Path] = []
    monkeypatch.setattr(agents, "opened_vault", lambda root: was_opened.append(root) or opened_vault(root))
    clock.now += timedelta(minutes=2)
    tending.turn()
    assert was_opened == []
    vault.git("commit", "--allow-empty", "-qm", "more")
    clock.now += timedelta(minutes=2)
    tending.turn()
    assert was_opened == [opened.root]


def test_nothing_is_exported_where_nothing_was_done(vault: Vault, opened: Opened, sidecar: Sidecar) -> None:
    Tending(opened, sidecar, Life()).turn()
    assert exports(vault) == []


def test_what_was_done_is_exported_when_it_is_due(vault: Vault, opened: Opened, sidecar: Sidecar, clock: Clock) -> None:
    tending = Tending(opened, sidecar, Life())
    tending.turn()
    sidecar.tasks.add(Wish("one"))
    tending.turn()
    assert exports(vault) == []
    clock.now += timedelta(minutes=16)
    tending.turn()
    assert exports(vault) == ["activity-2026-11.jsonl", "activity_days.jsonl", "tasks.jsonl"]


def test_a_state_db_that_is_lost_comes_back_from_the_last_export(
    vault: Vault, opened: Opened, sidecar: Sidecar
) -> None:
    tending = Tending(opened, sidecar, Life())
    sidecar.tasks.add(Wish("one"))
    tending.turn()
    opened.places.state.joinpath("state.db").unlink()
    sidecar.tasks.add(Wish("two"))
    tending.turn()
    assert {one.title for one in sidecar.tasks.list()} == {"one", "two"}
    assert "one" in next(vault.root.glob(".vaultd/state/*/tasks.jsonl")).read_text()


def test_old_calls_are_forgotten_and_their_count_stays(opened: Opened, sidecar: Sidecar, clock: Clock) -> None:
    sidecar.activity.record(Happening("tool.call"))
    clock.now += timedelta(days=31)
    Tending(opened, sidecar, Life()).turn()
    assert sidecar.activity.latest() == []
    assert sidecar.activity.counts(60) == {"tool.call": 1}


def test_an_export_that_fails_is_tried_again_later(
    vault: Vault, opened: Opened, sidecar: Sidecar, clock: Clock
) -> None:
    sidecar.tasks.add(Wish("one"))
    vault.write(".vaultd/state", "in the way\n")
    tending = Tending(opened, sidecar, Life())
    tending.turn()
    (vault.root / ".vaultd/state").unlink()
    clock.now += timedelta(seconds=31)
    tending.turn()
    assert exports(vault) == ["activity-2026-11.jsonl", "activity_days.jsonl", "tasks.jsonl"]


def test_a1_a_sidecar_that_cannot_be_used_stops_nothing_else(opened: Opened) -> None:
    (opened.places.state / "state.db").write_bytes(b"no database" * 1_000)
    life = Life()
    with agents_served(opened, lambda _verb, _arguments: {}, life) as agents:
        assert agents.streams == {}
    assert agents.refused.startswith("agents are not served: ")
    assert "vaultd state import" in agents.refused
    (told,) = life.lasting
    assert told.startswith("agents are not served: ")
    assert "\n" not in told


def test_a_sidecar_that_breaks_under_the_daemon_is_told_until_it_is_mended(opened: Opened, sidecar: Sidecar) -> None:
    life = Life()
    tending = Tending(opened, sidecar, life)
    tending.tend()
    assert life.lasting == ()
    sidecar.database.write(lambda sql: sql.execute("ALTER TABLE jobs RENAME TO away"))
    tending.tend()
    assert life.lasting[0].startswith("what agents do cannot be kept: ")
    sidecar.database.write(lambda sql: sql.execute("ALTER TABLE away RENAME TO jobs"))
    tending.tend()
    assert life.lasting == ()


def test_a_damaged_file_is_noticed_while_what_is_in_memory_is_well(opened: Opened, sidecar: Sidecar) -> None:
    life = Life()
    tending = Tending(opened, sidecar, life)
    for number in range(200):
        sidecar.tasks.add(Wish(f"task {number}", "long " * 100))
    with sidecar.database.read() as sql:
        sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file = opened.places.state / "state.db"
    with file.open("r+b") as damaging:
        damaging.seek(file.stat().st_size // 2)
        damaging.write(b"\xff" * 16_384)
    tending.tend()
    assert "is damaged" in life.lasting[0]
