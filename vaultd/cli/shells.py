"""The scripts that teach bash, zsh and fish the command line, made from its grammar."""

from collections.abc import Callable, Mapping

from vaultd.cli.completing import Grammar, Place


def bash(known: Grammar) -> str:
    """Return what bash reads: `source <(vaultd completion bash)`."""
    return _BASH.format(**_cases(known))


def zsh(known: Grammar) -> str:
    """Return what zsh reads after `compinit`, or finds as `_vaultd` on its `fpath`."""
    return _ZSH.format(**_cases(known))


def fish(known: Grammar) -> str:
    """Return what fish reads: `vaultd completion fish | source`."""
    return _FISH.format(
        valued=" ".join(known.valued),
        verbs=" ".join(f"'{' '.join(place.verbs)}'" for place in known.places if place.verbs),
        of_files=" ".join(known.of_files),
        choices="".join(
            f"    case {name}\n      printf '%s\\n' {' '.join(values)}\n" for name, values in known.choices
        ),
        places="".join(map(_place_of_fish, known.places)),
    )


SHELLS: Mapping[str, Callable[[Grammar], str]] = {"bash": bash, "zsh": zsh, "fish": fish}


def _cases(known: Grammar) -> dict[str, str]:
    """Return the parts of a script that bash and zsh read alike."""
    return {
        "valued": "|".join(known.valued),
        "verbs": "|".join(f"'{' '.join(place.verbs)}'" for place in known.places if place.verbs),
        "of_files": "|".join(known.of_files),
        "choices": "".join(f"    {name}) follow='{' '.join(values)}' ;;\n" for name, values in known.choices),
        "places": "".join(map(_place, known.places)),
    }


def _place(place: Place) -> str:
    return (
        f"    '{' '.join(place.verbs)}') follow='{' '.join(place.words)}'"
        f" options='{' '.join(place.options)}' files={'yes' if place.files else ''} ;;\n"
    )


def _place_of_fish(place: Place) -> str:
    return (
        f"  case '{' '.join(place.verbs)}'\n    set follow {' '.join(place.words)}\n"
        f"    set options {' '.join(place.options)}\n    set files {'yes' if place.files else ''}\n"
    )


_BASH = """\
# vaultd's words for bash; made by `vaultd completion bash` from its own grammar.
_vaultd() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local at='' follow='' options='' files='' number word skip=''
  COMPREPLY=()
  for ((number = 1; number < COMP_CWORD; number++)); do
    word=${{COMP_WORDS[number]}}
    if [ -n "$skip" ]; then skip=''; continue; fi
    case "$word" in
    {valued}) skip=yes; continue ;;
    esac
    case "$at${{at:+ }}$word" in
    {verbs}) at="$at${{at:+ }}$word" ;;
    esac
  done
  if [ -n "$skip" ]; then
    case "$previous" in
    {of_files}) local IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$current")); return ;;
{choices}    esac
    COMPREPLY=($(compgen -W "$follow" -- "$current"))
    return
  fi
  case "$at" in
{places}  esac
  case "$current" in
  -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
  *)
    COMPREPLY=($(compgen -W "$follow" -- "$current"))
    if [ -n "$files" ]; then local IFS=$'\\n'; COMPREPLY+=($(compgen -f -- "$current")); fi
    ;;
  esac
}}
complete -o filenames -F _vaultd vaultd
"""

_ZSH = """\
#compdef vaultd
# vaultd's words for zsh; made by `vaultd completion zsh` from its own grammar.
_vaultd() {{
  local previous=${{words[CURRENT-1]}}
  local at='' follow='' options='' files='' number word skip=''
  for ((number = 2; number < CURRENT; number++)); do
    word=${{(Q)words[number]}}
    if [ -n "$skip" ]; then skip=''; continue; fi
    case "$word" in
    {valued}) skip=yes; continue ;;
    esac
    case "$at${{at:+ }}$word" in
    {verbs}) at="$at${{at:+ }}$word" ;;
    esac
  done
  if [ -n "$skip" ]; then
    case "$previous" in
    {of_files}) _files; return ;;
{choices}    esac
    compadd -- ${{=follow}}
    return
  fi
  case "$at" in
{places}  esac
  case "${{words[CURRENT]}}" in
  -*) compadd -- ${{=options}} ;;
  *)
    compadd -- ${{=follow}}
    if [ -n "$files" ]; then _files; fi
    ;;
  esac
}}
if [ "${{funcstack[1]}}" = _vaultd ]; then _vaultd "$@"; else compdef _vaultd vaultd; fi
"""

_FISH = """\
# vaultd's words for fish; made by `vaultd completion fish` from its own grammar.
function __vaultd_complete
  set -l typed (commandline -opc)
  set -e typed[1]
  set -l current (string unescape -- (commandline -ct))
  set -l at ''
  set -l skip ''
  set -l follow
  set -l options
  set -l files
  for word in $typed
    if test -n "$skip"
      set skip ''
      continue
    end
    if contains -- $word {valued}
      set skip $word
      continue
    end
    set -l deeper (string trim -- "$at $word")
    if contains -- $deeper {verbs}
      set at $deeper
    end
  end
  if test -n "$skip"
    switch $skip
    case {of_files}
      __fish_complete_path $current
{choices}    end
    return
  end
  switch $at
{places}  end
  if string match -q -- '-*' $current
    printf '%s\\n' $options
  else
    printf '%s\\n' $follow
    test -n "$files"; and __fish_complete_path $current
  end
end
complete -c vaultd -f -a '(__vaultd_complete)'
"""
