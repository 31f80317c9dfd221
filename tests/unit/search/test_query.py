"""An answer is checked against the files and the accepted states before it is given."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.index.conftest import Index, Notes, open_index
from vaultd.index.mirror import State
from vaultd.search.filters import Limits
from vaultd.search.query import Answer, Question, ask


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    root = tmp_path / "vault"
    root.mkdir()
    opened = open_index(tmp_path / "index", Notes(root))
    yield opened
    opened.close()


def asking(index: Index, query: str, **options) -> Answer:
    limits = Limits(**{name: options.pop(name) for name in [*options] if name in Limits.__slots__})
    question = Question(query, limits=limits, **options)
    return ask(index.mirror, index.fulltext, question, index.notes.read)


def paths(answer: Answer) -> list[str]:
    return [hit.path for hit in answer.hits]


def test_a_hit_says_where_and_what(index: Index):
    index.notes.write("memory/radio/mast.md", "---\nid: X\n---\n# The mast\n\nIt sways in strong wind today.\n")
    index.catch_up()
    state = State("active", "X", "gotcha", "radio", "memory", rejected="V102")
    index.mirror.set_states({"memory/radio/mast.md": state})
    (hit,) = asking(index, "strong wind").hits
    assert (hit.path, hit.id, hit.type, hit.title) == ("memory/radio/mast.md", "X", "memory", "The mast")
    assert (hit.project, hit.kind, hit.state, hit.rejected) == ("radio", "gotcha", "active", "V102")
    assert (hit.line, hit.snippet, hit.matched) == (6, "It sways in strong wind today.", ("text",))


@pytest.fixture
def memories(index: Index) -> Index:
    states = {
        "memory/p/new.md": State("active", "1", "decision", "p", "memory"),
        "memory/p/old.md": State("superseded", "2", "decision", "p", "memory", superseded_by="1"),
        "memory/q/gone.md": State("archived", "3", "gotcha", "q", "memory"),
        "notes/p/work.md": State("", "4", "", "p", "work"),
    }
    for path in (*states, "plain.md"):
        index.notes.write(path, f"lantern in {path}")
    index.catch_up()
    index.mirror.set_states(states)
    return index


def test_by_default_only_what_speaks_for_itself_answers(memories: Index):
    answer = asking(memories, "lantern")
    assert set(paths(answer)) == {"memory/p/new.md", "notes/p/work.md", "plain.md"}
    assert answer.total == 3


def test_all_also_finds_what_left(memories: Index):
    answer = asking(memories, "lantern", all=True)
    assert answer.total == 5
    old = next(hit for hit in answer.hits if hit.path == "memory/p/old.md")
    assert (old.state, old.superseded_by) == ("superseded", "1")


def test_a_change_of_state_needs_no_new_text(memories: Index):
    states = memories.mirror.states(["memory/p/new.md", "memory/p/old.md", "memory/q/gone.md", "notes/p/work.md"])
    memories.mirror.set_states(states | {"memory/q/gone.md": State("active", "3", "gotcha", "q", "memory")})
    assert "memory/q/gone.md" in paths(asking(memories, "lantern"))


def test_project_and_kind_narrow_the_answer(memories: Index):
    assert set(paths(asking(memories, "lantern", project="p"))) == {"memory/p/new.md", "notes/p/work.md"}
    assert paths(asking(memories, "lantern", kind="decision")) == ["memory/p/new.md"]
    assert paths(asking(memories, "lantern", kind="gotcha", all=True)) == ["memory/q/gone.md"]


def test_no_project_means_memories_without_one_and_no_plain_notes(memories: Index):
    assert asking(memories, "lantern", project="").hits == ()


def test_the_limit_cuts_the_hits_and_not_the_total(memories: Index):
    answer = asking(memories, "lantern", limit=1)
    assert (len(answer.hits), answer.total) == (1, 3)


def test_a_file_that_is_gone_is_left_out(memories: Index):
    memories.notes.remove("plain.md")
    answer = asking(memories, "lantern")
    assert "plain.md" not in paths(answer)
    assert answer.total == 2


def test_a_file_that_lost_the_words_is_left_out(memories: Index):
    memories.notes.write("plain.md", "a torch instead")
    assert "plain.md" not in paths(asking(memories, "lantern"))


def test_a_file_that_gained_an_excluded_word_is_left_out(memories: Index):
    memories.notes.write("plain.md", "lantern, but a draft")
    assert "plain.md" not in paths(asking(memories, "lantern -draft"))


def test_a_phrase_torn_apart_since_is_left_out(index: Index):
    index.notes.write("a.md", "strong wind")
    index.catch_up()
    index.notes.write("a.md", "strong and cold wind")
    assert asking(index, '"strong wind"').hits == ()


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ('---\nx: "caf\\u00e9 noir"\n---\nbody', "café noir"),
        ("parseNote", "note"),
        ("日本語のメモ", "本語"),
        ("abc日本", "abc"),
        ("Ærø straße", "aero strasse"),
        ("cafe\u0301", "café"),
        ("İSTANBUL", "istanbul"),
        ("ΣΊΣΥΦΟΣ στην Αθήνα", "σισυφος αθηνα"),
        ("قال مُحَمَّد", "محمد"),
        ("🎯 done", "🎯"),
        ("one\r\ntwo three\r\n", "two"),
        ("#to/do", "tag:to"),
        ("C++", "C++"),
        ("configuration", "config*"),
        ("alpha", "alpha OR beta"),
        ("alpha", "alpha beta"),
    ],
)
def test_what_the_index_finds_the_check_does_not_lose(index: Index, text: str, query: str):
    index.notes.write("a.md", text)
    index.catch_up()
    assert paths(asking(index, query)) == ["a.md"]


def test_a_note_found_by_its_name_shows_its_first_line(index: Index):
    index.notes.write("lantern.md", "---\nid: X\n---\n\nbody text\n")
    index.catch_up()
    (hit,) = asking(index, "lantern").hits
    assert (hit.line, hit.snippet, hit.title) == (5, "body text", "lantern")


def test_the_body_is_shown_before_the_frontmatter(index: Index):
    index.notes.write("a.md", "---\ndescription: the lantern\n---\n\nlantern here\n")
    index.catch_up()
    (hit,) = asking(index, "lantern").hits
    assert hit.line == 5


def test_the_line_with_most_of_the_words_is_shown(index: Index):
    index.notes.write("a.md", "wind first\nthen strong\nstrong wind here\n")
    index.catch_up()
    (hit,) = asking(index, "strong wind").hits
    assert hit.line == 3


def test_a_long_line_is_cut_around_the_words(index: Index):
    index.notes.write("a.md", "before " * 100 + "lantern " + "after " * 100)
    index.catch_up()
    (hit,) = asking(index, "lantern").hits
    assert "lantern" in hit.snippet
    assert len(hit.snippet) < 180


@pytest.mark.parametrize("query", ["request", "xml -nothing"])
def test_a_part_of_a_word_is_shown_where_it_stands(index: Index, query: str):
    index.notes.write("a.md", "# Sending\r\n\r\nsee the XMLHttpRequest here\r\n")
    index.catch_up()
    (hit,) = asking(index, query).hits
    assert (hit.line, hit.snippet) == (3, "see the XMLHttpRequest here")
    marked = [hit.snippet[start:end].lower() for start, end in hit.highlights]
    assert marked == [query.split(maxsplit=1)[0]]


@pytest.mark.parametrize(
    ("query", "line", "marked"),
    [
        ("task-todo:ida", 7, "Ida"),
        ("task:call", 6, "call"),
        ("tag:to", 8, "#to"),
        ("[status]", 2, ""),
        ("-tag:x [status:done] tag:to/do", 8, "#to/do"),
        ("jam tag:to", 9, "jam"),
    ],
)
def test_what_no_word_finds_is_shown_where_it_stands(index: Index, query: str, line: int, marked: str):
    body = "# Calls\n\n- [x] call Eva\n- [ ] call Ida\n#to/do soon\njam\n"
    index.notes.write("a.md", "---\nstatus: done\n---\n" + body)
    index.catch_up()
    (hit,) = asking(index, query).hits
    assert (hit.line, "".join(hit.snippet[start:end] for start, end in hit.highlights)) == (line, marked)


def test_an_empty_note_found_by_its_name_has_an_empty_excerpt(index: Index):
    index.notes.write("lantern.md", "")
    index.catch_up()
    (hit,) = asking(index, "lantern").hits
    assert (hit.line, hit.snippet) == (1, "")


def test_an_empty_question_is_an_empty_answer_with_a_reason(index: Index):
    answer = asking(index, "   ")
    assert (answer.hits, answer.total) == ((), 0)
    assert answer.notices


def test_the_generation_and_the_time_are_told(memories: Index):
    answer = asking(memories, "lantern")
    assert answer.generation == memories.mirror.generation()
    assert answer.took_ms > 0


def test_highlights_are_where_the_words_stand_whatever_folding_does(index: Index):
    index.notes.write("a.md", "Die Straße am Café, straße")
    index.catch_up()
    (hit,) = asking(index, "strasse cafe").hits
    assert [hit.snippet[start:end] for start, end in hit.highlights] == ["Straße", "Café", "straße"]


@pytest.mark.parametrize("typed", ["lantrn~", "lanntern~", "lamtern~", "latnern~", "lantern~1"])
def test_one_typo_is_looked_past(index: Index, typed: str):
    index.notes.write("a.md", "a lantern here")
    index.notes.write("b.md", "an eastern there")
    index.catch_up()
    (hit,) = asking(index, typed).hits
    assert (hit.path, hit.highlights) == ("a.md", ((2, 9),))


def test_a_typo_does_not_outweigh_the_word_as_typed(index: Index):
    index.notes.write("a.md", "lanterm lanterm lanterm")
    index.notes.write("b.md", "one lantern in a longer line of words")
    index.catch_up()
    assert paths(asking(index, "lantern~")) == ["b.md", "a.md"]


def test_equal_scores_are_told_apart_by_path(index: Index):
    for name in ("c", "a", "b"):
        index.notes.write(f"{name}/same.md", "the same words")
        index.catch_up()
    assert paths(asking(index, "same words")) == ["a/same.md", "b/same.md", "c/same.md"]


def test_newest_first_by_property_else_by_save(index: Index):
    for name, day in {"a": "2026-01-03", "b": "2026-03-01T09:00:00Z", "c": "2026-02-01"}.items():
        index.notes.write(f"{name}.md", f"---\nupdated: {day}\n---\nlantern")
    index.notes.write("z.md", "lantern lantern lantern")
    index.catch_up()
    assert paths(asking(index, "lantern", sort="updated"))[-3:] == ["b.md", "c.md", "a.md"]
    assert paths(asking(index, "lantern", sort="path", limit=2)) == ["a.md", "b.md"]


def test_highest_first_by_any_property_and_last_what_has_none(index: Index):
    for name, block in {"a": "rating: 9.5", "b": "rating: 10", "c": "other: 1", "d": "rating: 2"}.items():
        index.notes.write(f"{name}.md", f"---\n{block}\n---\nlantern")
    index.catch_up()
    assert paths(asking(index, "lantern", sort="rating")) == ["b.md", "a.md", "d.md", "c.md"]
    assert paths(asking(index, "lantern", sort="rating:asc", limit=2)) == ["d.md", "a.md"]
    assert asking(index, "lantern", sort="ratings").notices == (
        "no note has a property ratings (did you mean rating?)",
    )


def test_explain_names_the_fields_that_hold_each_word(index: Index):
    index.notes.write("lantern.md", "# The oil lantern\nneeds care")
    index.catch_up()
    (hit,) = asking(index, "lantern care", explain=True).hits
    assert hit.explain is not None
    assert {"title", "headings", "name"} <= set(hit.explain["lantern"])
    assert hit.explain["care"] == ["text"]
