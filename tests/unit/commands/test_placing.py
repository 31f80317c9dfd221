"""Many files are written side by side, and all of them are taken back where one cannot be."""

import itertools
import os
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime

import pytest

from tests.vaults import Vault
from vaultd.app import open_app
from vaultd.commands import placing
from vaultd.commands.asking import Asked
from vaultd.commands.carry_out import put_back
from vaultd.commands.placing import Placing
from vaultd.errors import ConflictError, StorageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Write
from vaultd.vault.writing import write

NOTES = [f"n{number:02}.md" for number in range(40)]


@pytest.fixture
def opened(vault: Vault) -> Iterator[Opened]:
    for note in NOTES:
        vault.write(note, f"old {note}\n")
    vault.commit()
    with closing(open_app(vault.root)) as app:
        yield app.opened


def writes() -> list[Write]:
    return [Write(note, f"old {note}\n".encode(), f"new {note}\n".encode()) for note in NOTES]


def texts(vault: Vault) -> set[str]:
    return {vault.read(note).split()[0] for note in NOTES}


def test_two_of_them_are_under_way_at_once(vault: Vault, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = itertools.count()
    meeting = threading.Barrier(2, timeout=60)

    def met(*args: object) -> object:
        if next(turns) < 2:
            meeting.wait()
        return write(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(placing, "write", met)
    Placing(opened).put(writes())
    assert texts(vault) == {"new"}


def test_a_file_that_moved_on_stops_them_and_all_are_taken_back(vault: Vault, opened: Opened) -> None:
    vault.write("n20.md", "mine\n")
    put = Placing(opened)
    with pytest.raises(ConflictError, match=r"n20\.md"):
        put.put(writes())
    put.take_back()
    assert put.stuck(ConflictError("moved on")) is None
    assert vault.read("n20.md") == "mine\n"
    assert texts(vault) == {"old", "mine"}


def test_what_somebody_saved_since_is_left_to_them(vault: Vault, opened: Opened) -> None:
    put = Placing(opened)
    put.put(writes())
    vault.write("n07.md", "mine\n")
    put.take_back()
    assert vault.read("n07.md") == "mine\n"
    assert texts(vault) == {"old", "mine"}


def test_what_the_disk_refuses_to_take_back_is_named(vault: Vault, opened: Opened) -> None:
    put = Placing(opened)
    put.put(writes())
    os.link(vault.file("n31.md"), vault.root / "other.md")
    put.take_back()
    stuck = put.stuck(StorageError("full", "free some"))
    assert stuck is not None
    assert stuck.message == "full; the disk refused to put back n31.md"
    (vault.root / "other.md").unlink()
    put.take_back()
    assert put.stuck(StorageError("full")) is None
    assert texts(vault) == {"old"}


def test_what_another_program_put_back_meanwhile_is_written_again(vault: Vault, opened: Opened) -> None:
    put = Placing(opened)
    put.put(writes())
    vault.write("n03.md", "old n03.md\n")
    vault.write("n04.md", "mine\n")
    put.put_again()
    assert (vault.read("n03.md"), vault.read("n04.md")) == ("new n03.md\n", "mine\n")


def test_what_is_put_back_without_a_commit_is_put_back_whole_or_not_at_all(vault: Vault, opened: Opened) -> None:
    os.link(vault.file("n03.md"), vault.root / "other.md")
    asked = Asked("person", datetime(2026, 12, 1, tzinfo=UTC), lambda: "01M8R8BG2DJ1A9YPWWZS4SSQ5R")
    with pytest.raises(StorageError, match="hard links"):
        put_back(opened, writes()[:6], asked)
    assert texts(vault) == {"old"}
    assert opened.places.intents is not None
    assert list(opened.places.intents.iterdir()) == []
    (vault.root / "other.md").unlink()
    put_back(opened, writes()[:6], asked)
    assert [vault.read(note).split()[0] for note in NOTES[:7]] == ["new"] * 6 + ["old"]
