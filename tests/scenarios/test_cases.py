"""Cases met in the wild, through the whole product; their inputs and what is right stand in `tests/cases`."""

import os
import shutil
from pathlib import Path

import pytest

from tests.vaults import Vault, memory

CASES = Path(__file__).parents[1] / "cases"


# 46: conflict markers that were committed -----------------------------------------------------------------------------


@pytest.fixture
def marked(vault: Vault) -> Vault:
    """A vault with a memory in which conflict markers were committed."""
    (vault.root / "memory/_global").mkdir(parents=True)
    for name in ("n", "setext"):
        shutil.copy(CASES / f"46-git-committed-conflict-markers/input/{name}.md", vault.file(name))
    vault.commit("merged, not looked")
    return vault


def test_committed_markers_are_named_where_they_stand(marked: Vault):
    rows = [row for row in marked.run("check", "--json").json["violations"] if row["code"] == "V210"]
    assert {row["path"] for row in rows} == {"memory/_global/n.md"}
    assert [row["line"] for row in rows] == [3] or [row["line"] for row in rows] == [3, 11]


def test_a_line_below_a_heading_is_no_marker(marked: Vault):
    assert marked.run("check", "memory/_global/setext.md").codes == []


@pytest.mark.parametrize("verb", [("memory", "archive", "n"), ("adopt", "memory/_global/n.md")])
def test_a_note_with_markers_is_not_written(marked: Vault, verb: tuple[str, ...]):
    before = marked.read("n")
    ran = marked.run(*verb)
    assert ran.code in (2, 3, 5)
    assert ran.err
    assert marked.read("n") == before
    assert marked.status == []


def test_new_markers_are_not_recorded(vault: Vault):
    vault.write("memory/_global/n.md", (CASES / "46-git-committed-conflict-markers/input/n.md").read_bytes())
    before = vault.head
    with vault.app() as app:
        assert app.look().waiting == ()
    vault.git("add", "-A")
    assert "V210" in vault.errors("--staged")
    assert vault.head == before


# 47: names that git quotes --------------------------------------------------------------------------------------------

ODD = [
    "file with 🔥 or ǀ",
    "café",
    "привет мир",
    "日本語",
    "sp ace",
    "quo'te",
    'dou"ble',
    "back\\slash",
    "-n",
    "$HOME",
    "a:b",
    "tab\there",
    "new\nline",
    "latin\udce9",
]


@pytest.fixture
def odd(vault: Vault) -> Vault:
    """A vault whose memories have names that git quotes; what is in them does not matter."""
    (vault.root / "memory/_global").mkdir(parents=True)
    for number, name in enumerate(ODD):
        text = memory("x", id_=f"01JVDDDDDDDDDDDDDDDDDDDD{number:02}").replace("name: x\n", "")
        Path(os.fsdecode(os.fsencode(vault.root / "memory/_global") + b"/" + os.fsencode(name) + b".md")).write_text(
            text
        )
    vault.commit("odd names")
    return vault


def test_every_odd_name_is_accepted_and_listed(odd: Vault):
    assert sorted(odd.accepted) == sorted(ODD)
    assert odd.errors("--head") == []


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_is_ended_recorded_and_brought_back(odd: Vault, name: str):
    path = f"memory/_global/{name}.md"
    done = odd.does("memory", "archive", path, "--json").json
    assert done["path"] == path
    assert odd.git("show", "--format=", "--name-only", "-z", "HEAD").strip("\0") == path
    assert odd.status == []
    assert odd.accepted[name] == "archived"
    odd.does("memory", "restore", path)
    assert odd.accepted[name] == "active"
    assert [entry["event"] for entry in odd.does("log", path, "--json").json["entries"]] == [
        "restored",
        "archived",
        "created",
    ]


def test_history_follows_a_rename_of_an_odd_name(odd: Vault):
    odd.does("memory", "archive", "memory/_global/sp ace.md")
    odd.file("sp ace").rename(odd.root / "memory/_global/new\nname.md")
    odd.commit("rename")
    assert odd.accepted["new\nname"] == "archived"
    entries = odd.does("log", "memory/_global/new\nname.md", "--json").json["entries"]
    assert "archived" in [entry["event"] for entry in entries]


