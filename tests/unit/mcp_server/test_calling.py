"""Calls, without a protocol around them: who acts, what is written down, what comes back."""

import re
from collections.abc import Iterator
from typing import Literal

import pytest

from tests.vaults import Vault
from vaultd.errors import RejectedError, UsageError, VaultdError
from vaultd.mcp_server.alone import desk_alone
from vaultd.mcp_server.calling import call_tool
from vaultd.mcp_server.catalogue import tools_of
from vaultd.mcp_server.desk import Caller, Desk, actor_of
from vaultd.mcp_server.speaking import answered
from vaultd.state.sessions import reap

NEW = {"kind": "gotcha", "description": "The clock drifts.", "body": "Daily."}


@pytest.fixture
def desk(vault: Vault) -> Iterator[Desk]:
    with desk_alone(vault.root) as found:
        yield found


def does(desk: Desk, tool: str, connection: str = "c", **arguments: object) -> dict:
    return call_tool(desk, tools_of("all"), tool, arguments, Caller("editor", connection))


def test_c37_a_memory_is_read_with_all_its_fields(desk: Desk, vault: Vault) -> None:
    vault.remember("old", "new")
    vault.commit("memories")
    does(desk, "memory_supersede", old="old", new="new")
    read = does(desk, "memory_read", ref="old")
    assert {"kind", "name", "description", "created", "updated", "valid_from", "invalid_at", "hash"} <= read.keys()
    assert read["superseded_by"]["path"] == "memory/_global/new.md"
    assert read["warning"] == "superseded by memory/_global/new.md: read that instead"


def test_c40_what_is_superseded_is_looked_for_before_anything_is_written(desk: Desk, vault: Vault) -> None:
    with pytest.raises(VaultdError):
        does(desk, "memory_write", name="new", supersedes="not-there", **NEW)
    assert not vault.file("new").exists()


def test_a_session_gives_its_project_to_what_it_writes_and_global_takes_it_away(desk: Desk) -> None:
    does(desk, "session_start", name="ada", project="radio")
    assert does(desk, "memory_write", name="a", **NEW)["path"] == "memory/radio/a.md"
    assert does(desk, "memory_write", name="b", project="global", **NEW)["path"] == "memory/_global/b.md"


@pytest.mark.parametrize(
    ("tool", "arguments"), [("memory_write", {"name": "a", **NEW}), ("note_write", {"title": "A"})]
)
def test_a_new_note_takes_only_tags_that_are_tags_and_no_frontmatter_of_its_own(
    desk: Desk, vault: Vault, tool: str, arguments: dict[str, str]
) -> None:
    does(desk, "session_start", name="ada", project="radio")
    before = vault.head
    for wrong in ("two words", "1984", "a!"):
        with pytest.raises(UsageError, match="is no tag"):
            does(desk, tool, tags=[wrong], **arguments)
    with pytest.raises(UsageError, match="begins with frontmatter"):
        does(desk, tool, **{**arguments, "body": "---\nname: a\n---\nDaily.\n"})
    assert vault.head == before
    made = does(desk, tool, tags=["#air", "air", "to/do", "plan:autumn"], **{**arguments, "body": "---\nA rule above."})
    assert "tags: [air, to/do, plan:autumn]" in (vault.root / made["path"]).read_text()
    assert vault.errors() == []


def test_a_memory_that_is_there_is_held_to_the_same(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="a", project="global", **NEW)
    before = vault.head
    for wrong in ({"tags": ["two words"]}, {"body": "---\nname: a\n---\nDaily.\n"}):
        with pytest.raises(UsageError):
            does(desk, "memory_write", name="a", project="global", **wrong)
    assert vault.head == before


def test_what_a_session_found_is_told_to_the_next_of_its_project(desk: Desk) -> None:
    for name, project, findings in (
        ("ada", "radio", "The clock drifts."),
        ("bob", "film", "The reel is torn."),
        ("cyd", "radio", "x" * 5_000),
        ("dan", "radio", ""),
    ):
        assert name == does(desk, "session_start", name, name=name, project=project)["name"]
        if findings:
            does(desk, "session_end", name, findings=findings)
    before = does(desk, "session_start", "eve", name="eve", project="radio")["before"]
    assert [(one["name"], one["findings"][:20]) for one in before] == [("cyd", "x" * 20), ("ada", "The clock drifts.")]
    assert len(before[0]["findings"]) == 1_001
    assert does(desk, "session_start", "ada", name="ada", project="radio")["before"][0]["name"] == "cyd"


