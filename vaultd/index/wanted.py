"""A question as typed becomes what is wanted; any text is a question, and no text is an error."""

import re
from dataclasses import dataclass
from typing import Literal

Place = Literal["", "tag", "path"]
_PIECE = re.compile(r'(?P<minus>-?)(?P<place>(?:tag|path):)?"(?P<quoted>[^"]*)"?|(?P<bare>\S+)')
_OPERATOR = re.compile(r"([A-Za-z][\w-]*):(?![:/])\S")


@dataclass(frozen=True, slots=True)
class Term:
    """One thing a note must (or, excluded, must not) hold."""

    text: str
    place: Place = ""
    excluded: bool = False
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """Alternatives of terms that belong together, and what was ignored on the way."""

    alternatives: tuple[tuple[Term, ...], ...]
    notices: tuple[str, ...] = ()


def wanted(query: str) -> Wanted:
    """Return what a query asks for: `word "a phrase" -not this OR that start* tag:x path:"a folder"`."""
    notices: list[str] = []
    groups: list[list[Term]] = [[]]
    # An argument that is not UTF-8 arrives with lone surrogates, which no index can hold.
    proper = query.replace("\0", " ").encode("utf-8", "replace").decode()
    pieces = [*_PIECE.finditer(proper)]
    negate = False
    for number, piece in enumerate(pieces):
        word = piece["bare"]
        inside = 0 < number < len(pieces) - 1
        if word == "OR" and inside:
            groups.append([])
        elif word == "AND" and len(pieces) > 1:
            notices += [] if inside else ["AND stands between two words; it was left out"]
        elif word == "NOT" and number < len(pieces) - 1:
            negate = True
        else:
            groups[-1].append(_term(piece, negate, notices))
            negate = False
    return Wanted(tuple(tuple(group) for group in groups if group), tuple(notices))


def _term(piece: re.Match[str], negate: bool, notices: list[str]) -> Term:  # noqa: FBT001
    if piece["bare"] is None:
        place: Place = "tag" if piece["place"] == "tag:" else "path" if piece["place"] == "path:" else ""
        return Term(piece["quoted"], place, excluded=negate or bool(piece["minus"]))
    word = piece["bare"]
    excluded = negate
    if len(word) > 1 and word[0] == "-" and word[1] != "-":
        excluded, word = True, word[1:]
    if word.startswith("tag:") and len(word) > len("tag:"):
        return Term(word.removeprefix("tag:"), "tag", excluded)
    if word.startswith("path:") and len(word) > len("path:"):
        return Term(word.removeprefix("path:"), "path", excluded)
    operator = _OPERATOR.match(word)
    if operator:
        notices.append(f"{operator[1]}: is no search operator; {word} was searched as words")
    return Term(word, "", excluded, prefix=len(word) > 2 and word[-1] == "*" and word[-2].isalnum())