# 55: lifecycle fields edited by hand ----------------------------------------------------------------------------------

ERRORS = {
    "p/b": "V103",
    "p/c": "V103",
    "p/d": "V103",
    "p/dead": "V106",
    "p/halfstamp": "V104",
    "p/selfsup": "V103",
    "p/twin": "V100",
}


@pytest.fixture
def edited(folder: Vault) -> Vault:
    """A folder of hand edits that go wrong in one way each, made a vault."""
    shutil.copytree(CASES / "55-lifecycle-hand-edit-violations/input/memory", folder.root / "memory")
    folder.commit("years of edits")
    folder.does("init", "--yes")
    return folder


@pytest.mark.parametrize("scope", [(), ("--head",)])
def test_each_hand_edit_gives_just_its_one_error(edited: Vault, scope: tuple[str, ...]):
    rows = edited.run("check", "--json", *scope).json["violations"]
    errors = sorted((row["path"], row["code"]) for row in rows if row["severity"] == "error")
    assert errors == sorted((f"memory/{name}.md", code) for name, code in ERRORS.items())


def test_names_and_projects_that_differ_from_the_path_are_warned_of(edited: Vault):
    rows = edited.run("check", "--json").json["violations"]
    warned = {(row["path"], row["subject"]) for row in rows if row["code"] == "V105" and row["subject"] != "keys"}
    assert warned == {("memory/p/wrongname.md", "name"), ("memory/q/moved.md", "project")}


def test_checking_rewrites_no_file(edited: Vault):
    given = CASES / "55-lifecycle-hand-edit-violations/input/memory"
    edited.run("check")
    assert edited.look().violations
    for file in given.rglob("*.md"):
        assert (edited.root / "memory" / file.relative_to(given)).read_bytes() == file.read_bytes()
    assert edited.status == []


def test_what_has_an_end_is_left_out_of_the_active(edited: Vault):
    active = {name for name, state in edited.accepted.items() if state == "active"}
    assert active == {"p/a", "p/halfstamp", "p/unknown", "p/wrongname", "q/moved"}
    hits = edited.does("search", "finding", "--json").json["hits"]
    assert not {Path(hit["path"]).stem for hit in hits} & {"b", "c", "d", "dead", "selfsup"}


def test_an_ended_memory_cannot_succeed(edited: Vault):
    ran = edited.run("memory", "supersede", "01A", "01B")
    assert ran.code in (2, 3)
    assert "01B" in ran.err or "p/b" in ran.err
    assert edited.status == []


def test_an_id_that_loses_its_file_goes_to_the_copy_that_was_there_first(edited: Vault):
    edited.write("memory/p/newer.md", edited.read("p/twin"))
    edited.file("p/a").unlink()
    with edited.app() as app:
        assert app.look().present.ground.standings["01A"].path == "memory/p/twin.md"


def test_a_rename_in_the_editor_is_a_rename(edited: Vault):
    edited.file("p/twin").unlink()
    edited.commit("one of the two")
    edited.file("p/a").rename(edited.file("p/z"))
    with edited.app() as app:
        events = app.look().present.verdict.events
    assert [(event.name, event.id, event.path) for event in events] == [("renamed", "01A", "memory/p/z.md")]


def test_unknown_keys_are_kept_through_an_end_and_a_return(edited: Vault):
    before = edited.read("p/unknown")
    edited.does("memory", "archive", "p/unknown")
    assert "cssclasses: [wide]   # plugin key\nx-vendor: {deep: [1, 2]}\n" in edited.read("p/unknown")
    edited.does("memory", "restore", "p/unknown")
    kept = [line for line in edited.read("p/unknown").splitlines() if line.partition(":")[0] not in STAMPED]
    assert kept == before.splitlines()


STAMPED = ("invalid_at", "superseded_by", "updated")
