"""An intent is on disk before anything else, lives as long as its writer, and knows its own lock."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from vaultd.errors import StorageError
from vaultd.vault import intents
from vaultd.vault.intents import Intent, Step, claim, contents_of, digest, drop_lock, forget, live, name_lock, record
from vaultd.vault.looks import Look, as_row, of_row

Crashes = Callable[[str, Callable[[], Sequence[str]]], Iterator[Sequence[str]]]

INTENT = Intent(
    id="01J00000000000000000000000",
    at="2026-11-30T18:00:00Z",
    pid=os.getpid(),
    subject="memory: supersede a by b",
    events=(("superseded", "01A"), ("created", "01B")),
    steps=(Step("bad\udcff.md", None, digest(b"new\x00\xff")), Step("b.md", digest(b"old"), None)),
    message="memory: supersede a by b\n\nVaultd-Event: superseded\nVaultd-Id: 01A\n",
)
CONTENTS = {"bad\udcff.md": b"new\x00\xff"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "git/vaultd/intents"


def test_what_is_recorded_can_be_read_by_others(folder: Path) -> None:
    held = record(folder, INTENT, CONTENTS)
    assert live(folder) == [INTENT]
    assert contents_of(held) == CONTENTS


def test_everything_in_it_is_private(folder: Path) -> None:
    record(folder, INTENT, CONTENTS)
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.rglob("*"))


def test_a_forgotten_intent_leaves_nothing(folder: Path) -> None:
    forget(record(folder, INTENT, CONTENTS))
    assert list(folder.iterdir()) == []
    assert live(folder) == []


def test_no_folder_means_no_intents(folder: Path) -> None:
    assert live(folder) == []


def test_an_intent_whose_writer_is_gone_is_not_live(folder: Path) -> None:
    os.close(record(folder, INTENT, CONTENTS).fd)
    assert live(folder) == []


def test_a_dead_intent_can_be_claimed_and_a_live_one_not(folder: Path) -> None:
    held = record(folder, INTENT, CONTENTS)
    (file,) = folder.glob("*.json")
    assert claim(file) is None
    os.close(held.fd)
    taken = claim(file)
    assert taken is not None
    assert taken.intent == INTENT
    assert claim(file) is None


def test_a_writer_in_another_process_is_live_until_it_dies(folder: Path) -> None:
    code = (
        "import sys,time;from pathlib import Path;from vaultd.vault.intents import *\n"
        "h=record(Path(sys.argv[1]),Intent('01X','t',1,'s',(),(),'m'),{});print('held',flush=True);time.sleep(60)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    with subprocess.Popen([sys.executable, "-c", code, folder], stdout=subprocess.PIPE, env=environment) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert [intent.id for intent in live(folder)] == ["01X"]
        other.kill()
    assert live(folder) == []


def test_intents_come_oldest_first(folder: Path) -> None:
    for name in ("01C", "01A", "01B"):
        record(folder, Intent(name, "t", 1, "s", (), (), "m"), {})
    assert [intent.id for intent in live(folder)] == ["01A", "01B", "01C"]


def test_a_file_that_is_no_intent_is_neither_live_nor_claimed(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "01Z.json").write_text("{}")
    assert claim(folder / "01Z.json") is None
    assert live(folder) == []


def test_a_full_disk_leaves_no_intent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_fd: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StorageError, match="No space left"):
        record(folder, INTENT, CONTENTS)
    assert list(folder.iterdir()) == []


def test_our_own_lock_is_dropped(folder: Path, tmp_path: Path) -> None:
    held = record(folder, INTENT, CONTENTS)
    (tmp_path / "index.lock").touch()
    name_lock(held, str(tmp_path / "index.lock"))
    assert live(folder)[0].lock == str(tmp_path / "index.lock")
    assert drop_lock(held)
    assert not (tmp_path / "index.lock").exists()


def test_the_lock_of_another_program_under_the_same_name_stays(folder: Path, tmp_path: Path) -> None:
    lock = tmp_path / "index.lock"
    held = record(folder, INTENT, CONTENTS)
    lock.touch()
    name_lock(held, str(lock))
    (tmp_path / "theirs").touch()
    (tmp_path / "theirs").replace(lock)
    assert not drop_lock(held)
    assert lock.exists()


def test_an_intent_that_names_no_lock_drops_none(folder: Path) -> None:
    assert not drop_lock(record(folder, INTENT, CONTENTS))


RECORDER = """
    import sys
    from pathlib import Path
    from vaultd.vault.intents import *
    forget(record(Path(sys.argv[1]), Intent("01X", "t", 1, "s", (), (Step("a.md", None, digest(b"n")),), "m"), {"a.md": b"n"}))
"""


def test_killed_at_any_point_an_intent_is_whole_or_absent(tmp_path: Path, every_crash: Crashes) -> None:
    made: list[Path] = []

    def fresh() -> list[str]:
        made.append(tmp_path / str(len(made)))
        return [str(made[-1])]

    whole = 0
    for (name,) in every_crash(RECORDER, fresh):
        folder = Path(name)
        intents.sweep_drafts(folder)
        files = intents.listed(folder)
        assert all(claim(file) is not None for file in files)
        whole += len(files)
        if not files:
            assert list(folder.iterdir()) == []
    assert whole


def test_sweeping_leaves_the_draft_of_a_process_that_is_recording(folder: Path) -> None:
    folder.mkdir(parents=True)
    import fcntl

    draft = os.open(folder / "01Y.draft", os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(draft, fcntl.LOCK_EX)
    (folder / "01Y.after").mkdir()
    intents.sweep_drafts(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["01Y.after", "01Y.draft"]
    os.close(draft)


def test_what_a_moving_file_is_beside_its_bytes_is_in_the_intent(tmp_path: Path):
    look = Look(0o600, os.getuid(), os.getgid(), (("user.x", b"\x00\xff"),))
    assert of_row(json.loads(json.dumps(as_row(look)))) == look
    for row in (None, [1, 2, 3], ["a", 1, 1, []], [1, 1, 1, [["user.x", "?"]]]):
        with pytest.raises(ValueError, match=re.escape(str(row))):
            of_row(row)
