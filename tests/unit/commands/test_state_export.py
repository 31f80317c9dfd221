"""Exports of the sidecar: written when something changed, committed with the next commit, alone once a day."""

from datetime import UTC, datetime, timedelta

from tests.vaults import Vault
from vaultd.commands.state_export import commit_export, export_state, exported_files
from vaultd.judging.opened import opened_vault

FILES = {"tasks.jsonl": b'{"id": "a"}\n'}


def exported(vault: Vault, files: dict[str, bytes]) -> tuple[str, ...]:
    with opened_vault(vault.root) as opened:
        return export_state(opened, files)


def test_an_export_is_written_only_where_it_changed(vault: Vault) -> None:
    (path,) = exported(vault, FILES)
    before = (vault.root / path).stat().st_mtime_ns
    assert exported(vault, FILES) == ()
    assert (vault.root / path).stat().st_mtime_ns == before


def test_an_export_goes_along_with_the_next_commit_of_ours_and_only_once(vault: Vault) -> None:
    (path,) = exported(vault, FILES)
    assert vault.log[0] != "note: create a"
    vault.does("note", "new", "--path", "a.md", "--body", "text")
    assert vault.git("show", "--format=", "--name-only").splitlines() == [path, "a.md"]
    vault.does("note", "new", "--path", "b.md", "--body", "text")
    assert vault.git("show", "--format=", "--name-only").splitlines() == ["b.md"]


def test_an_export_that_git_refuses_is_left_behind(vault: Vault) -> None:
    vault.write(".gitignore", ".vaultd/state/\n")
    vault.commit("ignore")
    exported(vault, FILES)
    vault.does("note", "new", "--path", "a.md", "--body", "text")
    assert vault.git("show", "--format=", "--name-only").splitlines() == ["a.md"]


def test_undo_takes_back_the_note_and_not_the_export(vault: Vault) -> None:
    (path,) = exported(vault, FILES)
    vault.does("note", "new", "--path", "a.md", "--body", "text")
    exported(vault, {"tasks.jsonl": b'{"id": "b"}\n'})
    vault.does("undo")
    assert not (vault.root / "a.md").exists()
    assert (vault.root / path).read_bytes() == b'{"id": "b"}\n'


def test_an_export_is_committed_alone_only_after_a_day(vault: Vault) -> None:
    (path,) = exported(vault, FILES)
    now = datetime.now(UTC)
    with opened_vault(vault.root) as opened:
        assert commit_export(opened, now) == ""
        assert commit_export(opened, now + timedelta(days=1, minutes=1)) == vault.head
        assert commit_export(opened, now + timedelta(days=9)) == ""
    assert vault.git("show", "--format=", "--name-only").splitlines() == [path]


def test_the_only_export_is_found(vault: Vault) -> None:
    (path,) = exported(vault, FILES)
    with opened_vault(vault.root) as opened:
        assert exported_files(opened) == FILES
    assert path.endswith("/tasks.jsonl")
