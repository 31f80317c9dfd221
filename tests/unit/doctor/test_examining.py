"""What the doctor says of vaults that are well and of vaults that are not."""

import contextlib
import os
import shutil
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from tests.daemons import PATIENCE, until
from tests.vaults import Vault, with_memories
from vaultd.app import open_app
from vaultd.daemon.loop import Daemon
from vaultd.vault import intents
from vaultd.vault.intents import Intent
from vaultd.vault.places import claim_clone

FUTURE = time.time() + 86_400
NOBODY = 2**22 + 1
"""A process number that Linux does not give."""


def examined(vault: Vault, *words: str) -> dict[str, tuple[str, str]]:
    """Return, by what was looked at, how it is and what is said of it."""
    lines = vault.run("doctor", "--json", *words).json["checks"]
    return {line["check"]: (line["level"], line["says"]) for line in lines}


def fixes(vault: Vault) -> dict[str, str]:
    return {line["check"]: line["fix"] for line in vault.run("doctor", "--json").json["checks"]}


def index_of(vault: Vault) -> Path:
    return claim_clone(vault.root, vault.root / ".git").index


@pytest.fixture
def well(vault: Vault) -> Vault:
    with_memories(vault, "a", "b")
    claim_clone(vault.root, vault.root / ".git")
    vault.does("search", "a")
    return vault


# the folder -----------------------------------------------------------------------------------------------------------


def test_a_vault_that_is_well_has_nothing_to_mend(well: Vault):
    found = examined(well)
    assert {check for check, (level, _) in found.items() if level in {"warn", "fail"}} == set()
    assert found["vault"] == ("ok", f"{well.root}: 2 notes")


def test_examining_changes_no_file_of_the_vault(well: Vault):
    before = well.status, well.head
    well.does("doctor")
    assert (well.status, well.head) == before


def test_every_line_of_the_text_says_how_it_is_and_a_fix_stands_below(well: Vault):
    lines = well.does("doctor").out.splitlines()
    assert all(line.split(maxsplit=1)[0] in {"ok", "info", "warn", "fail", "fix:"} for line in lines)
    assert "      fix: vaultd start" in lines


def test_two_names_that_are_one_elsewhere_fail(well: Vault):
    well.write("Note.md", "a\n")
    well.write("note.md", "b\n")
    if len(list(well.root.glob("[Nn]ote.md"))) < 2:
        pytest.skip("this disk ignores case")
    ran = well.run("doctor")
    assert (ran.code, "fail  collisions: 1 file" in ran.out) == (1, True)


def test_a_conflict_copy_is_named(well: Vault):
    well.write("a.sync-conflict-20261130-162007-6JTFDZU.md", "a\n")
    assert examined(well)["conflicts"][0] == "warn"


def test_a_note_from_the_future_is_told(well: Vault):
    os.utime(well.write("late.md", "a\n"), (FUTURE, FUTURE))
    assert examined(well)["clock"] == ("warn", "1 note saved in the future: late.md")


def test_a_note_that_icloud_has_not_brought_is_told(well: Vault):
    well.write(".Garden.md.icloud", "")
    assert examined(well)["dataless"][0] == "warn"


def test_the_folder_of_obsidian_is_named(well: Vault):
    well.write(".obsidian/app.json", "{}")
    assert examined(well)["obsidian"] == ("ok", ".obsidian")


def test_errors_in_notes_are_left_to_check(well: Vault):
    well.stamp("a", by="01JV00000000000000000000ZZ")
    assert examined(well)["rules"] == ("warn", "1 error in 2 notes")


def test_a_broken_config_fails_with_what_mends_it(well: Vault):
    well.write(".vaultd/config.toml", "nonsense = 1\n")
    ran = well.run("doctor", "--json")
    assert ran.code == 1
    assert [(line["level"], "nonsense" in line["says"]) for line in ran.json["checks"]] == [("fail", True)]


# git ------------------------------------------------------------------------------------------------------------------


def test_a_folder_before_init_is_told_how_it_becomes_a_vault(folder: Vault):
    folder.write("a.md", "a\n")
    assert (examined(folder)["init"][0], fixes(folder)["init"]) == ("info", "vaultd init")


