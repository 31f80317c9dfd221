"""Locks end with their process, and whoever is refused learns who has them."""

import errno
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from vaultd.errors import ConflictError
from vaultd.vault.locks import Holder, hold, hold_paths, holder

TAKE = "import sys,time;from pathlib import Path;from vaultd.vault.locks import hold\nwith hold(Path(sys.argv[1]),0): print('held',flush=True); time.sleep(60)"


def other_process(lock: Path) -> subprocess.Popen[str]:
    repository = str(Path(__file__).parents[3])
    taken = subprocess.Popen(
        [sys.executable, "-c", TAKE, lock],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": repository},
    )
    assert taken.stdout is not None
    assert taken.stdout.readline() == "held\n"
    return taken


def test_a_lock_that_is_held_is_refused_by_the_holder_s_name(tmp_path: Path) -> None:
    with other_process(tmp_path / "lock") as other:
        found = holder(tmp_path / "lock")
        with pytest.raises(ConflictError, match=f"process {other.pid} on "), hold(tmp_path / "lock", 0.05):
            pass
        other.kill()
        other.stdout.close()
    assert found is not None
    assert found.pid == other.pid


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    with other_process(tmp_path / "lock") as other:
        other.send_signal(signal.SIGKILL)
        other.wait()
        other.stdout.close()
    assert holder(tmp_path / "lock") is None
    with hold(tmp_path / "lock", 0):
        pass


def test_what_a_killed_holder_was_just_starting_is_not_taken_for_it(tmp_path: Path) -> None:
    with other_process(tmp_path / "lock") as other:
        found = holder(tmp_path / "lock")
        assert found is not None
        assert found.lives
        other.kill()
        other.wait()
        other.stdout.close()
    assert not found.lives
    assert Holder("another machine", found.pid, "").lives


def test_a_lock_is_free_after_use_and_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), hold(tmp_path / "lock", 0):
        raise RuntimeError
    with hold(tmp_path / "lock", 0):
        assert holder(tmp_path / "lock") is not None
    assert holder(tmp_path / "lock") is None


def test_waiting_gets_the_lock_when_it_is_let_go(tmp_path: Path) -> None:
    got = threading.Event()

    def wait() -> None:
        with hold(tmp_path / "lock", 60):
            got.set()

    with hold(tmp_path / "lock", 0):
        waiter = threading.Thread(target=wait)
        waiter.start()
        assert not got.wait(0.05)
    waiter.join(60)
    assert got.is_set()


def test_asking_who_holds_a_lock_creates_nothing(tmp_path: Path) -> None:
    assert holder(tmp_path / "lock") is None
    assert list(tmp_path.iterdir()) == []


def test_a_lock_is_private(tmp_path: Path) -> None:
    with hold(tmp_path / "d/lock", 0):
        assert (tmp_path / "d/lock").stat().st_mode & 0o077 == 0


def test_writers_of_one_path_exclude_each_other(tmp_path: Path) -> None:
    with hold_paths(tmp_path, ["a.md", "b.md"], 0), pytest.raises(ConflictError), hold_paths(tmp_path, ["b.md"], 0):
        pass


def test_two_spellings_of_one_file_share_a_lock(tmp_path: Path) -> None:
    with (
        hold_paths(tmp_path, ["Caf\u00e9.md"], 0),
        pytest.raises(ConflictError),
        hold_paths(tmp_path, ["cafe\u0301.md"], 0),
    ):
        pass


def test_writers_of_different_paths_do_not_meet(tmp_path: Path) -> None:
    with hold_paths(tmp_path, ["a.md"], 0), hold_paths(tmp_path, ["b.md"], 0):
        pass


def test_a_name_that_is_not_utf8_can_be_locked(tmp_path: Path) -> None:
    with hold_paths(tmp_path, ["bad\udcff.md"], 0):
        pass


def test_one_path_named_twice_does_not_lock_itself_out(tmp_path: Path) -> None:
    with hold_paths(tmp_path, ["a.md", "a.md", "A.md"], 0):
        pass


def test_many_writers_of_many_paths_never_block_each_other_for_ever(tmp_path: Path) -> None:
    paths = [f"n{number}.md" for number in range(6)]
    done: list[int] = []

    def write(turn: int) -> None:
        for shift in range(20):
            with hold_paths(tmp_path, paths[(turn + shift) % 6 :] + paths[: (turn + shift) % 3], 60):
                done.append(turn)

    writers = [threading.Thread(target=write, args=(turn,)) for turn in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(done) == 80


def test_a_lock_on_a_full_disk_holds_without_a_name(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "pwrite", _full)
        with hold(lock, 0), pytest.raises(ConflictError), hold(lock, 0):
            pass
    assert holder(lock) is None


def _full(*_args: object) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")
