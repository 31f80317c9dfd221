"""The verbs for agents: one JSON document each, the same rules as everywhere, the sidecar shared by all processes."""

import json
from pathlib import Path

import pytest

from tests.daemons import daemon
from tests.vaults import Vault, new_vault
from vaultd.cli.reaching import opened_sidecar
from vaultd.mcp_server.alone import desk_alone
from vaultd.mcp_server.calling import call_tool
from vaultd.mcp_server.catalogue import tools_of
from vaultd.mcp_server.desk import Caller
from vaultd.state.tasks import Wish


def add(vault: Vault, title: str, *options: str) -> str:
    return str(vault.does("task", "add", title, *options, "--json").json["id"])


def test_a_task_goes_from_open_to_done(vault: Vault) -> None:
    task = add(vault, "Mend the decoder")
    claimed = vault.does("task", "claim", task, "--session", "ada", "--lease", "60", "--json").json
    assert (claimed["id"], claimed["status"], claimed["claimed_by"]) == (task, "in_progress", "ada")
    assert claimed["lease_expires_at"]
    done = vault.does("task", "update", task, "--status", "done", "--session", "ada", "--json").json
    assert (done["status"], done["claimed_by"], done["lease_expires_at"]) == ("done", None, None)
    empty = {
        "vaultd": 1,
        "ready": [],
        "blocked": [],
        "total": {"ready": 0, "blocked": 0},
        "elsewhere": [],
        "notices": [],
    }
    assert vault.does("task", "ready", "--json").json == empty


def test_a_claim_begins_the_session_that_is_not_there(vault: Vault) -> None:
    vault.does("task", "claim", add(vault, "one"), "--session", "new")
    assert [one["name"] for one in vault.does("session", "list", "--json").json["sessions"]] == ["new"]


def test_a_claim_of_what_another_holds_exits_4_and_a_blocked_one_3(vault: Vault) -> None:
    first = add(vault, "first")
    second = add(vault, "second", "--depends-on", first)
    vault.does("task", "claim", first, "--session", "ada")
    assert vault.run("task", "claim", first, "--session", "bob").code == 4
    blocked = vault.run("task", "claim", second, "--session", "bob")
    assert blocked.code == 3
    assert first in blocked.err


def test_force_takes_a_task_from_its_holder(vault: Vault) -> None:
    task = add(vault, "one")
    vault.does("task", "claim", task, "--session", "ada")
    assert vault.run("task", "release", task, "--session", "bob").code == 2
    vault.does("task", "release", task, "--force")
    assert vault.does("task", "show", task, "--json").json["status"] == "open"


def test_ending_a_session_tells_what_it_gave_back(vault: Vault) -> None:
    task = add(vault, "one")
    vault.does("task", "claim", task, "--session", "ada")
    ended = vault.does("session", "end", "--session", "ada", "--findings", "x", "--mishap", "y", "--json").json
    assert (ended["claims_released"], ended["mishaps_recorded"], ended["status"]) == ([task], 1, "completed")


