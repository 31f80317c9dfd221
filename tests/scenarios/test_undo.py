"""Undo takes back the last commit of a command, exactly, or says what stands in its way."""

import pytest

from tests.scenarios.test_writing import everything, refused
from tests.vaults import Vault, id_of, with_memories

NEW = ("memory", "new", "--kind", "gotcha", "--description", "One line", "--body", "Text.")


@pytest.fixture
def one(vault: Vault) -> Vault:
    vault.write("plain.md", b"\xef\xbb\xbfOne word.\r\n\nno end")
    return with_memories(vault, "one", "two")


def folders(vault: Vault) -> set[str]:
    inside = (path.relative_to(vault.root) for path in vault.root.rglob("*") if path.is_dir())
    return {path.as_posix() for path in inside if path.parts[0] != ".git"}


@pytest.mark.parametrize(
    "words",
    [
        ("memory", "append", "one", "--body", "x"),
        ("memory", "star", "one"),
        ("memory", "archive", "one"),
        ("memory", "supersede", "one", "two"),
        ("memory", "delete", "memory/_global/one.md", "--yes"),
        (*NEW, "--name", "fresh"),
        (*NEW, "--name", "fresh", "--supersedes", "one"),
        ("note", "new", "--title", "Fresh"),
        ("note", "edit", "plain.md", "--replace", "word", "--with", "x"),
        ("note", "delete", "plain.md", "--yes"),
        ("set", "plain.md", "a=1"),
    ],
    ids=lambda words: "-".join(words[:2]),
)
def test_what_a_command_did_is_taken_back_to_the_byte(one: Vault, words: tuple[str, ...]):
    before, accepted = everything(one), one.accepted
    one.does(*words)
    done, subject = one.head, one.log[0]
    ran = one.does("undo", "--json")
    assert (everything(one), one.status) == (before, [])
    assert (ran.json["event"], ran.json["commit"]) == ("reverted", one.head)
    assert one.log[0] == f'Revert "{subject}"'
    assert f"This reverts commit {done}." in one.git("show", "-s", "--format=%B")
    assert (one.accepted, one.errors(), one.errors("--head")) == (accepted, [], [])


@pytest.mark.parametrize(
    "words",
    [
        ("note", "move", "plain.md", "new/deep"),
        ("note", "new", "--path", "new/deep/fresh.md", "--body", "x"),
        ("memory", "move", "one", "elsewhere"),
    ],
    ids=lambda words: "-".join(words[:2]),
)
def test_a_folder_that_a_command_made_goes_with_it(one: Vault, words: tuple[str, ...]):
    before = folders(one)
    one.does(*words)
    made = folders(one) - before
    one.does("undo")
    assert made
    assert folders(one) == before


def test_a_folder_with_something_else_in_it_outlives_an_undo(one: Vault):
    one.does("note", "new", "--path", "new/fresh.md", "--body", "x")
    (one.root / "new" / "picture.png").write_bytes(b"png")
    one.does("undo")
    assert [path.name for path in (one.root / "new").iterdir()] == ["picture.png"]


def test_an_undone_restore_ends_the_memory_again(one: Vault):
    one.does("memory", "supersede", "one", "two")
    one.does("memory", "restore", "one")
    one.does("undo")
    assert one.accepted == {"one": "superseded by two", "two": "active"}
    assert one.errors("--head") == []


def test_undo_again_takes_back_the_one_before(one: Vault):
    before = everything(one)
    one.does("memory", "append", "one", "--body", "a")
    one.does("memory", "append", "two", "--body", "b")
    one.does("undo")
    one.does("undo")
    assert everything(one) == before
    assert "no commit of a command is left" in refused(one, 2, "undo")


def test_undo_of_a_named_undo_does_it_again(one: Vault):
    one.does("memory", "append", "one", "--body", "a")
    after = everything(one)
    one.does("undo")
    one.does("undo", one.head)
    assert everything(one) == after


def test_undo_tells_who_and_why(one: Vault):
    one.does("memory", "archive", "one")
    one.does("undo", "--reason", "too soon")
    assert one.trailers() == {
        "Vaultd-Event": "restored",
        "Vaultd-Id": id_of("one"),
        "Vaultd-Actor": "person",
        "Vaultd-Reason": "too soon",
    }


def test_other_files_and_later_commits_of_others_stay(one: Vault):
    one.does("memory", "append", "one", "--body", "a")
    one.write("other.md", "theirs\n")
    one.commit("another tool")
    one.write("other.md", "typed\n")
    one.does("undo")
    assert one.read("one").endswith("The text of one.\n")
    assert (one.read("other.md"), one.status) == ("typed\n", [" M other.md"])


