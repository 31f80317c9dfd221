"""Any text is a question, and what was ignored of it is said."""

import pytest

from vaultd.index.wanted import Need, Term, wanted


def terms(query: str) -> tuple[Term, ...]:
    (group,) = wanted(query).alternatives
    return group


def test_words_belong_together():
    assert terms("one two") == (Term("one"), Term("two"))


def test_quotes_make_one_term():
    assert terms('"one two" three') == (Term("one two"), Term("three"))


def test_a_quote_left_open_runs_to_the_end():
    assert terms('say "one two') == (Term("say"), Term("one two"))


@pytest.mark.parametrize("query", ["one -two", "one NOT two", 'one -"two"'])
def test_what_is_unwanted_is_excluded(query: str):
    assert terms(query) == (Term("one"), Term("two", excluded=True))


def test_two_hyphens_are_an_option_and_no_exclusion():
    assert terms("--error-on-warnings") == (Term("--error-on-warnings"),)


def test_or_makes_alternatives():
    assert wanted("one two OR three").alternatives == ((Term("one"), Term("two")), (Term("three"),))


@pytest.mark.parametrize("query", ["OR", "AND", "NOT", "or"])
def test_a_lone_operator_is_a_word(query: str):
    assert terms(query) == (Term(query),)


def test_and_between_words_says_nothing_new():
    assert wanted("a AND b") == wanted("a b")


def test_a_dangling_and_is_left_out_and_said():
    assert wanted("a AND").alternatives == ((Term("a"),),)
    assert wanted("a AND").notices


def test_tag_and_path_name_their_place():
    expected = (Term("#to/do", "tag"), Term("sub dir", "path"), Term("x", "path"))
    assert terms('tag:#to/do path:"sub dir" path:x') == expected


@pytest.mark.parametrize("query", ["TAG:x", "Tag:x", 'tag:"x"'])
def test_operators_are_known_in_any_case(query: str):
    assert terms(query) == (Term("x", "tag"),)


def test_a_file_may_be_named_with_its_ending():
    assert terms('file:a.md file:"b c.md"') == (Term("a", "file"), Term("b c", "file"))


@pytest.mark.parametrize("query", ["status:active", 'status:"active"', "-status:active"])
def test_an_unknown_operator_is_named_and_nothing_is_searched(query: str):
    asked = wanted(f"boot {query}")
    assert asked.refused
    assert asked.notices == (
        'status: is no search operator, so nothing was searched; "status:active" searches for the words',
    )
    assert wanted('"status:active"').alternatives == ((Term("status:active"),),)


@pytest.mark.parametrize("query", ["grammar::fa", "https://example.org", "10:30", "a: b", "C:\\notes"])
def test_a_colon_of_another_kind_is_no_operator(query: str):
    asked = wanted(query)
    assert (asked.notices, asked.refused) == ((), False)


def test_a_star_at_the_end_of_a_word_asks_for_its_beginning():
    assert terms("pre* *")[0] == Term("pre*", prefix=True)
    assert terms("*") == (Term("*"),)


def test_text_that_is_not_unicode_proper_is_a_question_too():
    assert terms("caf\udce9\0x") == (Term("caf?"), Term("x"))


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_nothing_asks_for_nothing(query: str):
    assert wanted(query).alternatives == ()


@pytest.mark.parametrize(
    ("query", "needs"),
    [
        ("status:done", (Need("status", (("=", "done"),)),)),
        ('Status:"in > work"', (Need("status", (("=", "in > work"),)),)),
        ("-[status:done]", (Need("status", (("=", "done"),), excluded=True),)),
        ("[status]", (Need("status", ()),)),
        ('["status"]', (Need("status", ()),)),
        ("NOT status:done", (Need("status", (("=", "done"),), excluded=True),)),
        ("[status:>=4]", (Need("status", ((">=", "4"),)),)),
        ("status:<4", (Need("status", (("<", "4"),)),)),
        ('["Status":draft OR "in work" OR > 3]', (Need("status", (("=", "draft"), ("=", "in work"), (">", "3"))),)),
        ("task-todo:call", (Need("task-todo", (("=", "call"),)),)),
        ("Task-Todo:<call", (Need("task-todo", (("=", "<call"),)),)),
    ],
)
def test_what_is_asked_of_properties_and_tasks_stands_apart(query: str, needs: tuple[Need, ...]):
    asked = wanted(query, {"status"})
    assert (asked.needs, asked.alternatives, asked.notices) == (needs, (), ())


@pytest.mark.parametrize(
    "query", ["状態:done", "[other:done]", '["other":done]', '"[status:done]"', "[x]", "https://a.b", "12:30"]
)
def test_what_no_note_has_as_a_property_is_words(query: str):
    asked = wanted(query, {"status"})
    assert asked.needs == ()
    assert asked.alternatives


def test_a_typo_is_asked_for_with_a_tilde():
    assert terms("lantern~ ab~ ~~gone~~") == (Term("lantern", fuzzy=True), Term("ab~"), Term("~~gone~~"))
