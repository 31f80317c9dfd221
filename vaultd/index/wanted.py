"""A question as typed becomes what is wanted; any text is a question, and no text is an error."""

import re
from collections.abc import Collection
from typing import Literal

from vaultd.values import dataclass

Place = Literal["", "tag", "path", "file", "content"]
Sign = Literal["=", "<", "<=", ">", ">="]
_PIECE = re.compile(
    r'(?P<minus>-?)(?:\[(?:"(?P<named>[^"]+)"|(?P<property>[^\[\]:"]+))(?::(?P<value>(?:"[^"]*"|[^\[\]"])*))?\]'
    r'|(?P<place>[A-Za-z][\w-]*:)?"(?P<quoted>[^"]*)"?)'
    r"|(?P<bare>\S+)"
)
_COMPARED = re.compile(r"(?P<operator><=|>=|<|>)\s*(?P<value>\S[\s\S]*)")
_OPERATOR = re.compile(r"([^\W\d][\w-]*):(?![:/\\])(\S+)")
_FUZZY = re.compile(r"([^\W_]{3,})~([0-9]?)")
_SIGNS: dict[str, Sign] = {"<": "<", "<=": "<=", ">": ">", ">=": ">="}
_PLACES: dict[str, Place] = {"tag": "tag", "path": "path", "file": "file", "content": "content"}
TASKS = ("task", "task-todo", "task-done")
"""Operators that look at checkboxes."""


@dataclass(frozen=True, slots=True)
class Term:
    """One thing a note must (or, excluded, must not) hold."""

    text: str
    place: Place = ""
    excluded: bool = False
    prefix: bool = False
    fuzzy: bool = False
    """One letter more, less, another one, or two of them swapped, is the same word."""


@dataclass(frozen=True, slots=True)
class Need:
    """What a note's properties or checkboxes must (or, excluded, must not) say."""

    name: str
    values: tuple[tuple[Sign, str], ...]
    """Of which one must hold; none: the property is there."""
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """Alternatives of terms that belong together, what must hold beside them, and what was ignored on the way."""

    alternatives: tuple[tuple[Term, ...], ...]
    notices: tuple[str, ...] = ()
    needs: tuple[Need, ...] = ()
    refused: bool = False
    """Whether it asks for something that is not understood: without it, too much would be found."""


def wanted(query: str, properties: Collection[str] = ()) -> Wanted:
    """Return what a query asks for: `word "a phrase" -not this OR that start* typo~ tag:x path:"a folder" [rating:>3]`.

    `properties` are the folded names that notes of this vault have: `status:done` asks for one only where it is one.
    """
    # An argument that is not UTF-8 arrives with lone surrogates, which no index can hold.
    proper = query.replace("\0", " ").encode("utf-8", "replace").decode()
    return _Reader(properties).read([*_PIECE.finditer(proper)])


class _Reader:
    """Reads the pieces of one query."""

    def __init__(self, properties: Collection[str]) -> None:
        self._properties = properties
        self._notices: list[str] = []
        self._needs: list[Need] = []
        self._groups: list[list[Term]] = [[]]
        self._refused = False

    def read(self, pieces: list[re.Match[str]]) -> Wanted:
        negate = False
        for number, piece in enumerate(pieces):
            word = piece["bare"]
            inside = 0 < number < len(pieces) - 1
            if word == "OR" and inside:
                self._groups.append([])
            elif word == "AND" and len(pieces) > 1:
                self._notices += [] if inside else ["AND stands between two words; it was left out"]
            elif word == "NOT" and number < len(pieces) - 1:
                negate = True
            else:
                self._take(piece, negate or bool(piece["minus"]))
                negate = False
        groups = tuple(tuple(group) for group in self._groups if group)
        if self._needs and len(groups) > 1:
            self._notices.append("what is asked of properties and tasks holds on both sides of OR")
        return Wanted(groups, tuple(self._notices), tuple(self._needs), self._refused)

    def _take(self, piece: re.Match[str], excluded: bool) -> None:  # noqa: FBT001
        if name := piece["named"] or piece["property"]:
            self._bracketed(name.strip(), piece, excluded)
        elif piece["bare"] is None:
            operator = (piece["place"] or "").removesuffix(":")
            self._placed(operator, piece["quoted"], (("=", piece["quoted"]),), excluded, piece[0])
        else:
            self._bare(piece["bare"], excluded)

    def _bracketed(self, name: str, piece: re.Match[str], excluded: bool) -> None:  # noqa: FBT001
        if name.casefold() in self._properties:
            values = () if piece["value"] is None else _values(piece["value"])
            self._needs.append(Need(name.casefold(), values, excluded))
            return
        if piece["value"] is not None:
            self._notices.append(f"no note has a property {name}; {piece[0]} was searched as words")
        self._add(Term(piece[0].removeprefix("-"), "", excluded))

    def _placed(
        self,
        operator: str,
        text: str,
        values: tuple[tuple[Sign, str], ...],
        excluded: bool,  # noqa: FBT001
        written: str,
    ) -> None:
        name = operator.casefold()
        if name in _PLACES:
            self._add(Term(text.removesuffix(".md") if name == "file" else text, _PLACES[name], excluded))
        elif name in TASKS:
            self._needs.append(Need(name, (("=", text),), excluded))
        elif name in self._properties:
            self._needs.append(Need(name, values, excluded))
        elif operator:
            self._refuse(operator, written)
        else:
            self._add(Term(text, "", excluded))

    def _bare(self, word: str, excluded: bool) -> None:  # noqa: FBT001
        if len(word) > 1 and word[0] == "-" and word[1] != "-":
            excluded, word = True, word[1:]
        operator = _OPERATOR.fullmatch(word)
        if operator and (self._knows(operator[1]) or operator[1].isascii()):
            self._placed(operator[1], operator[2], _values(operator[2]), excluded, word)
            return
        fuzzy = _FUZZY.fullmatch(word)
        if fuzzy and fuzzy[2] not in ("", "1"):
            self._notices.append(f"{word}: one typo is the most that is looked past")
        text = fuzzy[1] if fuzzy else word
        prefix = len(word) > 2 and word[-1] == "*" and word[-2].isalnum()
        self._add(Term(text, "", excluded, prefix=prefix, fuzzy=fuzzy is not None))

    def _knows(self, operator: str) -> bool:
        name = operator.casefold()
        return name in _PLACES or name in TASKS or name in self._properties

    def _refuse(self, operator: str, written: str) -> None:
        """Tell of an operator that is none: its words would find what was not asked for, and so would all the others."""
        quoted = '"' + written.replace('"', "") + '"'
        self._notices.append(
            f"{operator}: is no search operator, so nothing was searched; {quoted} searches for the words"
        )
        self._refused = True

    def _add(self, term: Term) -> None:
        self._groups[-1].append(term)


def _values(written: str) -> tuple[tuple[Sign, str], ...]:
    """Return what a property may be: `done`, `>3`, `"in work"`, `draft OR done`."""
    return tuple(_value(part.strip()) for part in re.split(r"\sOR\s", written))


def _value(written: str) -> tuple[Sign, str]:
    if compared := _COMPARED.fullmatch(written):
        return _SIGNS[compared["operator"]], compared["value"].strip('"')
    return "=", written.strip('"')
