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
    assert vault.errors() == []


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
