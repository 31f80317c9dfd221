"""Verbs that write texts and properties: what they change, what they keep, what they refuse."""

import hashlib
import os
import re
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from tests.vaults import AT, Vault, id_of, with_memories
from vaultd.commands.resting import REST

NASTY = (
    b"\xef\xbb\xbf"
    + (
        b"---\r\n# \xe6\x97\xa5\xe6\x9c\xac comes first\r\nid: %s\r\nkind:   decision   # chosen in spring\r\n"
        b"name: nasty\r\ndescription: 'It''s \xe6\x97\xa5\xe6\x9c\xac'\r\nproject: p\r\ncreated: 2025-01-01T00:00:00Z\r\n"
        b"updated: 2025-01-01T00:00:00Z\r\nvalid_from: 2025-01-01T00:00:00Z\r\ninvalid_at: ~\r\nsuperseded_by:\r\n"
        b"ref: &a [1,  2]\r\nagain: *a\r\n\r\nodd:\r\n      - x   # kept\r\n      - 'y'\r\nblank:  \r\ntags: [one]\r\n---\r\n"
        b"\r\nOne word.  \n\r\n- [ ] task\r\n\tcode\r\nlast \xe6\x97\xa5"
    )
    % id_of("nasty").encode()
)
PLAIN = NASTY.replace(b"id: " + id_of("nasty").encode() + b"\r\n", b"")
WORK = NASTY.replace(b"kind:   decision   # chosen in spring", b"title: nasty")
PLACES = {"memory/p/nasty.md": NASTY, "notes/p/nasty.md": WORK, "daily/nasty.md": PLAIN}
STAMP = re.compile(rb"(?m)^(updated: )[^\r]*")


@pytest.fixture
def nasty(vault: Vault) -> Vault:
    for path, data in PLACES.items():
        vault.write(path, data)
    vault.write(".obsidian/types.json", '{"types": {"rating": "number"}}')
    vault.commit()
    return vault


@pytest.fixture
def one(vault: Vault) -> Vault:
    return with_memories(vault, "p/one")


def everything(vault: Vault) -> dict[str, bytes]:
    files = (path for path in vault.root.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(vault.root).as_posix(): path.read_bytes() for path in files}


def refused(vault: Vault, code: int, *words: str, stdin: str = "") -> str:
    """Run a command that must be refused, show that it left no trace, and return what it said."""
    before = (everything(vault), vault.status, vault.head)
    ran = vault.run(*words, stdin=stdin)
    assert ran.code == code, ran
    assert (everything(vault), vault.status, vault.head) == before
    assert ran.out == ""
    return ran.err


def unstamped(data: bytes) -> bytes:
    return STAMP.sub(rb"\1", data)


# Bytes -----------------------------------------------------------------------------------------------------------------

VERBS = {
    "edit": (
        ("edit", "{}", "--replace", "word", "--with", "wört"),
        lambda t: t.replace(b"One word", "One wört".encode()),
    ),
    "append": (("append", "{}", "--body", "more"), lambda t: t + b"\r\nmore\r\n"),
    "star": (("star", "{}"), lambda t: t.replace(b"tags: [one]\r\n", b"tags: [one]\r\nfavorite: true\r\n")),
}
VALUES = {
    "set": (("set", "{}", "rating=7"), lambda t: t.replace(b"tags: [one]\r\n", b"tags: [one]\r\nrating: 7\r\n")),
    "set a list": (("set", "{}", "tags+=two"), lambda t: t.replace(b"[one]", b"[one, two]")),
    "set an item": (("set", "{}", "odd-=y"), lambda t: t.replace(b"      - 'y'\r\n", b"")),
    "unset": (("unset", "{}", "blank"), lambda t: t.replace(b"blank:  \r\n", b"")),
    "toggle": (("tasks", "toggle", "{}:LINE", "--expect", "task"), lambda t: t.replace(b"- [ ]", b"- [x]")),
}


