"""The full text finds what a person types, best first, and never fails on a question."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.index.conftest import Index, Notes, open_index
from vaultd.errors import BrokenIndexError, ConflictError
from vaultd.index.fulltext import open_fulltext

CASE = Path(__file__).parents[2] / "cases" / "52-search-metacharacters" / "input"
QUERIES: list[str] = json.loads((CASE / "queries.json").read_text(encoding="utf-8"))
NOT_IN_HAY = {
    "NEAR(a b)",
    "OR",
    "NOT x",
    "col:term",
    "^start",
    "-minus",
    "a*",
    "{a b}",
    "a AND",
    "\0nul",
    "line\nbreak",
}
NO_WORDS = {'"', '""', "*", "(", ")", "   ", ""}


@pytest.fixture(scope="module")
def hay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("hay")
    index = open_index(folder / "index", Notes(folder / "vault"))
    for name in ("hay.md", "other.md"):
        index.notes.write(name, (CASE / name).read_bytes())
    index.catch_up()
    yield index
    index.close()


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: ascii(query[:30]))
def test_every_query_is_answered(hay: Index, query: str):
    matches = hay.fulltext.matches(query)
    paths = [matches.path(place) for place in range(len(matches.rows))]
    if query in NO_WORDS:
        assert (paths, bool(matches.notices)) == ([], True)
    elif query not in NOT_IN_HAY and len(query) < 100 and "drop table" not in query:
        assert paths[0] == "hay.md"


@pytest.mark.parametrize("query", ["ask-codex", '"--error-on-warnings"', "--error-on-warnings"])
def test_the_literal_form_comes_first(hay: Index, query: str):
    assert hay.paths(query) == ["hay.md", "other.md"]


@pytest.mark.parametrize("query", ["-minus", "NOT x", '-"a b"'])
def test_only_exclusions_is_nothing_and_not_everything(hay: Index, query: str):
    matches = hay.fulltext.matches(query)
    assert matches.count == 0
    assert matches.notices


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60) | st.text(alphabet='"-+*()[]{}:/\\^~|&!<> abORNT\x00\ud800日🎯', max_size=30))
def test_no_text_is_an_error_and_none_finds_what_does_not_hold_its_words(hay: Index, query: str):
    matches = hay.fulltext.matches(query)
    assert matches.count == len(matches.rows)
    assert matches.needed or matches.count == 0 or "tag:" in query or "path:" in query


def write(index: Index, **notes: str) -> None:
    for name, text in notes.items():
        index.notes.write(f"{name}.md", text)
    index.catch_up()


def test_a_note_with_all_words_is_found_and_one_with_some_is_not(index: Index):
    write(index, both="alpha and beta", one="alpha only")
    assert index.paths("alpha beta") == ["both.md"]


def test_where_no_note_has_all_words_those_with_some_are_found_and_it_is_said(index: Index):
    write(index, one="alpha", two="beta")
    matches = index.fulltext.matches("alpha beta gamma")
    assert (matches.count, matches.every) == (2, False)
    assert "some of them" in matches.notices[-1]


def test_a_phrase_needs_its_words_in_a_row(index: Index):
    write(index, row="the exact phrase here", apart="exact is not the phrase")
    assert index.paths('"exact phrase"') == ["row.md"]


def test_an_excluded_word_keeps_a_note_out(index: Index):
    write(index, c="an exact phrase here", d="an exact phrase draft")
    assert index.paths('"exact phrase" -draft') == ["c.md"]


def test_or_finds_either(index: Index):
    write(index, a="alpha", b="beta", c="gamma")
    assert set(index.paths("alpha OR beta")) == {"a.md", "b.md"}


def test_case_and_accents_do_not_count(index: Index):
    write(index, a="Café ÜBER straße", b="cafe\u0301")
    assert set(index.paths("CAFE")) == {"a.md", "b.md"}
    assert index.paths("uber strasse") == ["a.md"]


def test_any_run_of_characters_of_an_unspaced_script_is_found(index: Index):
    write(index, a="検索の仕組みについて", b="索検")
    assert index.paths("仕組") == ["a.md"]
    assert index.paths("検索") == ["a.md"]


def test_an_identifier_is_found_whole_and_by_its_parts(index: Index):
    write(index, a="call parseNote then read_file")
    for query in ("parseNote", "parsenote", "note", "read_file", "read", "file"):
        assert index.paths(query) == ["a.md"], query


def test_a_title_weighs_more_than_a_mention(index: Index):
    write(index, a="# Backup\nabout disks", b="# Disks\nwe talked about backup and backup again, backup it is")
    assert index.paths("backup")[0] == "a.md"


def test_a_tag_finds_itself_and_what_stands_below_it(index: Index):
    write(index, a="#to/do call them", b="to do without a tag", c="#todo")
    assert index.paths("tag:#to/do") == ["a.md"]
    assert index.paths("tag:to") == ["a.md"]


def test_a_path_is_searched_by_its_words(index: Index):
    index.notes.write("sub dir/b.md", "in a folder")
    write(index, a="sub dir is mentioned")
    assert index.paths('path:"sub dir"') == ["sub dir/b.md"]


def test_the_beginning_of_a_word_is_enough_with_a_star(index: Index):
    write(index, a="configuration", b="confidence")
    assert index.paths("config*") == ["a.md"]


def test_a_property_is_searchable_by_value(index: Index):
    write(index, a="---\nreviewed-by: Ida\n---\ntext")
    assert index.paths("Ida") == ["a.md"]


def test_ten_thousand_words_are_cut_and_it_is_said(index: Index):
    write(index, a="word")
    matches = index.fulltext.matches("word " * 10_000)
    assert matches.count == 1
    assert any("first" in notice for notice in matches.notices)


def test_what_is_left_out_is_said_with_the_reason(index: Index):
    assert index.fulltext.matches("x" * 200).notices[0].endswith("x is too long for a word and was left out")
    assert index.fulltext.matches("()").notices[0] == "() has no word in it and was left out"


def test_writing_without_being_the_writer_is_refused(index: Index):
    with pytest.raises(BrokenIndexError):
        index.fulltext.commit()


def test_leftovers_of_a_killed_writer_are_swept(index: Index):
    leftover = index.folder / "fulltext" / ".tmpAbC123"
    leftover.write_bytes(b"half a file")
    write(index, a="word")
    assert not leftover.exists()


def test_a_broken_full_text_is_not_emptied_under_a_writer(index: Index):
    write(index, a="word")
    index.fulltext.begin(0)
    (index.folder / "fulltext" / "vaultd.json").unlink()
    with pytest.raises(ConflictError):
        open_fulltext(index.folder)


def test_what_was_not_committed_is_dropped(index: Index):
    write(index, a="word")
    index.fulltext.begin(0)
    index.fulltext.delete(["a.md"])
    index.fulltext.release()
    index.reopen()
    assert index.paths("word") == ["a.md"]


def test_making_the_full_text_again_leaves_its_neighbours_alone(index: Index):
    write(index, a="word")
    index.close()
    (index.folder / "fulltext" / "meta.json").unlink()
    index.reopen()
    assert (index.fulltext.rebuilt, index.mirror.rebuilt, index.mirror.documents()) == (True, False, 1)


def test_many_small_commits_do_not_pile_up_segments(index: Index):
    for number in range(20):
        write(index, **{f"n{number}": f"words of note {number}"})
    assert len(list((index.folder / "fulltext").glob("*.term"))) < 10
