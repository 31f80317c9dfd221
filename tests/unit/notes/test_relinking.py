"""Links follow renamed files in the way they were written, and nothing else of a note changes."""

from pathlib import Path

import pytest

from vaultd.notes.relinking import Relinked, relink
from vaultd.notes.resolution import Names
from vaultd.notes.retargeting import Renaming

CASES = Path(__file__).parents[2] / "cases"


def renaming(paths: list[str], moves: dict[str, str], **forms: str) -> Renaming:
    return Renaming(moves, Names(paths), Names([moves.get(path, path) for path in paths]), **forms)


def relinked(text: str | bytes, moves: dict[str, str], *others: str, source: str = "s.md", **forms: str) -> Relinked:
    data = text if isinstance(text, bytes) else text.encode()
    return relink(data, source, renaming([*dict.fromkeys((source, *moves, *others))], moves, **forms))


def after(text: str, moves: dict[str, str], *others: str, source: str = "s.md", **forms: str) -> str:
    done = relinked(text, moves, *others, source=source, **forms)
    assert done.refused == ()
    return done.data.decode()


def case(number: int) -> Path:
    return next(CASES.glob(f"{number}-*"))


@pytest.mark.parametrize(
    ("number", "moves", "expected"),
    [
        (13, {"Ada Lovelace.md": "Countess Ada.md"}, {"note.md": "note.obsidian.md"}),
        (21, {"Ziel.md": "Ende.md"}, {"latin1.md": "latin1.md", "other.md": "other.md"}),
        (25, {"beta.md": "gamma.md"}, {"note.md": "note.md"}),
        (31, {"Old name.md": "New name.md"}, {"note.md": "note.md"}),
        (
            32,
            {"notes/me.md": "archive/2024/myself.md"},
            {"notes/me.md": "archive/2024/myself.md", "notes/near.md": "notes/near.md"},
        ),
    ],
)
def test_a_case_comes_out_byte_for_byte(number: int, moves: dict[str, str], expected: dict[str, str]):
    folder = case(number) / "input"
    paths = [file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()]
    how = renaming(paths, moves)
    for path in (path for path in paths if path.endswith(".md")):
        data = (folder / path).read_bytes()
        wanted = (case(number) / "expected" / expected[path]).read_bytes() if path in expected else data
        assert relink(data, path, how) == Relinked(wanted, relink(data, path, how).links), path


def test_markdown_links_keep_their_own_style():
    """Case 28: percent signs, angle brackets, title, anchor and relative prefix stay as they were."""
    text = (case(28) / "input/note.md").read_text()
    assert after(text, {"new file.md": "old (1).md"}, "sub/x.md", source="note.md") == (
        '[a](old%20%281%29.md) [b](<old (1).md>) [c](sub/../old%20%281%29.md#Top%20part "title")'
        " [d](./old%20%281%29.md) ![e](old%20%281%29.md)\n"
        "[f]: old%20%281%29.md\n"
        "[not](https://x.test/new%20file.md) `[code](new%20file.md)`\n"
    )


def test_headings_stay_whatever_they_hold():
    """Case 26."""
    text = (case(26) / "input/links.md").read_text()
    assert after(text, {"h.md": "k.md"}, source="links.md") == text.replace("[[h#", "[[k#").replace("(h.md#", "(k.md#")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[[old]]", "[[new]]"),
        ("[[old.md]]", "[[new.md]]"),
        ("[[OLD]]", "[[new]]"),
        ("[[ old | x ]]", "[[ new | x ]]"),
        ("[[old#h|x]]", "[[new#h|x]]"),
        ("[[old#^b]]", "[[new#^b]]"),
        ("![[old#^b]]", "![[new#^b]]"),
        ("[[old|old]]", "[[new|new]]"),
        ("[[old|Old]]", "[[new|Old]]"),
        ("![[old|old]]", "![[new|old]]"),
        ("[old](old.md)", "[new](new.md)"),
        ("![old](old.md)", "![old](new.md)"),
        ("[x](/old.md)", "[x](/new.md)"),
        ("[x](./old.md 'old')", "[x](./new.md 'old')"),
        ("[[/old]]", "[[/new]]"),
        ("[[a [[old]] c]]", "[[a [[new]] c]]"),
        ("[![old](old.png)](old.md)", "[![old](old.png)](new.md)"),
        ("[old]: old.md 'old'\n", "[old]: new.md 'old'\n"),
        ("%%[[old]]%%", "%%[[new]]%%"),
        ("| [[old\\|b]] |", "| [[new\\|b]] |"),
        ("| [[old#h\\|old]] |", "| [[new#h\\|new]] |"),
        ("[[old]] [[old]]\r\n[[old]]", "[[new]] [[new]]\r\n[[new]]"),
        ("\ufeff[[old]]", "\ufeff[[new]]"),
        ("[[olds]] [[my old]] [[x/old]] old", "[[olds]] [[my old]] [[x/old]] old"),
        ("`[[old]]` \\[[old]] $[[old]]$ <!-- [[old]] -->", "`[[old]]` \\[[old]] $[[old]]$ <!-- [[old]] -->"),
        ("```\n[[old]]\n```\n", "```\n[[old]]\n```\n"),
        ("[[#old]]", "[[#old]]"),
        ("[x](https://e.com/old.md)", "[x](https://e.com/old.md)"),
    ],
)
def test_a_link_follows_and_what_is_none_stays(text: str, wanted: str):
    assert after(text, {"old.md": "new.md"}) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[[Café]]", "[[Cafe\u0301]]"),
        ("[[Cafe\u0301]]", "[[Cafe\u0301]]"),
    ],
)
def test_a_change_of_unicode_form_is_a_rename(text: str, wanted: str):
    assert after(text, {"Café.md": "Cafe\u0301.md"}) == wanted


