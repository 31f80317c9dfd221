"""A note's frontmatter as a mapping that remembers what was changed in it."""

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING

from vaultd.errors import RejectedError

if TYPE_CHECKING:
    from vaultd.notes.scalars import Value

_OF_LIFECYCLE = frozenset({"id", "invalid_at", "superseded_by"})


class FrontMatter(MutableMapping[str, "Value"]):
    """Reads as a dict; what is set and deleted changes those lines of the file and no others."""

    def __init__(self, values: "dict[str, Value]") -> None:
        self._values = dict(values)
        self.changes: dict[str, Value] = {}
        self.gone: set[str] = set()

    def __getitem__(self, key: str) -> "Value":
        return self._values[key]

    def __setitem__(self, key: str, value: "Value") -> None:
        _refuse(key)
        if key in self._values and _same(self._values[key], value):
            return
        self._values[key] = self.changes[key] = value
        self.gone.discard(key)

    def __delitem__(self, key: str) -> None:
        _refuse(key)
        del self._values[key]
        self.changes.pop(key, None)
        self.gone.add(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _same(one: "Value", other: "Value") -> bool:
    return type(one) is type(other) and one == other


def _refuse(key: str) -> None:
    if key in _OF_LIFECYCLE:
        raise RejectedError(f"{key} is changed by the lifecycle", "app.lifecycle.supersede, app.lifecycle.archive")
