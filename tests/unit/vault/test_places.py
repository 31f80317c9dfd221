"""Where a vault begins, and where its state lies; looking creates nothing, a copy shares nothing."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vaultd.vault.addresses import git_dir_above, socket_above
from vaultd.vault.places import claim_clone, find_root, places


@pytest.fixture(autouse=True)
def state_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    return tmp_path / "state"


@pytest.fixture
def git_dir(root: Path) -> Path:
    (root / ".git").mkdir()
    return root / ".git"


def test_the_nearest_vaultd_folder_is_the_vault(root: Path) -> None:
    (root / ".vaultd").mkdir()
    (root / "a/b").mkdir(parents=True)
    assert find_root(root / "a/b") == root


def test_a_vaultd_folder_above_wins_over_a_nearer_obsidian_folder(root: Path) -> None:
    (root / ".vaultd").mkdir()
    (root / "a/.obsidian").mkdir(parents=True)
    assert find_root(root / "a") == root


def test_without_vaultd_the_nearest_obsidian_folder_is_the_vault(root: Path) -> None:
    (root / ".obsidian").mkdir()
    (root / "a").mkdir()
    assert find_root(root / "a") == root


def test_a_plain_folder_is_no_vault(root: Path) -> None:
    assert find_root(root) is None


def test_looking_creates_nothing(root: Path, git_dir: Path, state_home: Path) -> None:
    places(root, git_dir)
    assert list(git_dir.iterdir()) == []
    assert not state_home.exists()


def test_looking_twice_gives_the_same_answer(root: Path, git_dir: Path) -> None:
    assert places(root, git_dir) == places(root, git_dir)
    assert places(root, None).clone_id == places(root, git_dir).clone_id


def test_without_git_nothing_is_placed_in_it(root: Path) -> None:
    found = places(root, None)
    assert (found.intents, found.lock, found.locks) == (None, None, None)


def test_claiming_gives_an_id_that_looking_then_finds(root: Path, git_dir: Path, state_home: Path) -> None:
    claimed = claim_clone(root, git_dir)
    assert claimed == places(root, git_dir) == claim_clone(root, git_dir)
    assert claimed.state == state_home / "vaultd" / claimed.clone_id
    assert claimed.lock == git_dir / "vaultd/lock"
    assert (git_dir / "vaultd/clone-id").stat().st_mode & 0o777 == 0o600
    assert claimed.state.stat().st_mode & 0o777 == 0o700


def test_two_claims_at_once_agree(root: Path, git_dir: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        ids = {found.clone_id for found in pool.map(lambda _: claim_clone(root, git_dir), range(16))}
    assert len(ids) == 1


def test_a_copied_folder_gets_an_id_of_its_own(root: Path, git_dir: Path, tmp_path: Path) -> None:
    first = claim_clone(root, git_dir)
    shutil.copytree(root, tmp_path / "copy")
    copy = claim_clone(tmp_path / "copy", tmp_path / "copy/.git")
    assert copy.clone_id != first.clone_id
    assert claim_clone(root, git_dir) == first
    assert claim_clone(tmp_path / "copy", tmp_path / "copy/.git") == copy


def test_looking_at_a_copy_does_not_show_the_original_s_state(root: Path, git_dir: Path, tmp_path: Path) -> None:
    first = claim_clone(root, git_dir)
    shutil.copytree(root, tmp_path / "copy")
    assert places(tmp_path / "copy", tmp_path / "copy/.git").state != first.state


def test_a_moved_folder_keeps_its_id(root: Path, git_dir: Path, tmp_path: Path) -> None:
    first = claim_clone(root, git_dir)
    root.rename(tmp_path / "moved")
    assert claim_clone(tmp_path / "moved", tmp_path / "moved/.git").clone_id == first.clone_id


def test_a_folder_moved_by_copying_and_deleting_keeps_its_id(root: Path, git_dir: Path, tmp_path: Path) -> None:
    first = claim_clone(root, git_dir)
    shutil.copytree(root, tmp_path / "moved")
    shutil.rmtree(root)
    assert claim_clone(tmp_path / "moved", tmp_path / "moved/.git").clone_id == first.clone_id


def test_the_same_vault_through_a_link_is_the_same_clone(root: Path, git_dir: Path, tmp_path: Path) -> None:
    first = claim_clone(root, git_dir)
    (tmp_path / "alias").symlink_to(root)
    assert claim_clone(tmp_path / "alias", tmp_path / "alias/.git").clone_id == first.clone_id


def test_a_broken_record_of_the_folder_is_no_obstacle(root: Path, git_dir: Path) -> None:
    first = claim_clone(root, git_dir)
    (first.state / "folder.json").write_text("[]")
    assert claim_clone(root, git_dir).clone_id == first.clone_id


def test_an_id_that_is_none_is_replaced(root: Path, git_dir: Path) -> None:
    (git_dir / "vaultd").mkdir()
    (git_dir / "vaultd/clone-id").write_text("../../etc")
    assert ".." not in places(root, git_dir).clone_id


def test_a_git_directory_that_may_not_be_written_is_left(root: Path, git_dir: Path, permissions: None) -> None:
    git_dir.chmod(0o500)
    assert claim_clone(root, git_dir).clone_id == places(root, git_dir).clone_id
    git_dir.chmod(0o700)


def test_the_socket_lies_in_the_runtime_folder(
    root: Path, git_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1")
    found = places(root, git_dir).socket
    assert found.parent == Path("/run/user/1/vaultd")
    assert len(found.stem) == 12


def test_without_a_runtime_folder_the_socket_lies_with_the_state(
    root: Path, git_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/s")
    found = places(root, git_dir)
    assert found.socket.parent == found.state


def test_a_socket_path_is_never_too_long_to_bind(root: Path, git_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/" + "r" * 120)
    monkeypatch.setenv("XDG_STATE_HOME", "/" + "s" * 120)
    found = places(root, git_dir).socket
    assert len(os.fsencode(found)) <= 100
    assert found.parent.name == f"vaultd-{os.getuid()}"


def test_a_relative_state_folder_is_ignored_as_xdg_says(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert places(root, None).state.is_absolute()


@pytest.mark.parametrize("clone_id", ["", "0123456789abcdef0123456789", "Named-by-nobody", "ABC"])
def test_whoever_asks_finds_the_socket_where_the_daemon_listens(root: Path, git_dir: Path, clone_id: str) -> None:
    (git_dir / "vaultd").mkdir()
    (git_dir / "vaultd" / "clone-id").write_text(clone_id)
    (root / ".vaultd").mkdir(exist_ok=True)
    found = git_dir_above(os.fspath(root))
    assert found is not None
    assert socket_above(os.fspath(root)) == os.fspath(places(root, Path(found)).socket)


def test_the_git_directory_of_a_linked_work_tree_is_found(root: Path) -> None:
    (root / "linked").mkdir()
    (root / "linked" / ".git").write_text("gitdir: ../elsewhere\n")
    assert git_dir_above(os.fspath(root / "linked")) == os.path.realpath(root / "elsewhere")
