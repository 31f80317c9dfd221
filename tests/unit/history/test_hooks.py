"""Installing the hooks."""

import errno
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.git_fixtures import Scratch
from vaultd.errors import StorageError, UsageError
from vaultd.history.hooks import NAMES, install, installed, uninstall


@pytest.fixture
def python(tmp_path) -> Path:
    """An interpreter that writes down how it was called, and fails when there is a file `refuse` beside it."""
    fake = tmp_path / "py thon"
    fake.write_text(
        f"#!/bin/sh\nprintf '%s|' \"$@\" >> '{tmp_path}/calls'; echo >> '{tmp_path}/calls'\n[ ! -e '{tmp_path}/refuse' ]\n"
    )
    fake.chmod(0o755)
    return fake


def _calls(tmp_path: Path) -> list[str]:
    file = tmp_path / "calls"
    return file.read_text().split("\n")[:-1] if file.exists() else []


def _marked(vault: Scratch) -> None:
    vault.write(".vaultd/vault-id", "x")


def test_a_commit_is_checked(vault, python, tmp_path):
    _marked(vault)
    assert install(vault.repo, python) == list(NAMES) == installed(vault.repo)
    vault.commit(a="1")
    assert _calls(tmp_path) == ["-m|vaultd|-C|.|check|--staged|"]


def test_a_vault_below_is_named(below, python, tmp_path):
    _marked(below)
    install(below.repo, python)
    below.commit(a="1")
    assert _calls(tmp_path) == ["-m|vaultd|-C|./my notes|check|--staged|"]


def test_a_commit_that_breaks_a_rule_is_stopped(vault, python, tmp_path):
    _marked(vault)
    install(vault.repo, python)
    (tmp_path / "refuse").touch()
    vault.git("add", "-A")
    vault.git("commit", "-qm", "x", ok=(1,))


def test_a_merge_is_checked(vault, python, tmp_path):
    _marked(vault)
    vault.commit("base")
    vault.git("checkout", "-qb", "other")
    vault.commit(a="1")
    vault.git("checkout", "-q", "main")
    vault.commit(b="1")
    install(vault.repo, python)
    (tmp_path / "refuse").touch()
    vault.git("merge", "-q", "-m", "m", "other", ok=(1,))
    assert len(_calls(tmp_path)) == 1


def test_a_push_is_checked_by_its_ranges(vault, python, tmp_path):
    _marked(vault)
    first = vault.commit(a="1")
    vault.git("init", "-q", "--bare", str(tmp_path / "remote"))
    vault.git("remote", "add", "origin", str(tmp_path / "remote"))
    install(vault.repo, python)
    vault.git("push", "-q", "origin", "main", "main:copy")
    assert _calls(tmp_path) == [f"-m|vaultd|-C|.|check|--history|{first}|"] * 2
    second = vault.commit(a="2")
    (tmp_path / "calls").unlink()
    vault.git("push", "-q", "origin", "main", ":copy")
    assert _calls(tmp_path) == [f"-m|vaultd|-C|.|check|--history|{first}..{second}|"]
    vault.commit(a="3")
    (tmp_path / "refuse").touch()
    vault.git("push", "-q", "origin", "main", ok=(1,))


def test_the_hook_that_was_there_runs_after_with_its_arguments_and_input(vault, python, tmp_path):
    _marked(vault)
    vault.commit(a="1")
    vault.git("init", "-q", "--bare", str(tmp_path / "remote"))
    hook = vault.top / ".git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho \"$1\" > '{tmp_path}/theirs'; cat >> '{tmp_path}/theirs'\n")
    hook.chmod(0o755)
    install(vault.repo, python)
    vault.git("push", "-q", str(tmp_path / "remote"), "main")
    name, line, *_ = (tmp_path / "theirs").read_text().split("\n")
    assert name == str(tmp_path / "remote")
    assert line == f"refs/heads/main {vault.head} refs/heads/main {'0' * 40}"
    assert len(_calls(tmp_path)) == 1


def test_the_hook_that_was_there_can_refuse(vault, python):
    _marked(vault)
    hook = vault.top / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    install(vault.repo, python)
    vault.git("add", "-A")
    vault.git("commit", "-qm", "x", ok=(1,))


def test_an_interpreter_that_is_gone_is_said_and_stops_nothing(vault, python, tmp_path):
    _marked(vault)
    install(vault.repo, python)
    python.unlink()
    vault.git("add", "-A")
    vault.git("commit", "-qm", "x")
    vault.git("init", "-q", "--bare", str(tmp_path / "remote"))
    vault.git("push", "-q", str(tmp_path / "remote"), "main")
    assert vault.git("hook", "run", "pre-commit", ok=(0, 1)) == ""


