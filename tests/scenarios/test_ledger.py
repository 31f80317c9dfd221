"""`log` tells what was accepted, whoever made it, and nothing else, whatever a commit message says."""

import pytest

from tests.vaults import Vault, id_of, with_memories


@pytest.fixture
def three(vault: Vault) -> Vault:
    return with_memories(vault, "a", "b", "c")


def told(vault: Vault, *words: str) -> list[tuple[str, str, str, str]]:
    """Return actor, event, id and successor of what the ledger tells, newest first, without how memories began."""
    names = {id_of(name): name for name in "abc"} | {"": ""}
    rows = vault.does("log", *words, "--json").json["entries"]
    return [
        (row["actor"], row["event"], names[row["id"]], names[row["successor"]])
        for row in rows
        if row["event"] != "created"
    ]


def test_an_end_that_somebody_else_committed_is_told(three: Vault):
    three.stamp("a", by="b")
    three.commit("notes")
    assert told(three) == [("unknown", "superseded", "a", "b")]
    three.does("memory", "archive", "c")
    assert told(three) == [("person", "archived", "c", ""), ("unknown", "superseded", "a", "b")]
    assert told(three, "a") == [("unknown", "superseded", "a", "b")]


def test_a_revert_is_told_as_a_return(three: Vault):
    three.does("memory", "archive", "a")
    three.git("revert", "--no-edit", "HEAD")
    assert told(three) == [("unknown", "restored", "a", ""), ("person", "archived", "a", "")]


@pytest.mark.parametrize("event", ["archived", "superseded", "restored", "bogus", "renamed"])
def test_a_message_alone_makes_nothing_happen(three: Vault, event: str):
    lines = f"Vaultd-Event: {event}\nVaultd-Id: {id_of('a')}\nVaultd-Successor: {id_of('b')}\n"
    three.git("commit", "-q", "--allow-empty", "-m", f"x\n\n{lines}")
    assert told(three) == []


def test_a_handover_that_was_not_accepted_is_not_told(three: Vault):
    start = three.git("rev-parse", "HEAD").strip()
    three.does("memory", "supersede", "a", "b")
    three.git("branch", "other")
    three.git("checkout", "-q", "-b", "alt", start)
    three.does("memory", "supersede", "a", "c")
    three.git("cherry-pick", "-X", "theirs", "other")
    assert told(three) == [("person", "superseded", "a", "c")]
    assert three.errors("--head") != []


def test_what_an_amend_takes_back_is_not_told(three: Vault):
    before = three.read("memory/_global/a.md")
    three.does("memory", "archive", "a")
    three.write("memory/_global/a.md", before)
    three.write("prose.md", "words\n")
    three.git("add", "-A")
    three.git("commit", "-q", "--amend", "--no-edit")
    assert three.accepted["a"] == "active"
    assert told(three) == []


def test_a_deleted_index_tells_the_same(three: Vault):
    three.stamp("a", by="b")
    three.commit("notes")
    three.does("memory", "archive", "c")
    before = three.does("log", "--json").json["entries"]
    three.does("rebuild")
    assert three.does("log", "--json").json["entries"] == before


def test_the_latest_commit_in_which_something_happened_follows_head(three: Vault):
    with three.app() as app:
        for commit in (lambda: three.does("memory", "archive", "c"), lambda: three.stamp("a", by="b")):
            commit()
            three.commit("notes")
            told = three.does("log", "--limit", "1", "--json").json["entries"][0]["commit"]
            assert app.last_told(three.head) == told
            assert three.does("status", "--json").json["last_commit"] == told