def test_a_change_of_case_is_a_rename():
    """Case 34."""
    text = (case(34) / "input/l.md").read_text()
    wanted = text.replace("Setup", "setup")
    assert after(text, {"Cloudflare Setup.md": "Cloudflare setup.md"}, source="l.md") == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("---\nup: '[[old]]'\n---\n", "---\nup: '[[it''s]]'\n---\n"),
        ('---\nup: "[[old]]" # c\n---\n', '---\nup: "[[it\'s]]" # c\n---\n'),
        ('---\nup: ["[[old|x]]", b]\n---\n', '---\nup: ["[[it\'s|x]]", b]\n---\n'),
        ('---\nup:\n  - a: "![[old#h]]"\n---\n', '---\nup:\n  - a: "![[it\'s#h]]"\n---\n'),
        ('---\nup: "[x](old.md)"\n---\n', '---\nup: "[x](it\'s.md)"\n---\n'),
        ('---\na: &x "[[old]]"\nb: *x\n---\n', '---\na: &x "[[it\'s]]"\nb: *x\n---\n'),
        ("---\r\nup: '[[old]]'\r\n---\r\n[[old]]", "---\r\nup: '[[it''s]]'\r\n---\r\n[[it's]]"),
        ('---\nup: "see [[old]]"\n---\n', '---\nup: "see [[old]]"\n---\n'),
        ("---\nup: [[old]]\n---\n", "---\nup: [[old]]\n---\n"),
        ("---\n\"[[old]]\": '1'\n---\n", "---\n\"[[old]]\": '1'\n---\n"),
        ("---\nup: '[[old]]'\nbad: [\n---\n", "---\nup: '[[old]]'\nbad: [\n---\n"),
    ],
)
def test_a_property_that_is_a_link_follows(text: str, wanted: str):
    assert after(text, {"old.md": "it's.md"}) == wanted


def test_a_link_in_a_block_scalar_is_refused_with_its_line():
    done = relinked("---\na: 1\nup: |\n  [[old]]\n---\n", {"old.md": "new.md"})
    assert [refused.line for refused in done.refused] == [3]


def test_bytes_of_another_encoding_stay():
    assert relinked(b"\xdc [[old]] \xfc", {"old.md": "new.md"}).data == b"\xdc [[new]] \xfc"


def test_a_name_beyond_ascii_is_refused_in_a_note_that_is_not_utf8():
    done = relinked(b"\xdc\n[[old]]", {"old.md": "né.md"})
    assert done.data == b"\xdc\n[[old]]"
    assert [refused.line for refused in done.refused] == [2]


def test_a_name_that_no_wikilink_can_hold_is_refused():
    assert [refused.line for refused in relinked("\n[[old]]", {"old.md": "a#b.md"}).refused] == [2]


# Short, long, relative -------------------------------------------------------------------------------------------------


def test_a_bare_name_that_becomes_ambiguous_is_lengthened():
    assert after("[[n]] [[z]]", {"z.md": "b/n.md"}, "a/n.md") == "[[a/n]] [[b/n]]"


def test_a_path_that_was_needed_becomes_a_bare_name_again():
    assert after("[[b/n]] [[a/n]]", {"b/n.md": "z.md"}, "a/n.md") == "[[z]] [[a/n]]"


