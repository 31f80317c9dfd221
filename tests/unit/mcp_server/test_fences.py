"""Projects that a person set apart: what agents of others see and touch of them, and what their own do elsewhere."""

from collections.abc import Iterator

import pytest

from tests.vaults import Vault
from vaultd.errors import RejectedError
from vaultd.mcp_server.alone import desk_alone
from vaultd.mcp_server.calling import call_tool
from vaultd.mcp_server.catalogue import tools_of
from vaultd.mcp_server.desk import Caller, Desk

NEW = {"kind": "gotcha", "description": "About frost.", "body": "frost"}


@pytest.fixture
def desk(vault: Vault) -> Iterator[Desk]:
    """Give a desk where three projects hold a memory and a task each, and a session of each is open."""
    with desk_alone(vault.root) as found:
        for project in ("pay", "radio", "global"):
            name = project if project != "global" else ""
            does(found, project, "session_start", name=project, project=project)
            does(found, project, "memory_write", name=f"of-{project}", **NEW)
            does(found, project, "tasks_add", title=f"of {project}")
            assert found.sidecar.sessions.list()[0].project == name
        yield found


def does(desk: Desk, who: str, tool: str, **arguments: object) -> dict:
    return call_tool(desk, tools_of("all"), tool, arguments, Caller("editor", who))


def finds(desk: Desk, who: str) -> set[str]:
    return {hit["path"].split("/")[1] for hit in does(desk, who, "search", query="frost")["hits"]}


def test_an_open_project_is_seen_by_all(desk: Desk) -> None:
    assert finds(desk, "radio") == {"pay", "radio", "_global"}


def test_nothing_leaves_a_confidential_project(desk: Desk, vault: Vault) -> None:
    desk.sidecar.projects.isolate("pay", "confidential")
    assert finds(desk, "radio") == finds(desk, "global") == {"radio", "_global"}
    assert finds(desk, "pay") == {"pay", "radio", "_global"}
    does(desk, "pay", "memory_write", name="only", **{**NEW, "body": "Sesame."})
    assert does(desk, "radio", "search", query="sesame elsewhere")["notices"] == []
    (task,) = does(desk, "pay", "tasks_ready")["ready"]
    for tool, arguments in (
        ("memory_read", {"ref": "pay/of-pay"}),
        ("memory_append", {"ref": "pay/of-pay", "body": "x"}),
        ("memory_supersede", {"old": "radio/of-radio", "new": "pay/of-pay"}),
        ("memory_write", {"name": "n", "supersedes": "pay/of-pay", **NEW}),
        ("tasks_ready", {"project": "pay"}),
        ("tasks_claim", {"id": task["id"]}),
        ("tasks_update", {"id": task["id"], "status": "done"}),
        ("tasks_list", {"id": task["id"]}),
    ):
        with pytest.raises(RejectedError, match="pay is confidential"):
            does(desk, "radio", tool, **arguments)
    assert "of pay" not in {one["title"] for one in does(desk, "radio", "tasks_list")["tasks"]}
    with pytest.raises(RejectedError, match="confidential"):
        does(desk, "pay", "memory_write", name="out", project="radio", **NEW)
    assert does(desk, "radio", "memory_write", name="in", project="pay", **NEW)["path"] == "memory/pay/in.md"
    with pytest.raises(RejectedError, match="pay is confidential"):  # what is there is not written over
        does(desk, "radio", "memory_write", name="of-pay", project="pay", body="mine now")
    assert vault.errors() == []


def test_what_may_not_be_read_uses_up_no_place_and_is_not_counted(desk: Desk) -> None:
    for number in range(4):
        does(
            desk, "pay", "memory_write", name=f"strong-{number}", kind="gotcha", description="frost", body="frost " * 9
        )
    assert len(does(desk, "radio", "search", query="frost", limit=3)["hits"]) == 3
    desk.sidecar.projects.isolate("pay", "confidential")
    found = does(desk, "radio", "search", query="frost", limit=3)
    assert ([hit["project"] for hit in found["hits"]], found["total"]) == (["", "radio"], 2)
    desk.sidecar.projects.isolate("pay", "sealed")
    found = does(desk, "pay", "search", query="frost", limit=10)
    assert ({hit["project"] for hit in found["hits"]}, found["total"]) == ({"pay"}, 5)


def test_what_is_wrong_in_a_project_that_is_set_apart_is_not_listed(desk: Desk, vault: Vault) -> None:
    vault.edit("pay/of-pay", "kind: gotcha", "kind: none")
    desk.sidecar.projects.isolate("pay", "confidential")
    assert does(desk, "pay", "check")["violations"] != []
    seen = does(desk, "radio", "check")
    assert seen["violations"] == []
    assert any("not listed" in one for one in seen["notices"])


def test_tasks_of_a_project_that_is_set_apart_are_told_in_no_way(desk: Desk) -> None:
    step = does(desk, "pay", "tasks_add", title="of pay", plan="autumn")
    mine = does(desk, "radio", "tasks_add", title="of radio", plan="autumn")
    desk.sidecar.projects.isolate("pay", "confidential")
    ready = does(desk, "radio", "tasks_ready", plan="autumn")
    assert [one["id"] for one in ready["ready"]] == [mine["id"]]
    assert {one["project"] for one in ready["elsewhere"]} == {"", "radio"}
    assert [one["total"] for one in does(desk, "radio", "plans_list")["plans"]] == [1]
    for tool, arguments in (
        ("tasks_add", {"title": "t", "depends_on": [step["id"]]}),
        ("tasks_update", {"id": mine["id"], "add_depends_on": [step["id"]]}),
    ):
        with pytest.raises(RejectedError, match="pay is confidential"):
            does(desk, "radio", tool, **arguments)


def test_nothing_enters_a_sealed_project_either(desk: Desk) -> None:
    desk.sidecar.projects.isolate("pay", "sealed")
    assert finds(desk, "pay") == {"pay"}
    for who, tool, arguments in (
        ("radio", "memory_write", {"name": "in", "project": "pay", **NEW}),
        ("radio", "tasks_add", {"title": "t", "project": "pay"}),
        ("pay", "memory_read", {"ref": "of-global"}),
        ("pay", "note_write", {"title": "t", "project": "global"}),
    ):
        with pytest.raises(RejectedError, match="pay is sealed"):
            does(desk, who, tool, **arguments)
    does(desk, "pay", "memory_append", ref="pay/of-pay", body="more")


def test_what_is_set_apart_belongs_to_nobody(desk: Desk) -> None:
    projects = desk.sidecar.projects
    projects.describe("radio", parent="pay")
    projects.join("all-of-us", "pay")
    with pytest.raises(RejectedError, match="radio is a part of pay"):
        projects.isolate("pay", "sealed")
    projects.describe("radio", parent="")
    assert projects.isolate("pay", "sealed").families == ()
    with pytest.raises(RejectedError, match="no family"):
        projects.join("all-of-us", "pay")
    assert projects.isolate("pay", "open").isolation == "open"
    assert finds(desk, "radio") == {"pay", "radio", "_global"}