@pytest.mark.parametrize("path", PLACES)
@pytest.mark.parametrize("verb", [*VERBS, *VALUES])
def test_a_verb_changes_the_bytes_it_is_about_and_no_others(nasty: Vault, path: str, verb: str):
    words, change = (VERBS | VALUES)[verb]
    noun = () if verb in VALUES else ("memory",) if path.startswith("memory") else ("note",)
    line = str(PLACES[path].partition(b"- [ ]")[0].count(b"\n") + 1)
    nasty.does(*noun, *(word.format(path).replace("LINE", line) for word in words))
    after = nasty.file(path).read_bytes()
    assert unstamped(after) == unstamped(change(PLACES[path]))
    assert (after == change(PLACES[path])) is (path.startswith("daily") or verb == "star")
    assert nasty.status == []
    assert nasty.git("show", "--name-only", "--format=").splitlines() == [path]


def test_write_gives_another_body_and_keeps_the_rest(nasty: Vault):
    nasty.does("memory", "write", "--project", "p", "--name", "nasty", "--body", "New.\n\n日")
    head = NASTY.partition(b"One word")[0]
    assert unstamped(nasty.file("p/nasty").read_bytes()) == unstamped(head + "New.\r\n\r\n日\r\n".encode())


def test_unstarring_takes_away_what_starring_added(nasty: Vault):
    for path, noun in zip(PLACES, ("memory", "note", "note"), strict=True):
        nasty.does(noun, "star", path)
        nasty.does(noun, "star", path, "--off")
    assert {path: nasty.file(path).read_bytes() for path in PLACES} == PLACES


# memory write ----------------------------------------------------------------------------------------------------------


def test_write_makes_a_memory_that_is_not_there(vault: Vault):
    words = ("--kind", "gotcha", "--description", "One line", "--body", "Text.")
    ran = vault.does("memory", "write", "--project", "p", "--name", "fresh", *words, "--json")
    assert ran.json["event"] == "created"
    assert vault.accepted == {"p/fresh": "active"}


def test_write_keeps_id_times_tags_and_star_of_a_memory_that_is_there(one: Vault):
    one.does("memory", "star", "one")
    one.does("set", "p/one", "tags+=kept", "mine=1")
    before = one.read("p/one").partition("---\n\n")[0].splitlines()
    ran = one.does(
        "memory", "write", "--project", "p", "--name", "one", "--body", "Other.", "--kind", "gotcha", "--json"
    )
    after = one.read("p/one").partition("---\n\n")[0].splitlines()
    assert [line.partition(":")[0] for line in before if line not in after][:1] == ["kind"]
    assert [line for line in before if line.startswith(("id", "created", "favorite", "tags", "mine"))] == [
        line for line in after if line.startswith(("id", "created", "favorite", "tags", "mine"))
    ]
    assert ran.json["id"] == id_of("one")
    assert one.trailers()["Vaultd-Event"] == "written"


def test_the_same_write_again_is_no_event(one: Vault):
    words = (
        "memory",
        "write",
        "--project",
        "p",
        "--name",
        "one",
        "--body",
        "The text of one.",
        "--description",
        "About one.",
    )
    head = one.head
    assert (one.does(*words, "--json").json["event"], one.head) == (None, head)


def test_write_replaces_the_tags_where_it_is_given_some(one: Vault):
    one.does("memory", "write", "--project", "p", "--name", "one", "--tags", "a, b")
    assert "tags: [a, b]\n" in one.read("p/one")


def test_write_hands_over_from_an_old_memory_in_the_same_commit(one: Vault):
    with_memories(one, "old")
    before = one.head
    one.does("memory", "write", "--project", "p", "--name", "one", "--body", "Newer.", "--supersedes", "old")
    assert one.git("rev-parse", "HEAD^") == before
    assert one.accepted == {"p/one": "active", "old": "superseded by p/one"}


def test_the_same_handing_over_again_is_no_event(one: Vault):
    with_memories(one, "old")
    words = ("memory", "write", "--project", "p", "--name", "one", "--body", "Newer.", "--supersedes", "old", "--json")
    one.does(*words)
    assert one.does(*words).json["event"] is None


def test_write_supersedes_even_where_the_text_is_so_already(one: Vault):
    with_memories(one, "old")
    ran = one.does("memory", "write", "--project", "p", "--name", "one", "--supersedes", "old", "--json")
    assert ran.json["event"] == "superseded"