def test_a_file_that_changed_since_is_named_with_the_commit_that_changed_it(one: Vault):
    one.does("memory", "append", "one", "--body", "a")
    done = one.head[:10]
    one.edit("one", "The text", "A text")
    one.commit("mend a word")
    said = refused(one, 4, "undo")
    assert "memory/_global/one.md changed since" in said
    assert "mend a word" in said
    assert f"git show {done}" in said


def test_a_file_with_uncommitted_edits_is_left_alone(one: Vault):
    one.does("memory", "append", "one", "--body", "a")
    one.edit("one", "The text", "A text")
    assert "in no commit" in refused(one, 4, "undo")


def test_a_person_s_own_edits_are_passed_over(one: Vault):
    one.does("memory", "append", "two", "--body", "a")
    one.edit("one", "The text", "A text")
    one.does("memory", "star", "one", "--now")
    one.does("undo")
    assert "A text" in one.read("one")
    assert "favorite" not in one.read("one")
    one.does("undo")
    assert one.read("two").endswith("The text of two.\n")
    assert "A text" in one.read("one")


def test_a_successor_that_only_went_along_stays(one: Vault):
    one.remember("fresh")
    one.does("memory", "supersede", "one", "fresh")
    one.does("undo")
    assert one.accepted == {"one": "active", "two": "active", "fresh": "active"}


def test_what_was_adopted_is_the_person_s_own(one: Vault):
    one.does("memory", "append", "two", "--body", "a")
    one.write("memory/_global/typed.md", "My own words.\n")
    one.does("adopt", "memory/_global/typed.md")
    adopted = one.head
    one.does("undo")
    assert one.read("two").endswith("The text of two.\n")
    assert one.read("typed").endswith("My own words.\n")
    assert "changed no file" in refused(one, 2, "undo", adopted)


def test_an_undo_that_would_break_a_rule_is_refused(one: Vault):
    one.does("memory", "archive", "one")
    one.write("memory/_global/ONE.md", one.read("one").replace(id_of("one"), id_of("ONE")).replace("2026", "2025"))
    text = one.read("memory/_global/ONE.md").partition("> Archived")[0]
    lines = [line if not line.startswith("invalid_at") else "invalid_at: null" for line in text.splitlines()]
    one.write("memory/_global/ONE.md", "\n".join(lines) + "\n")
    one.commit("another tool")
    assert "V101" in refused(one, 3, "undo")


def test_a_memory_that_replaced_another_by_hand_is_not_taken_away(one: Vault):
    one.does(*NEW, "--name", "fresh")
    one.stamp("one", by="'[[fresh]]'")
    one.does("adopt", "memory/_global/one.md")
    said = refused(one, 3, "undo")
    assert "V111" in said
    assert f"vaultd memory restore {id_of('one')}" in said
    assert one.accepted["one"] == "superseded by fresh"
    one.does("memory", "restore", "one")
    one.does("undo", one.git("log", "--format=%H", "--grep=create fresh"))
    assert (one.accepted.get("fresh"), one.accepted["one"]) == (None, "active")


@pytest.mark.parametrize("name", ["nonsense", "HEAD", "HEAD^..HEAD"])
def test_only_commits_of_commands_are_undone(one: Vault, name: str):
    assert refused(one, 2, "undo", name)


def test_undo_shows_its_plan(one: Vault):
    one.does("memory", "append", "one", "--body", "a")
    head = one.head
    ran = one.does("undo", "--dry-run")
    assert (ran.out.splitlines()[0], one.head) == ("would write memory/_global/one.md", head)


def test_what_stands_in_the_way_is_named_and_not_what_was_taken_back_since(one: Vault):
    one.does("note", "edit", "plain.md", "--replace", "One", "--with", "1")
    one.write("plain.md", one.read("plain.md") + "by hand")
    hand = one.commit("by hand")
    one.does("note", "edit", "plain.md", "--replace", "1", "--with", "2")
    one.does("undo")
    assert f"in {hand[:7]} by hand" in refused(one, 4, "undo")


def test_the_ledger_tells_that_a_record_was_taken_back(vault: Vault):
    slot = ("customers", "--entity", "acme", "--key", "needs")
    first = vault.does("record", "set", *slot, "--body", "a", "--json").json["id"]
    second = vault.does("record", "set", *slot, "--body", "b", "--json").json["id"]
    line = vault.does(
        "record", "event", "visits", "--entity", "acme", "--body", "x", "--store", "jsonl", "--json"
    ).json["id"]
    vault.does("undo", "--reason", "never came")
    vault.does("undo")
    rows = [(row["event"], row["id"], row["reason"]) for row in vault.does("log", "--json").json["entries"]]
    told = sorted(rows[:3])
    assert told == sorted([("reverted", line, "never came"), ("reverted", first, ""), ("reverted", second, "")])
    assert vault.errors() == vault.errors("--head") == []
    vault.does("undo", vault.head)
    assert [row["text"] for row in vault.does("document", "acme", "--json").json["beliefs"]] == ["b"]
