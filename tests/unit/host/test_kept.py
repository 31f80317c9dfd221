"""Small files of JSON: whatever lies there instead is named, and holds nobody up."""

import os
from pathlib import Path

import pytest

from vaultd.errors import StorageError, UsageError
from vaultd.host.discovery import discover
from vaultd.host.kept import read_object, write_object
from vaultd.host.trees import read_tree

MANIFEST = (
    '{"id": "stale", "name": "n", "author": "a", "version": "1.0.0", "minAppVersion": "1.0.0", "description": "d."}'
)


def pipe(file: Path) -> None:
    os.mkfifo(file)


def endless(file: Path) -> None:
    file.symlink_to("/dev/zero")


def huge(file: Path) -> None:
    with file.open("wb") as there:
        there.truncate(1 << 40)


ODD = [pipe, endless, huge, Path.mkdir]


@pytest.mark.parametrize("make", ODD)
def test_what_is_no_small_file_is_not_read(make, tmp_path: Path) -> None:
    make(tmp_path / "data.json")
    with pytest.raises(StorageError, match=r"data\.json"):
        read_object(tmp_path / "data.json")


@pytest.mark.parametrize("make", ODD)
def test_a_manifest_that_is_no_small_file_is_a_plugin_that_cannot_run(make, tmp_path: Path) -> None:
    folder = tmp_path / ".vaultd/plugins/stale"
    folder.mkdir(parents=True)
    make(folder / "manifest.json")
    (found,) = discover(tmp_path, "stale")
    assert (found.manifest, "manifest.json" in found.problem) == (None, True)


def test_a_huge_file_among_a_plugins_files_is_not_read(tmp_path: Path) -> None:
    huge(tmp_path / "blob")
    with pytest.raises(StorageError, match="more than"):
        read_tree(tmp_path)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"a": NaN}', '{"a": 1e400}', '{"a": ' + "1" * 5000 + "}", "[" * 100_000, "{\xff}"]
)
def test_what_is_no_object_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "data.json").write_text(text, "latin-1")
    with pytest.raises(UsageError, match=r"data\.json"):
        read_object(tmp_path / "data.json")


def test_a_text_that_is_no_unicode_is_refused_and_the_file_stays(tmp_path: Path) -> None:
    write_object(tmp_path / "data.json", {"a": 1})
    with pytest.raises(UsageError, match="UTF-8"):
        write_object(tmp_path / "data.json", {"a": "\udc80"})
    assert read_object(tmp_path / "data.json") == {"a": 1}
    assert [one.name for one in tmp_path.iterdir()] == ["data.json"]