def test_a_folder_without_git_is_examined(tmp_path: Path):
    (tmp_path / "plain").mkdir()
    vault = Vault(tmp_path / "plain")
    vault.write("a.md", "a\n")
    assert examined(vault)["git"][0] == "warn"


def test_nobody_to_commit_as_fails(well: Vault):
    well.git("config", "user.name", "")
    assert examined(well)["identity"][0] == "fail"


@pytest.mark.parametrize(
    ("setting", "value", "check"),
    [("core.autocrlf", "true", "autocrlf"), ("core.ignorecase", "true", "ignorecase")],
)
def test_a_setting_that_changes_notes_is_told_with_the_one_that_does_not(
    well: Vault, setting: str, value: str, check: str
):
    well.git("config", setting, value)
    assert examined(well)[check][0] == "warn"
    assert fixes(well)[check] == f"git config {setting} false"


def test_a_workspace_that_git_keeps_is_told(well: Vault):
    well.write(".obsidian/workspace.json", "{}")
    well.git("add", "-f", ".obsidian/workspace.json")
    assert examined(well)["workspace"][0] == "warn"


def test_a_merge_under_way_is_told(well: Vault):
    (well.root / ".git/MERGE_HEAD").write_text(well.head + "\n")
    assert "merge" in examined(well)["operation"][1]


def test_a_detached_head_is_told(well: Vault):
    well.git("checkout", "-q", "--detach")
    assert examined(well)["branch"][0] == "warn"


def test_a_shallow_clone_is_told(well: Vault, tmp_path: Path):
    well.git("clone", "-q", "--depth=1", f"file://{well.root}", str(tmp_path / "clone"))
    assert fixes(Vault(tmp_path / "clone"))["history"] == "git fetch --unshallow"


def test_a_history_that_never_made_the_folder_a_vault_is_told(folder: Vault):
    folder.write(".vaultd/vault-id", "01JV0000000000000000000000\n")
    assert examined(folder)["history"][0] == "warn"


def test_hooks_that_call_an_interpreter_that_is_gone_are_told(well: Vault):
    well.does("hooks", "install")
    assert examined(well)["hooks"][0] == "ok"
    hook = well.root / ".git/hooks/pre-commit"
    lines = hook.read_text().splitlines(keepends=True)
    hook.write_text("".join("python='/gone/python'\n" if line.startswith("python=") else line for line in lines))
    assert examined(well)["hooks"] == ("warn", "/gone/python is gone: the hooks check nothing")


# leftovers ------------------------------------------------------------------------------------------------------------


def test_a_temporary_of_a_dead_writer_is_cleared_by_fix(well: Vault):
    left = well.write(f"memory/_global/.a.md.vaultd-tmp-{NOBODY}", "")
    assert examined(well)["temporaries"][0] == "warn"
    ran = well.does("doctor", "--fix", "--json")
    assert ran.json["fixed"] == ["cleared 1 file of killed writes"]
    assert not left.exists()


def test_a_temporary_that_holds_text_of_its_own_is_kept(well: Vault):
    left = well.write(f"memory/_global/.a.md.vaultd-tmp-{NOBODY}", "nowhere else\n")
    ran = well.does("doctor", "--fix", "--json")
    assert ran.json["fixed"] == [f"kept memory/_global/{left.name}: it holds text that is nowhere else"]
    assert left.exists()


def test_a_command_killed_half_way_is_left_to_the_recovery(well: Vault):
    folder = claim_clone(well.root, well.root / ".git").intents
    assert folder is not None
    os.close(intents.record(folder, Intent("i1", "", NOBODY, "memory: new", (), (), "memory: new\n"), {}).fd)
    left = well.write(f"memory/_global/.a.md.vaultd-tmp-{NOBODY}", "")
    assert examined(well, "--fix")["intents"][0] == "warn"
    assert left.exists()


