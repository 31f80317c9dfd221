"""Files get other paths by command: every link follows in one commit, or nothing changes and the refusal says why."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from tests.vaults import Vault, id_of, with_memories
from vaultd.judging.opened import Opened

CASES = Path(__file__).parents[1] / "cases"


def everything(vault: Vault) -> dict[str, bytes]:
    return {
        path.relative_to(vault.root).as_posix(): path.read_bytes()
        for path in vault.root.rglob("*")
        if path.is_file() and ".git" not in path.parts and ".vaultd" not in path.parts
    }


def refused(vault: Vault, code: int, *words: str) -> str:
    """Run a command that must be refused, show that it left no trace, and return what it said."""
    before = (everything(vault), vault.status, vault.head)
    ran = vault.run(*words)
    assert ran.code == code, ran
    assert (everything(vault), vault.status, vault.head) == before
    return ran.err


def committed(vault: Vault) -> list[str]:
    """Return the paths of the last commit, renames told apart."""
    return sorted(vault.git("show", "--name-only", "--no-renames", "--format=", "-z").strip("\0").split("\0"))


def with_case(vault: Vault, number: int) -> Path:
    folder = next(CASES.glob(f"{number}-*"))
    shutil.copytree(folder / "input", vault.root, dirs_exist_ok=True)
    vault.commit("case")
    return folder


# Notes -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "words", "expected"),
    [
        (13, ("Ada Lovelace.md", "Countess Ada"), {"note.md": "note.obsidian.md"}),
        (21, ("Ziel.md", "Ende.md"), {"latin1.md": "latin1.md", "other.md": "other.md"}),
        (25, ("beta", "gamma"), {"note.md": "note.md"}),
        (31, ("Old name.md", "New name"), {"note.md": "note.md"}),
        (
            32,
            ("notes/me.md", "archive/2024/myself.md"),
            {"archive/2024/myself.md": "archive/2024/myself.md", "notes/near.md": "notes/near.md"},
        ),
    ],
)
def test_a_case_comes_out_byte_for_byte(vault: Vault, number: int, words: tuple[str, str], expected: dict[str, str]):
    folder = with_case(vault, number)
    before = everything(vault)
    vault.does("note", "rename", *words)
    after = everything(vault)
    for path, wanted in expected.items():
        assert after[path] == (folder / "expected" / wanted).read_bytes()
    untouched = before.keys() & after.keys() - expected.keys()
    assert {path: after[path] for path in untouched} == {path: before[path] for path in untouched}
    assert vault.status == []


def test_a_change_of_case_is_one_rename_in_git(vault: Vault):
    """Case 34."""
    with_case(vault, 34)
    vault.does("note", "rename", "Cloudflare Setup.md", "Cloudflare setup.md")
    assert vault.read("l.md") == "[[Cloudflare setup]]\n"
    assert [p for p in vault.git("ls-files").splitlines() if p.startswith("Cloud")] == ["Cloudflare setup.md"]
    assert vault.git("show", "--format=", "--name-status", "-M").splitlines()[0].startswith("R100\tCloudflare Setup.md")
    assert sorted(path for path in vault.look().notes if path.startswith("Cloud")) == ["Cloudflare setup.md"]


def test_a_rename_is_one_commit_with_its_links_and_nothing_else(vault: Vault):
    vault.write("a.md", "x\n")
    vault.write("b.md", "[[a]]\n")
    vault.write("c.md", "nothing\n")
    before = vault.commit()
    vault.write("staged.md", "mine\n")
    vault.git("add", "staged.md")
    ran = vault.does("note", "rename", "a.md", "d", "--reason", "shorter", "--json")
    assert vault.git("rev-parse", "HEAD^") == before
    assert committed(vault) == ["a.md", "b.md", "d.md"]
    assert vault.status == ["A  staged.md"]
    assert vault.git("log", "-1", "--format=%s") == "note: rename a.md to d.md"
    assert {key: ran.json[key] for key in ("event", "path", "commit", "paths", "notices")} == {
        "event": "renamed",
        "path": "d.md",
        "commit": vault.head,
        "paths": ["a.md", "b.md", "d.md"],
        "notices": ["1 link in 1 file changed"],
    }


def test_a_dry_run_lists_each_file_and_its_links(vault: Vault):
    vault.write("a.md", "[[a]]\n")
    vault.write("b.md", "[[a]] [[a]]\n")
    vault.commit()
    before = everything(vault), vault.head
    ran = vault.does("note", "rename", "a.md", "d", "--dry-run")
    assert ran.out.splitlines() == [
        "would move a.md to d.md",
        "would relink b.md (2 links)",
        "would relink d.md (1 link)",
        "would commit: note: rename a.md to d.md",
    ]
    assert (everything(vault), vault.head) == before


def test_a_hash_that_the_file_has_not_is_refused(vault: Vault):
    vault.write("a.md", "x\n")
    vault.commit()
    assert "is not the text that was expected" in refused(
        vault, 4, "note", "rename", "a.md", "b", "--expect-hash", "0" * 64
    )
    vault.does("note", "rename", "a.md", "b", "--expect-hash", hashlib.sha256(b"x\n").hexdigest())


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("b", "b.md is there already"),
        ("B.md", "b.md is there already"),
        ("a?", "does not travel"),
        ("con", "does not travel"),
        ("git~1/x", "git takes it for its own folder"),
        (".vaultd/x", "is hidden"),
        (".git/x", "is hidden"),
        ("x#y", "no link can hold"),
        (".hidden", "is hidden"),
        ("../x/y", "leads out of the vault"),
        ("", "needs a name"),
    ],
)
def test_a_name_that_is_taken_or_does_not_travel_is_refused(vault: Vault, new: str, said: str):
    vault.write("a.md", "x\n")
    vault.write("b.md", "y\n")
    vault.commit()
    assert said in refused(vault, 3 if "already" in said else 2, "note", "rename", "a.md", new)


def test_one_link_that_cannot_follow_refuses_the_whole_rename(vault: Vault):
    vault.write("a.md", "x\n")
    vault.write("b.md", "[[a]]\n")
    vault.write("c.md", "---\nk: 1\nup: >\n  [[a]]\n---\n")
    vault.commit()
    said = refused(vault, 5, "note", "rename", "a.md", "d")
    assert "c.md:3: a link in a property follows only where it stands in quotes" in said


def test_a_name_beyond_ascii_is_refused_for_the_note_that_is_not_utf8(vault: Vault):
    """Case 21: reported before any write."""
    with_case(vault, 21)
    assert "latin1.md:3: the note is not UTF-8" in refused(vault, 5, "note", "rename", "Ziel.md", "Müll")


def test_notes_that_cannot_be_read_are_named(vault: Vault, monkeypatch: pytest.MonkeyPatch):
    vault.write("a.md", "x\n")
    vault.write("b.md", "[[a]]\n")
    vault.commit()
    # the superuser may read every file, so the fault is injected
    whole = Opened.read
    monkeypatch.setattr(Opened, "read", lambda self, path: None if path == "b.md" else whole(self, path))
    assert "b.md cannot be read: its links stay as they are" in vault.does("note", "rename", "a.md", "d").err


def test_edits_that_were_there_before_get_a_commit_of_their_own(vault: Vault):
    vault.write("a.md", "x\n")
    vault.write("b.md", "[[a]]\n")
    vault.commit()
    vault.write("b.md", "[[a]] by a person\n")
    vault.does("note", "rename", "a.md", "d", "--now")
    assert vault.read("b.md") == "[[d]] by a person\n"
    assert vault.log[:2] == ["note: rename a.md to d.md", "note: keep edits of b"]


def test_a_note_that_was_never_committed_can_be_renamed(vault: Vault):
    vault.write("b.md", "[[a]]\n")
    vault.commit()
    vault.write("a.md", "x\n")
    vault.does("note", "rename", "a.md", "d", "--now")
    assert (vault.read("b.md"), vault.read("d.md"), vault.status) == ("[[d]]\n", "x\n", [])


def test_two_notes_swap_names_in_one_commit(vault: Vault):
    vault.write("a.md", "I was a, [[b]]\n")
    vault.write("b.md", "I was b, [[a]]\n")
    vault.write("c.md", "[[a]] [[b]]\n")
    before = vault.commit()
    vault.does("note", "rename", "a.md", "b", "b.md", "a")
    assert vault.git("rev-parse", "HEAD^") == before
    assert (vault.read("b.md"), vault.read("a.md")) == ("I was a, [[a]]\n", "I was b, [[b]]\n")
    assert vault.read("c.md") == "[[b]] [[a]]\n"
    assert vault.status == []


def test_a_picture_and_a_canvas_follow(vault: Vault):
    vault.write("img/p.png", b"\x89PNG\xff")
    vault.write("n.md", "![[p.png|100]] ![x](img/p.png)\n")
    vault.write("c.canvas", '{"nodes":[{"id":"1","file":"img/p.png","x":1.0},{"text":"![[p.png]]"}]}')
    vault.commit()
    vault.does("note", "move", "img/p.png", "pictures")
    assert vault.read("n.md") == "![[p.png|100]] ![x](pictures/p.png)\n"
    canvas = (vault.root / "c.canvas").read_text()
    assert canvas == '{"nodes":[{"id":"1","file":"pictures/p.png","x":1.0},{"text":"![[p.png]]"}]}'
    assert (vault.root / "pictures/p.png").read_bytes() == b"\x89PNG\xff"
    assert not (vault.root / "img").exists()


def test_a_folder_moves_with_all_that_is_in_it(vault: Vault):
    for number in range(50):
        vault.write(f"d/e/n{number}.md", f"[[n{(number + 1) % 50}]] [x](n{(number + 2) % 50}.md) [[d/e/n3]]\n")
    vault.write("s.md", "[[d/e/n1]] [[n2]] [y](d/e/n3.md)\n")
    before = vault.commit()
    vault.does("note", "move", "d", "z/y")
    assert vault.read("s.md") == "[[z/y/d/e/n1]] [[n2]] [y](z/y/d/e/n3.md)\n"
    assert vault.read("z/y/d/e/n7.md") == "[[n8]] [x](n9.md) [[z/y/d/e/n3]]\n"
    assert (vault.git("rev-parse", "HEAD^"), vault.status) == (before, [])
    assert not (vault.root / "d").exists()


def test_a_folder_is_renamed_and_cannot_move_into_itself(vault: Vault):
    vault.write("d/n.md", "x\n")
    vault.write("s.md", "[[d/n]]\n")
    vault.commit()
    assert "into itself" in refused(vault, 2, "note", "move", "d", "d/e")
    vault.does("note", "rename", "d", "e")
    assert vault.read("s.md") == "[[e/n]]\n"


def test_nothing_is_put_below_a_file(vault: Vault):
    vault.write("d/n.md", "x\n")
    vault.write("s.md", "y\n")
    vault.commit()
    for words in (("rename", "d", "s.md"), ("rename", "d/n.md", "s.md/n.md"), ("new", "--path", "s.md/a/n.md")):
        for options in (("--dry-run",), ()):
            assert "s.md is a file" in refused(vault, 3, "note", *words, *options)


def test_one_file_gets_one_name(vault: Vault):
    vault.write("s.md", "y\n")
    vault.commit()
    assert "s.md stands twice" in refused(vault, 2, "note", "rename", "s.md", "a.md", "s.md", "b.md")


def test_the_form_of_links_that_obsidian_is_set_to_is_written(vault: Vault):
    vault.write(".obsidian/app.json", json.dumps({"newLinkFormat": "relative"}))
    vault.write("a/n.md", "x\n")
    vault.write("b/s.md", "[[n]]\n")
    vault.commit()
    vault.does("note", "rename", "a/n.md", "m")
    assert vault.read("b/s.md") == "[[../a/m]]\n"


def test_a_path_that_is_nothing_is_refused(vault: Vault):
    assert "nothing.md is no file or folder" in refused(vault, 2, "note", "rename", "nothing.md", "b")
    assert "stands alone" in refused(vault, 2, "note", "rename", "nothing.md")


def test_a_work_note_takes_its_slug_and_project_with_it(vault: Vault):
    text = "---\nid: 01JZZZZZZZZZZZZZZZZZZZZZZZ\ntitle: T\nslug: s\nproject: p\nupdated: 2025-01-01T00:00:00Z\n---\n"
    vault.write("notes/p/s.md", text)
    vault.commit()
    vault.does("note", "rename", "notes/p/s.md", "notes/q/t")
    after = vault.read("notes/q/t.md")
    assert "\nslug: t\nproject: q\n" in after
    assert vault.trailers()["Vaultd-Id"] == "01JZZZZZZZZZZZZZZZZZZZZZZZ"


# Memories --------------------------------------------------------------------------------------------------------------


def test_a_memory_is_renamed_with_its_field_and_every_link(vault: Vault):
    with_memories(vault, "p/old")
    vault.write("n.md", "[[old]] [[memory/p/old|old]] [x](memory/p/old.md)\n")
    before = vault.commit()
    ran = vault.does("memory", "rename", "p/old", "new", "--json")
    assert vault.read("n.md") == "[[new]] [[memory/p/new|new]] [x](memory/p/new.md)\n"
    assert "\nname: new\n" in vault.read("p/new")
    assert vault.accepted == {"p/new": "active"}
    assert vault.errors() == []
    assert (ran.json["event"], ran.json["id"], ran.json["path"]) == ("renamed", id_of("old"), "memory/p/new.md")
    assert ran.json["hash"] == hashlib.sha256(vault.file("p/new").read_bytes()).hexdigest()
    assert (vault.trailers()["Vaultd-Event"], vault.git("rev-parse", "HEAD^")) == ("renamed", before)


def test_a_memory_keeps_every_byte_but_name_and_updated(vault: Vault):
    with_memories(vault, "old")
    vault.edit("old", "kind: decision", "kind:   decision   # why\nmine: [a,  b]")
    vault.commit()
    before = vault.read("old").splitlines()
    vault.does("memory", "rename", "old", "new")
    after = vault.read("new").splitlines()
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert [a.partition(":")[0] for a, _ in changed] == ["name", "updated"]


def test_a_name_that_another_memory_has_is_refused(vault: Vault):
    with_memories(vault, "p/a", "p/b")
    assert "memory/p/b.md is there already" in refused(vault, 3, "memory", "rename", "p/a", "b")
    assert "memory/p/b.md is there already" in refused(vault, 3, "memory", "rename", "p/a", "B")
    assert "is not made of" in refused(vault, 2, "memory", "rename", "p/a", "b c")


def test_the_name_that_it_has_is_no_change(vault: Vault):
    with_memories(vault, "p/a")
    head = vault.head
    assert vault.does("memory", "rename", "p/a", "a", "--json").json["event"] is None
    assert vault.does("memory", "move", "p/a", "p", "--json").json["event"] is None
    assert vault.head == head


def test_a_memory_moves_to_another_project_and_out_of_all(vault: Vault):
    with_memories(vault, "p/a")
    vault.write("n.md", "[[memory/p/a]]\n")
    vault.commit()
    vault.does("memory", "move", "p/a", "q")
    assert "\nproject: q\n" in vault.read("q/a")
    assert vault.trailers()["Vaultd-Event"] == "moved"
    vault.does("memory", "move", "q/a", "_global")
    assert "project:" not in vault.read("a")
    assert vault.read("n.md") == "[[memory/_global/a]]\n"
    assert (vault.accepted, vault.errors(), vault.status) == ({"a": "active"}, [], [])


@pytest.mark.parametrize("edge", ["new", "'[[new]]'", '"[[memory/_global/new|new]]"', id_of("new")])
def test_an_edge_that_names_the_successor_still_does(vault: Vault, edge: str):
    with_memories(vault, "old", "new")
    vault.does("memory", "supersede", "old", "new")
    vault.edit("old", f"superseded_by: {id_of('new')}", f"superseded_by: {edge}")
    vault.commit()
    assert vault.errors() == []
    vault.does("memory", "rename", "new", "newer")
    assert vault.accepted == {"old": "superseded by newer", "newer": "active"}
    assert (vault.errors(), vault.errors("--head"), vault.status) == ([], [], [])


def test_a_superseded_memory_frees_its_name_and_links_still_mean_it(vault: Vault):
    with_memories(vault, "p/a", "p/b")
    vault.write("n.md", "[[a]] and [[memory/p/a|that]]\n")
    vault.commit()
    vault.does("memory", "supersede", "p/a", "p/b")
    vault.does("memory", "free", "p/a")
    freed = f"a.{id_of('a')[-8:]}"
    assert f"\nname: {freed}\n" in vault.read(f"p/{freed}")
    assert vault.read("n.md") == f"[[{freed}]] and [[memory/p/{freed}|that]]\n"
    assert vault.accepted == {f"p/{freed}": "superseded by p/b", "p/b": "active"}
    assert vault.trailers()["Vaultd-Event"] == "freed"
    assert vault.errors() == []
    vault.does(
        "memory", "new", "--project", "p", "--kind", "gotcha", "--name", "a", "--description", "x", "--body", "x"
    )
    assert vault.errors() == []
    assert vault.does("memory", "free", f"p/{freed}", "--json").json["event"] is None


def test_the_name_of_an_active_memory_is_not_freed(vault: Vault):
    with_memories(vault, "a")
    assert "is active" in refused(vault, 3, "memory", "free", "a")


def test_a_waiting_lifecycle_change_in_a_linking_memory_refuses_the_whole(vault: Vault):
    with_memories(vault, "a", "b")
    vault.edit("b", "The text of b.", "[[a]]")
    vault.commit()
    vault.stamp("b")
    assert "holds a lifecycle change that is not committed" in refused(vault, 4, "memory", "rename", "a", "c", "--now")


def test_an_ended_memory_does_not_leave_by_note_move(vault: Vault):
    with_memories(vault, "a", "b")
    vault.does("memory", "supersede", "a", "b")
    said = refused(vault, 3, "note", "move", "memory/_global/a.md", "Archive")
    assert "V111 memory/_global/a.md: a memory that has ended stays in memory/PROJECT/" in said
    assert "not there any more" not in said


def test_a_memory_renamed_as_a_note_takes_its_name_with_it(vault: Vault):
    with_memories(vault, "p/a")
    vault.does("note", "rename", "memory/p", "memory/q")
    assert "\nproject: q\n" in vault.read("q/a")
    assert (vault.accepted, vault.errors()) == ({"q/a": "active"}, [])


# Renamed by something else ---------------------------------------------------------------------------------------------


def test_links_broken_by_a_rename_of_others_are_mended_with_the_rename_in_one_commit(vault: Vault):
    vault.write("a.md", "[[a]] [x](s/k.md)\n")
    vault.write("s/k.md", "x\n")
    vault.write("b.md", "[[a]] [[a|a]]\n")
    before = vault.commit()
    (vault.root / "s/a2.md").write_bytes((vault.root / "a.md").read_bytes())
    (vault.root / "a.md").unlink()
    assert "a.md is no" not in vault.does("note", "relink", "a.md", "s/a2.md", "--now").err
    assert vault.read("b.md") == "[[a2]] [[a2|a2]]\n"
    assert vault.read("s/a2.md") == "[[a2]] [x](k.md)\n"
    assert (vault.git("rev-parse", "HEAD^"), vault.status) == (before, [])
    assert committed(vault) == ["a.md", "b.md", "s/a2.md"]


def test_links_broken_by_a_committed_rename_are_mended(vault: Vault):
    vault.write("d/a.md", "x\n")
    vault.write("b.md", "[[d/a]] [x](d/a.md)\n")
    vault.commit()
    vault.git("mv", "d", "e")
    vault.commit("moved")
    vault.does("note", "relink", "d", "e")
    assert vault.read("b.md") == "[[e/a]] [x](e/a.md)\n"
    assert vault.does("note", "relink", "d", "e", "--json").json["event"] is None


@pytest.mark.parametrize("path", ["d/a.md", "memory/_global/a.md"], ids=["note", "memory"])
def test_a_rename_that_git_mv_staged_is_completed_with_its_links(vault: Vault, path: str):
    with_memories(vault, "a")
    vault.write("d/a.md", "x\n")
    vault.write("b.md", f"[[{path}]]\n")
    vault.write("other.md", "1\n")
    before = vault.commit()
    new = path.replace("a.md", "c.md")
    vault.git("mv", path, new)
    vault.write("other.md", "2\n")
    vault.git("add", "other.md")
    vault.does("note", "relink", path, new, "--now")
    assert (vault.read("b.md"), vault.status) == ("[[c.md]]\n", ["M  other.md"])
    assert (vault.git("rev-parse", "HEAD^"), committed(vault)) == (before, ["b.md", path, new])
    assert vault.errors("--head") == []


def test_what_is_staged_beside_a_rename_by_git_mv_is_nobody_elses_to_commit(vault: Vault):
    vault.write("a.md", "x\n")
    vault.write("b.md", "[[a]]\n")
    vault.commit()
    vault.git("mv", "a.md", "c.md")
    vault.write("c.md", "x\nunstaged\n")
    assert "staged" in refused(vault, 4, "note", "relink", "a.md", "c.md", "--now")
    vault.git("add", "c.md")
    vault.does("note", "relink", "a.md", "c.md", "--now")
    assert (vault.git("show", "HEAD:c.md"), vault.status) == ("x\nunstaged", [])


def test_a_swap_made_by_others_is_mended(vault: Vault):
    vault.write("a.md", "I was a\n")
    vault.write("b.md", "I was b\n")
    vault.write("c.md", "[[a]] [[b]]\n")
    vault.commit()
    vault.write("a.md", "I was b\n")
    vault.write("b.md", "I was a\n")
    vault.does("note", "relink", "a.md", "b.md", "b.md", "a.md", "--now")
    assert vault.read("c.md") == "[[b]] [[a]]\n"


def test_a_memory_renamed_by_others_is_recorded_with_its_links(vault: Vault):
    with_memories(vault, "a")
    vault.write("n.md", "[[a]]\n")
    vault.commit()
    vault.file("a").rename(vault.file("b"))
    vault.does("note", "relink", "memory/_global/a.md", "memory/_global/b.md", "--now")
    assert vault.read("n.md") == "[[b]]\n"
    assert (vault.accepted, vault.errors("--head"), vault.status) == ({"b": "active"}, [], [])


def test_what_is_still_there_was_not_renamed(vault: Vault):
    vault.write("a.md", "x\n")
    vault.write("b.md", "x\n")
    vault.commit()
    assert "a.md is still there" in refused(vault, 2, "note", "relink", "a.md", "b.md")


# With an index ---------------------------------------------------------------------------------------------------------


def test_links_are_found_whether_the_index_knows_them_or_not(vault: Vault):
    vault.write("a.md", "x\n")
    vault.write("known.md", "[[a]]\n")
    vault.write("changed.md", "nothing\n")
    vault.commit()
    vault.does("up", "--once")
    vault.write("changed.md", "[x](a.md)\n")
    vault.write("new.md", "[[a|a]]\n")
    vault.commit()
    vault.does("note", "rename", "a.md", "b")
    texts = [vault.read(f"{name}.md") for name in ("known", "changed", "new")]
    assert texts == ["[[b]]\n", "[x](b.md)\n", "[[b|b]]\n"]


# Recognised by check ---------------------------------------------------------------------------------------------------


def hints(vault: Vault) -> list[tuple[str, str]]:
    found = vault.run("check", "--json").json["violations"]
    return [(one["path"], one["hint"]) for one in found if one["code"] == "V301"]


def test_check_names_the_rename_that_broke_a_link_and_what_mends_it(vault: Vault):
    vault.write("a b.md", "long enough to be known again\n")
    vault.write("s.md", "[[a b]] [[never there]]\n")
    vault.commit()
    (vault.root / "a b.md").rename(vault.root / "c.md")
    assert hints(vault) == [
        ("s.md", "vaultd note relink 'a b.md' c.md"),
        ("s.md", "write the note, or mend the link"),
    ]
    vault.does("note", "relink", "a b.md", "c.md", "--now")
    assert hints(vault) == [("s.md", "write the note, or mend the link")]


def test_check_knows_a_renamed_memory_by_its_id_whatever_its_text(vault: Vault):
    with_memories(vault, "a")
    vault.write("s.md", "[[a]]\n")
    vault.commit()
    vault.file("a").rename(vault.file("b"))
    vault.edit("b", "The text of a.", "Another text.")
    assert hints(vault) == [("s.md", "vaultd note relink memory/_global/a.md memory/_global/b.md")]


def test_check_tells_twins_that_were_moved_apart_by_what_the_index_saw(vault: Vault):
    """Bytes tell them no more, and neither do their lines once they were edited."""
    for name in ("a", "b"):
        vault.write(f"{name}.md", "the same text\n")
    vault.write("s.md", "[[a]] [[b]]\n")
    vault.commit()
    vault.run("check")
    (vault.root / "a.md").rename(vault.root / "y.md")
    (vault.root / "b.md").rename(vault.root / "x.md")
    assert hints(vault) == [("s.md", "vaultd note relink a.md y.md"), ("s.md", "vaultd note relink b.md x.md")]
    (vault.root / "x.md").rename(vault.root / "z.md")
    vault.run("check")
    vault.write("y.md", "quite another\n")
    vault.write("z.md", "nothing of it\n")
    assert hints(vault) == [("s.md", "vaultd note relink a.md y.md"), ("s.md", "vaultd note relink b.md z.md")]


def test_a_memory_s_id_counts_for_more_than_what_the_index_saw(vault: Vault):
    with_memories(vault, "a")
    vault.write("s.md", "[[memory/_global/a]]\n")
    vault.commit()
    vault.run("check")
    text = vault.read("a")
    vault.file("a").rename(vault.file("b"))
    vault.run("check")
    vault.write("memory/_global/c.md", text)
    vault.write("memory/_global/b.md", text.replace(id_of("a"), id_of("b")))
    assert hints(vault) == [("s.md", "vaultd note relink memory/_global/a.md memory/_global/c.md")]


def test_check_names_the_move_that_broke_a_notes_own_links(vault: Vault):
    vault.write("d/a.md", "[x](../p.png) and more\n")
    vault.write("p.png", "x")
    vault.commit()
    vault.write("e/f/a.md", "[x](../p.png) and more\n")
    (vault.root / "d/a.md").unlink()
    assert hints(vault) == [("e/f/a.md", "vaultd note relink d/a.md e/f/a.md")]


def test_check_knows_an_edited_note_by_most_of_its_lines(vault: Vault):
    vault.write("a.md", "one\ntwo\nthree\nfour\n")
    vault.write("other.md", "quite\nanother\ntext\n")
    vault.write("s.md", "[[a]] [[other]]\n")
    vault.commit()
    vault.write("b.md", "one\ntwo\nthree\n4\n")
    vault.write("c.md", "nothing\nof\nit\n")
    (vault.root / "a.md").unlink()
    (vault.root / "other.md").unlink()
    assert hints(vault) == [("s.md", "vaultd note relink a.md b.md"), ("s.md", "write the note, or mend the link")]


def test_check_knows_a_file_that_is_no_note_by_its_kind_and_size(vault: Vault):
    vault.write("pics/a.png", "four")
    vault.write("pics/b.png", "seven..")
    vault.write("board.canvas", "{}")
    vault.write("s.md", "![[a.png]] ![[b.png]] [[board.canvas]]\n")
    vault.commit()
    (vault.root / "pics").rename(vault.root / "media")
    (vault.root / "media/a.png").rename(vault.root / "media/c.png")
    (vault.root / "board.canvas").rename(vault.root / "wall.canvas")
    assert hints(vault) == [
        ("s.md", "vaultd note relink pics/a.png media/c.png"),
        ("s.md", "vaultd note relink board.canvas wall.canvas"),
    ]
    vault.does("note", "relink", "pics/a.png", "media/c.png", "board.canvas", "wall.canvas", "--now")
    assert (hints(vault), vault.read("s.md")) == ([], "![[c.png]] ![[b.png]] [[wall.canvas]]\n")


def test_check_knows_renames_that_were_committed_one_after_the_other(vault: Vault):
    vault.write("a.md", "text\n")
    vault.write("s.md", "[[a]]\n")
    vault.commit()
    vault.git("mv", "a.md", "b.md")
    vault.commit("first")
    vault.git("mv", "b.md", "c d.md")
    vault.commit("second")
    assert hints(vault) == [("s.md", "vaultd note relink a.md 'c d.md'")]
    vault.does("note", "relink", "a.md", "c d.md", "--now")
    assert vault.read("s.md") == "[[c d]]\n"


def test_two_files_of_the_same_bytes_are_not_told_apart(vault: Vault):
    vault.write("a.md", "same\n")
    vault.write("b.md", "same\n")
    vault.write("s.md", "[[a]]\n")
    vault.commit()
    (vault.root / "a.md").rename(vault.root / "c.md")
    (vault.root / "b.md").rename(vault.root / "d.md")
    assert hints(vault) == [("s.md", "write the note, or mend the link")]


# Where case does not count ---------------------------------------------------------------------------------------------


def test_a_folder_that_differs_in_case_only_is_not_made_beside_the_other(vault: Vault):
    vault.write("a.md", "x\n")
    vault.write("Archive/b.md", "y\n")
    vault.commit()
    assert "write 'Archive'" in refused(vault, 3, "note", "move", "a.md", "archive")


def test_what_git_ignores_in_a_folder_moves_along_and_stays_out_of_git(vault: Vault):
    vault.write(".gitignore", "*.bin\nplans/secret.md\n")
    for name in ("a.md", "secret.md", "x.bin"):
        vault.write(f"plans/{name}", f"text of {name}\n")
    vault.write("n.md", "[[secret]] [[plans/a]] ![[x.bin]] [s](plans/secret.md)\n")
    vault.commit()
    ran = vault.does("note", "rename", "plans", "old plans", "--json")
    assert [notice for notice in ran.json["notices"] if "out of git" in notice] == [
        "old plans/secret.md moved, and stays out of git, which does not ignore it there: see .gitignore",
        "old plans/x.bin moved, and stays out of git",
    ]
    assert vault.read("n.md") == "[[secret]] [[old plans/a]] ![[x.bin]] [s](old%20plans/secret.md)\n"
    assert vault.read("old plans/secret.md") == "text of secret.md\n"
    assert vault.git("log", "--all", "--format=%H", "--", "plans/secret.md", "old plans/secret.md") == ""
    assert not (vault.root / "plans").exists()
    assert vault.status == ['?? "old plans/secret.md"']


def test_a_rename_there_and_back_gives_the_same_bytes(vault: Vault):
    text = "[[a]] [[f/a]] [[a|a]] [[f/a|a]] [x](f/a.md#h) ![[a#^b]] [y](<f/a.md>) [z](a.md) [[/f/a]] [[./f/a]]\n"
    vault.write("f/a.md", "self [[a]] [[#h]]\n")
    vault.write("n.md", f"---\nup: '[[a]]'\nsee: [\"[[f/a|a]]\"]\n---\n{text}| [[a\\|a]] |\n")
    vault.write("f/m.md", "[x](a.md) [[a]] [y](./a.md)\n")
    vault.commit()
    before = {path: vault.read(path) for path in ("f/a.md", "n.md", "f/m.md")}
    for there, back in (
        (("rename", "f/a.md", "a b"), ("rename", "f/a b.md", "a")),
        (("rename", "f", "g"), ("rename", "g", "f")),
    ):
        vault.does("note", *there)
        vault.does("note", *back)
        assert {path: vault.read(path) for path in before} == before


def test_a_link_to_another_file_that_was_lengthened_comes_back_by_undo(vault: Vault):
    """Case 31 has it that a path to a file that did not move stays a path, whoever wrote it."""
    vault.write("m/t.md", "x\n")
    vault.write("n/u.md", "y\n")
    vault.write("s.md", "[[t]] [[t|t]]\n")
    vault.commit()
    vault.does("note", "rename", "n/u.md", "t")
    assert vault.read("s.md") == "[[m/t]] [[m/t|t]]\n"
    vault.does("note", "rename", "n/t.md", "u")
    assert vault.read("s.md") == "[[m/t]] [[m/t|t]]\n"
    vault.does("undo")
    vault.does("undo")
    assert vault.read("s.md") == "[[t]] [[t|t]]\n"


def looks(vault: Vault, *paths: str) -> list[tuple[int, str]]:
    """What files are beside their bytes, on disk and in HEAD."""
    stored = {line.split("\t")[1]: line[:6] for line in vault.git("ls-tree", "-r", "HEAD").splitlines()}
    return [((vault.root / path).stat().st_mode & 0o777, stored[path]) for path in paths]


@pytest.mark.parametrize(
    ("mode", "pairs", "now"),
    [
        (0o755, ("d", "e"), ("e/run.md", "e/key.md")),
        (0o640, ("d/run.md", "f.md", "d/key.md", "run.md"), ("d/f.md", "d/run.md")),
    ],
    ids=["folder", "chain"],
)
def test_a_mode_moves_with_its_file_and_comes_back_with_an_undo(
    vault: Vault, mode: int, pairs: tuple[str, ...], now: tuple[str, str]
):
    vault.write("d/run.md", "I run.\n")
    vault.write("d/key.md", "I am a key.\n")
    (vault.root / "d/run.md").chmod(mode)
    (vault.root / "d/key.md").chmod(0o600)
    vault.commit()
    vault.does("note", "rename", *pairs)
    gits = "100755" if mode & 0o100 else "100644"
    assert looks(vault, *now) == [(mode, gits), (0o600, "100644")]
    vault.does("undo")
    assert looks(vault, "d/run.md", "d/key.md") == [(mode, gits), (0o600, "100644")]
    assert vault.status == []


def test_a_folder_changes_its_case(vault: Vault):
    vault.write("d/n.md", "x\n")
    vault.write("s.md", "[[d/n]]\n")
    vault.commit()
    vault.does("note", "rename", "d", "D")
    assert vault.read("s.md") == "[[D/n]]\n"
    assert [path for path in vault.git("ls-files").splitlines() if path.endswith("n.md")] == ["D/n.md"]


def test_a_name_that_is_active_in_a_project_of_another_case_is_refused_by_its_rule(vault: Vault):
    with_memories(vault, "p/a", "P/b")
    assert "V101" in refused(vault, 3, "memory", "rename", "p/a", "b")
