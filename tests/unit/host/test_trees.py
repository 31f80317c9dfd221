"""The hash of a plugin covers everything that can run, and what runs is what was hashed."""

import os
from pathlib import Path

import pytest

from vaultd.errors import PluginError
from vaultd.host.trees import Tree, copy_for_running, read_tree, stamp_tree


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    folder = tmp_path / "stale"
    (folder / "parts").mkdir(parents=True)
    (folder / "main.py").write_text("A = 1\n")
    (folder / "parts/more.py").write_text("B = 2\n")
    return folder


def test_one_byte_changes_the_hash(plugin: Path) -> None:
    before = read_tree(plugin).hash
    (plugin / "parts/more.py").write_text("B = 3\n")
    assert read_tree(plugin).hash != before


def test_a_new_file_changes_the_hash(plugin: Path) -> None:
    before = read_tree(plugin).hash
    (plugin / "sitecustomize.py").write_text("")
    assert read_tree(plugin).hash != before


def test_a_file_that_takes_the_name_of_another_changes_the_hash() -> None:
    assert Tree({"a": b"1", "b": b"2"}).hash != Tree({"a": b"2", "b": b"1"}).hash


def test_what_a_plugin_saves_for_itself_is_left_out(plugin: Path) -> None:
    before = read_tree(plugin).hash
    (plugin / "data.json").write_text("{}")
    (plugin / "__pycache__").mkdir()
    (plugin / "__pycache__/main.pyc").write_bytes(b"x")
    assert read_tree(plugin).hash == before


@pytest.mark.parametrize("target", ["../outside.py", "/etc/hostname"])
def test_a_link_that_leaves_the_tree_is_refused(plugin: Path, target: str) -> None:
    (plugin.parent / "outside.py").write_text("")
    (plugin / "more.py").symlink_to(target)
    with pytest.raises(PluginError, match="leads out of the plugin"):
        read_tree(plugin)


def test_a_linked_folder_is_refused(plugin: Path) -> None:
    (plugin / "again").symlink_to("parts")
    with pytest.raises(PluginError, match="leads out of the plugin"):
        read_tree(plugin)


def test_the_copy_that_runs_holds_what_was_read_whatever_comes_later(plugin: Path, tmp_path: Path) -> None:
    tree = read_tree(plugin)
    (plugin / "main.py").write_text("A = 'evil'\n")
    copy = copy_for_running(tree, tmp_path / "running")
    assert (copy / "main.py").read_text() == "A = 1\n"
    assert read_tree(copy).hash == tree.hash


def test_a_stamp_moves_with_a_save(plugin: Path) -> None:
    before = stamp_tree(plugin)
    os.utime(plugin / "main.py", ns=(1, 1))
    assert stamp_tree(plugin) != before != ()
