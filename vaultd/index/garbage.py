"""The search for garbage, which finds none in what an index is made of and looks through all of it again and again."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = 100_000
"""Objects made between two searches."""


@contextmanager
def seldom_looked_for() -> Iterator[None]:
    """Have Python look for garbage seldom while very many values are made that stay."""
    as_before = gc.get_threshold()
    gc.set_threshold(max(_SELDOM, as_before[0]), *as_before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*as_before)