def test_who_writes_over_a_memory_unread_is_told(desk: Desk) -> None:
    def writes(body: str, **more: str) -> dict:
        return does(desk, "memory_write", name="a", project="global", **{**NEW, "body": body}, **more)

    assert writes("Daily.")["notices"] == []
    (told,) = writes("Hourly.")["notices"]
    assert told.startswith("memory/_global/a.md was there, and says something else now")
    assert writes("Hourly.")["notices"] == []
    assert writes("Weekly.", expect_hash=does(desk, "memory_read", ref="a")["hash"])["notices"] == []


def test_a_hit_says_what_the_memory_claims(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="clock", project="radio", **{**NEW, "description": "Studio 2 runs late."})
    vault.write("Plain.md", "---\ndescription: mine\n---\nDaily bread.\n")
    hits = does(desk, "search", query="daily")["hits"]
    assert {hit["path"]: hit["description"] for hit in hits} == {
        "memory/radio/clock.md": "Studio 2 runs late.",
        "Plain.md": "",
    }


def test_who_was_silent_for_too_long_is_told_how_to_go_on(desk: Desk) -> None:
    does(desk, "session_start", name="ada", project="radio")
    task = does(desk, "tasks_add", title="one")["id"]
    means = desk.sidecar.sessions.means
    long_ago = "UPDATE sessions SET updated_at = '2020-01-01T00:00:00.000000Z'"
    means.database.write(lambda sql: (sql.execute(long_ago), reap(sql, means)))  # no sign of life comes in between
    does(desk, "session_start", "other", name="bob", project="film")
    for tool, arguments in (
        ("memory_write", {"name": "a", **NEW}),
        ("tasks_claim", {"id": task}),
        ("session_end", {"findings": "The clock drifts."}),
    ):
        with pytest.raises(UsageError, match="the session ada was silent for 45 minutes") as refused:
            does(desk, tool, **arguments)
        assert refused.value.hint == "session_start with the name ada goes on with it"
    does(desk, "session_start", name="ada")
    assert does(desk, "session_end", findings="The clock drifts.")["status"] == "completed"
    with pytest.raises(UsageError, match="it is not clear"):
        does(desk, "memory_write", name="a", **NEW)


def test_what_was_written_is_told_as_written_where_its_project_cannot_be_registered(desk: Desk, vault: Vault) -> None:
    full = "CREATE TRIGGER full BEFORE INSERT ON projects BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    desk.sidecar.sessions.means.database.write(lambda sql: sql.execute(full))
    assert does(desk, "memory_write", name="a", project="radio", **NEW)["event"] == "created"
    assert does(desk, "note_write", title="T", project="film")["event"] == "created"
    desk.sidecar.sessions.means.database.write(lambda sql: sql.execute("DROP TRIGGER full"))
    assert [one["slug"] for one in does(desk, "projects_list")["projects"]] == ["film", "radio"]


def test_another_connection_has_another_session(desk: Desk) -> None:
    does(desk, "session_start", "one", name="ada", project="radio")
    does(desk, "session_start", "two", name="bob", project="film")
    assert does(desk, "memory_write", "one", name="a", **NEW)["path"] == "memory/radio/a.md"
    assert does(desk, "memory_write", "two", name="a", **NEW)["path"] == "memory/film/a.md"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("memory_write", {"name": "a", **NEW}), ("note_write", {"title": "T"}), ("tasks_add", {"title": "T"})],
)
def test_without_a_session_something_new_needs_a_project(
    desk: Desk, vault: Vault, tool: str, arguments: dict[str, str]
) -> None:
    """What is read without one is read everywhere; what is written would be lost there."""
    before = vault.head
    with pytest.raises(UsageError, match="to which project"):
        does(desk, tool, **arguments)
    assert vault.head == before
    does(desk, tool, project="global", **arguments)
    does(desk, "session_start", name="ada", project="radio")
    assert "radio" in str(does(desk, tool, **{**arguments, "name": "b"} if tool != "tasks_add" else arguments))


