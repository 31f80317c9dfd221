"""What a shell needs to complete vaultd's command line, made from the grammar itself."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

_FILES = frozenset({"PATH", "FILE"})
_TAKES_FILES = frozenset({"path", "paths", "ref"})


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


def bash_completion(parser: argparse.ArgumentParser) -> str:
    """Return a script that bash reads: `source <(vaultd completion bash)`."""
    known = list(places(parser))
    valued = sorted({name for place in known for name in place.valued})
    choices = sorted({(name, values) for place in known for name, values in place.choices})
    return _BASH.format(
        valued="|".join(valued),
        paths="|".join(f"'{' '.join(place.verbs)}'" for place in known if place.verbs),
        files="|".join(sorted(name for name in valued if _names_a_file(parser, name))),
        choices="".join(f"    {name}) words='{' '.join(values)}' ;;\n" for name, values in choices),
        places="".join(_place(place) for place in known),
    )


def _names_a_file(parser: argparse.ArgumentParser, option: str) -> bool:
    for action in parser._actions:  # noqa: SLF001  -- as above
        if option in action.option_strings:
            return action.metavar in _FILES
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            return any(_names_a_file(inner, option) for inner in action.choices.values())
    return False


def _place(place: Place) -> str:
    return (
        f"    '{' '.join(place.verbs)}') words='{' '.join(place.words)}'"
        f" options='{' '.join(place.options)}' files={'yes' if place.files else ''} ;;\n"
    )


_BASH = """\
# vaultd's words for bash; made by `vaultd completion bash` from its own grammar.
_vaultd() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local at='' words='' options='' files='' number word skip=''
  COMPREPLY=()
  for ((number = 1; number < COMP_CWORD; number++)); do
    word=${{COMP_WORDS[number]}}
    if [ -n "$skip" ]; then skip=''; continue; fi
    case "$word" in
    {valued}) skip=yes; continue ;;
    esac
    case "$at${{at:+ }}$word" in
    {paths}) at="$at${{at:+ }}$word" ;;
    esac
  done
  if [ -n "$skip" ]; then
    case "$previous" in
    {files}) local IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$current")); return ;;
{choices}    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  case "$at" in
{places}  esac
  case "$current" in
  -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
  *)
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    if [ -n "$files" ]; then local IFS=$'\\n'; COMPREPLY+=($(compgen -f -- "$current")); fi
    ;;
  esac
}}
complete -o filenames -F _vaultd vaultd
"""
