"""The links of an Obsidian canvas: file cards and the Markdown of text cards, changed without writing the JSON anew."""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from vaultd.notes.relinking import CannotFollow, Refused, Relinked, follow, spliced
from vaultd.notes.retargeting import Renaming
from vaultd.notes.splices import Splice

_WORD = re.compile(r'"(?:[^"\\\n]|\\.)*+"|[{}\[\]:,]|[^\s{}\[\]:,"]+')
_UNIT = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
_FILES = frozenset(("file", "background"))


class _Text(NamedTuple):
    """A text of a card: its key, and its literal without the quotes with where it stands."""

    key: str
    start: int
    raw: str

    @property
    def value(self) -> str:
        return str(json.loads(f'"{self.raw}"', strict=False))


def relink_canvas(data: bytes, source: str, renaming: Renaming) -> Relinked:
    """Return the canvas at `source` with its cards following renamed files; what is no canvas stays as it is."""
    try:
        text = data.decode("utf-8")
        json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return Relinked(data)
    splices: list[Splice] = []
    refused: list[Refused] = []
    for card in _texts(text):
        try:
            splices += _followed(card, source, renaming)
        except CannotFollow as exc:
            refused.append(Refused(text.count("\n", 0, card.start) + 1, str(exc)))
    return Relinked(spliced(text, splices).encode(), len(splices), tuple(refused))


def _followed(card: _Text, source: str, renaming: Renaming) -> list[Splice]:
    value = card.value
    if card.key in _FILES:
        meant = value if value in renaming.moves else renaming.before.resolve(f"/{value}", source)
        new = renaming.now(meant) if meant is not None else value
        return (
            [Splice(card.start, card.start + len(card.raw), _literal(new, card.raw))]
            if new not in (meant, value)
            else []
        )
    units = [match.start() for match in _UNIT.finditer(card.raw)]
    places = [card.start + at for at in (*units, len(card.raw))]
    return [
        Splice(places[start], places[end], _literal(new, card.raw))
        for start, end, new in follow(value, source, renaming)
    ]


def _literal(text: str, like: str) -> str:
    """Return a text as the inside of a JSON string; letters beyond ASCII as escapes where the old text had them so."""
    return json.dumps(text, ensure_ascii="\\u" in like and like.isascii())[1:-1]


def _texts(text: str) -> Iterator[_Text]:
    """Yield the texts of the cards that may hold links: the values right below the objects of `nodes`."""
    stack: list[str] = []
    keys: list[str] = []
    last = ""
    for match in _WORD.finditer(text):
        word = match[0]
        if word in "{[":
            stack.append(word)
            keys.append("")
        elif word in "}]":
            stack.pop()
            keys.pop()
        elif word == ":":
            keys[-1] = last
        elif word == ",":
            keys[-1] = keys[-1] if stack[-1] == "[" else ""
        elif word[0] == '"':
            last = str(json.loads(word, strict=False))
            if stack == ["{", "[", "{"] and keys[0] == "nodes" and keys[2] in (*_FILES, "text"):
                yield _Text(keys[2], match.start() + 1, word[1:-1])
