"""Sync tools are known by what they leave, and told where git's own folder goes with the notes."""

from pathlib import Path

import pytest

from vaultd.doctor.syncing import engines, sync_lines


def vault_in(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    ("place", "engine"),
    [
        ("Dropbox/notes", "Dropbox"),
        ("Dropbox (Private)/notes", "Dropbox"),
        ("OneDrive - Office/notes", "OneDrive"),
        ("Library/Mobile Documents/iCloud~md~obsidian/Documents/notes", "iCloud"),
        ("CloudStorage/GoogleDrive-ada@example.org/notes", "Google Drive"),
    ],
)
def test_a_folder_of_a_sync_tool_is_known_by_its_name(tmp_path: Path, place: str, engine: str):
    assert set(engines(vault_in(tmp_path / place))) == {engine}


@pytest.mark.parametrize("place", ["Dropboxes/notes", "My OneDrive/notes", "notes"])
def test_a_name_that_only_resembles_one_is_none(tmp_path: Path, place: str):
    assert engines(vault_in(tmp_path / place)) == {}


def test_syncthing_is_known_by_its_mark_in_a_folder_above(tmp_path: Path):
    vault = vault_in(tmp_path / "all" / "notes")
    (tmp_path / "all/.stfolder").mkdir()
    assert engines(vault) == {"Syncthing": tmp_path / "all"}


def test_one_tool_that_carries_git_too_is_warned_of(tmp_path: Path):
    vault = vault_in(tmp_path / "Dropbox/notes")
    assert [(line.check, line.level) for line in sync_lines(vault, vault / ".git")] == [
        ("sync", "info"),
        ("git folder", "warn"),
    ]


def test_a_git_folder_elsewhere_is_fine(tmp_path: Path):
    vault = vault_in(tmp_path / "Dropbox/notes")
    assert [line.level for line in sync_lines(vault, tmp_path / "elsewhere.git")] == ["info"]


def test_two_tools_at_once_are_warned_of(tmp_path: Path):
    vault = vault_in(tmp_path / "Dropbox/notes")
    (vault / ".stfolder").mkdir()
    assert next(sync_lines(vault, None)).level == "warn"


def test_a_plugin_that_syncs_counts_and_leaves_git_alone(tmp_path: Path):
    vault = vault_in(tmp_path / "notes")
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian/community-plugins.json").write_text('["dataview", "obsidian-livesync"]')
    assert [(line.check, line.level) for line in sync_lines(vault, vault / ".git")] == [("sync", "info")]


def test_a_broken_list_of_plugins_is_no_list(tmp_path: Path):
    vault = vault_in(tmp_path / "notes")
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian/community-plugins.json").write_text('{"a": ')
    assert engines(vault) == {}