def test_a_memory_that_supersedes_itself_is_only_written(one: Vault):
    ran = one.does("memory", "write", "--project", "p", "--name", "one", "--body", "x", "--supersedes", "one", "--json")
    assert (ran.json["event"], one.accepted) == ("written", {"p/one": "active"})


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--name", "fresh", "--body", "x"), 2),
        (("--name", "one", "--kind", "opinion"), 2),
        (("--name", "one", "--description", "two\nlines"), 2),
        (("--name", "one", "--description", "x" * 151), 2),
        (("--name", "one", "--body", "x", "--supersedes", "nobody"), 2),
        (("--name", "a/b", "--body", "x", "--kind", "gotcha", "--description", "d"), 2),
        (("--name", "one", "--body", "x", "--expect-hash", "0" * 64), 4),
    ],
)
def test_write_refuses_before_anything_is_written(one: Vault, words: tuple[str, ...], code: int):
    refused(one, code, "memory", "write", "--project", "p", *words)


# Memories that have ended ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("memory", "append", "p/one", "--body", "x"),
        ("memory", "edit", "p/one", "--replace", "text", "--with", "word"),
        ("memory", "write", "--project", "p", "--name", "one", "--body", "x"),
    ],
)
def test_an_ended_memory_keeps_its_text(one: Vault, words: tuple[str, ...]):
    one.does("memory", "archive", "p/one", "--at", AT)
    assert "memory restore" in refused(one, 3, *words)
    with_memories(one, "next")
    one.does("memory", "restore", "p/one")
    one.does("memory", "supersede", "p/one", "next")
    assert "memory chain" in refused(one, 3, *words)


def test_an_ended_memory_may_be_starred_and_tagged(one: Vault):
    one.does("memory", "archive", "p/one")
    one.does("memory", "star", "p/one")
    one.does("set", "p/one", "tags=old")
    assert one.errors() == []
    assert one.accepted == {"p/one": "archived"}


# edit ------------------------------------------------------------------------------------------------------------------


def test_edit_shows_what_it_changed(one: Vault):
    ran = one.does("memory", "edit", "one", "--replace", "The text", "--with", "A word")
    assert "\n-The text of one.\n+A word of one.\n" in ran.out
    diff = one.does("memory", "edit", "one", "--replace", "A word", "--with", "x", "--dry-run", "--json").json["diff"]
    assert "\n-A word of one.\n+x of one.\n" in diff
    assert "A word" in one.read("p/one")


def test_edit_makes_all_replacements_or_none(one: Vault):
    pairs = ("--replace", "The text", "--with", "x", "--replace", "nowhere", "--with", "y")
    assert "'nowhere' does not stand" in refused(one, 4, "memory", "edit", "one", *pairs)


def test_edit_needs_a_text_for_each_text(one: Vault):
    refused(one, 2, "memory", "edit", "one", "--replace", "a", "--replace", "b", "--with", "c")


def test_edit_of_several_occurrences_needs_all(one: Vault):
    assert "--all" in refused(one, 2, "memory", "edit", "one", "--replace", "e", "--with", "E")
    one.does("memory", "edit", "one", "--replace", "e", "--with", "E", "--all")
    assert one.read("p/one").endswith("ThE tExt of onE.\n")


def test_replacements_that_cancel_each_other_are_no_event(one: Vault):
    pairs = ("--replace", "The text", "--with", "x", "--replace", "x of", "--with", "The text of")
    assert one.does("memory", "edit", "one", *pairs, "--json").json["event"] is None


# Bodies ----------------------------------------------------------------------------------------------------------------


def test_a_text_comes_from_an_option_a_file_or_standard_input(one: Vault, tmp_path):
    (tmp_path / "text").write_text("from a file")
    one.does("memory", "append", "one", "--body", "from an option")
    one.does("memory", "append", "one", "--body-file", str(tmp_path / "text"))
    assert one.run("memory", "append", "one", "-", stdin="from a pipe\n").code == 0
    assert one.run("memory", "append", "one", "--reason", "r", "-", stdin="and another\n").code == 0
    assert one.run("memory", "append", "one", "--body-file", "-", stdin="and a file of none\n").code == 0
    said = "from an option\nfrom a file\nfrom a pipe\nand another\nand a file of none\n"
    assert one.read("p/one").endswith(f"The text of one.\n{said}")


