"""File names: portable, slugs, conflict copies, leftovers."""

import unicodedata

import pytest

from vaultd.notes.names import collision_key, conflict_original, is_temporary, portable, slug, unportable


@pytest.mark.parametrize(
    "name",
    [
        "Test: one.md",
        "why?.md",
        "A*.md",
        'say "hi".md',
        "a|b.md",
        "back\\slash.md",
        "a<b>.md",
        "new\nline.md",
        "a/b.md",
        "dot..md",
        "edge .md",
        " lead.md",
        "CON.md",
        "aux.md",
        "com1.txt.md",
        "LPT9",
        "nul",
        "x" * 253 + ".md",
        "a.",
        "a ",
        "日" * 85 + ".md",
        "COM¹.md",
        "GIT~1",
        b"bad\xff.md".decode("utf-8", "surrogateescape"),
        "",
        ".",
        "..",
    ],
)
def test_an_unportable_name_has_a_reason_and_a_portable_neighbour(name):
    assert unportable(name)
    assert unportable(portable(name)) is None


@pytest.mark.parametrize(
    "name",
    [
        "tick`.md",
        "semi;colon.md",
        "100% done.md",
        "hash #1.md",
        "caret^x.md",
        "brack[et].md",
        "-dash.md",
        "~tilde.md",
        "emoji 🗂️ name.md",
        "שלום עולם.md",
        "日本語 ノート.md",
        "x" * 240 + ".md",
        "console.md",
        "com10.md",
        "a.b.md",
        "v1.0",
    ],
)
def test_a_portable_name_is_left_alone(name):
    assert unportable(name) is None
    assert portable(name) == name


def test_the_portable_neighbour_stays_close():
    assert (portable("git~1"), portable("GIT~1"), portable(".git")) == ("git-1", "GIT-1", "git")
    assert portable("Test: one.md") == "Test- one.md"
    assert portable("aux.md") == "aux-.md"
    assert portable("???.md") == "---.md"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Build Cache: poisoned!", "build-cache-poisoned"),
        ("It's   fine", "its-fine"),
        ("  --x-- ", "x"),
        ("Café", "café"),
        (unicodedata.normalize("NFD", "Café"), "café"),
        ("日本語 ノート", "日本語-ノート"),
        ("a_b", "a_b"),
        ("!!!", ""),
        ("CON", "con-"),
        ("../../etc/passwd", "etc-passwd"),
    ],
)
def test_a_title_becomes_words_joined_by_dashes(title, expected):
    assert slug(title) == expected


def test_a_slug_is_a_portable_name_of_limited_length():
    made = slug("日本 " * 200)
    assert len(made.encode()) <= 200
    assert unportable(made + ".md") is None


def test_conflict_copies_of_three_tools_are_known(row_conflict_names):
    name, original = row_conflict_names
    assert conflict_original(name) == original


@pytest.mark.parametrize(
    "name",
    [
        ".note.md.swp",
        ".syncthing.note.md.tmp",
        "note.md~",
        "4913",
        "#note.md#",
        ".#note.md",
        ".note.md.BbDeTX",
        "note.md.3918764672",
        "note.md.tmp",
        "~$note.docx",
        ".hidden.md",
        "note.md.orig",
        "x.md.swx",
    ],
)
def test_what_editors_and_sync_tools_leave_is_temporary(name):
    assert is_temporary(name)


@pytest.mark.parametrize(
    "name", ["note.md", "#1 idea.md", "~tilde.md", "4913.md", "template.md", "a.tmp.md", "note 2.md", "v1.2.md"]
)
def test_notes_are_not_temporary(name):
    assert not is_temporary(name)


def test_paths_collide_by_case_and_by_unicode_form():
    assert collision_key("Notes/Café.md") == collision_key(unicodedata.normalize("NFD", "notes/CAFÉ.md"))
    assert collision_key("straße.md") == collision_key("STRASSE.md")
    assert collision_key("a.md") != collision_key("b.md")
