"""Every verb has a help with an example, and the example parses."""

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from vaultd.cli.parser import build, parse
from vaultd.errors import UsageError


def verbs(
    parser: argparse.ArgumentParser, words: tuple[str, ...] = ()
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, verb in action.choices.items():
                yield " ".join((*words, name)), verb
                yield from verbs(verb, (*words, name))


VERBS = dict(verbs(build()))
every_verb = pytest.mark.parametrize("verb", VERBS)


def example(verb: str) -> str:
    text = VERBS[verb].epilog or ""
    line = text.partition("Example: ")[2].splitlines()[0]
    return line.removeprefix("source <(").removesuffix(")")  # a shell's way to take what a verb prints


@every_verb
def test_the_example_of_a_verb_is_a_line_it_takes(verb: str):
    program, *words = shlex.split(example(verb))
    assert program == "vaultd"
    asked = parse(words)
    assert asked.verb == words[0]
    assert " ".join(words).startswith(verb.split(maxsplit=1)[0])


@every_verb
def test_a_verb_that_is_built_alone_is_the_same(verb: str):
    one, _, kind = verb.partition(" ")
    assert dict(verbs(build(one, kind)))[verb].format_help() == VERBS[verb].format_help()


@pytest.mark.parametrize("words", [["memory", "nope"], ["note", "-x"], ["memory", "-C", ".", "nope"]])
def test_of_a_kind_that_there_is_not_all_others_are_told(words: list[str]):
    with pytest.raises(UsageError, match=r"there is no verb|unrecognized arguments|is needed"):
        parse(words)
    assert len(dict(verbs(build(words[0], words[1])))) > 5


@every_verb
def test_the_help_of_a_verb_begins_with_a_sentence(verb: str):
    described = VERBS[verb].description or ""
    assert described[0].isupper()
    assert described.endswith(".")


@every_verb
def test_every_option_of_a_verb_says_what_it_does(verb: str):
    silent = [
        action.option_strings or action.dest
        for action in VERBS[verb]._actions
        if action.option_strings and not action.help
    ]
    assert silent == []


@pytest.mark.parametrize("words", [["memory", "supersede", "a"], ["init", "a", "b"], ["check", "--severity", "huge"]])
def test_what_no_verb_takes_is_an_error_of_ours(words: list[str]):
    with pytest.raises(UsageError):
        parse(words)


@pytest.mark.parametrize("words", [["memory", "append", "x"], ["record", "set", "c", "--entity", "e", "--key", "k"]])
def test_a_hyphen_is_the_text_wherever_it_stands(words: list[str]):
    for line in ([*words, "-"], [*words[:3], "-", *words[3:]], [*words, "--reason", "why", "-", "--json"]):
        assert parse(line).stdin == "-"
    for line in ([*words, "--body", "x", "-"], [*words, "-", "-"], ["search", "x", "--limit", "3", "-"]):
        with pytest.raises(UsageError):
            parse(line)


def test_an_option_takes_two_hyphens_at_their_word():
    asked = parse(["record", "set", "c", "--entity=--", "--key=k", "--body=--"])
    assert (asked.entity, asked.key, asked.body) == ("--", "k", "--")
    with pytest.raises(UsageError):
        parse(["check", "--severity=--"])


def test_a_search_for_what_begins_with_a_hyphen_is_told_how_to_ask():
    with pytest.raises(UsageError) as refused:
        parse(["search", "boot", "-x"])
    assert refused.value.hint == "vaultd search -- boot -x"
    assert parse(["search", "--", "boot", "-x"]).query == ["boot", "-x"]


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("serahc x", "there is no verb 'serahc'", "did you mean search? vaultd --help"),
        ("memory archve x", "there is no verb 'archve'", "did you mean archive? vaultd memory --help"),
        ("zzz", "there is no verb 'zzz'", "vaultd --help"),
        ("tags --limt 3", "unrecognized arguments: --limt 3", "did you mean --limit? vaultd tags --help"),
        ("tags --sort x", "unrecognized arguments: --sort x", "vaultd tags --help"),
        (
            "search --limt=3 a",
            "unrecognized arguments: --limt=3",
            "did you mean --limit? vaultd search -- a --limt=3 searches for all these words",
        ),
        ("memory star x --offf", "unrecognized arguments: --offf", "did you mean --off? vaultd memory star --help"),
        ("--verison", "unrecognized arguments: --verison", "did you mean --version? vaultd --help"),
        (
            "--limit 3 tags",
            "unrecognized arguments: --limit",
            "options of a verb stand behind it; vaultd --help",
        ),
        ("", "a verb is needed", "vaultd --help"),
        ("--json", "a verb is needed", "vaultd --help"),
        ("service", "one of these is needed: install, uninstall, show", "vaultd service --help"),
        ("show", "ref must be given", "vaultd show --help"),
        ("plugin restrict", "one of these is needed: on, off", "vaultd plugin restrict --help"),
    ],
)
def test_what_was_mistyped_is_told_with_what_was_meant(line: str, message: str, hint: str):
    with pytest.raises(UsageError) as refused:
        parse(line.split())
    assert (refused.value.message, refused.value.hint) == (message, hint)


@pytest.mark.parametrize(
    "verb",
    ["init", "up", "status", "stop", "start", "restart", "resume", "reconcile", "rebuild", "doctor"],
)
def test_a_verb_about_a_whole_vault_takes_its_folder_as_a_word_too(verb: str):
    assert parse([verb, "notes"]).vault == "notes"
    assert parse(["-C", "notes", verb]).vault == "notes"
    assert parse([verb]).vault is None


def test_a_folder_behind_a_verb_that_takes_none_is_told_where_it_goes(tmp_path: Path):
    folder = tmp_path / "my notes"
    folder.mkdir()
    with pytest.raises(UsageError) as refused:
        parse(["tags", str(folder)])
    assert refused.value.hint == f"vaultd -C '{folder}' tags names the vault"


def test_a_mistyped_choice_is_told_which_was_meant():
    with pytest.raises(UsageError, match="invalid choice: 'eror'") as refused:
        parse(["check", "--severity", "eror"])
    assert refused.value.hint == "did you mean error? vaultd check --help"


def test_a_group_without_its_verb_is_told_those_that_there_are():
    with pytest.raises(UsageError, match=r"^a verb is needed: new, .*chain") as refused:
        parse(["memory"])
    assert refused.value.hint == "vaultd memory --help"


@pytest.mark.parametrize(
    ("line", "begins"),
    [("help", "usage: vaultd [-h]"), ("help memory star", "usage: vaultd memory star [-h]")],
)
def test_help_is_there_without_hyphens(line: str, begins: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as left:
        parse(line.split())
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith(begins)
