"""What lets a process that is soon over start without what it does not need.

`dataclasses` imports `inspect` for classes without a docstring, `pathlib` imports `urllib.parse` for `as_uri`. Each alone is given a
stand-in that imports the real one when it is asked for something; whoever else imports these, at any time, gets the real ones.
"""

import sys
from types import ModuleType

SELDOM = 100_000
"""Objects made between two searches for garbage where there is hardly any: in a command, and while an index is made."""

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is slow to import
    import re
    from typing import AnyStr


def import_dataclasses() -> None:
    """Import `dataclasses` without what it seldom needs; nothing to do where either is there already."""
    _import_without("dataclasses", "inspect", __getattr__=_of_inspect)


def import_pathlib() -> None:
    """Import `pathlib` without what it seldom needs; nothing to do where either is there already."""
    _import_without("pathlib", "urllib.parse", quote_from_bytes=_quote_from_bytes)


def _import_without(name: str, seldom: str, **instead: object) -> None:
    if name in sys.modules or seldom in sys.modules:
        return
    stand_in = ModuleType(seldom)
    vars(stand_in).update(instead)
    sys.modules[seldom] = stand_in
    try:
        __import__(name)
    finally:
        del sys.modules[seldom]


def _of_inspect(name: str) -> object:
    import inspect  # noqa: PLC0415  -- the point

    found: object = getattr(inspect, name)
    return found


def _quote_from_bytes(text: bytes, safe: str = "/") -> str:
    from urllib.parse import quote_from_bytes  # noqa: PLC0415  -- the point, too

    return quote_from_bytes(text, safe)


def pattern(text: "AnyStr", flags: int = 0) -> "re.Pattern[AnyStr]":
    """Return a pattern that is compiled when it is first asked something: a command asks one in five of those it imports."""
    return _Pattern(text, flags)  # type: ignore[return-value]  # it answers as one


class _Pattern:
    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        import re  # noqa: PLC0415  -- quick verbs need no pattern

        found: object = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found
