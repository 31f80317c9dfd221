"""Do not write into a file that an editor is still saving: it would show "changed outside", and merge."""

import time
from collections.abc import Iterable
from pathlib import Path

REST = 2.0
"""Seconds; Obsidian saves a note this often while somebody types."""


def let_editors_rest(root: Path, edited: Iterable[str]) -> bool:
    """Wait until none of these files was saved in the last two seconds, never longer than that; say whether it did."""
    left = max((_rest_left(root / path) for path in edited), default=0.0)
    if left > 0:
        time.sleep(left)
    return left > 0


def _rest_left(file: Path) -> float:
    try:
        age = time.time() - file.stat().st_mtime
    except OSError:
        return 0.0
    return REST - age if 0 <= age < REST else 0.0