def test_a_path_that_was_chosen_stays_a_path():
    assert after("[[b/n]]", {"b/n.md": "c/m.md"}) == "[[c/m]]"


def test_the_end_of_a_path_stays_one():
    assert after("[[b/n]]", {"a/b/n.md": "a/b/m.md"}) == "[[b/m]]"
    assert after("[[b/n]]", {"a/b/n.md": "x/y/n.md"}) == "[[y/n]]"


def test_a_link_keeps_its_file_where_another_takes_the_better_place():
    """LK-01: the exact path beats every other."""
    assert after("[[n]] [[m]]", {"m.md": "n.md"}, "a/n.md") == "[[a/n]] [[n]]"


def test_a_name_that_was_ambiguous_before_stays_while_it_means_the_same():
    assert after("[[n]]", {"z.md": "zz/n.md"}, "n.md", "a/n.md") == "[[n]]"


def test_two_files_swap_their_names():
    text = "[[a]] [[b]] [x](a.md) [y](b.md)"
    assert after(text, {"a.md": "b.md", "b.md": "a.md"}) == "[[b]] [[a]] [x](b.md) [y](a.md)"


def test_names_move_on_along_a_chain():
    assert after("[[a]] [[b]] [[c]]", {"a.md": "b.md", "b.md": "c.md", "c.md": "d.md"}) == "[[b]] [[c]] [[d]]"


def test_a_note_that_moves_keeps_what_its_relative_links_mean():
    text = "[x](n.md) [y](../r.md) [z](./n.md) ![[p.png]] [[../r]]"
    wanted = "[x](../a/n.md) [y](../r.md) [z](../a/n.md) ![[p.png]] [[../r]]"
    assert after(text, {"a/s.md": "b/s.md"}, "a/n.md", "r.md", "a/p.png", source="a/s.md") == wanted


def test_a_folder_that_moves_as_a_whole_keeps_links_between_its_notes():
    text = "[x](n.md) [y](./n.md) [[n]] [[a/n]]"
    moves = {"a/s.md": "b/c/s.md", "a/n.md": "b/c/n.md"}
    assert after(text, moves, source="a/s.md") == "[x](n.md) [y](./n.md) [[n]] [[b/c/n]]"


def test_a_relative_link_is_not_caught_by_a_file_at_the_root():
    assert after("[x](n.md)", {"a/n.md": "a/m.md"}, "m.md", source="a/s.md") == "[x](./m.md)"


@pytest.mark.parametrize(
    ("form", "wanted"),
    [("shortest", "[[m]] [[m]]"), ("absolute", "[[b/m]] [[b/m]]"), ("relative", "[[../b/m]] [[../b/m]]")],
)
def test_the_form_that_the_vault_asks_for_is_written(form: str, wanted: str):
    text = "[[n]] [[b/n]]"
    assert after(text, {"b/n.md": "b/m.md"}, source="a/s.md", form=form) == wanted


def test_links_that_need_no_change_keep_their_form():
    assert after("[[n]] [[b/k]]", {"b/n.md": "b/m.md"}, "b/k.md", form="absolute") == "[[b/m]] [[b/k]]"


# Percent signs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "new", "wanted"),
    [
        ("[x](old.md)", "a b.md", "[x](a%20b.md)"),
        ("[x](old.md)", "a (b).md", "[x](a%20(b).md)"),
        ("[x](old.md)", "a) b.md", "[x](a%29%20b.md)"),
        ("[x](<old.md>)", "a <b>.md", "[x](<a %3Cb%3E.md>)"),
        ("[x](old.md)", "100%25.md", "[x](100%2525.md)"),
        ("[x](old.md)", "né.md", "[x](né.md)"),
        ("[x](old.md)", "&amp;.md", "[x](%26amp;.md)"),
        ("[x](old.md#a%20b)", "new.md", "[x](new.md#a%20b)"),
    ],
)
def test_a_markdown_link_encodes_what_it_must(text: str, new: str, wanted: str):
    assert after(text, {"old.md": new}) == wanted


def test_letters_that_were_encoded_are_encoded():
    assert after("[x](%C3%A9.md) [y](é.md)", {"é.md": "ü.md"}) == "[x](%C3%BC.md) [y](ü.md)"


def test_folders_that_stay_keep_their_spelling():
    assert after("[x](my%20(a)/n.md)", {"my (a)/n.md": "my (a)/m k.md"}) == "[x](my%20(a)/m%20k.md)"
