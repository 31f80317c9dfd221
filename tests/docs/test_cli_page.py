"""cli.md says what the command line has: every verb, every option, every exit code."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from vaultd import errors

PAGE = (Path(__file__).parents[2] / "docs/reference/cli.md").read_text(encoding="utf-8")
# What every verb takes, or every verb of a group, is told once, above the first of them.
EVERYWHERE = PAGE.partition("## Watching")[0] + PAGE.partition("## Memories")[2].partition("### ")[0]


def verbs() -> dict[str, str]:
    """Return each verb that the page describes, with its section."""
    sections = re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]
    return {title: text.partition("\n## ")[0] for title, _, text in (section.partition("\n") for section in sections)}


@cache
def shown_help(verb: str) -> str:
    command = [sys.executable, "-m", "vaultd", *verb.split(), "--help"]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def options(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def test_every_exit_code_of_an_exception_is_in_the_table() -> None:
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, flags=re.MULTILINE)}
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.VaultdError)]
    assert {kind.exit_code for kind in kinds if kind is not errors.PluginError} <= listed


@pytest.mark.parametrize("verb", verbs())
def test_the_options_shown_for_a_verb_are_those_it_has(verb: str) -> None:
    usage = re.search(r"```\n(vaultd .*?)```", verbs()[verb], flags=re.DOTALL)
    assert usage
    has = options(shown_help(verb)) - {"--help"}
    assert options(usage[1]) - has == set()
    assert has - options(verbs()[verb] + EVERYWHERE) == set()


@pytest.mark.parametrize("verb", verbs())
def test_the_help_of_a_verb_shows_an_example(verb: str) -> None:
    assert re.search(f"[Ee]xample.*vaultd {verb}", shown_help(verb), flags=re.DOTALL)
