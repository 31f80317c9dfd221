"""The daemon as a process: it hears, judges, waits, commits, survives, and lets go."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.daemons import PATIENCE, Running, daemon, finished, spawn, sweep, until
from tests.vaults import AT, Vault, id_of, with_memories
from vaultd.app import open_app
from vaultd.judging.waiting import SAVED_LATELY
from vaultd.vault.settling import Doubts

OLD = "memory/_global/old.md"
QUIET = "[commit]\nquiet = 0.1\n"
NEVER_QUIET = "[commit]\nquiet = 600\n"
LONG_AGO = 60.0
BELIEVED = 3 * Doubts().pause
"""Seconds for which a file has to be empty before that is believed."""


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processor time is read from /proc")


@pytest.fixture
def pair(vault: Vault) -> Vault:
    vault.write(".vaultd/config.toml", QUIET)
    return with_memories(vault, "old", "new")


@pytest.fixture
def running(pair: Vault) -> Iterator[Running]:
    with daemon(pair) as found:
        yield found


def state_of(vault: Vault, name: str) -> str:
    """Return what the daemon believes of a memory, as a search tells it."""
    hits = vault.does("search", "text", "--all", "--json").json["hits"]
    return next(hit["state"] for hit in hits if hit["path"] == vault.file(name).relative_to(vault.root).as_posix())


def save_earlier(vault: Vault, name: str, ago: float = LONG_AGO) -> None:
    """Make a file look as if it had been saved a minute ago, so that nobody can be typing in it."""
    moment = time.time() - ago
    os.utime(vault.file(name), (moment, moment))


# Judging ---------------------------------------------------------------------------------------------------------------


def test_a_hand_edit_is_heard_and_judged(running: Running):
    """How soon, the benchmark measures."""
    running.vault.stamp("old", by="nobody")
    until(lambda: running.status()["rejected"] == [{"path": OLD, "code": "V103"}])


def test_an_accepted_hand_edit_is_believed_before_it_is_committed(vault: Vault):
    vault.write(".vaultd/config.toml", NEVER_QUIET)
    with_memories(vault, "old", "new")
    with daemon(vault) as running:
        vault.stamp("old", by="new")
        until(lambda: running.status()["pending"] == [{"path": OLD, "reason": "quiet", "detail": ""}])
        assert state_of(vault, "old") == "superseded"
        assert running.status()["memories"] == {"active": 1, "superseded": 1, "archived": 0}
        assert vault.log[0] == "memories"


def test_an_accepted_hand_edit_is_committed_when_it_is_quiet(running: Running):
    running.vault.stamp("old", by="new")
    save_earlier(running.vault, "old")
    until(lambda: running.vault.log[0] == "memory: supersede old by new")
    until(lambda: running.said("superseded: " + OLD))
    until(lambda: running.status()["pending"] == [])
    assert running.vault.left == []


def test_a_file_that_was_just_saved_is_not_committed_yet(running: Running):
    running.vault.stamp("old", by="new")
    saved = running.vault.file("old").stat().st_mtime
    until(lambda: running.vault.log[0] != "memories")
    assert time.time() - saved >= SAVED_LATELY


def test_a_command_beside_the_daemon_is_seen_at_once(running: Running):
    running.vault.does("memory", "supersede", "old", "new")
    until(lambda: running.status()["memories"]["superseded"] == 1)
    assert running.vault.log[0] == "memory: supersede old by new"


def test_what_a_command_moved_is_not_in_two_places_for_a_moment(running: Running):
    running.vault.does("memory", "rename", "old", "renamed")
    ran = running.vault.does("check", "--json").json
    assert (ran["violations"], ran["summary"]["notes"]) == ([], 2)
    running.vault.does("undo")
    assert running.vault.does("check", "--json").json["violations"] == []


def test_what_a_person_moved_is_not_in_two_places_for_a_moment(running: Running):
    new = "memory/_global/renamed.md"
    running.vault.file("old").rename(running.vault.root / new)
    answers = [""]
    until(lambda: answers.append(running.vault.run("check").out) or new in answers[-1])
    assert "V100" not in answers[-1]


def test_another_tools_commit_is_seen(running: Running):
    running.vault.stamp("old", by="nobody")
    running.vault.commit("obsidian-git")
    until(lambda: "V109" in running.vault.run("check").out)  # the edit may have been judged before its commit was there
    assert running.status()["rejected"] == [{"path": OLD, "code": "V103"}]


def test_a_merge_in_progress_holds_up_commits_and_is_told(running: Running):
    vault = running.vault
    vault.git("checkout", "-q", "--detach")
    vault.stamp("old", by="new")
    save_earlier(vault, "old")
    until(lambda: [row["reason"] for row in running.status()["pending"]] == ["detached"])
    vault.git("checkout", "-q", "main")
    until(lambda: vault.log[0] == "memory: supersede old by new")


# How editors save ------------------------------------------------------------------------------------------------------


def test_sed_in_place_is_heard(running: Running):
    edit = f"s/^invalid_at:.*/invalid_at: {AT}/"
    subprocess.run(["sed", "-i", edit, os.fspath(running.vault.file("old"))], check=True)
    until(lambda: running.status()["memories"]["archived"] == 1)


def test_a_save_that_empties_the_file_first_is_not_a_loss(running: Running):
    vault = running.vault
    text = vault.read("old").replace("The text", "Better words")
    for _ in range(10):
        began = time.monotonic()
        with vault.file("old").open("w") as file:
            file.flush()
            time.sleep(0.5)  # longer than it takes to settle: an emptied file is what the daemon then sees
            seen = running.status()
            file.write(text)
        if time.monotonic() - began < BELIEVED:
            break
        # the machine was so slow that the file was empty for good: have that forgotten
        until(lambda: vault.does("reconcile", "--json").json["notices"] == [])
    assert (seen["rejected"], seen["memories"]["active"]) == ([], 2)
    until(lambda: vault.does("search", "Better words", "--json").json["total"] == 1)
    assert running.status()["rejected"] == []
    assert vault.log[0] == "memories"


@pytest.mark.skipif(shutil.which("vim") is None, reason="vim is not installed")
def test_vim_is_heard(running: Running):
    command = f"%s/^invalid_at:.*/invalid_at: {AT}/"
    words = ["vim", "-es", "-u", "NONE", "-i", "NONE", "-c", command, "-c", "wq", os.fspath(running.vault.file("old"))]
    subprocess.run(words, check=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    until(lambda: running.status()["memories"]["archived"] == 1)
    assert running.status()["notes"] == 2


def test_a_save_by_rename_is_heard(running: Running):
    vault = running.vault
    beside = vault.root / "memory/_global/.old.md.tmp"
    beside.write_text(vault.read("old").replace("invalid_at: null", f"invalid_at: {AT}"))
    beside.rename(vault.file("old"))
    until(lambda: running.status()["memories"]["archived"] == 1)


# Its life --------------------------------------------------------------------------------------------------------------


def test_a_stop_commits_nothing_and_waits_for_no_quiet(vault: Vault):
    vault.write(".vaultd/config.toml", NEVER_QUIET)
    with_memories(vault, "old", "new")
    with daemon(vault) as first:
        vault.stamp("old", by="new")
        until(lambda: first.status()["pending"])
        vault.does("stop")
        assert first.process.wait(PATIENCE) == 0
    assert vault.log[0] == "memories"
    assert vault.does("status", "--json").json["state"] == "off"


def test_a_start_counts_from_when_the_files_were_saved(vault: Vault):
    vault.write(".vaultd/config.toml", NEVER_QUIET)
    with_memories(vault, "old", "new")
    vault.stamp("old", by="new")
    save_earlier(vault, "old", 700.0)
    with daemon(vault):
        until(lambda: vault.log[0] == "memory: supersede old by new")


def test_a_signal_ends_it_like_a_stop(running: Running):
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(PATIENCE) == 0
    assert running.vault.does("status", "--json").json["state"] == "off"


def test_a_sidecar_that_cannot_be_used_is_told_by_status_and_the_notes_are_watched(pair: Vault):
    pair.does("task", "add", "one")
    with closing(open_app(pair.root)) as app:
        (app.opened.places.state / "state.db").write_bytes(b"no database" * 1_000)
    with daemon(pair) as running:
        assert any("agents are not served" in notice for notice in running.status()["notices"])
        assert "agents are not served: " in pair.does("status").out
        assert state_of(pair, "old") == "active"


def test_a_second_daemon_is_refused_and_names_the_first(running: Running):
    ran = finished(running.vault, "up")
    assert (ran.code, str(running.process.pid) in ran.out) == (4, True)
    assert running.status()["state"] == "ready"


def test_a_daemon_that_was_killed_is_no_obstacle(pair: Vault):
    with daemon(pair) as first:
        first.kill()
    pair.stamp("old", by="new")
    save_earlier(pair, "old")
    with daemon(pair) as second:
        until(lambda: pair.log[0] == "memory: supersede old by new")
        assert second.status()["state"] == "ready"


def test_after_a_kill_reading_works_without_a_daemon(pair: Vault):
    with daemon(pair) as first:
        first.kill()
    assert pair.does("status", "--json").json["state"] == "off"
    assert pair.does("search", "text", "--json").json["total"] == 2


def test_a_save_that_breaks_a_rule_is_said_and_so_is_its_end(running: Running):
    vault = running.vault
    vault.does("memory", "supersede", "old", "new")
    vault.clear("old")
    until(lambda: running.said(f"rejected: {OLD}:"))
    assert [line for line in running.lines if line.startswith("rejected:")] == [f"rejected: {OLD}:9 V102"]
    vault.does("revert", OLD)
    until(lambda: running.said(f"right again: {OLD}"))


def test_one_that_is_stopped_holds_up_nobody(running: Running):
    vault = running.vault
    running.process.send_signal(signal.SIGSTOP)
    try:
        waiting = [spawn(vault, *words) for words in (["search", "text"], ["check"], ["status"], ["tags", "--json"])]
        said = [process.communicate(timeout=PATIENCE)[0] for process in waiting]
        assert [process.returncode for process in waiting] == [0, 0, 0, 0], said
        assert ["the daemon does not answer" in one for one in said] == [True] * 4
        assert f"silent (pid {running.process.pid})" in said[2]
        assert finished(vault, "resume").code == 4
    finally:
        running.process.send_signal(signal.SIGCONT)
    assert running.status()["state"] == "ready"


def test_the_index_may_be_deleted_under_it(running: Running):
    vault = running.vault
    index = next(Path(os.environ["XDG_STATE_HOME"]).glob("vaultd/*/index"))
    for gone in (index, index / "fulltext", index / "index.db", index):
        sweep(gone) if gone.is_dir() else gone.unlink()
        assert vault.does("search", "text", "--json").json["total"] == 2
        assert vault.does("check", "--json").json["summary"]["notes"] == 2
    sweep(index)
    until(index.exists)
    sweep(index)
    vault.edit("new", "The text", "Better words")
    until(lambda: vault.run("search", "Better words", "--json").json.get("total") == 1)
    vault.stamp("old", by="new")
    until(lambda: running.status()["memories"]["superseded"] == 1)
    assert running.process.poll() is None


def test_the_whole_state_folder_may_be_deleted_under_it(running: Running):
    """What is of record in it is lost, as the docs say; the daemon goes on, is found, and takes in what is new."""
    vault = running.vault
    vault.does("task", "add", "lost")
    index = next(Path(os.environ["XDG_STATE_HOME"]).glob("vaultd/*/index"))
    sweep(index.parent)
    until(lambda: vault.does("status", "--json").json["pid"] == running.process.pid)
    assert vault.does("search", "text", "--json").json["total"] == 2
    vault.does("task", "add", "found")
    assert [row["title"] for row in vault.does("task", "list", "--json").json["tasks"]] == ["found"]
    vault.does("stop")
    assert running.process.wait(PATIENCE) == 0


def test_rebuild_while_it_runs_gives_the_same_answers(running: Running):
    before = running.vault.does("search", "text", "--json").json["hits"]
    assert running.vault.does("rebuild", "--json").json["notes"] == 2
    assert running.vault.does("search", "text", "--json").json["hits"] == before


def test_a_mass_disappearance_is_not_believed_until_a_person_says_so(pair: Vault):
    names = [f"m{number}" for number in range(40)]
    with_memories(pair, *names)
    with daemon(pair) as running:
        aside = pair.root.parent / "aside"
        pair.root.joinpath("memory").rename(aside)
        until(lambda: running.status()["state"] == "suspended")
        assert running.status()["memories"]["active"] == 42
        assert pair.log[0] == "memories"
        pair.does("resume")
        until(lambda: running.status()["state"] == "ready")
        until(lambda: running.status()["notes"] == 0)


def test_a_mass_disappearance_that_ends_by_itself_is_forgotten(pair: Vault):
    with_memories(pair, *[f"m{number}" for number in range(40)])
    with daemon(pair) as running:
        aside = pair.root.parent / "aside"
        pair.root.joinpath("memory").rename(aside)
        until(lambda: running.status()["state"] == "suspended")
        aside.rename(pair.root / "memory")
        until(lambda: running.status()["state"] == "ready")
        assert running.status()["memories"]["active"] == 42
    assert pair.left == []


def test_a_missing_marker_suspends(running: Running):
    marker = running.vault.root / ".vaultd/vault-id"
    text = marker.read_bytes()
    marker.unlink()
    until(lambda: running.status()["state"] == "suspended")
    running.vault.stamp("old", by="new")
    marker.write_bytes(text)
    until(lambda: running.status()["memories"]["superseded"] == 1)


def test_a_resume_where_nothing_is_suspended_is_no_error(running: Running):
    running.vault.does("resume")
    assert running.status()["state"] == "ready"


def test_a_note_deleted_by_hand_leaves_the_answers(running: Running):
    running.vault.file("old").unlink()
    until(lambda: running.status()["notes"] == 1)
    until(lambda: running.vault.log[0] == "memory: delete old")


def test_a_successor_deleted_by_hand_stays_believed(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    with daemon(pair) as running:
        pair.file("new").unlink()
        until(lambda: running.status()["rejected"] == [{"path": "memory/_global/new.md", "code": "V111"}])
        pair.does("revert", "memory/_global/new.md")
        until(lambda: running.status()["rejected"] == [])
    assert id_of("new") in pair.read("old")


def share(running: Running, *, children: bool = False) -> float:
    """Return which share of a processor a daemon takes for two seconds, with the programs that it ran if asked."""

    def spent() -> float:
        fields = Path(f"/proc/{running.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(int(field) for field in fields[11 : 15 if children else 13]) / os.sysconf("SC_CLK_TCK")

    began, before = time.monotonic(), spent()
    time.sleep(2)
    return (spent() - before) / (time.monotonic() - began)


@needs_proc
def test_doing_nothing_costs_next_to_nothing(running: Running):
    """What a start leaves to be done ends; a loop that is busy never gets there."""
    until(lambda: share(running) < 0.1)


@needs_proc
def test_waiting_for_git_costs_little(running: Running):
    running.vault.git("checkout", "-q", "--detach")
    running.vault.stamp("old", by="new")
    save_earlier(running.vault, "old")
    until(lambda: [row["reason"] for row in running.status()["pending"]] == ["detached"])
    until(lambda: share(running, children=True) < 0.2)