def test_what_is_written_into_a_project_registers_it_and_a_retired_one_takes_nothing(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="a", project="radio", **NEW)
    assert [one["slug"] for one in does(desk, "projects_list")["projects"]] == ["radio"]
    desk.sidecar.projects.retire("radio")
    with pytest.raises(RejectedError, match="retired"):
        does(desk, "memory_write", name="b", project="radio", **NEW)
    assert not vault.file("radio/b").exists()
    assert does(desk, "memory_read", ref="radio/a")["state"] == "active"


@pytest.mark.parametrize("project", ["../..", ".git", "a/../../b", "linked", "nul", "a\0b"])
def test_no_project_leads_out_of_its_tree(desk: Desk, vault: Vault, project: str) -> None:
    (vault.root / "memory").mkdir()
    (vault.root / "memory" / "linked").symlink_to(vault.root.parent)
    before = sorted(vault.root.parent.iterdir())
    with pytest.raises(VaultdError):
        does(desk, "memory_write", name="a", project=project, **NEW)
    assert sorted(vault.root.parent.iterdir()) == before
    assert [one["slug"] for one in does(desk, "projects_list")["projects"]] == []


def test_a_refused_hash_is_the_files_not_the_indexs(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="a", project="global", **NEW)
    read = does(desk, "memory_read", ref="a")
    vault.edit("a", "Daily.", "Weekly.")
    edits = [{"old": "Weekly.", "new": "Monthly."}]
    with pytest.raises(VaultdError, match="expected"):
        does(desk, "memory_edit", ref="a", edits=edits, expect_hash=read["hash"])
    assert "Weekly." in vault.read("a")


def test_edits_are_all_or_none(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="a", project="global", **NEW)
    before = vault.read("a")
    edits = [{"old": "Daily.", "new": "Weekly."}, {"old": "not there", "new": "x"}]
    with pytest.raises(VaultdError):
        does(desk, "memory_edit", ref="a", edits=edits)
    assert vault.read("a") == before


def test_an_ended_memory_is_not_written_into(desk: Desk) -> None:
    does(desk, "memory_write", name="a", project="global", **NEW)
    does(desk, "memory_archive", ref="a")
    with pytest.raises(RejectedError):
        does(desk, "memory_append", ref="a", body="more")


def test_every_call_is_logged_with_lengths_in_the_place_of_texts(desk: Desk) -> None:
    does(desk, "memory_write", name="a", project="global", **{**NEW, "body": "secret " * 100})
    with pytest.raises(UsageError):
        does(desk, "tasks_claim", id="01HNOTTHERE")
    desk.sidecar.database.settle()
    refused, written = desk.sidecar.activity.latest(kind="tool.call")
    assert written["payload"]["arguments"]["body"] == "700 characters"
    assert (refused["payload"]["tool"], refused["payload"]["error"]) == ("tasks_claim", "UsageError")


def test_reading_is_counted(desk: Desk) -> None:
    made = does(desk, "memory_write", name="a", project="global", **NEW)
    does(desk, "memory_read", ref="a")
    does(desk, "search", query="daily")
    rows = [(one["item"], one["read"], one["injected"]) for one in does(desk, "usage_summary")["most_read"]]
    assert rows == [(made["id"], 1, 1)]


def test_a_search_can_be_kept_to_records(desk: Desk, vault: Vault) -> None:
    for entity, text in (("acme", "needs sso"), ("acme", "needs scim"), ("beta", "needs sso")):
        vault.does("record", "set", "profiles", "--entity", entity, "--key", "needs", "--body", text)
    vault.does("record", "set", "profiles", "--entity", "acme", "--key", "needs", "--body", "needs a draft", "--draft")
    vault.does("record", "event", "calls", "--entity", "acme", "--type", "call", "--body", "needs time")
    vault.does("status")

    def found(**limits: object) -> int:
        return len(does(desk, "search", query="needs", **limits)["hits"])

    assert found() == 3
    assert found(collections=["profiles"]) == found(entity="acme") == 2
    assert found(collections=["profiles"], versions="all") == 3
    assert found(type="call") == found(status="draft") == found(collections=["profiles@1"], entity="beta") == 1
    with pytest.raises(UsageError):
        found(status="gone")


@pytest.mark.parametrize(("client", "named"), [("my/client\n", "myclient"), ("", "agent"), ("x" * 99, "x" * 60)])
def test_a_client_cannot_forge_who_a_commit_names(client: str, named: str) -> None:
    assert actor_of(Caller(client, ""), None) == named


