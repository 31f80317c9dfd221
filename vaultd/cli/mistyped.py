"""What is said of a command line that the grammar cannot read, with a guess at what was meant."""

import argparse
import os
import re
import shlex
from collections.abc import Iterable, Sequence

from vaultd.errors import UsageError

_NO_CHOICE = re.compile(r"argument (.+?): invalid choice: ['\"](.*)['\"] \(choose from (.*)\)", re.DOTALL)
_LISTED = re.compile(r"[\w-]+")
_FEW = 20
_ALIKE = 0.75
"""How much of an option must be typed right for a guess; of a verb, 0.6 is enough."""
_MISSING = "the following arguments are required: "


def refused(parser: argparse.ArgumentParser, message: str) -> UsageError:
    """Return the error for what argparse refused, in words that name what may stand there."""
    help_ = f"{parser.prog} --help"
    if message.startswith(_MISSING):
        return UsageError(_needed(parser, message.removeprefix(_MISSING).split(", ")), help_)
    found = _NO_CHOICE.fullmatch(message)
    if found is None:
        return UsageError(message, help_)
    place, word, listed = found.groups()
    said = f"there is no verb {word!r}" if place == "VERB" else message
    return UsageError(said, f"{_guess(word, _LISTED.findall(listed))}{help_}")


def unknown(parser: argparse.ArgumentParser, asked: argparse.Namespace, left: Sequence[str]) -> UsageError:
    """Return the error for words that the verb does not take."""
    verb = _verb_of(parser, asked)
    guess = next((guess for word in left if (guess := _guess(_name(word), _options(verb), _ALIKE))), "")
    said = f"unrecognized arguments: {' '.join(left)}"
    if asked.verb == "search":
        # what a person looks for may begin with a hyphen
        words = shlex.join([*asked.query, *left])
        return UsageError(said, f"{guess}vaultd search -- {words}{' searches for all these words' if guess else ''}")
    folder = next((word for word in left if os.path.isdir(word)), "")  # noqa: PTH112  -- an empty path is no folder
    if folder:
        rest = verb.prog.removeprefix(f"{parser.prog} ")
        return UsageError(said, f"{parser.prog} -C {shlex.quote(folder)} {rest} names the vault")
    return UsageError(said, f"{guess}{verb.prog} --help")


def misplaced(parser: argparse.ArgumentParser, words: Iterable[str]) -> UsageError | None:
    """Return the error for an option that stands before any verb and is none there; None where each is one."""
    known = _options(parser)
    odd = next((word for word in words if word.startswith("-") and _name(word) not in known), None)
    if odd is None:
        return None
    guess = _guess(_name(odd), known, _ALIKE) or "options of a verb stand behind it; "
    return UsageError(f"unrecognized arguments: {odd}", f"{guess}{parser.prog} --help")


def _needed(parser: argparse.ArgumentParser, names: list[str]) -> str:
    """Say what is missing; of few words that may stand there, which."""
    for action in parser._actions:  # noqa: SLF001  -- argparse has no other way to ask
        if not action.option_strings and action.choices and (action.metavar or action.dest) in names:
            what = "a verb" if isinstance(action, argparse._SubParsersAction) else "one of these"  # noqa: SLF001
            choices = [*map(str, action.choices)]
            return f"{what} is needed: {', '.join(choices)}" if len(choices) < _FEW else f"{what} is needed"
    return f"{', '.join(names)} must be given"


def _verb_of(parser: argparse.ArgumentParser, asked: argparse.Namespace) -> argparse.ArgumentParser:
    for action in parser._actions:  # noqa: SLF001  -- as above
        if isinstance(action, argparse._SubParsersAction) and (name := getattr(asked, action.dest, None)):  # noqa: SLF001
            return _verb_of(action.choices[name], asked)
    return parser


def _options(parser: argparse.ArgumentParser) -> list[str]:
    return [name for action in parser._actions for name in action.option_strings]  # noqa: SLF001  -- as above


def _name(word: str) -> str:
    return word.partition("=")[0]


def _guess(word: str, known: list[str], alike: float = 0.6) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  -- only a mistyped word is worth the import

    close = get_close_matches(word, known, n=1, cutoff=alike)
    return f"did you mean {close[0]}? " if close else ""
