"""Edits of frontmatter by commands: errors name the file, and a changed text is a newer one."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from vaultd.errors import ConflictError, NoteFormatError, UsageError
from vaultd.lifecycle.touching import touched


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Have an error about a text name the file that holds it."""
    try:
        yield
    except NoteFormatError as exc:
        raise (exc if exc.path else exc.at(path)) from exc
    except (UsageError, ConflictError) as exc:
        raise type(exc)(exc.message if path in exc.message else f"{path}: {exc.message}", exc.hint) from exc


def as_updated(before: bytes, after: bytes, now: datetime) -> bytes:
    """Return a text with `updated` set, or as it is where nothing changed."""
    return touched(after, now) if after != before else before
