"""Limits leave what fits them: by part of the vault, tag, path, properties and tasks."""

import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.index.conftest import Index
from tests.unit.search.test_query import asking, index, paths  # noqa: F401 — a fixture
from vaultd.index.mirror import State
from vaultd.search.conditions import condition
from vaultd.search.filters import _translated, glob

CASE = Path(__file__).parents[2] / "cases" / "54-search-filters-and-freshness" / "input"


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("sub dir", "sub dir/b.md", True),
        ("sub dir/", "deep/sub dir/b.md", True),
        ("sub", "sub dir/b.md", False),
        ("a/b", "a/b/c.md", True),
        ("a/b", "x/a/b/c.md", False),
        ("Note", "x/note.md", True),
        ("*.md", "x/y.md", True),
        ("x/*.md", "x/y/z.md", False),
        ("x/**/z.md", "x/z.md", True),
        ("x/**", "x/y/z.md", True),
        ("n?te.md", "note.md", True),
        ("[a-c].md", "b.md", True),
        ("[!a-c].md", "b.md", False),
        ("a[", "a[.md", True),
        ("[z-a].md", "z.md", True),
        ("x[y].md", "x[y].md", True),
        ("a/x[y].md", "a/x[y].md", True),
        ("a/x[y].md", "b/a/x[y].md", False),
        ("", "any.md", True),
        ("Café", "cafe\u0301.md", True),
        ("**/a*b/*c.md", "x/ab/axb/dc.md", True),
        ("**a*b**c", "a/b/ab/c", True),
        ("a**/b", "ab", False),
    ],
)
def test_a_pattern_fits_a_path(pattern: str, path: str, fits: bool):
    assert glob(pattern)(path) is fits


def test_no_pattern_takes_longer_than_a_blink():
    """A search runs in the daemon: a pattern that tried every way to split a path would hold up everybody."""
    path = "memory/radio/" + "a" * 200 + "/a" * 30 + ".md"
    began = time.process_time()
    for pattern in ("**a" * 20 + "z", "*a" * 20 + "z", "**a*" * 200 + "z", "**/*a*/" * 20 + "z", "*" * 300 + "z"):
        assert not glob(pattern)(path), pattern
    assert time.process_time() - began < 2.0


@given(
    st.lists(st.sampled_from(["a", "b", "/", "*", "**", "**/", "?", "[ab]"]), min_size=1, max_size=8).map("".join),
    st.lists(st.text("ab/", max_size=12), min_size=8, max_size=8),
)
@settings(max_examples=150, deadline=None)
def test_a_pattern_means_what_it_says_word_for_word(pattern: str, paths: list[str]):
    """The quick expression fits what the plain one does, which tries every way."""
    signs = re.findall(r"(?<![^/])\*\*/|\*\*|\*|\?|\[ab\]|.", pattern)
    plain = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", "[ab]": "[ab]"}
    wanted = re.compile("".join(plain.get(sign, sign) for sign in signs))
    quick = re.compile(_translated(pattern), re.DOTALL)
    for one in paths:
        assert bool(quick.fullmatch(one)) is bool(wanted.fullmatch(one)), one


@pytest.fixture
def case(index: Index) -> Index:  # noqa: F811
    for file in CASE.rglob("*.md"):
        index.notes.write(str(file.relative_to(CASE)), file.read_bytes())
    index.catch_up()
    return index


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("tag:#to/do", ["a.md"]),
        ("tag:#to", ["a.md"]),
        ('path:"sub dir"', ["sub dir/b.md"]),
        ('"exact phrase" -draft', ["c.md"]),
        ("status:active", ["c.md"]),
        ("[status:active]", ["c.md"]),
        ("[status]", ["c.md", "d.md"]),
        ("phrase -status:active", ["d.md"]),
        ("phrase -[status:draft]", ["c.md"]),
        ("[status:draft OR active]", ["c.md", "d.md"]),
        ("file:b", ["sub dir/b.md"]),
        ("file:b.md", ["sub dir/b.md"]),
    ],
)
def test_each_filter_gives_exactly_its_notes(case: Index, query: str, found: list[str]):
    assert paths(asking(case, query)) == found


