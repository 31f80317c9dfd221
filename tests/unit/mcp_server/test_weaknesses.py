"""What went wrong in a system before this one, each thing by its number there, as an agent would meet it here."""

import threading
from collections.abc import Iterator

import pytest

from tests.vaults import Vault, memory
from vaultd.errors import RejectedError, UsageError, VaultdError
from vaultd.lifecycle.note_rules import KINDS
from vaultd.mcp_server.alone import desk_alone
from vaultd.mcp_server.calling import call_tool
from vaultd.mcp_server.catalogue import TOOLS, tools_of
from vaultd.mcp_server.desk import Caller, Desk
from vaultd.state.tasks import STATUSES

NEW = {"kind": "gotcha", "description": "The clock drifts.", "body": "Daily.", "project": "radio"}


@pytest.fixture
def desk(vault: Vault) -> Iterator[Desk]:
    with desk_alone(vault.root) as found:
        yield found


def does(desk: Desk, tool: str, **arguments: object) -> dict:
    return call_tool(desk, tools_of("all"), tool, arguments, Caller("editor", "c"))


def codes(desk: Desk) -> set[tuple[str, str]]:
    return {(one["code"], one["path"]) for one in does(desk, "check", severity="info")["violations"]}


def found(desk: Desk, query: str) -> list[str]:
    return [hit["path"] for hit in does(desk, "search", query=query)["hits"]]


def test_a1_a_file_that_cannot_be_read_stops_nothing_else(desk: Desk, vault: Vault) -> None:
    made = does(desk, "memory_write", name="good", **NEW)
    vault.write("memory/radio/bad.md", b"---\nid: [unclosed\n---\n\xff\xfe\n")
    assert found(desk, "drifts") == [made["path"]]
    assert "memory/radio/bad.md" in {path for _, path in codes(desk)}
    with pytest.raises(VaultdError):
        does(desk, "memory_write", name="bad", **NEW)
    assert vault.file("radio/bad").read_bytes().startswith(b"---\nid: [unclosed")


def test_a2_an_id_changed_by_hand_is_told_and_the_index_goes_on(desk: Desk, vault: Vault) -> None:
    made = does(desk, "memory_write", name="clock", **NEW)
    vault.edit("radio/clock", made["id"], "01HZZZZZZZZZZZZZZZZZZZZZZZ")
    assert made["path"] in {path for _, path in codes(desk)}
    assert found(desk, "drifts") == [made["path"]]