@pytest.mark.parametrize(
    ("words", "stdin"), [((), ""), (("--body", ""), ""), (("-",), "\n\n"), (("--body", "caf\udce9"), "")]
)
def test_a_text_that_is_none_is_refused(one: Vault, words: tuple[str, ...], stdin: str):
    refused(one, 2, "memory", "append", "one", *words, stdin=stdin)


def test_no_verb_writes_conflict_markers(one: Vault):
    one.write("plain.md", "x\n<<<<<<< a\n=======\n")
    one.commit()
    markers = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
    for words in (
        ("memory", "new", "--kind", "gotcha", "--name", "two", "--description", "d", "--body", markers),
        ("memory", "write", "--project", "p", "--name", "one", "--body", markers),
        ("memory", "append", "one", "--body", markers),
        ("memory", "edit", "one", "--replace", "text", "--with", f"\n{markers}"),
        ("note", "new", "--title", "two", "--body", markers),
        ("note", "new", "--path", "two.md", "--body", markers),
        ("note", "append", "plain.md", "--body", ">>>>>>> theirs"),
    ):
        assert "conflict markers" in refused(one, 2, *words)
    one.does("memory", "append", "one", "--body", re.sub("(?m)^", "    ", markers))
    assert one.errors() == []


def test_no_verb_has_an_active_memory_end_as_one_that_has_ended(one: Vault):
    stone = "What it was.\n\n> Archived on 2026-08-01\n"
    for words in (
        ("memory", "new", "--kind", "gotcha", "--name", "two", "--description", "d", "--body", stone),
        ("memory", "write", "--project", "p", "--name", "one", "--body", stone),
        ("memory", "append", "one", "--body", stone),
    ):
        assert "tombstone line" in refused(one, 2, *words)
    one.does("memory", "append", "one", "--body", f"{stone}\nThat was a quotation.")


def test_a_body_file_that_is_not_utf_8_is_refused(one: Vault, tmp_path):
    (tmp_path / "text").write_bytes(b"caf\xe9")
    assert "UTF-8" in refused(one, 2, "memory", "append", "one", "--body-file", str(tmp_path / "text"))


# Notes -----------------------------------------------------------------------------------------------------------------


def test_a_new_work_note_has_the_keys_of_one_in_their_order(vault: Vault):
    words = ("--project", "p", "--description", "One line", "--source-url", "https://x.example", "--tags", "a,b")
    ran = vault.does("note", "new", "--title", "What people wrote", *words, "--body", "Text.", "--json")
    text = vault.read("notes/p/what-people-wrote.md")
    keys = re.findall(r"(?m)^(\w+):", text.partition("\n---\n")[0])
    assert keys == ["id", "title", "slug", "description", "project", "created", "updated", "source_url", "tags"]
    assert text.endswith("---\nText.\n")
    assert vault.trailers() == {"Vaultd-Event": "created", "Vaultd-Id": ran.json["id"], "Vaultd-Actor": "person"}
    assert vault.errors() == []


@pytest.mark.parametrize(
    ("title", "hint"), [("!!", "--slug NAME"), ("x" * 250, "--slug"), ("two\nlines", "one line"), (" ", "one line")]
)
def test_a_title_that_makes_no_name_of_its_own_is_refused(vault: Vault, title: str, hint: str):
    assert hint in refused(vault, 2, "note", "new", "--title", title)


def test_a_title_whose_name_is_taken_is_refused_with_a_free_one(vault: Vault):
    vault.does("note", "new", "--title", "Same")
    vault.does("note", "new", "--title", "Same", "--slug", "same-2")
    assert "--slug same-3" in refused(vault, 3, "note", "new", "--title", "SAME!")


