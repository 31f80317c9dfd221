"""What links, headings and blocks resolve to, and how links are written."""

from collections.abc import Callable

import pytest

from tests.growth import assert_linear
from tests.unit.notes.conftest import CASES
from vaultd.notes.note import parse
from vaultd.notes.resolution import Names, link_key, link_text, resolve_subpath
from vaultd.notes.structure import structure


def resolved(case: str, note: str) -> list[tuple[str, str | None]]:
    """Return target with subpath, and path, of every link of a note of a case."""
    folder = CASES / case / "input"
    names = Names(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    links = structure(parse((folder / note).read_bytes())).links
    return [(link.target + link.subpath, names.resolve(link.target, note)) for link in links]


def of(text: str):
    return structure(parse(text.encode()))


def test_links_resolve_as_in_obsidian(row_links):
    target, source, files, expected = row_links
    assert Names(files).resolve(target, source) == expected


def test_links_resolve_alike_when_the_files_came_one_by_one(row_links):
    target, source, files, expected = row_links
    names = Names()
    for path in (*reversed(files), "x/Note.md", "Note/dash.base"):
        names.add(path)
    names.remove("x/Note.md")
    names.remove("Note/dash.base")
    assert names.resolve(target, source) == expected


def test_a_name_that_ends_another_is_not_mistaken_for_it():
    assert resolved("24-link-name-is-suffix-of-other", "inbox.md") == [
        ("todo", "todo.md"),
        ("another-todo", "another-todo.md"),
        ("sub/todo", "sub/todo.md"),
        ("odo", None),
        ("TODO", "todo.md"),
    ]
    assert resolved("24-link-name-is-suffix-of-other", "sub/near.md") == [("todo", "todo.md")]


def test_escaped_pipes_belong_to_the_table():
    assert resolved("25-link-table-escaped-pipe", "note.md") == [
        ("beta", "beta.md"),
        ("pic.png", "pic.png"),
        ("beta", "beta.md"),
        ("beta", "beta.md"),
    ]


def test_headings_are_found_by_their_punctuation_free_text_and_their_parents():
    case = CASES / "26-link-heading-punctuation-and-nesting" / "input"
    target = structure(parse((case / "h.md").read_bytes()))
    links = structure(parse((case / "links.md").read_bytes())).links
    lines = [(link.subpath, resolve_subpath(target, link.subpath)) for link in links]
    assert lines == [
        ("#Minecraft The Video Game", 1),
        ("#S2#E02", 7),
        ("#E02", 4),
        ("#Oh. Hello there", 8),
        ("#Oh Hello there", 8),
        ("#What is it", 9),
        ("#a/b c", 10),
        ("#nope", None),
        ("#minecraft the video game", 1),
        ("#S2#E01", 6),
        ("#minecraft-the-video-game", None),
    ]


def test_encoded_and_angled_destinations_resolve():
    found = resolved("28-link-markdown-percent-encoding", "note.md")
    assert [path for _, path in found] == ["new file.md"] * 6
    assert found[2][0] == "sub/../new file.md#Top part"


def test_links_from_and_to_a_moved_note_resolve_before_it_moves():
    assert resolved("32-rename-self-link-and-folder-move", "notes/me.md") == [
        ("me", "notes/me.md"),
        ("me#Part", "notes/me.md"),
        ("#Part", "notes/me.md"),
        ("../img/a.png", "img/a.png"),
        ("near.md", "notes/near.md"),
    ]
    found = resolved("32-rename-self-link-and-folder-move", "notes/near.md")
    assert [path for _, path in found] == ["notes/me.md"] * 3


def test_links_in_properties_resolve_and_code_holds_none():
    assert resolved("31-rename-frontmatter-yes-code-no", "note.md") == [
        ("Old name", "Old name.md"),
        ("Old name", "Old name.md"),
        ("Old name", "Old name.md"),
        ("old NAME#Sec", "Old name.md"),
        ("Old name#^blk", "Old name.md"),
        ("Old name.md", "Old name.md"),
        ("Old names", "Old names.md"),
        ("folder/Old name", "folder/Old name.md"),
        ("Old name", "Old name.md"),
    ]


@pytest.mark.parametrize(
    ("target", "source", "expected"),
    [
        ("/b/Note", "a/s.md", "b/Note.md"),
        ("/Note", "b/s.md", None),
        ("x/../b/Note", "s.md", "b/Note.md"),
        ("../b/./Note.md", "a/s.md", "b/Note.md"),
        ("sub/n", "b/s.md", "b/sub/n.md"),
        ("sub/n", "c/s.md", "a/sub/n.md"),
        ("..", "a/s.md", None),
        ("b/", "s.md", None),
        ("Note.md.md", "s.md", None),
        (" Note ", "s.md", "b/Note.md"),
        ("a\u00a0b", "s.md", "a b.md"),
    ],
)
def test_paths_in_targets(target, source, expected):
    files = ["b/Note.md", "b/sub/n.md", "a/sub/n.md", "a b.md", "a.md"]
    assert Names(files).resolve(target, source) == expected


def test_hidden_files_are_no_targets():
    names = Names([".trash/a.md", "x/.y/a.md"])
    names.add("b/.hidden.md")
    assert [names.resolve(target, "s.md") for target in ("a", ".trash/a", ".hidden")] == [None] * 3


def test_files_that_only_case_tells_apart_are_found_by_their_spelling():
    names = Names(["A.md", "a.md"])
    assert [names.resolve(target, "s.md") for target in ("A", "a")] == ["A.md", "a.md"]


def test_files_that_only_the_unicode_form_tells_apart_are_one_name():
    composed, decomposed = "Caf\u00e9.md", "Cafe\u0301.md"
    names = Names([decomposed, composed])
    assert names.resolve("Cafe\u0301", "s.md") == composed
    names.remove(composed)
    assert names.resolve("Caf\u00e9", "s.md") == decomposed


def test_candidates_are_all_files_of_the_name_best_first():
    names = Names(["z/todo.md", "todo.md", "a/b/todo.md", "todo.png", "another-todo.md"])
    assert names.candidates("todo") == ("todo.md", "z/todo.md", "a/b/todo.md")
    assert names.candidates("todo.png") == ("todo.png",)
    assert names.candidates("./todo") == ()
    assert names.candidates("") == ()


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("a/Note.md", "NOTE"),
        ("a/Note.md", "b/note.md"),
        ("Note.md.md", "Note.md"),
        ("a/Fig.png", "../fig.PNG"),
        ("Cafe\u0301.md", "Caf\u00e9#H"),
    ],
)
def test_a_path_touches_the_links_that_may_mean_it(path, target):
    assert Names().keys_touched(path) == {link_key(target)}


