"""Import brings notes in from another folder in one commit, and names what stays out."""

from pathlib import Path

import pytest

from tests.scenarios.test_writing import everything, refused
from tests.vaults import AT, Vault, id_of, memory, with_memories


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder as another memory system keeps it."""
    old = (
        memory("old", at=AT, by=id_of("new"), project="p") + f"\n> Superseded by p/new ({id_of('new')}) on 2025-06-01\n"
    )
    put(tmp_path, "memory/p/old.md", old)
    put(tmp_path, "memory/p/new.md", memory("new", project="p").replace("\n", "\r\n"))
    put(tmp_path, "memory/_global/here.md", memory("here"))
    put(tmp_path, "notes/p/find.md", f"---\nid: {id_of('find')}\ntitle: Find\n---\ntext")
    put(tmp_path, "notes/.trash/gone.md", "x")
    put(tmp_path, "seam.db", "x")
    return tmp_path / "source"


def put(folder: Path, path: str, text: str | bytes) -> None:
    file = folder / "source" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())


def come(vault: Vault, source: Path, *words: str) -> dict:
    return vault.does("import", str(source), "--apply", "--json", *words).json


def test_without_apply_it_only_shows_what_would_come(vault: Vault, source: Path):
    before = everything(vault)
    ran = vault.does("import", str(source))
    assert "would create memory/p/old.md\n" in ran.out
    assert "--apply" in ran.err
    assert everything(vault) == before


def test_a_whole_folder_comes_in_byte_for_byte_in_one_commit(vault: Vault, source: Path):
    head = vault.head
    document = come(vault, source)
    notes = [path.relative_to(source).as_posix() for path in source.rglob("*.md") if ".trash" not in path.parts]
    assert document["paths"] == sorted(notes)
    assert {path: vault.file(path).read_bytes() for path in notes} == {p: (source / p).read_bytes() for p in notes}
    assert (vault.git("rev-parse", "HEAD^"), vault.status, vault.errors()) == (head, [], [])
    assert vault.accepted == {"p/old": "superseded by p/new", "p/new": "active", "here": "active"}
    assert vault.log[0] == "note: import 4 notes from source"


def test_the_same_import_again_is_no_event(vault: Vault, source: Path):
    come(vault, source)
    head = vault.head
    assert (come(vault, source)["event"], vault.head) == (None, head)


def test_only_what_is_new_comes_in_later(vault: Vault, source: Path):
    come(vault, source)
    put(source.parent, "memory/p/later.md", memory("later", project="p"))
    assert come(vault, source)["paths"] == ["memory/p/later.md"]


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("memory/p/new2.md", memory("new", project="p"), "its id stands in memory/p/new.md too"),
        ("memory/p/mine.md", memory("kept"), "its id stands in memory/_global/kept.md already"),
        ("memory/_global/KEPT.md", memory("other"), "is another note"),
        ("memory/p/half.md", memory("half", by=id_of("new"), project="p"), "V104"),
        ("memory/p/con.md", memory("con", project="p"), "its name cannot travel"),
    ],
)
def test_what_cannot_come_in_is_named_and_stops_no_other(vault: Vault, source: Path, path: str, text: str, why: str):
    with_memories(vault, "kept")
    put(source.parent, path, text)
    before = everything(vault)
    document = come(vault, source)
    assert [notice for notice in document["notices"] if notice.startswith(f"left out {path}: ") and why in notice]
    assert len(document["paths"]) == 4
    assert {p: data for p, data in everything(vault).items() if p in before} == before


def test_a_conflict_copy_does_not_take_the_id_of_what_it_is_a_copy_of(vault: Vault, source: Path):
    copy = "memory/p/new (Ann's conflicted copy 2026-07-01).md"
    put(source.parent, copy, memory("new", project="p"))
    document = come(vault, source)
    assert f"left out {copy}: its id stands in memory/p/new.md too" in document["notices"]
    assert "memory/p/new.md" in document["paths"]


def test_what_lies_where_no_memory_can_be_comes_in_as_a_plain_note_and_is_named(vault: Vault, source: Path):
    for path in ("memory/top.md", "memory/p/deep/deeper.md"):
        put(source.parent, path, memory("top" if "top" in path else "deeper"))
    notices = come(vault, source)["notices"]
    assert [n for n in notices if "comes in as a plain note" in n] == [
        f"{path} comes in as a plain note: memories lie in memory/PROJECT/NAME.md"
        for path in ("memory/p/deep/deeper.md", "memory/top.md")
    ]


def test_notes_of_an_older_inbox_are_notes_of_no_project(vault: Vault, source: Path):
    put(source.parent, "notes/inbox/idea.md", f"---\nid: {id_of('idea')}\ntitle: Idea\n---\n")
    put(source.parent, "notes/inbox/mine.md", f"---\nid: {id_of('mine')}\ntitle: Mine\nproject: inbox\n---\n")
    document = come(vault, source)
    assert {"notes/_global/idea.md", "notes/inbox/mine.md"} <= set(document["paths"])
    assert document["notices"] == ["notes/inbox/idea.md comes in as notes/_global/idea.md"]


def test_what_stays_out_for_good_does_not_fail_the_next_import(vault: Vault, source: Path):
    put(source.parent, "memory/p/half.md", memory("half", by=id_of("new"), project="p"))
    come(vault, source)
    document = come(vault, source)
    assert document["event"] is None
    assert document["notices"] == [
        "left out memory/p/half.md: V104 superseded_by is set and invalid_at is not",
        "4 of its notes are there already",
    ]


def test_a_link_out_of_the_folder_is_not_followed(vault: Vault, source: Path, tmp_path: Path):
    (tmp_path / "secret.md").write_text(memory("secret"))
    (source / "memory/p/secret.md").symlink_to(tmp_path / "secret.md")
    assert "left out memory/p/secret.md: it is a link" in come(vault, source)["notices"]


def test_what_is_markdown_by_another_spelling_or_behind_a_link_is_named(vault: Vault, tmp_path: Path):
    source = tmp_path / "old"
    source.mkdir()
    (source / "Fine.md").write_text("fine\n")
    (source / "Loud.MD").write_text("loud\n")
    (source / "elsewhere").symlink_to(tmp_path)
    notices = vault.does("import", str(source), "--as-memories", "garden", "--apply", "--json").json["notices"]
    assert "left out Loud.MD: its name ends in .MD: rename it to Loud.md" in notices
    assert "left out elsewhere: it is a link" in notices
    assert list(vault.accepted) == ["garden/Fine"]


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    put(tmp_path, "My Note.md", "First line\r\n\r\ntext")
    put(tmp_path, "deep/tagged.md", "---\ntags: [a]   # kept\n---\n# Its title\n")
    return tmp_path / "source"


def test_plain_markdown_becomes_memories_and_keeps_every_byte(vault: Vault, plain: Path):
    document = come(vault, plain, "--as-memories", "garden")
    assert document["paths"] == ["memory/garden/my-note.md", "memory/garden/tagged.md"]
    assert vault.file("garden/my-note").read_bytes().endswith(b"superseded_by: null\r\n---\r\nFirst line\r\n\r\ntext")
    assert vault.read("garden/tagged").startswith("---\ntags: [a]   # kept\nid: ")
    assert "\ndescription: Its title\n" in vault.read("garden/tagged")
    assert (vault.accepted, vault.errors("--strict")) == ({"garden/my-note": "active", "garden/tagged": "active"}, [])


def test_plain_markdown_that_came_in_comes_no_second_time(vault: Vault, plain: Path):
    come(vault, plain, "--as-memories", "garden")
    head = vault.head
    document = come(vault, plain, "--as-memories", "garden")
    assert (document["event"], document["notices"]) == (None, ["2 of its notes are there already"])
    put(plain.parent, "new.md", "New.\n")
    put(plain.parent, "My Note.md", "Another text")
    document = come(vault, plain, "--as-memories", "garden")
    assert (document["paths"], vault.git("rev-parse", "HEAD^")) == (["memory/garden/new.md"], head)
    assert "left out My Note.md: memory/garden/my-note.md is another note" in document["notices"]


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("bad.md", "---\na: [\n---\n", "line 2"),
        ("latin.md", b"caf\xe9", "not UTF-8"),
        ("!!.md", "x", "no letter or digit"),
        ("other/my note.md", "x", "takes the same place"),
    ],
)
def test_plain_markdown_that_is_no_memory_stays_out(vault: Vault, plain: Path, path: str, text: str | bytes, why: str):
    put(plain.parent, path, text)
    document = come(vault, plain, "--as-memories", "garden")
    assert len(document["paths"]) == 2
    assert len(document["notices"]) == 1
    assert why in document["notices"][0]


@pytest.mark.parametrize(
    "words", [("nowhere",), (".",), ("nowhere", "--as-memories", "p"), ("SOURCE", "--as-memories", "a/b")]
)
def test_a_request_that_makes_no_sense_is_refused(vault: Vault, plain: Path, words: tuple[str, ...]):
    refused(vault, 2, "import", *(str(plain) if word == "SOURCE" else word for word in words))


def test_an_import_of_nothing_that_can_come_is_refused(vault: Vault, tmp_path: Path):
    put(tmp_path, "memory/p/half.md", memory("half", by=id_of("new"), project="p"))
    assert "V104" in refused(vault, 3, "import", str(tmp_path / "source"), "--apply")


def test_an_import_is_undone_at_once(vault: Vault, source: Path):
    before = everything(vault)
    come(vault, source)
    vault.does("undo")
    assert everything(vault) == before
    assert vault.errors("--head") == []