def test_a_lock_of_ours_whose_owner_died_is_opened_by_fix(well: Vault):
    own = well.root / ".git/vaultd/commit-1-x.lock"
    own.write_text("none\n")
    os.utime(own, (0, 0))
    os.link(own, well.root / ".git/index.lock")
    assert fixes(well)["index.lock"] == "vaultd doctor --fix"
    assert well.does("doctor", "--fix", "--json").json["fixed"] == ["unlocked git's index"]
    assert not (well.root / ".git/index.lock").exists()


def test_a_lock_of_another_git_is_told_and_left_alone(well: Vault):
    lock = well.root / ".git/index.lock"
    lock.touch()
    os.utime(lock, (0, 0))
    assert examined(well, "--fix")["index.lock"][0] == "warn"
    assert lock.exists()


# the index ------------------------------------------------------------------------------------------------------------


def test_no_index_is_no_fault(well: Vault):
    shutil.rmtree(index_of(well))
    assert examined(well)["index"][0] == "info"


def test_notes_that_changed_since_are_counted(well: Vault):
    well.write("new.md", "a\n")
    well.edit("a", "About a", "About more")
    assert examined(well)["index age"] == ("info", "2 notes changed since the index was written")


def test_an_index_that_disagrees_with_itself_is_made_again_by_fix(well: Vault):
    with contextlib.closing(sqlite3.connect(index_of(well) / "index.db")) as sql, sql:
        sql.execute("DELETE FROM files WHERE path LIKE '%a.md'")
    ran = well.does("doctor", "--fix", "--json")
    assert ran.json["fixed"] == ["made the index again: 2 notes"]
    assert examined(well)["index"][0] == "ok"


def test_an_index_that_a_daemon_holds_is_made_again_by_the_daemon(well: Vault):
    app = open_app(well.root)
    ready = threading.Event()
    daemon = Daemon(app, lambda line: ready.set() if line.startswith("ready") else None)
    thread = threading.Thread(target=daemon.run)
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        with contextlib.closing(sqlite3.connect(index_of(well) / "index.db")) as sql, sql:
            sql.execute("DELETE FROM files WHERE path LIKE '%a.md'")
        fixed = well.does("doctor", "--fix", "--json").json["fixed"]
        until(lambda: examined(well)["index"][0] == "ok")  # who writes it for longer is told, and nothing else
        found = examined(well)
    finally:
        daemon.stop()
        thread.join(PATIENCE)
        app.close()
    assert fixed == ["had the daemon make the index again"]
    assert found["daemon"][0] == "ok"


def test_what_a_writer_has_half_done_is_no_damage(well: Vault):
    with well.app() as app:
        app.opened.mirror.expect(["a.md"])
        with app.writing_index():
            level, says = examined(well, "--fix")["index"]
            assert level == "info"
            assert says.startswith("writer.lock is held by process")
        assert examined(well)["index"] == ("warn", "a writer was killed")


def test_an_index_cut_short_is_told(well: Vault):
    file = index_of(well) / "index.db"
    for end in ("-wal", "-shm"):
        file.with_name(file.name + end).unlink(missing_ok=True)
    os.truncate(file, 100)
    assert examined(well)["index"] == ("warn", "it could not be used and begins anew")


# what is of record and no file ----------------------------------------------------------------------------------------


def test_a_state_db_that_cannot_be_used_is_told_with_where_it_lies(well: Vault):
    assert examined(well)["state"][0] == "info"
    well.does("task", "add", "one")
    file = index_of(well).parent / "state.db"
    level, says = examined(well)["state"]
    assert (level, str(file) in says) == ("ok", True)
    with contextlib.closing(sqlite3.connect(file)) as sql:
        (version,) = sql.execute("PRAGMA user_version").fetchone()
        sql.execute("PRAGMA user_version = 999")
    level, says = examined(well)["state"]
    assert (level, "newer vaultd" in says) == ("fail", True)
    with contextlib.closing(sqlite3.connect(file)) as sql:
        sql.execute(f"PRAGMA user_version = {version}")
        sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file.write_bytes(file.read_bytes()[:8192] + os.urandom(file.stat().st_size - 8192))
    level, says = examined(well)["state"]
    assert (level, str(file) in says) == ("fail", True)
    assert "vaultd state import" in fixes(well)["state"]