def test_a_hidden_path_touches_no_link():
    assert Names().keys_touched(".trash/a.md") == frozenset()


def test_a_link_to_the_note_itself_depends_on_no_file():
    assert link_key("#H") == ""


@pytest.mark.parametrize(
    ("path", "source", "form", "expected"),
    [
        ("a/Only.md", "s.md", "shortest", "Only"),
        ("a/Fig.png", "s.md", "shortest", "Fig.png"),
        ("x/n.md", "s.md", "shortest", "x/n"),
        ("y/n.md", "y/s.md", "shortest", "y/n"),
        ("n.md", "s.md", "shortest", "n"),
        ("x/n.md", "s.md", "absolute", "x/n"),
        ("x/n.md", "y/s.md", "relative", "../x/n"),
        ("y/d/m.md", "y/s.md", "relative", "d/m"),
        ("y/n.md", "y/s.md", "relative", "./n"),
        ("a/Only.md", "a/s.md", "relative", "Only"),
    ],
)
def test_links_are_written_as_obsidian_writes_them(path, source, form, expected):
    names = Names(["a/Only.md", "a/Fig.png", "x/n.md", "y/n.md", "n.md", "y/d/m.md"])
    text = link_text(path, source, names, form)
    assert text == expected
    assert names.resolve(text, source) == path


def test_nested_headings_need_deeper_levels():
    note = of("# A\n## B\n# C\n## B\n### D\n## A\n")
    found = [resolve_subpath(note, path) for path in ("#B", "#C#B", "#C#B#D", "#B#C", "#A#D", "")]
    assert found == [2, 4, 5, None, 5, 1]


def test_blocks_are_found_whatever_their_case():
    note = of("---\na: 1\n---\nx\n\ntwo\nlines ^Ab-1\n")
    assert [resolve_subpath(note, path) for path in ("#^aB-1", "#H#^ab-1", "#^nope")] == [6, 6, None]


def test_many_notes_of_one_name_do_not_slow_links_down():
    def work(many: int) -> Callable[[], object]:
        names = Names(f"d{number:05}/index.md" for number in range(many))

        def resolve() -> None:
            for number in range(many):
                assert names.resolve("index", f"d{number:05}/index.md") == f"d{number:05}/index.md"
                assert names.resolve("index", "s.md") == "d00000/index.md"

        return resolve

    assert_linear(work, 2_000)
