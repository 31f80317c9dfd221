"""Objects that are written in packs are git's own to the byte of what they hold, and stay until their commit stands."""

import hashlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.git_fixtures import Scratch
from vaultd.errors import StorageError
from vaultd.history.objects import Objects, blob_id
from vaultd.history.packs import MANY, sweep_kept, too_many, write_unpacked, written
from vaultd.history.repository import open_repository

SIZES = (0, 1, 15, 16, 17, 2_047, 2_048, 2_049, 300_000)
"""Around where a size takes one more byte in a pack."""


def named(texts: Iterator[bytes] | list[bytes], object_format: str = "sha1") -> dict[str, bytes]:
    return {blob_id(text, object_format): text for text in texts}


def many(count: int = MANY) -> dict[str, bytes]:
    return named([b"note %d\n" % number for number in range(count)])


def packs(vault: Scratch, ending: str) -> list[Path]:
    return sorted((vault.repo.common_dir / "objects" / "pack").glob(f"*{ending}"))


def loose(vault: Scratch, oid: str) -> bool:
    return (vault.repo.common_dir / "objects" / oid[:2] / oid[2:]).exists()


@pytest.mark.parametrize("more", [0, MANY], ids=["loose", "pack"])
@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_every_size_is_what_git_would_have_made_of_it(tmp_path: Path, object_format: str, more: int) -> None:
    subprocess.run(["git", "init", "-q", f"--object-format={object_format}", str(tmp_path)], check=True)
    repo = open_repository(tmp_path)
    assert repo is not None
    contents = named(
        [*(os.urandom(size) for size in SIZES), *(b"%d" % number for number in range(more))], object_format
    )
    with written(repo, "blob", contents), Objects(repo) as objects:
        assert dict(objects.read_many(contents)) == contents
    subprocess.run(["git", "fsck", "--strict", "--no-dangling"], cwd=tmp_path, check=True)


def test_trees_are_written_too(vault: Scratch) -> None:
    tree = b"100644 a.md\0" + bytes.fromhex(blob_id(b"a", "sha1"))
    oid = hashlib.sha1(b"tree %d\0" % len(tree) + tree, usedforsecurity=False).hexdigest()
    write_unpacked(vault.repo, "blob", named([b"a"]))
    write_unpacked(vault.repo, "tree", {oid: tree})
    assert vault.git("ls-tree", "--name-only", oid).strip() == "a.md"


def test_a_few_stay_loose_and_many_are_one_pack(vault: Scratch) -> None:
    few, lot = many(MANY - 1), many()
    with written(vault.repo, "blob", few):
        assert all(loose(vault, oid) for oid in few)
        assert packs(vault, ".pack") == []
    with written(vault.repo, "blob", lot):
        assert len(packs(vault, ".pack")) == 1


def test_a_pack_is_kept_from_a_repacking_until_the_block_is_left(vault: Scratch) -> None:
    lot = many()
    with written(vault.repo, "blob", lot):
        vault.git("repack", "-adq")
        vault.git("prune", "--expire=now")
        with Objects(vault.repo) as objects:
            assert dict(objects.read_many(lot)) == lot
    assert packs(vault, ".keep") == []
    vault.git("repack", "-adq")
    with Objects(vault.repo) as objects:
        assert dict(objects.read_many(lot)) == {}


def test_a_pack_that_somebody_else_keeps_stays_kept(vault: Scratch) -> None:
    lot = many()
    with written(vault.repo, "blob", lot):
        (keep,) = packs(vault, ".keep")
        keep.write_text("fetch-pack 1 on elsewhere\n")
        with written(vault.repo, "blob", lot):
            pass
        assert keep.read_text() == "fetch-pack 1 on elsewhere\n"


def test_a_repository_that_asks_for_more_gets_them_one_by_one(vault: Scratch) -> None:
    vault.git("config", "core.compression", "9")
    lot = many()
    with written(vault.repo, "blob", lot):
        assert packs(vault, ".pack") == []
        assert all(loose(vault, oid) for oid in lot)


def test_what_git_refuses_is_said_in_its_words(vault: Scratch) -> None:
    folder = vault.repo.common_dir / "objects" / "pack"
    folder.rmdir()
    folder.write_text("in the way")
    with pytest.raises(StorageError, match="pack"), written(vault.repo, "blob", many()):
        pass


def test_only_packs_of_killed_commits_are_let_go(vault: Scratch) -> None:
    folder = vault.repo.common_dir / "objects" / "pack"
    for name, text in (("dead", "vaultd\n"), ("live", "vaultd\n"), ("fetched", "fetch-pack 1 on elsewhere\n")):
        (folder / f"pack-{name}.keep").write_text(text)
    for name in ("dead", "fetched"):
        os.utime(folder / f"pack-{name}.keep", (1_000, 1_000))
    sweep_kept(vault.repo, (folder / "pack-live.keep").stat().st_mtime)
    assert [keep.name for keep in packs(vault, ".keep")] == ["pack-fetched.keep", "pack-live.keep"]


def test_packs_are_counted_as_git_counts_them(vault: Scratch) -> None:
    assert not too_many(vault.repo)
    folder = vault.repo.common_dir / "objects" / "pack"
    for number in range(51):
        (folder / f"pack-{number}.pack").touch()
    assert too_many(vault.repo)
