"""A disk that is full: a command ends with 6 and one line, and what it wrote is put back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vaults import Vault, with_memories
from vaultd.commands import carry_out
from vaultd.errors import StorageError
from vaultd.vault.writing import Settle, write

FULL = StorageError("No space left on device", "free some space")


@pytest.fixture
def one(vault: Vault) -> Vault:
    return with_memories(vault, "a")


def fill(monkeypatch: pytest.MonkeyPatch, takes: Iterator[bool]) -> None:
    """Let commits fail, and of the writes of notes those for which `takes` gives False."""

    def written(root: Path, path: str, after: bytes, before: bytes | None, settle: Settle) -> None:
        if not next(takes):
            raise FULL
        write(root, path, after, before, settle)

    def recorded(*_args: object) -> str:
        raise FULL

    monkeypatch.setattr(carry_out, "write", written)
    monkeypatch.setattr(carry_out, "record", recorded)


def test_the_room_of_the_intent_is_used_to_put_the_old_text_back(one: Vault, monkeypatch: pytest.MonkeyPatch):
    before = one.read("a")
    fill(monkeypatch, iter([True, False, True]))
    ran = one.run("memory", "archive", "a")
    assert (ran.code, one.read("a"), one.status) == (6, before, [])


def test_what_cannot_be_put_back_is_named_with_the_mend(one: Vault, monkeypatch: pytest.MonkeyPatch):
    fill(monkeypatch, iter([True, False, False]))
    ran = one.run("memory", "archive", "a")
    assert ran.code == 6
    assert "the disk refused to put back memory/_global/a.md" in ran.err
    monkeypatch.undo()
    one.does("revert", "memory/_global/a.md")
    assert one.accepted == {"a": "active"}


def test_a_state_folder_that_cannot_be_made_is_no_bug(one: Vault, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(one.root / "Plain.md"))
    one.write("Plain.md", "a file, no folder\n")
    assert one.run("check").code == 6