def test_a_plain_note_is_its_text_and_its_commit_claims_no_event(vault: Vault):
    ran = vault.does("note", "new", "--path", "daily/2026-11-30", "--body", "Text.", "--reason", "why", "--json")
    assert vault.file("daily/2026-11-30.md").read_bytes() == b"Text.\n"
    assert ran.json["id"] is None
    assert vault.trailers() == {"Vaultd-Actor": "person", "Vaultd-Reason": "why"}


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../out.md", 2),
        (".hidden/x.md", 2),
        ("a: b.md", 2),
        ("con.md", 2),
        (".git/x.md", 2),
        ("memory/p/x.md", 3),
        ("notes/p/x.md", 3),
        ("records/x.md", 3),
        ("DAILY/NASTY.md", 0 if sys.platform == "win32" else 3),
    ],
)
def test_a_plain_note_lies_where_notes_can_lie(vault: Vault, path: str, code: int):
    vault.write("DAILY/nasty.md", "x")
    vault.commit()
    refused(vault, code, "note", "new", "--path", path, "--body", "x")


def test_a_note_is_found_by_path_id_and_name(nasty: Vault):
    for ref in ("daily/nasty.md", "daily/nasty", "[[daily/nasty]]"):
        assert nasty.does("note", "append", ref, "--body", "x", "--json").json["path"] == "daily/nasty.md"
    assert "several notes" in refused(nasty, 2, "note", "append", "nasty", "--body", "x")
    assert "no note is" in refused(nasty, 2, "note", "append", "nobody", "--body", "x")
    nasty.does("note", "new", "--title", "Mine", "--body", "x")
    id_ = re.search(r"id: (\w+)", nasty.read("notes/_global/mine.md"))
    assert id_
    assert nasty.does("note", "star", id_[1][:20], "--json").json["path"] == "notes/_global/mine.md"


@pytest.mark.parametrize("words", [("edit", "--replace", "a", "--with", "b"), ("append", "--body", "x"), ("star",)])
def test_note_verbs_leave_memories_to_the_memory_verbs(one: Vault, words: tuple[str, ...]):
    said = refused(one, 3, "note", words[0], "memory/p/one.md", *words[1:])
    assert f"vaultd memory {words[0]} memory/p/one.md" in said


def test_deleting_a_note_asks_for_its_exact_name_and_a_yes(nasty: Vault):
    assert "--yes" in refused(nasty, 2, "note", "delete", "daily/nasty.md")
    nasty.write("other.md", "x")
    nasty.commit()
    nasty.does("note", "delete", "daily/nasty.md", "--yes")
    assert not nasty.file("daily/nasty.md").exists()
    assert nasty.status == []
    assert nasty.log[0] == "note: delete daily/nasty"
    assert "exact" in refused(nasty, 2, "note", "delete", "[[other]]", "--yes")


def test_what_no_commit_holds_is_committed_before_it_is_deleted(vault: Vault):
    vault.write("draft.md", "never committed\n")
    vault.does("note", "delete", "draft.md", "--yes", "--now")
    assert vault.git("show", "HEAD^:draft.md") == "never committed"
    assert vault.log[:2] == ["note: delete draft", "note: keep edits of draft"]


# set, unset ------------------------------------------------------------------------------------------------------------


def test_set_makes_all_assignments_or_none(nasty: Vault):
    assert "rating is a number" in refused(nasty, 2, "set", "daily/nasty.md", "mine=1", "rating=high")


def test_set_finds_a_property_in_any_case(nasty: Vault):
    nasty.does("set", "daily/nasty.md", "TAGS+=#two", "Rating=2")
    text = nasty.file("daily/nasty.md").read_bytes()
    assert b"tags: [one, two]\r\nRating: 2\r\n" in text


def test_setting_what_is_so_already_is_no_event(nasty: Vault):
    ran = nasty.does("set", "memory/p/nasty.md", "tags+=one", "odd-=nothing", "ref=[1, 2]", "--json")
    assert ran.json["event"] is None


def test_a_note_without_frontmatter_gets_one(vault: Vault):
    vault.write("plain.md", "Text.")
    vault.commit()
    vault.does("set", "plain", "status=open")
    assert vault.read("plain.md") == "---\nstatus: open\n---\nText."


@pytest.mark.parametrize("key", ["id", "name", "project", "created", "valid_from", "updated", "favorite"])
@pytest.mark.parametrize("form", ["{}=x", "{}+=x"])
def test_keys_with_a_verb_of_their_own_are_not_set(nasty: Vault, key: str, form: str):
    refused(nasty, 3, "set", "memory/p/nasty.md", form.format(key))