def test_an_agent_finds_the_steps_of_plans_with_the_daily_tools(desk: Desk) -> None:
    does(desk, "session_start", name="ada", project="radio")
    does(desk, "tasks_add", title="one", plan="autumn")
    does(desk, "tasks_add", title="two", plan="autumn", project="film")
    started = does(desk, "session_start", name="ada")
    assert started["tasks"] == {"ready": 0, "blocked": 0, "in_plans": 1}
    there = does(desk, "tasks_ready")
    assert there["elsewhere"] == [
        {"project": "radio", "plan": "autumn", "ready": 1},
        {"project": "film", "plan": "autumn", "ready": 1},
    ]
    assert [one["title"] for one in does(desk, "tasks_ready", plan="autumn")["ready"]] == ["one", "two"]
    assert [one["title"] for one in does(desk, "tasks_ready", plan="autumn", project="film")["ready"]] == ["two"]


def test_a_queue_that_nobody_has_heard_of_is_told(desk: Desk) -> None:
    does(desk, "session_start", name="ada", project="radio")
    does(desk, "tasks_add", title="one", plan="autumn")
    assert does(desk, "tasks_ready", project="rdio")["notices"] == ["no project is called 'rdio': there are radio"]
    assert does(desk, "tasks_ready", plan="atumn")["notices"] == ["no task is a step of 'atumn': there are autumn"]
    assert does(desk, "tasks_ready", plan="autumn")["notices"] == []
    with pytest.raises(UsageError, match="is not made of"):
        does(desk, "tasks_ready", project="../..")


def test_a_folder_that_is_none_names_no_project_and_that_is_said(desk: Desk) -> None:
    with pytest.raises(UsageError, match="not absolute"):
        does(desk, "session_start", name="ada", cwd="code/radio")
    assert desk.sidecar.sessions.list() == []
    started = does(desk, "session_start", name="ada", cwd="/nowhere/radio")
    assert (started["project"], started["notices"]) == ("", ["/nowhere/radio is not here: it names no project"])


def test_a_memory_that_is_not_accepted_yet_is_one_and_that_is_said(desk: Desk, vault: Vault) -> None:
    vault.remember("fresh")
    read = does(desk, "memory_read", ref="fresh")
    assert (read["type"], read["state"]) == ("memory", None)
    assert "not accepted yet" in read["warning"]
    vault.commit("memories")
    assert does(desk, "memory_read", ref="fresh")["warning"] is None


@pytest.mark.parametrize(
    "path", [".vaultd/config.toml", ".vaultd/state/c/tasks.jsonl", ".gitattributes", ".vaultd/x.md"]
)
def test_what_is_no_note_is_not_read(desk: Desk, vault: Vault, path: str) -> None:
    vault.write(path, "secret")
    with pytest.raises(UsageError):
        does(desk, "memory_read", ref=path)


def test_an_error_speaks_of_parameters_and_not_of_options(desk: Desk) -> None:
    tools = tools_of("all")
    told = answered(desk, tools, "memory_write", {"name": "New Thing", "project": "p", **NEW}, Caller("editor", "c"))
    assert told.content[0].text.endswith("\nhint: name new-thing")
    assert told.structured_content["hint"] == "name new-thing"
    told = answered(desk, tools, "memory_read", {"ref": "nothing-there"}, Caller("editor", "c"))
    assert told.structured_content["hint"] == "search finds them by their words"
    record = {"collection": "c", "entity": "e", "key": "k"}
    does(desk, "record_set", body="b", **record)
    told = answered(desk, tools, "note_append", {"ref": "records/c/e/k.md", "body": "b"}, Caller("editor", "c"))
    assert "vaultd record retract c --entity e" in told.structured_content["hint"]  # what no tool does is typed


def test_a_refusal_names_the_tool_that_helps_and_says_each_thing_once(desk: Desk) -> None:
    for name in ("old", "new", "newer"):
        does(desk, "memory_write", name=name, project="global", **NEW)
    does(desk, "memory_supersede", old="old", new="new")

    def refusal(offered: Literal["daily", "all"], tool: str, **arguments: object) -> str:
        told = answered(desk, tools_of(offered), tool, arguments, Caller("editor", "c"))
        assert told.is_error
        return told.content[0].text

    again = refusal("daily", "memory_supersede", old="old", new="newer")
    assert again.count("is superseded by") == 1
    assert re.search(r"hint: memory_read \S+ tells it; supersede its last memory$", again)
    assert refusal("daily", "tasks_claim", id="nothing1", session="nobody").endswith("hint: session_start begins one")
    does(desk, "memory_write", name="new", project="global", body="Tick, tick.")
    assert refusal("daily", "memory_edit", ref="new", edits=[{"old": "ick", "new": "o"}]).endswith("until it is one")
    does(desk, "memory_archive", ref="newer")
    for offered, says in (("daily", "vaultd memory restore"), ("all", "hint: memory_restore")):
        assert says in refusal(offered, "memory_edit", ref="newer", edits=[{"old": "Daily", "new": "o"}])


