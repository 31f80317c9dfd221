"""What a plugin says it signed up for: taken as said only where it has the shape that the API gives it."""

import math
from collections.abc import Callable

from vaultd.host.api.registry import FIELD_TYPES, FLAG_TYPES, MOST_FIELDS, TAKEN
from vaultd.host.protocol import Message, Untrue

_FLAG_TYPES = frozenset(kind.__name__ for kind in FLAG_TYPES)
_FIELD_TYPES = frozenset(FIELD_TYPES.values())


def registered_of(said: object, plugin: str) -> Message:
    """Return what a plugin signed up for, every part of it of its own type.

    Raises:
        Untrue: a part is not what the API sends.
    """
    if not isinstance(said, dict):
        raise Untrue("what it signed up for is no object")
    rules: dict[str, Callable[[object], bool]] = {
        "events": _texts,
        "own": _texts,
        "replay": _truth,
        "intervals": _seconds,
        "validators": lambda value: _texts(value) and _begin_with(value, f"{plugin}/"),
        "indexers": _fields,
        "verbs": lambda value: _verbs(value) and _begin_with(value, f"{plugin}:"),
        "ready": _truth,
        "schema": lambda value: isinstance(value, dict),
    }
    for key, holds in rules.items():
        if not holds(said.get(key)):
            raise Untrue(f"it signed up for {key} in a way that there is not")
    return {key: said[key] for key in rules}


def _truth(value: object) -> bool:
    return isinstance(value, bool)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _seconds(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, int | float) and not isinstance(one, bool) and math.isfinite(one) and one >= 1 for one in value
    )


def _fields(value: object) -> bool:
    return (
        isinstance(value, dict)
        and len(value) <= MOST_FIELDS
        and all(kind in _FIELD_TYPES for kind in _list(value))
        and not any(name.casefold() in TAKEN for name in value)
    )


def _verbs(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(verb, dict) and isinstance(verb.get("description"), str) and _flags(verb.get("flags"))
        for verb in value.values()
    )


def _flags(value: object) -> bool:
    return isinstance(value, dict) and all(kind in _FLAG_TYPES for kind in _list(value))


def _list(table: dict[str, object]) -> list[str]:
    """Return the values of a table as texts, whatever they are."""
    return [str(one) for one in table.values()]


def _begin_with(value: object, beginning: str) -> bool:
    return isinstance(value, list | dict) and all(str(one).startswith(beginning) for one in value)
