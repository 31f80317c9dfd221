"""Objects that are written beside git are git's own to the byte of what they hold."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.git_fixtures import Scratch
from vaultd.errors import StorageError
from vaultd.history.loose import FEW, write_loose
from vaultd.history.objects import Objects, blob_id


@pytest.fixture
def objects(vault: Scratch) -> Iterator[Objects]:
    with Objects(vault.repo) as found:
        yield found


def named(*texts: bytes) -> dict[str, bytes]:
    return {blob_id(text, "sha1"): text for text in texts}


@pytest.mark.parametrize("data", [b"", b"a\0b\r\n", b"x" * 100_000, os.urandom(5_000)], ids=len)
def test_a_blob_is_what_git_would_have_made_of_it(vault: Scratch, objects: Objects, data: bytes):
    [(oid, _)] = named(data).items()
    assert write_loose(vault.repo, objects, "blob", {oid: data})
    assert objects.read(oid) == data
    assert vault.git("cat-file", "-t", oid).strip() == "blob"
    file = vault.repo.common_dir / "objects" / oid[:2] / oid[2:]
    assert file.stat().st_mode & 0o777 == 0o444
    vault.git("fsck", "--strict")


def test_what_is_there_already_is_left_to_git_which_keeps_it_from_being_pruned(vault: Scratch, objects: Objects):
    new = named(b"one", b"two")
    assert write_loose(vault.repo, objects, "blob", dict([*new.items()][:1]))
    assert not write_loose(vault.repo, objects, "blob", new)
    assert objects.read([*new][1]) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.sharedRepository", "group"),
        ("core.fsync", "all"),
        ("core.looseCompression", "9"),
        ("extensions.partialClone", "origin"),
    ],
)
def test_a_repository_that_asks_for_more_is_left_to_git(vault: Scratch, objects: Objects, key: str, value: str):
    vault.git("config", key, value)
    assert not write_loose(vault.repo, objects, "blob", named(b"one"))


def test_objects_that_lie_elsewhere_are_left_to_git(
    vault: Scratch, objects: Objects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path))
    assert not write_loose(vault.repo, objects, "blob", named(b"one"))


def test_many_are_left_to_git(vault: Scratch, objects: Objects):
    assert not write_loose(vault.repo, objects, "blob", named(*(b"%d" % number for number in range(FEW + 1))))


def test_a_full_disk_leaves_nothing(vault: Scratch, objects: Objects, monkeypatch: pytest.MonkeyPatch):
    def full(_fd: int, _mode: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fchmod", full)
    with pytest.raises(StorageError, match="No space left"):
        write_loose(vault.repo, objects, "blob", named(b"one"))
    assert list((vault.repo.common_dir / "objects").rglob("tmp_obj_*")) == []