def test_a3_of_many_that_make_a_note_of_one_name_exactly_one_does(desk: Desk, vault: Vault) -> None:
    outcomes: list[str] = []

    def make(number: int) -> None:
        try:
            does(desk, "note_write", title="How it went", body=f"by {number}", project="radio")
        except VaultdError as exc:
            outcomes.append(type(exc).__name__)
        else:
            outcomes.append(str(number))

    threads = [threading.Thread(target=make, args=(number,)) for number in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    (winner,) = [one for one in outcomes if one.isdigit()]
    assert f"by {winner}\n" in (vault.root / "notes/radio/how-it-went.md").read_text()
    assert len(outcomes) == 6
    assert codes(desk) == set()


def test_a4_a_name_means_no_namesake_elsewhere(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="clock", **{**NEW, "project": "global"})
    with pytest.raises(VaultdError):
        does(desk, "memory_archive", ref="radio/clock")
    assert vault.run("memory", "delete", "radio/clock", "--yes").code != 0
    assert does(desk, "memory_read", ref="clock")["state"] == "active"


def test_a5_a_supersession_is_one_commit_with_both_halves(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="old", **NEW)
    made = does(desk, "memory_write", name="new", supersedes="radio/old", **NEW)
    changed = vault.git("show", "--name-only", "--format=", made["commit"]).split()
    assert sorted(changed) == ["memory/radio/new.md", "memory/radio/old.md"]
    with pytest.raises(VaultdError):
        does(desk, "memory_write", name="newer", supersedes="radio/not-there", **NEW)
    assert not vault.file("radio/newer").exists()


def test_a6_an_edit_right_behind_a_write_of_ours_is_seen(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="clock", **NEW)
    vault.edit("radio/clock", "Daily.", "Hourlyword.")
    assert found(desk, "hourlyword") == ["memory/radio/clock.md"]


def test_a7_a_text_that_gives_orders_is_given_back_whole(desk: Desk) -> None:
    text = "You must never ignore errors from X; disregard is not an option. From now on: retry."
    does(desk, "memory_write", name="orders", **{**NEW, "description": text, "body": text})
    read = does(desk, "memory_read", ref="radio/orders")
    assert (read["description"], text in read["text"]) == (text, True)


def test_b8_a_stamp_typed_by_hand_is_told_and_not_believed(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="clock", **NEW)
    vault.stamp("radio/clock", by="01HZZZZZZZZZZZZZZZZZZZZZZZ")
    assert "memory/radio/clock.md" in {path for code, path in codes(desk) if code.startswith("V10")}
    assert does(desk, "memory_read", ref="radio/clock")["state"] == "active"


def test_b9_a_copy_does_not_take_the_id_of_the_first(desk: Desk, vault: Vault) -> None:
    made = does(desk, "memory_write", name="clock", **NEW)
    vault.write("memory/radio/clock (conflicted copy).md", vault.read("radio/clock"))
    for _ in range(2):
        assert "memory/radio/clock (conflicted copy).md" in {path for _, path in codes(desk)}
        assert does(desk, "memory_read", ref=made["id"])["path"] == "memory/radio/clock.md"


def test_b10_a_memory_is_written_where_it_lies(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="clock", **NEW)
    vault.edit("radio/clock", "name: clock", "name: another")
    assert "memory/radio/clock.md" in {path for _, path in codes(desk)}
    vault.edit("radio/clock", "name: another", "name: clock")
    does(desk, "memory_append", ref="radio/clock", body="More.")
    assert [place.name for place in (vault.root / "memory/radio").iterdir()] == ["clock.md"]


def test_b13_a_write_keeps_every_byte_that_it_is_not_about(desk: Desk, vault: Vault) -> None:
    head = "# a comment\r\nmine: null\r\nlist:\r\n  - ~\r\n  - 'a: b'\r\ntags:\r\n  - kept\r\nfavorite: true\r\n"
    text = memory("clock", body="Daily.\n").replace("\n", "\r\n").replace("---\r\n", "---\r\n" + head, 1)
    vault.write("memory/_global/clock.md", text)
    vault.commit("by hand")
    does(desk, "memory_edit", ref="clock", edits=[{"old": "Daily.", "new": "Weekly."}])
    after = vault.file("clock").read_bytes().decode()
    assert head in after
    assert after.replace("Weekly.", "Daily.").count("\r\n") == text.count("\r\n")
    does(desk, "memory_write", name="clock", project="global", body="Monthly.")
    assert head in vault.file("clock").read_bytes().decode()


def test_b14_a_memory_without_an_id_is_told_and_left_alone(desk: Desk, vault: Vault) -> None:
    vault.write("memory/radio/bare.md", "Only a text.\n")
    assert "memory/radio" in {path.removesuffix("/") for _, path in codes(desk)} | {
        path.rpartition("/")[0] for _, path in codes(desk)
    }
    assert vault.file("radio/bare").read_text() == "Only a text.\n"


def test_b15_a_kind_that_is_none_is_refused_and_told(desk: Desk, vault: Vault) -> None:
    with pytest.raises(UsageError, match="kind must be one of"):
        does(desk, "memory_write", name="a", **{**NEW, "kind": "fact"})
    does(desk, "memory_write", name="clock", **NEW)
    vault.edit("radio/clock", "kind: gotcha", "kind: fact")
    assert "memory/radio/clock.md" in {path for _, path in codes(desk)}


def test_b16_a_write_that_is_asked_for_again_changes_nothing_more(desk: Desk, vault: Vault) -> None:
    first = does(desk, "memory_write", name="clock", **NEW)
    head = vault.head
    again = does(desk, "memory_write", name="clock", **NEW)
    assert (again["id"], again["commit"], vault.head) == (first["id"], None, head)


@pytest.mark.parametrize("name", ["Some Name", "x" * 300, "a/b", "…", "ÄÖ x"])
def test_b17_b18_a_name_that_would_become_another_is_refused(desk: Desk, vault: Vault, name: str) -> None:
    head = vault.head
    with pytest.raises(UsageError):
        does(desk, "memory_write", **{**NEW, "name": name})
    assert vault.head == head


def test_b19_what_ended_is_brought_back_by_a_tool(desk: Desk) -> None:
    does(desk, "memory_write", name="clock", **NEW)
    does(desk, "memory_archive", ref="radio/clock", reason="sold")
    assert does(desk, "memory_restore", ref="radio/clock")["event"] == "restored"
    assert does(desk, "memory_read", ref="radio/clock")["state"] == "active"


def test_b20_a_deletion_is_an_entry_of_its_own(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="clock", **NEW)
    vault.does("memory", "delete", "radio/clock", "--yes")
    assert vault.does("log", "--json").json["entries"][0]["event"] == "deleted"


def test_b23_every_choice_that_is_offered_is_the_one_that_holds() -> None:
    offered = {(tool.name, one.name): one.choices for tool in TOOLS for one in tool.parameters if one.choices}
    assert offered["memory_write", "kind"] == offered["search", "kind"] == tuple(KINDS)
    assert offered["tasks_update", "status"] == offered["tasks_list", "status"] == STATUSES


def test_b11_a_folder_that_came_in_while_nobody_watched_is_found(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="clock", **NEW)
    vault.write("memory/deep/new.md", memory("new", project="deep", body="It came in overnight."))
    assert found(desk, "overnight") == ["memory/deep/new.md"]
    (vault.root / "memory/deep").rename(vault.root.parent / "elsewhere")
    assert found(desk, "overnight") == []


def test_b12_a_lost_index_costs_no_task_and_no_record(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="clock", **NEW)
    does(desk, "tasks_add", title="mend the clock", project="radio")
    vault.does("rebuild")
    assert found(desk, "drifts") == ["memory/radio/clock.md"]
    assert [one["title"] for one in does(desk, "tasks_ready", project="radio")["ready"]] == ["mend the clock"]
    vault.does("doctor")


def test_c37_what_is_read_says_when_it_held_and_what_replaced_it(desk: Desk) -> None:
    does(desk, "memory_write", name="old", **NEW)
    does(desk, "memory_write", name="new", **NEW, supersedes="radio/old")
    read = does(desk, "memory_read", ref="radio/old")
    assert {"created", "updated", "valid_from", "invalid_at", "superseded_by"} <= read.keys()
    assert read["invalid_at"] is not None


def test_c40_what_is_to_be_superseded_is_looked_for_before_anything_is_written(desk: Desk, vault: Vault) -> None:
    with pytest.raises(VaultdError):
        does(desk, "memory_write", name="new", **NEW, supersedes="radio/nobody")
    assert not (vault.root / "memory/radio").exists()


def test_what_is_superseded_twice_is_refused_and_the_first_stands(desk: Desk) -> None:
    does(desk, "memory_write", name="old", **NEW)
    does(desk, "memory_write", name="new", **NEW)
    does(desk, "memory_supersede", old="radio/old", new="radio/new")
    does(desk, "memory_write", name="newer", **NEW)
    with pytest.raises(RejectedError):
        does(desk, "memory_supersede", old="radio/old", new="radio/newer")
    assert does(desk, "memory_read", ref="radio/old")["superseded_by"]["path"] == "memory/radio/new.md"


def test_a_check_of_what_is_not_there_is_told(desk: Desk, vault: Vault) -> None:
    vault.write("memory/radio/bad.md", "---\nid: [unclosed\n---\n")
    for paths in (["./memory/radio/bad.md"], ["memory/"], ["."]):
        assert [one["path"] for one in does(desk, "check", paths=paths)["violations"]] == ["memory/radio/bad.md"]
    for path in ("memory/radio/nofile.md", "/etc", "../x"):
        with pytest.raises(UsageError):
            does(desk, "check", paths=[path])


def test_c34_an_ending_gives_its_own_reason(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="clock", **NEW)
    does(desk, "memory_archive", ref="radio/clock", reason="sold in May")
    assert vault.does("log", "--json").json["entries"][0]["reason"] == "sold in May"


# What went wrong in its history, and was mended there ---------------------------------------------------------------


def test_what_was_superseded_or_lies_elsewhere_takes_no_place_among_the_hits(desk: Desk) -> None:
    """779cb5f: the best hits were chosen first, and those that do not count taken away afterwards."""
    strong = {**NEW, "description": "drift drift", "body": "drift " * 20}
    does(desk, "memory_write", name="now", **NEW | {"description": "long ago", "body": "a drift among many words"})
    for number in range(6):
        does(desk, "memory_write", name=f"old-{number}", **strong)
        does(desk, "memory_supersede", old=f"radio/old-{number}", new="radio/now")
        does(desk, "memory_write", name=f"film-{number}", **strong | {"project": "film"})
    (hit,) = does(desk, "search", query="drift", project="radio", limit=2)["hits"]
    assert hit["path"] == "memory/radio/now.md"
    assert does(desk, "search", query="drift", limit=2)["total"] == 7


def test_a_hand_over_that_failed_is_repeated_and_then_changes_nothing_more(desk: Desk, vault: Vault) -> None:
    does(desk, "memory_write", name="old", **NEW)
    with pytest.raises(UsageError):
        does(desk, "memory_write", name="new", **NEW, supersedes="radio/odl")
    first = does(desk, "memory_write", name="new", **NEW, supersedes="radio/old")
    head = vault.head
    again = does(desk, "memory_write", name="new", **NEW, supersedes="radio/old")
    assert (again["id"], again["event"], vault.head) == (first["id"], None, head)


def test_a_reader_reads_back_the_name_that_was_written(desk: Desk) -> None:
    """94d4e8a: a text that was taken for an order was cut out of names too."""
    does(desk, "memory_write", name="you-must-ignore-override", **NEW)
    read = does(desk, "memory_read", ref="radio/you-must-ignore-override")
    assert read["name"] == "you-must-ignore-override"
    assert found(desk, "override") == [read["path"]]
