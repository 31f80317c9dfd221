"""One YAML file of a catalog, read strictly: every complaint names the file, the line and the dotted path."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from vaultd.catalog.definitions import Problem
from vaultd.notes.nodes import Node
from vaultd.notes.scalars import Value
from vaultd.notes.yaml_nodes import YamlProblem, read_tree

_T = TypeVar("_T")
Fields = dict[str, Value]


class Sheet:
    """The values of one file, the line of each, and what was found wrong so far."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.value: Value = None
        self._lines: dict[str, int] = {}
        self._read(text)

    def _read(self, text: str) -> None:
        try:
            tree = read_tree(text.removeprefix("\ufeff"))
        except YamlProblem as exc:
            self.problems.append(Problem(self.file, exc.line + 1, "", str(exc.problem)))
            return
        for twice in tree.duplicates:
            self.problems.append(
                Problem(self.file, twice.second + 1, twice.key, f"stands on line {twice.first + 1} already")
            )
        if tree.root is not None:
            self.value = tree.root.value
            self._lines = dict(_lines(tree.root, ""))

    def wrong(self, where: str, what: str, *, error: bool = True) -> None:
        """Note what is wrong at a dotted path."""
        place = where
        while place and place not in self._lines:
            place = place[: max(place.rfind("."), place.rfind("["), 0)]
        self.problems.append(Problem(self.file, self._lines.get(place, 1), where, what, error))

    # Taking values out of a mapping; what is left over at the end is unknown ---------------------------------------------

    def mapping(self, value: Value, where: str) -> Fields:
        """Return a mapping to take from; an empty one where it is none."""
        if isinstance(value, dict):
            return dict(value)
        if value is not None:
            self.wrong(where, "a mapping is needed here")
        return {}

    def text(self, fields: Fields, key: str, where: str, *, needed: bool = False) -> str | None:
        """Take a text."""
        value = fields.pop(key, None)
        if value is None:
            if needed:
                self.wrong(f"{where}.{key}", "is missing")
            return None
        if not isinstance(value, str):
            self.wrong(f"{where}.{key}", "a text is needed here")
            return None
        return value

    def number(self, fields: Fields, key: str, where: str) -> int:
        """Take a whole number above 0."""
        value = fields.pop(key, None)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        self.wrong(f"{where}.{key}", "a whole number above 0 is needed here")
        return 0

    def truth(self, fields: Fields, key: str, where: str) -> bool:
        """Take true or false; absent is false."""
        value = fields.pop(key, False)
        if not isinstance(value, bool):
            self.wrong(f"{where}.{key}", "true or false is needed here")
        return value is True

    def texts(self, fields: Fields, key: str, where: str) -> tuple[str, ...]:
        """Take a list of different texts; absent is empty."""
        value = fields.pop(key, None)
        items = value if isinstance(value, list) else [] if value is None else [None]
        found = tuple(item for item in items if isinstance(item, str))
        if len(found) != len(items) or len(set(found)) != len(found):
            self.wrong(f"{where}.{key}", "a list of different texts is needed here")
        return found

    def one_of(self, fields: Fields, key: str, where: str, choices: Sequence[_T], default: _T | None = None) -> _T:
        """Take one of several words."""
        value = fields.pop(key, None)
        for choice in choices:
            if choice == value:
                return choice
        if value is not None or default is None:
            self.wrong(f"{where}.{key}", "one of " + ", ".join(str(choice) for choice in choices) + " is needed here")
        return default if default is not None else choices[0]

    def each(self, value: Value, where: str, read: Callable[[Fields, str], _T]) -> list[_T]:
        """Read every mapping of a list."""
        if not isinstance(value, list):
            self.wrong(where, "a list is needed here")
            return []
        return [read(self.mapping(item, f"{where}[{at}]"), f"{where}[{at}]") for at, item in enumerate(value)]

    def nothing_left(self, fields: Fields, where: str) -> None:
        """Complain about what nothing took."""
        for key in fields:
            self.wrong(f"{where}.{key}" if where else key, "no such key")


def _lines(node: Node, where: str) -> Iterator[tuple[str, int]]:
    yield where, node.line + 1
    if isinstance(node.value, dict):
        keys, values = node.parts[::2], node.parts[1::2]
        for key, value in zip(keys, values, strict=False):
            place = f"{where}.{key.value}" if where else str(key.value)
            yield from _lines(value, place)
            yield place, key.line + 1
    elif isinstance(node.value, list):
        for at, item in enumerate(node.parts):
            yield from _lines(item, f"{where}[{at}]")