@pytest.mark.parametrize(
    ("key", "verb"),
    [("invalid_at", "memory archive"), ("Superseded_By", "memory supersede"), ("INVALID_AT", "memory restore")],
)
def test_lifecycle_keys_are_refused_with_the_verb_to_use(nasty: Vault, key: str, verb: str):
    assert verb in refused(nasty, 3, "set", "memory/p/nasty.md", f"{key}={AT}")
    assert verb in refused(nasty, 3, "unset", "memory/p/nasty.md", key)


def test_a_memory_keeps_its_kind_and_description(nasty: Vault):
    refused(nasty, 3, "unset", "memory/p/nasty.md", "description")
    refused(nasty, 2, "set", "memory/p/nasty.md", "kind=opinion")
    refused(nasty, 2, "set", "memory/p/nasty.md", "kind+=gotcha")
    nasty.does("set", "memory/p/nasty.md", "kind=gotcha")
    assert "kind:   gotcha   # chosen in spring\r\n" in nasty.read("memory/p/nasty.md")


def test_frontmatter_that_cannot_be_read_is_left_alone_and_its_line_named(vault: Vault):
    vault.write("bad.md", "---\na: [\n---\ntext\n")
    vault.commit()
    assert re.search(r"bad\.md:2: ", refused(vault, 5, "set", "bad.md", "b=1"))


def test_types_that_cannot_be_read_are_told_and_guessed(vault: Vault):
    vault.write("n.md", "x\n")
    vault.write(".obsidian/types.json", "{")
    vault.commit()
    ran = vault.does("set", "n.md", "rating=7")
    assert ".obsidian/types.json cannot be read" in ran.err
    assert "rating: 7\n" in vault.read("n.md")


def test_no_verb_leaves_the_vault(vault: Vault, tmp_path):
    (tmp_path / "out.md").write_text("x")
    for words in (("set", "../out.md", "a=1"), ("note", "append", str(tmp_path / "out.md"), "--body", "x")):
        refused(vault, 2, *words)
    assert (tmp_path / "out.md").read_text() == "x"


# tasks toggle ----------------------------------------------------------------------------------------------------------


def test_a_task_that_moved_is_not_toggled(vault: Vault):
    vault.write("Tasks.md", "- [ ] a\n- [ ] b\n")
    vault.commit()
    assert "it stands on line 2 now" in refused(vault, 4, "tasks", "toggle", "Tasks.md:1", "--expect", "b")
    vault.does("tasks", "toggle", "Tasks.md:2", "--expect", "b")
    assert vault.read("Tasks.md") == "- [ ] a\n- [x] b\n"


@pytest.mark.parametrize("ref", ["Tasks.md", "Tasks.md:0", "Tasks.md:x", "Tasks.md:3", "Nobody.md:1"])
def test_a_task_is_named_by_path_and_line(vault: Vault, ref: str):
    vault.write("Tasks.md", "- [ ] a\n- [ ] b\n")
    vault.commit()
    refused(vault, 2, "tasks", "toggle", ref)


# Hashes, dry runs, editors ---------------------------------------------------------------------------------------------

LINE = PLAIN.partition(b"- [ ]")[0].count(b"\n") + 1
ALL = [
    ("memory", "edit", "memory/p/nasty.md", "--replace", "word", "--with", "x"),
    ("memory", "append", "memory/p/nasty.md", "--body", "x"),
    ("memory", "star", "memory/p/nasty.md"),
    ("note", "edit", "daily/nasty.md", "--replace", "word", "--with", "x"),
    ("note", "append", "daily/nasty.md", "--body", "x"),
    ("note", "star", "daily/nasty.md"),
    ("note", "delete", "daily/nasty.md", "--yes"),
    ("set", "daily/nasty.md", "a=1"),
    ("unset", "daily/nasty.md", "ref2", "blank"),
    ("tasks", "toggle", f"daily/nasty.md:{LINE}"),
]


def _sleeping(monkeypatch, sleep) -> None:
    monkeypatch.setattr("vaultd.commands.resting.REST", REST)
    monkeypatch.setattr("vaultd.commands.resting.time", SimpleNamespace(time=time.time, sleep=sleep))