@pytest.mark.parametrize("query", ["sprint:phrase", "exact sprint:phrase", "exact -sprint:x"])
def test_what_is_no_operator_is_named_and_nothing_is_found(case: Index, query: str):
    answer = asking(case, query, path="**")
    assert (answer.hits, answer.total) == ((), 0)
    (notice,) = answer.notices
    assert "sprint:" in notice


def test_content_is_the_text_and_no_name(index: Index):  # noqa: F811
    index.notes.write("brass lantern.md", "a lamp")
    index.notes.write("b.md", "# A lamp\n\na lantern of brass\n")
    index.catch_up()
    found = [paths(asking(index, query)) for query in ("content:lantern", 'Content:"of brass"', "lamp -content:brass")]
    assert found == [["b.md"], ["b.md"], ["brass lantern.md"]]
    assert asking(index, "content:lantern").hits[0].line == 3
    assert asking(index, "content:...").notices


def test_properties_are_compared_in_brackets_too(index: Index):  # noqa: F811
    for rating in (2, 3, 4):
        index.notes.write(f"{rating}.md", f"---\nrating: {rating}\n---\n")
    index.catch_up()
    found = [
        paths(asking(index, query)) for query in ("[rating:>3]", "[rating:<=3]", "rating:>=3", "-[rating:2 OR >3]")
    ]
    assert found == [["4.md"], ["2.md", "3.md"], ["3.md", "4.md"], ["3.md"]]


def test_a_task_is_found_by_its_words_and_its_box(index: Index):  # noqa: F811
    index.notes.write("a.md", "- [ ] call Ida")
    index.notes.write("b.md", "- [x] call Ida")
    index.catch_up()
    found = [paths(asking(index, query)) for query in ("task:call", "task-todo:ida", "task-done:call", "task:nobody")]
    assert found == [["a.md", "b.md"], ["a.md"], ["b.md"], []]


def test_parts_of_the_vault_are_told_apart(index: Index):  # noqa: F811
    for path in ("memory/p/m.md", "notes/p/w.md", "records/c/e/r.md", "plain.md"):
        index.notes.write(path, "lantern")
    index.catch_up()
    index.mirror.set_states({"memory/p/m.md": State("active", "1", type="memory"), "notes/p/w.md": State(type="work")})
    parts = {part: paths(asking(index, "lantern", within=(part,))) for part in ("notes", "memories", "work", "records")}
    assert parts == {
        "notes": ["plain.md"],
        "memories": ["memory/p/m.md"],
        "work": ["notes/p/w.md"],
        "records": ["records/c/e/r.md"],
    }
    assert len(paths(asking(index, "lantern", within=("notes", "work")))) == 2


def test_limits_hold_together_and_need_no_words(case: Index):
    assert paths(asking(case, "", where=condition("status exists"))) == ["c.md", "d.md"]
    assert paths(asking(case, "", where=condition("status exists"), path="d.md")) == ["d.md"]
    assert paths(asking(case, "phrase", tags=("to",))) == []
    assert asking(case, "", tags=("#TO/",)).hits[0].snippet == "#to/do call them"


def test_a_kind_or_a_tag_that_no_note_has_is_told_of_to_whoever_may_look_everywhere(case: Index):
    wrong = {"kind": "gotscha", "tags": ("to", "tow")}
    assert asking(case, "", **wrong).notices == ("no memory is of the kind 'gotscha'", "no note has the tag #tow")
    assert asking(case, "", **wrong, outside=("memory/pay",)).notices == ()


@pytest.mark.parametrize(
    ("where", "notices"),
    [
        ("statsu = active or not nothing.like exists", ["statsu (did you mean status?)", "nothing.like"]),
        ("STATUS = x and not status = y", []),
    ],
)
def test_a_property_that_no_note_has_is_told_of(case: Index, where: str, notices: list[str]):
    told = asking(case, "", where=condition(where)).notices
    assert list(told) == [f"no note has a property {name}" for name in notices]
