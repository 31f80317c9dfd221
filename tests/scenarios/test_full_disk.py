"""A disk that is full: a command ends with 6 and one line, and what it wrote is put back."""

import errno
import itertools
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.vaults import Vault, with_memories
from vaultd.commands import carry_out, placing
from vaultd.errors import StorageError
from vaultd.vault.writing import write

FULL = StorageError("No space left on device", "free some space")


@pytest.fixture
def one(vault: Vault) -> Vault:
    return with_memories(vault, "a")


def fill(monkeypatch: pytest.MonkeyPatch, takes: Iterator[bool]) -> None:
    """Let commits fail, and of the writes of notes those for which `takes` gives False."""

    def written(root: Path, path: str, after: bytes, before: bytes | None, *how: object) -> None:
        if not next(takes):
            raise FULL
        write(root, path, after, before, *how)

    def recorded(*_args: object) -> str:
        raise FULL

    monkeypatch.setattr(placing, "write", written)
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


def test_where_the_index_cannot_be_kept_reading_answers_the_same_and_says_so(
    one: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    one.write("Plain.md", "a file, no folder: [[a]] #tag\n- [ ] ring\n")
    verbs = [("search", "folder"), ("tags",), ("tasks",), ("backlinks", "a"), ("check",), ("memory", "chain", "a")]
    answers = [timeless(one.does(*verb, "--json").json) for verb in verbs]
    monkeypatch.setenv("XDG_STATE_HOME", str(one.root / "Plain.md"))
    monkeypatch.setattr("tempfile.tempdir", os.fspath(tmp_path))
    there = set(tmp_path.iterdir())
    for verb, answer in zip(verbs, answers, strict=True):
        told = one.does(*verb, "--json").json
        first, *others = told.pop("notices")
        assert "/Plain.md/vaultd/" in first
        assert first.endswith("this was answered from an index that was made for it and thrown away")
        assert others == answer.pop("notices", [])
        assert timeless(told) == answer
    assert set(tmp_path.iterdir()) == there
    for words in (("reconcile",), ("memory", "archive", "a")):
        assert one.run(*words).code == 6


def timeless(answer: dict[str, object]) -> dict[str, object]:
    """Return an answer without what differs from one index, or one moment, to the next."""
    return {key: value for key, value in answer.items() if key not in ("took_ms", "generation")}


class Disk:
    """A disk that takes so many calls that need room, and then refuses one, or all."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
        self.root = os.fspath(root)
        self.room: int | None = None
        self.stays = self.refused = False
        for name in ("write", "mkdir", "link", "open"):
            monkeypatch.setattr(os, name, self._narrow(getattr(os, name), name))

    def fill_after(self, calls: int, *, stays: bool) -> None:
        """Take this many calls more; then refuse the next, and where it `stays` full every other."""
        self.room, self.stays, self.refused = calls, stays, False

    def _takes(self) -> bool:
        if self.room is None or self.room > 0:
            self.room = None if self.room is None else self.room - 1
            return True
        self.room = 0 if self.stays else None
        self.refused = True
        return False

    def _narrow(self, real: Callable[..., object], name: str) -> Callable[..., object]:
        def call(first: object, *args: object, **named: object) -> object:
            place = f"/proc/self/fd/{first}" if name == "write" else str(first)
            needs = name != "open" or bool(int(str(args[0])) & os.O_CREAT and not os.path.lexists(place))
            if needs and os.path.realpath(place).startswith(self.root) and not self._takes():
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), place)
            return real(first, *args, **named)

        return call


@pytest.mark.parametrize("stays", [False, True])
def test_a_disk_that_is_full_at_any_step_leaves_the_old_text(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, stays: bool
):
    with_memories(vault, "a", "b")
    vault.does("up", "--once")
    texts = {name: vault.read(name) for name in ("a", "b")}
    new = ("memory", "new", "--kind", "gotcha", "--name", "c", "--project", "p", "--description", "d", "--body", "x")
    done = {"a": "superseded by p/c", "b": "active", "p/c": "active"}
    disk = Disk(monkeypatch, tmp_path)
    for calls in itertools.count():
        copy = Vault(tmp_path / f"full-{calls}")
        shutil.copytree(vault.root, copy.root, symlinks=True)
        disk.fill_after(calls, stays=stays)
        ran = copy.run(*new, "--supersedes", "a")
        refused = disk.refused
        disk.room = None
        if not refused:
            break
        if ran.code == 0:  # what was refused can be done without, such as the name in a lock's file
            assert copy.accepted == done
            continue
        assert ran.code == 6, ran
        assert "No space left" in ran.err
        assert re.search(r"hint: free (some )?space", ran.err), ran
        if "refused to put back memory/_global/a.md" in ran.err:  # there was no room even for that: the mend is told
            assert stays
            copy.does("revert", "memory/_global/a.md")
            assert copy.accepted == {"a": "active", "b": "active"}
            continue
        assert {name: copy.read(name) for name in texts} == texts, (calls, ran)
        assert (copy.status, copy.head) == ([], vault.head)
        copy.does("up", "--once")
        assert list(copy.root.glob(".git/vaultd/**/*.json")) == []
        copy.does(*new, "--supersedes", "a")
        assert copy.accepted == done
        shutil.rmtree(copy.root)
    assert calls > 5
