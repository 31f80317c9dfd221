"""What a shell needs to complete vaultd's command line, made from the grammar itself."""

import argparse
from collections.abc import Iterator

from vaultd.values import dataclass

_FILES = frozenset({"PATH", "FILE"})
_TAKES_FILES = frozenset({"path", "paths", "ref", "vault"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command line stands: after these verbs, these words may follow."""

    verbs: tuple[str, ...]
    words: tuple[str, ...]
    """Verbs or choices of an argument."""
    options: tuple[str, ...]
    valued: tuple[str, ...]
    """Options that a value follows."""
    choices: tuple[tuple[str, tuple[str, ...]], ...]
    """The values of options that have only a few."""
    files: bool
    """Whether a file or folder may follow."""


def places(parser: argparse.ArgumentParser, verbs: tuple[str, ...] = ()) -> Iterator[Place]:
    """Give every place of a grammar, the outermost first."""
    below: dict[str, argparse.ArgumentParser] = {}
    words: list[str] = []
    options: list[argparse.Action] = []
    files = False
    for action in parser._actions:  # noqa: SLF001  -- argparse has no other way to ask
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            below = dict(action.choices)
        elif action.option_strings:
            options.append(action)
        elif action.choices:
            words += [str(choice) for choice in action.choices]
        else:
            files = files or action.dest in _TAKES_FILES
    yield Place(
        verbs,
        (*below, *words),
        tuple(name for action in options for name in action.option_strings if name.startswith("--")),
        tuple(name for action in options if action.nargs != 0 for name in action.option_strings),
        tuple((name, tuple(map(str, a.choices))) for a in options if a.choices for name in a.option_strings),
        files,
    )
    for name, inner in below.items():
        yield from places(inner, (*verbs, name))


@dataclass(frozen=True, slots=True)
class Grammar:
    """All that a shell has to know."""

    places: tuple[Place, ...]
    valued: tuple[str, ...]
    """Options that a value follows, whatever the verb."""
    of_files: tuple[str, ...]
    """Those of them whose value is a file."""
    choices: tuple[tuple[str, tuple[str, ...]], ...]


def grammar(parser: argparse.ArgumentParser) -> Grammar:
    """Return what a shell has to know of a command line."""
    known = tuple(places(parser))
    valued = tuple(sorted({name for place in known for name in place.valued}))
    return Grammar(
        known,
        valued,
        tuple(name for name in valued if _names_a_file(parser, name)),
        tuple(sorted({(name, values) for place in known for name, values in place.choices})),
    )


def _names_a_file(parser: argparse.ArgumentParser, option: str) -> bool:
    for action in parser._actions:  # noqa: SLF001  -- as above
        if option in action.option_strings:
            return action.metavar in _FILES
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            return any(_names_a_file(inner, option) for inner in action.choices.values())
    return False