def test_a_branch_without_the_vault_is_left_alone(vault, python, tmp_path):
    install(vault.repo, python)
    vault.commit(a="1")
    assert _calls(tmp_path) == []


def test_installing_twice_changes_nothing(vault, python):
    install(vault.repo, python)
    before = {name: (vault.top / ".git/hooks" / name).stat().st_mtime_ns for name in NAMES}
    assert install(vault.repo, python) == []
    assert {name: (vault.top / ".git/hooks" / name).stat().st_mtime_ns for name in NAMES} == before


def test_another_interpreter_replaces_only_ours(vault, python):
    hook = vault.top / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n")
    install(vault.repo, python)
    assert install(vault.repo, Path(sys.executable)) == list(NAMES)
    assert hook.with_name("pre-commit.vaultd-chained").read_text() == "#!/bin/sh\nexit 0\n"


def test_uninstalling_puts_back_the_old_file_byte_for_byte(vault, python):
    hook = vault.top / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes(b"#!/bin/sh\r\n\xff exit 0")
    hook.chmod(0o750)
    before = sorted(hook.parent.iterdir())
    install(vault.repo, python)
    assert uninstall(vault.repo) == list(NAMES)
    assert hook.read_bytes() == b"#!/bin/sh\r\n\xff exit 0"
    assert hook.stat().st_mode & 0o777 == 0o750
    assert sorted(hook.parent.iterdir()) == before
    assert uninstall(vault.repo) == installed(vault.repo) == []


def test_a_hook_somebody_put_over_ours_is_left(vault, python):
    install(vault.repo, python)
    hook = vault.top / ".git/hooks/pre-commit"
    hook.write_text("theirs")
    assert uninstall(vault.repo) == ["pre-merge-commit", "pre-push"]
    assert hook.read_text() == "theirs"


def test_a_kept_hook_is_never_overwritten(vault, python):
    folder = vault.top / ".git/hooks"
    folder.mkdir(exist_ok=True)
    (folder / "pre-commit").write_text("new")
    (folder / "pre-commit.vaultd-chained").write_text("old")
    with pytest.raises(StorageError, match="in the way"):
        install(vault.repo, python)
    assert (folder / "pre-commit.vaultd-chained").read_text() == "old"


@pytest.mark.parametrize("disk", ["a file lies there", "no entry can be made or removed"])
def test_a_hooks_folder_that_cannot_be_written_is_the_disks_no(vault, python, monkeypatch, disk):
    folder = vault.top / ".git/hooks"
    if disk == "a file lies there":
        shutil.rmtree(folder, ignore_errors=True)
        folder.write_text("")
        assert uninstall(vault.repo) == []
        changes = [lambda: install(vault.repo, python)]
    else:
        install(vault.repo, python)
        monkeypatch.setattr(Path, "replace", _read_only)
        monkeypatch.setattr(Path, "unlink", _read_only)
        changes = [lambda: uninstall(vault.repo), lambda: install(vault.repo, python.with_name("other"))]
    for change in changes:
        with pytest.raises(StorageError, match=r"hooks cannot be written: ") as refused:
            change()
        assert refused.value.hint


def _read_only(*_words: object) -> None:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


def test_the_repositorys_own_hooks_path_is_respected(vault, python, tmp_path):
    _marked(vault)
    vault.git("config", "core.hooksPath", ".hooks")
    install(vault.repo, python)
    assert {path.name for path in (vault.top / ".hooks").iterdir()} == set(NAMES)
    vault.commit(a="1")
    assert len(_calls(tmp_path)) == 1


def test_a_hooks_path_shared_by_all_repositories_is_refused(vault, python, tmp_path, monkeypatch):
    settings = tmp_path / "gitconfig"
    settings.write_text(f"[core]\n\thooksPath = {tmp_path}/shared\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    with pytest.raises(UsageError, match=r"core\.hooksPath is global"):
        install(vault.repo, python)
    assert not (tmp_path / "shared").exists()


def test_inside_a_commit_of_our_own_the_check_is_not_repeated(vault, python, tmp_path, monkeypatch):
    _marked(vault)
    install(vault.repo, python)
    monkeypatch.setenv("VAULTD_COMMITTING", "1")
    vault.commit(a="1")
    assert _calls(tmp_path) == []