@pytest.mark.parametrize("words", ALL, ids=lambda words: " ".join(words[:2]))
def test_every_verb_plans_and_compares_the_hash(nasty: Vault, words: tuple[str, ...]):
    path = re.sub(r":\d+$", "", next(word for word in words if ".md" in word))
    before = (everything(nasty), nasty.head)
    ran = nasty.does(*words, "--dry-run")
    assert ran.out.startswith(f"would {'remove' if 'delete' in words else 'write'} {path}\n")
    refused(nasty, 4, *words, "--expect-hash", hashlib.sha256(b"another text").hexdigest())
    assert (everything(nasty), nasty.head) == before
    right = hashlib.sha256(nasty.file(path).read_bytes()).hexdigest()
    document = nasty.does(*words, "--expect-hash", right, "--json").json
    assert (document["path"], document["commit"]) == (path, nasty.head)
    after = nasty.file(path)
    assert document["hash"] == (hashlib.sha256(after.read_bytes()).hexdigest() if after.exists() else "")


def test_a_note_saved_a_moment_ago_is_waited_for(one: Vault, monkeypatch):
    waits: list[float] = []
    _sleeping(monkeypatch, waits.append)
    one.edit("p/one", "The text", "The typed text")
    one.does("memory", "append", "one", "--body", "x", "--now")
    assert waits == []
    one.edit("p/one", "typed text", "text")
    one.does("memory", "append", "one", "--body", "y")
    assert len(waits) == 1
    assert 0 < waits[0] <= 2


def test_an_editor_that_saves_meanwhile_wins(one: Vault, monkeypatch):
    one.edit("p/one", "The text", "The typed text")
    _sleeping(monkeypatch, lambda _: one.edit("p/one", "typed", "newest"))
    ran = one.run("memory", "append", "one", "--body", "x")
    assert (ran.code, one.read("p/one").splitlines()[-1]) == (4, "The newest text of one.")


def test_what_a_command_just_wrote_is_not_waited_for(one: Vault, monkeypatch):
    _sleeping(monkeypatch, lambda _: pytest.fail("waited"))
    for text in "abc":
        one.does("memory", "append", "one", "--body", text)
    one.git("checkout", "-q", "HEAD~1", "--", ".")
    one.git("commit", "-qm", "back")
    one.does("memory", "append", "one", "--body", "d")


def test_an_old_edit_is_not_waited_for(one: Vault, monkeypatch):
    _sleeping(monkeypatch, lambda _: pytest.fail("waited"))
    one.edit("p/one", "The text", "The typed text")
    os.utime(one.file("p/one"), (0, 0))
    one.does("memory", "append", "one", "--body", "x")
    assert one.log[:2] == ["memory: append to p/one", "note: keep edits of one"]


def test_appenders_in_many_processes_all_append(one: Vault):
    command = [sys.executable, "-m", "vaultd", "memory", "append", "p/one", "--body"]
    children = [subprocess.Popen([*command, f"- line {n}"], cwd=one.root, stdout=subprocess.DEVNULL) for n in range(6)]
    assert [child.wait(timeout=120) for child in children] == [0] * 6
    assert sorted(one.read("p/one").splitlines()[-6:]) == [f"- line {n}" for n in range(6)]
    assert len(one.git("log", "--format=%H", "--", "memory/p/one.md").splitlines()) == 7
    assert one.status == []


MADE = ("--kind", "gotcha", "--description", "d", "--body", "b")


@pytest.mark.parametrize(
    "words",
    [
        ("memory", "move", "one", "Beds"),
        ("memory", "new", *MADE, "--name", "x", "--project", "Beds"),
        ("memory", "write", *MADE, "--name", "x", "--project", "Beds"),
        ("note", "new", "--title", "T", "--project", "Beds"),
        ("note", "new", "--path", "Plants/X.md", "--body", "b"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_no_folder_is_made_beside_one_that_differs_in_case_alone(vault: Vault, words: tuple[str, ...]):
    with_memories(vault, "one", "beds/two")
    vault.write("notes/beds/note.md", "words\n")
    vault.write("plants/y.md", "words\n")
    vault.commit()
    said = refused(vault, 3, *words)
    assert "is there already" in said
    assert "write 'beds'" in said or "write 'plants'" in said
