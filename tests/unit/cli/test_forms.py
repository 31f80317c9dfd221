"""Plain command lines are read without the full grammar, and mean what they mean to it."""

import argparse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.cli.forms import COUNT, EVERYWHERE, FLAG, FORMS, LIST, PORT, Option, asked_of, in_json
from vaultd.cli.parser import build, parse
from vaultd.errors import UsageError

WORDS = ("boot", "memory/a.md", "5", "0", "x y", "score", "error", "json", "-x", "--", "")


def grammar_of(verb: str) -> dict[str, Option]:
    """Return the options of a verb as the full grammar has them."""
    (verbs,) = (a for a in build()._actions if isinstance(a, argparse._SubParsersAction))
    options = [(word, action) for action in verbs.choices[verb]._actions for word in action.option_strings]
    return {word: (action.dest, takes(action), action.default) for word, action in options if action.dest != "help"}


def takes(action: argparse.Action) -> object:
    """Return what an option takes, in the words of the plain forms."""
    if isinstance(action, argparse._StoreTrueAction):
        return FLAG
    if isinstance(action, argparse._AppendAction):
        return LIST
    if action.choices:
        return tuple(action.choices)
    if action.dest == "port":
        return PORT
    return COUNT if action.type is not None else "text"


@pytest.mark.parametrize("verb", FORMS)
def test_a_plain_form_has_the_options_of_the_full_grammar(verb: str):
    shared = {word: (name, takes, argparse.SUPPRESS) for word, (name, takes, _) in EVERYWHERE.items()}
    assert grammar_of(verb) == shared | FORMS[verb][2]


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """Command lines of a verb with a plain form, most of them well formed."""
    verb = draw(st.sampled_from(list(FORMS)))
    options = EVERYWHERE | FORMS[verb][2]

    def some(known: dict[str, Option]) -> list[str]:
        option = draw(st.sampled_from(list(known)))
        return [option] if known[option][1] == FLAG else [option, draw(st.sampled_from(WORDS))]

    before = [word for _ in range(draw(st.integers(0, 2))) for word in some(EVERYWHERE)]
    after: list[str] = []
    for _ in range(draw(st.integers(0, 5))):
        after += [draw(st.sampled_from(WORDS))] if draw(st.booleans()) else some(options)
    return [*before, verb, *after]


@given(lines())
def test_a_plain_line_means_what_it_means_to_the_full_grammar(line: list[str]):
    asked = asked_of(line)
    if asked is not None:
        assert asked == vars(parse(line))


@pytest.mark.parametrize(
    "line",
    [
        "search boot race",
        "search boot --all --in notes,memories --tag a --tag b --limit 3",
        "-C vault --json search boot",
        "check --staged",
        "check memory/a.md --strict --severity error",
        "status --json -C vault",
        "status vault",
        "-C vault up",
        "-C vault up other --once",
        "mcp --http --port 65535",
    ],
)
def test_these_lines_need_no_full_grammar(line: str):
    assert asked_of(line.split()) == vars(parse(line.split()))


@pytest.mark.parametrize(
    "line",
    [
        "search boot --all race",
        "search -- -without",
        "search boot --lim 3",
        "search boot --limit=3",
        "search boot --limit 0",
        "search boot --status size",
        "search boot --in",
        "check --staged --head",
        "mcp --http --port 65536",
        "status now then",
        "--help",
        "show a",
        "",
    ],
)
def test_these_lines_are_left_to_the_full_grammar(line: str):
    assert asked_of(line.split()) is None


def test_an_option_given_twice_counts_as_given_last():
    assert asked_of(["search", "x", "--limit", "2", "--limit", "3"]) == vars(parse(["search", "x", "--limit", "3"]))


def test_both_ways_to_ask_for_a_document_are_heard():
    assert in_json(vars(parse(["check", "--format", "json"])))
    assert in_json(vars(parse(["status", "--json"])))
    assert not in_json(vars(parse(["show", "a"])))


def test_what_the_full_grammar_refuses_is_refused_by_it():
    line = ["check", "--staged", "--head"]
    with pytest.raises(UsageError):
        parse(line)
    assert asked_of(line) is None
