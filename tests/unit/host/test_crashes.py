"""Three failures in ten minutes, and a plugin is left alone until a person says otherwise."""

import threading
import time
from pathlib import Path

import pytest

from vaultd.host.crashes import Crash, Quarantine, pause_before_start, recent


def test_the_third_failure_holds_a_plugin(tmp_path: Path) -> None:
    held = [Quarantine(tmp_path).crashed("stale", "exit 3") for _ in range(3)]
    assert held == [False, False, True]
    assert Quarantine(tmp_path).why_held("stale") == "failed 3 times in ten minutes, last: exit 3"


def test_other_plugins_are_not_held(tmp_path: Path) -> None:
    for _ in range(3):
        Quarantine(tmp_path).crashed("stale", "exit 3")
    assert Quarantine(tmp_path).why_held("fresh") == ""


def test_several_that_fail_at_once_are_each_counted(tmp_path: Path) -> None:
    def fail(id_: str) -> None:
        for _ in range(3):
            Quarantine(tmp_path).crashed(id_, "exit 3")

    failing = [threading.Thread(target=fail, args=(f"p{n}",)) for n in range(8)]
    for one in failing:
        one.start()
    for one in failing:
        one.join()
    assert [n for n in range(8) if not Quarantine(tmp_path).why_held(f"p{n}")] == []


def test_a_record_that_somebody_edited_counts_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "quarantine.json").write_text(
        '{"stale": {"held": true, "crashes": [["x", "y"], 5, [1], [2, "exit 3"]]}}'
    )
    assert Quarantine(tmp_path).crashes("stale") == (Crash(2.0, "exit 3"),)


def test_clearing_begins_anew(tmp_path: Path) -> None:
    for _ in range(3):
        Quarantine(tmp_path).crashed("stale", "exit 3")
    Quarantine(tmp_path).clear("stale")
    assert Quarantine(tmp_path).why_held("stale") == ""
    assert not Quarantine(tmp_path).crashed("stale", "exit 3")


def test_a_failure_counts_for_ten_minutes() -> None:
    now = time.time()
    assert recent((Crash(now - 601, "old"), Crash(now - 599, "new")), now) == (Crash(now - 599, "new"),)


@pytest.mark.parametrize(("crashes", "wait"), [(0, 0), (1, 1), (2, 2), (3, 4), (9, 4)])
def test_each_restart_waits_longer(crashes: int, wait: int) -> None:
    assert pause_before_start((Crash(1000.0, "x"),) * crashes, 1000.0) == wait
