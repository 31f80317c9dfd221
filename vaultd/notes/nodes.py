"""Values of a YAML text with the places they stand at, whichever reader found them."""

from typing import Literal, NamedTuple

from vaultd.notes.scalars import Value

Kind = Literal["plain", "single", "double", "literal", "folded", "empty", "alias", "flow", "block"]


class Node(NamedTuple):
    """A value and its place; `start`, `end` are code points of the YAML text, `line` and `column` count from 0."""

    value: Value
    start: int
    end: int
    """Behind the last character of the value itself: no comment, no blank lines."""
    kind: Kind
    line: int
    column: int
    parts: tuple["Node", ...] = ()
    """The items of a list; the keys and values of a map, in turn."""
