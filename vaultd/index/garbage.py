"""The search for garbage, which finds none in what an index is made of and looks through all of it again and again."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from vaultd.quickly import SELDOM

_LOCK = Lock()
_INSIDE: list[tuple[int, int, int]] = []
"""For each that is inside the thresholds it met: they belong to the process, and two threads may be inside at once."""


@contextmanager
def seldom_looked_for() -> Iterator[None]:
    """Have Python look for garbage seldom while very many values are made that stay."""
    with _LOCK:
        _INSIDE.append(gc.get_threshold())
        often, *further = _INSIDE[0]
        gc.set_threshold(max(SELDOM, often), *further)
    try:
        yield
    finally:
        with _LOCK:
            as_before = _INSIDE[0]
            _INSIDE.pop()
            if not _INSIDE:
                gc.set_threshold(*as_before)