def test_the_environment_names_the_session(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.does("session", "start", "--name", "ada")
    monkeypatch.setenv("VAULTD_SESSION", "ada")
    vault.does("session", "update", "--findings", "so far")
    assert vault.does("session", "list", "--json").json["sessions"][0]["findings"] == "so far"


def test_a_plan_shows_its_steps_and_its_notes(vault: Vault) -> None:
    task = add(vault, "one", "--plan", "autumn")
    vault.write("plan.md", "---\ntags: [plan:autumn, other]\n---\nHow.\n")
    vault.write("other.md", "---\ntags: [plan:autumn-2]\n---\nNo.\n")
    shown = vault.does("plan", "show", "autumn", "--json").json
    assert (shown["notes"], [one["id"] for one in shown["tasks"]]) == (["plan.md"], [task])
    assert (shown["plans"][0]["total"], shown["plans"][0]["claimable"]) == (1, 1)
    assert vault.run("plan", "show", "nothing").code == 2


def test_usage_counts_what_was_done(vault: Vault) -> None:
    add(vault, "one")
    counted = vault.does("usage", "--json").json
    assert (counted["events"], counted["tasks"]) == ({"task.transition": 1}, {"open": 1})


def test_another_machine_starts_from_what_git_brought(vault: Vault, tmp_path: Path) -> None:
    task = add(vault, "one", "--plan", "autumn")
    vault.does("state", "export")
    vault.commit("export")
    clone = Vault(tmp_path / "clone")
    vault.git("clone", "-q", str(vault.root), str(clone.root))
    assert clone.does("task", "list", "--plan", "autumn", "--json").json["tasks"] == []
    clone.does("state", "import")
    asked = ("task", "show", task, "--json")
    assert clone.does(*asked).json == vault.does(*asked).json
    assert clone.does("state", "import", "--json").json["added"] == 0


def test_an_export_goes_to_a_folder_and_comes_from_one(vault: Vault, tmp_path: Path) -> None:
    add(vault, "one")
    vault.does("state", "export", str(tmp_path / "out"))
    other = new_vault(tmp_path / "other")
    assert other.does("state", "import", str(tmp_path / "out"), "--json").json["added"] > 0
    assert len(other.does("task", "ready", "--json").json["ready"]) == 1


def test_a_backup_is_a_file_of_its_users(vault: Vault, tmp_path: Path) -> None:
    add(vault, "one")
    vault.does("state", "backup", str(tmp_path / "copy.db"))
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    assert vault.run("state", "backup", str(tmp_path / "copy.db")).code == 6


def test_a_folder_that_is_no_vault_keeps_no_tasks(folder: Vault) -> None:
    ran = folder.run("task", "add", "one")
    assert ran.code == 2
    assert "vaultd init" in ran.err


def test_a_daemon_is_in_nobodys_way(vault: Vault) -> None:
    with daemon(vault):
        task = add(vault, "one")
        vault.does("task", "claim", task, "--session", "ada")
    assert vault.does("task", "show", task, "--json").json["claimed_by"] == "ada"


def test_a_task_belongs_to_the_sessions_project_and_the_queue_says_where_more_is_ready(vault: Vault) -> None:
    vault.does("session", "start", "--name", "ada", "--project", "radio")
    add(vault, "one", "--session", "ada")
    ran = vault.does("task", "ready")
    assert (ran.out, "ready elsewhere: 1  vaultd task ready --project radio\n" in ran.err) == ("", True)
    assert "one" in vault.does("task", "ready", "--project", "radio").out


def test_a_plan_is_ready_in_all_its_projects_and_a_queue_tells_of_plans(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.does("session", "start", "--name", "ada", "--project", "radio")
    add(vault, "one", "--plan", "autumn", "--session", "ada")
    add(vault, "two", "--plan", "autumn")
    assert vault.does("task", "ready", "--plan", "autumn").out.split()[2::3] == ["one", "two"]
    monkeypatch.setenv("VAULTD_SESSION", "ada")
    ran = vault.does("task", "ready")
    assert ran.out == ""
    assert "vaultd task ready --project radio --plan autumn\n" in ran.err
    assert vault.does("task", "ready", "--plan", "atumn", "--json").json["notices"] == [
        "no task is a step of 'atumn': there are autumn"
    ]
    assert "no project is called 'rdio': there are radio" in vault.does("task", "ready", "--project", "rdio").err


def test_a_long_queue_is_told_in_part(vault: Vault) -> None:
    for number in range(4):
        add(vault, f"task {number}")
    ran = vault.does("task", "ready", "--limit", "3")
    assert (ran.out.count(" task "), "1 more are ready: --limit" in ran.err) == (3, True)
    assert vault.does("task", "ready", "--limit", "3", "--json").json["total"] == {"ready": 4, "blocked": 0}


def test_a_plan_is_shown_with_all_its_steps(vault: Vault) -> None:
    with opened_sidecar(vault.root) as sidecar:
        for number in range(120):
            sidecar.tasks.add(Wish(f"step {number}", plan="autumn"))
    shown = vault.does("plan", "show", "autumn")
    assert "autumn  0 of 120\n" in shown.out
    assert shown.out.count(" step ") == 120


def test_a_project_that_only_has_a_folder_is_one_too(vault: Vault) -> None:
    vault.remember("radio/clock")
    vault.write("notes/film/reel.md", "---\nid: 01KV2N11GTN7RVKH4CP0BJ100E\ntitle: Reel\n---\n")
    for path in ("memory/_global/all.md", "memory/No Such Name/a.md", "notes/empty/picture.png"):
        vault.write(path, "text")
    assert "there are film, radio\n" in vault.does("task", "ready", "--project", "rdio").err
    assert vault.does("task", "ready", "--project", "radio").err == "vaultd: nothing is ready here\n"
    assert vault.does("project", "list").out == "film\nradio\n"
    assert vault.does("project", "isolate", "radio", "sealed").out == "radio  (sealed)\n"


def test_a_project_that_only_has_a_folder_is_told_to_agents(vault: Vault) -> None:
    vault.remember("radio/clock")
    with desk_alone(vault.root) as desk:

        def does(tool: str, **arguments: object) -> dict:
            return call_tool(desk, tools_of("all"), tool, arguments, Caller("editor", "c"))

        assert does("tasks_ready", project="radio")["notices"] == []
        assert does("search", query="nothing", project="rdio")["notices"] == [
            "no project is called 'rdio': there are radio"
        ]
        assert [one["slug"] for one in does("projects_list")["projects"]] == ["radio"]


def test_projects_are_told_and_a_retired_one_takes_no_task(vault: Vault, tmp_path: Path) -> None:
    vault.does("project", "add", "radio", "--description", "On air")
    vault.does("project", "join", "broadcast", "radio")
    (tmp_path / "code").mkdir()
    vault.does("project", "map", str(tmp_path / "code"), "radio")
    started = vault.does("session", "start", "--name", "ada", "--cwd", str(tmp_path / "code"), "--json").json
    assert started["project"] == "radio"
    assert vault.does("project", "list").out == f"radio  On air  (of broadcast)\n  {tmp_path.resolve() / 'code'}\n"
    vault.does("project", "retire", "radio")
    assert vault.run("task", "add", "one", "--project", "radio").code == 3
    assert vault.does("project", "revive", "radio", "--json").json["retired_at"] is None
    vault.does("project", "leave", "broadcast", "radio")
    assert vault.does("project", "isolate", "radio", "sealed", "--json").json["isolation"] == "sealed"
    vault.does("project", "unmap", str(tmp_path / "code"))
    described = vault.does("project", "describe", "radio", "--name", "Radio", "--json").json
    assert (described["name"], described["families"], described["repositories"]) == ("Radio", [], [])


def test_a_command_line_and_a_tool_give_the_same_answer(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULTD_SESSION", "ada")
    with desk_alone(vault.root) as desk:

        def tool(name: str, /, **arguments: object) -> dict:
            return json.loads(json.dumps(call_tool(desk, tools_of("all"), name, arguments, Caller("editor", "c"))))

        tool("session_start", name="ada", project="radio")
        clock = {"kind": "gotcha", "description": "The clock drifts.", "body": "Daily."}
        tool("memory_write", name="clock", **clock)
        tool("note_write", title="How it went", plan="autumn")
        first = tool("tasks_add", title="one", plan="autumn")
        tool("tasks_add", title="two", plan="autumn", depends_on=[first["id"]])
        tool("tasks_add", title="three")
        tool("tasks_claim", id=first["id"])
        for name, arguments, line in (
            ("tasks_ready", {}, "task ready"),
            ("tasks_ready", {"plan": "autumn"}, "task ready --plan autumn"),
            ("tasks_ready", {"project": "film"}, "task ready --project film"),
            ("tasks_list", {"plan": "autumn"}, "task list --plan autumn"),
            ("tasks_list", {"project": "radio", "status": "open"}, "task list --project radio --status open"),
            ("plans_list", {}, "plan list"),
            ("projects_list", {}, "project list"),
            ("check", {"severity": "info"}, "check"),
            ("usage_summary", {"days": 7}, "usage --days 7"),
            ("search", {"query": "drifts", "project": "radio", "limit": 20}, "search drifts --project radio"),
        ):
            told, said = tool(name, **arguments), vault.does(*line.split(), "--json").json
            varying = {"took_ms", "generation", "events"}  # how long it took, and that somebody asked
            assert {key: told[key] for key in told.keys() - varying} == {
                key: said[key] for key in said.keys() - varying
            }, line