def test_a_search_in_a_project_that_is_not_there_says_so(desk: Desk, vault: Vault) -> None:
    does(desk, "session_start", name="ada", project="radio")
    vault.remember("film/clock")
    said = "no project is called 'rdio': there are film, radio"
    assert said in does(desk, "search", query="clock", project="rdio")["notices"]
    for project in ("radio", "film", "../.."):
        assert said not in does(desk, "search", query="nothing", project=project)["notices"]


def test_a_task_names_the_session_that_added_it(desk: Desk) -> None:
    does(desk, "session_start", name="ada", project="radio")
    assert does(desk, "tasks_add", title="one")["created_by"] == "ada"
    assert does(desk, "tasks_add", "nobody", title="two", project="radio")["created_by"] is None


def test_who_goes_on_with_a_session_that_is_at_work_elsewhere_is_told_so(desk: Desk) -> None:
    does(desk, "session_start", "one", name="ada", project="radio")
    assert does(desk, "session_start", "one", name="ada")["notices"] == []
    (said,) = does(desk, "session_start", "two", name="ada")["notices"]
    assert said.startswith("ada was at work over another connection")
    with pytest.raises(UsageError, match="not clear"):  # who was there before is not taken for who came
        does(desk, "tasks_claim", "one", id="01HNOTHING")
    does(desk, "session_end", "two", findings="done")
    assert does(desk, "session_start", "one", name="ada")["notices"] == []


def test_lists_for_agents_are_bounded_and_say_so(desk: Desk, vault: Vault) -> None:
    does(desk, "session_start", name="ada", project="radio")
    for number in range(3):
        last = does(desk, "tasks_add", title=f"task {number}", body="x" * 5_000)
        vault.write(f"memory/radio/bad-{number}.md", "---\nid: [unclosed\n---\n")
    there = does(desk, "tasks_ready", limit=2)
    assert (len(there["ready"]), there["total"]) == (2, {"ready": 3, "blocked": 0})
    assert {len(one["body"]) for one in (*there["ready"], *does(desk, "tasks_list")["tasks"])} == {301}
    assert len(does(desk, "tasks_claim", id=last["id"])["body"]) == 5_000
    wrong = does(desk, "check", limit=1)
    assert (len(wrong["violations"]), wrong["summary"]["error"]) == (1, 3)
    assert "2 more are not listed" in wrong["notices"][-1]


@pytest.mark.parametrize("tool", ["note_write", "tasks_add", "tasks_ready"])
def test_a_plan_is_called_alike_wherever_it_is_named(desk: Desk, vault: Vault, tool: str) -> None:
    does(desk, "session_start", name="ada", project="radio")
    title = {} if tool == "tasks_ready" else {"title": "T"}
    with pytest.raises(UsageError, match="the plan 'Autumn plan' is not made of"):
        does(desk, tool, plan="Autumn plan", **title)
    assert not (vault.root / "notes").exists()


def test_a_search_without_words_lists_what_fits_its_limits(desk: Desk) -> None:
    does(desk, "session_start", name="ada", project="radio")
    does(desk, "memory_write", name="a", tags=["clock"], **NEW)
    does(desk, "memory_write", name="b", **{**NEW, "kind": "constraint"})
    does(desk, "memory_write", name="c", project="film", **NEW)
    for limits, names in (
        ({"project": "radio"}, {"a", "b"}),
        ({"kind": "constraint"}, {"b"}),
        ({"tags": ["clock"]}, {"a"}),
        ({"in": ["memories"], "kind": "gotcha"}, {"a", "c"}),
    ):
        hits = does(desk, "search", **limits)["hits"]
        assert {hit["path"].rpartition("/")[2].removesuffix(".md") for hit in hits} == names, limits
    with pytest.raises(UsageError, match="query is missing"):
        does(desk, "search", limit=5)
