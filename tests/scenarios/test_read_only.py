"""What verbs about notes leave alone: what records said, and notes with an unresolved merge."""

import pytest

from tests.vaults import Ran, Vault

HEAD = "records/profiles/acme/needs.md"
SLOT = ("profiles", "--entity", "acme", "--key", "needs")
MERGE = "<<<<<<< ours\n- [ ] a [[goal]]\n=======\n- [ ] b [[goal]]\n>>>>>>> theirs\n- [ ] c\n"


@pytest.fixture
def kept(vault: Vault) -> Vault:
    """A vault with a record, a draft, an event in a file of lines, and the note they mean."""
    vault.write("goal.md", "text\n")
    vault.commit()
    vault.does("record", "set", *SLOT, "--body", "- [ ] see [[goal]]", "--source", "[[goal]]")
    vault.does("record", "set", *SLOT, "--body", "another", "--draft")
    vault.does("record", "event", "events", "--entity", "acme", "--body", "x", "--store", "jsonl")
    return vault


def refused(vault: Vault, code: int, *words: str) -> Ran:
    before = (vault.head, vault.status)
    ran = vault.run(*words)
    assert (ran.code, vault.head, vault.status) == (code, *before), ran
    return ran


def test_no_verb_about_notes_changes_a_record(kept: Vault):
    (draft,) = (path.relative_to(kept.root).as_posix() for path in kept.root.glob("review/*.md"))
    (lines,) = (path.relative_to(kept.root).as_posix() for path in kept.root.glob("records/**/*.jsonl"))
    hint = "vaultd record set profiles --entity acme --key needs --body TEXT"
    for words in (
        ("set", HEAD, "deal=1"),
        ("set", HEAD, "status=draft"),
        ("unset", HEAD, "sources"),
        ("note", "append", HEAD, "--body", "x"),
        ("note", "edit", HEAD, "--replace", "see", "--with", "saw"),
        ("note", "star", HEAD),
        ("note", "delete", HEAD, "--yes"),
        ("note", "rename", HEAD, "other"),
        ("note", "move", "records/profiles", "old"),
        ("tasks", "toggle", f"{HEAD}:{kept.read(HEAD).splitlines().index('- [ ] see [[goal]]') + 1}"),
    ):
        assert hint in refused(kept, 3, *words).err, words
    assert "vaultd review approve" in refused(kept, 3, "note", "append", draft, "--body", "x").err
    assert "vaultd record correct" in refused(kept, 3, "note", "move", lines, "elsewhere").err
    assert kept.errors() == []


def test_tags_of_a_record_are_a_reader_s(kept: Vault):
    kept.does("set", HEAD, "tags+=seen")
    assert kept.errors() == []


def test_what_a_record_said_keeps_the_name_that_a_note_had_then(kept: Vault):
    before = kept.read(HEAD)
    ran = kept.does("note", "rename", "goal.md", "aim", "--json")
    assert f"{HEAD} is a record: links in what it said stay as they were written" in ran.json["notices"]
    assert kept.read(HEAD) == before.replace('sources: ["[[goal]]"]', 'sources: ["[[aim]]"]')
    assert "see [[goal]]" in kept.read(HEAD)
    assert kept.errors() == []


def test_links_to_a_record_s_sources_follow(kept: Vault):
    kept.does("record", "set", *SLOT, "--body", "no link", "--source", "[[goal]]")
    kept.does("note", "rename", "goal.md", "aim")
    assert "[[aim]]" in kept.read(HEAD)
    assert kept.errors() == []


def test_sources_follow_where_the_text_holds_the_link_too(kept: Vault):
    words = ("--body", "As [[goal]] says.", "--source", "[[goal]]", "--property", "about=[[goal]]")
    kept.does("record", "set", *SLOT, *words)
    before = kept.read(HEAD)
    ran = kept.does("note", "rename", "goal.md", "aim", "--json")
    assert kept.read(HEAD) == before.replace('sources: ["[[goal]]"]', 'sources: ["[[aim]]"]') != before
    assert f"{HEAD} is a record: links in what it said stay as they were written" in ran.json["notices"]
    kept.does("undo")
    assert kept.read(HEAD) == before
    assert kept.errors() == []


def test_a_plain_note_beside_records_is_a_note_like_any_other(kept: Vault):
    kept.write("records/readme.md", "About [[goal]].\n")
    kept.commit()
    kept.does("note", "append", "records/readme.md", "--body", "more")
    kept.does("note", "rename", "goal.md", "aim")
    assert "About [[aim]].\nmore\n" in kept.read("records/readme.md")


def test_a_note_with_an_unresolved_merge_is_written_by_nothing_but_what_resolves_it(vault: Vault):
    vault.write("merge.md", MERGE)
    vault.write("goal.md", "text\n")
    vault.commit()
    for words in (
        ("tasks", "toggle", "merge.md:6"),
        ("note", "rename", "goal.md", "aim"),
        ("note", "append", "merge.md", "--body", "x"),
        ("note", "edit", "merge.md", "--replace", "- [ ] c", "--with", "- [x] c"),
        ("set", "merge.md", "a=1"),
        ("note", "star", "merge.md"),
    ):
        ran = refused(vault, 5, *words)
        assert "merge.md:1: unresolved merge at lines 1-5" in ran.err, (words, ran)
        assert "choose a side" in ran.err
    vault.does("note", "edit", "merge.md", "--replace", MERGE.removesuffix("- [ ] c\n"), "--with", "- [ ] a [[goal]]\n")
    vault.does("note", "rename", "goal.md", "aim")
    assert vault.read("merge.md") == "- [ ] a [[aim]]\n- [ ] c\n"


def test_a_note_with_an_unresolved_merge_may_move_as_it_is(vault: Vault):
    vault.write("merge.md", MERGE)
    vault.commit()
    vault.does("note", "move", "merge.md", "later")
    assert vault.read("later/merge.md") == MERGE
