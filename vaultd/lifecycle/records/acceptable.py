"""What a new record may not say, though a file that says it could be read: it would be wrong for ever, as records never change."""

from collections.abc import Iterator
from datetime import UTC
from math import isfinite

from vaultd.lifecycle.records.envelope import Misread, record_text
from vaultd.lifecycle.records.values import Record
from vaultd.notes.names import unportable
from vaultd.notes.note import parse
from vaultd.notes.scalars import Value
from vaultd.notes.times import parse_moment

_DEEPEST = 50
_DEDUPE_LENGTH = 256
_NEVER_MENDED = frozenset({"V204", "V210"})


def unacceptable(record: Record) -> Iterator[Misread]:
    """Give what is wrong with a record that is to be written."""
    if (why := unportable(record.collection)) is not None:
        yield Misread("collection", f"cannot be a folder everywhere: {why}")
    if record.occurred is not None and parse_moment(record.occurred, UTC) is None:
        yield Misread("occurred", "is no time, such as 2026-11-30T18:00:00Z")
    if record.dedupe is not None and not 0 < len(record.dedupe) <= _DEDUPE_LENGTH:
        yield Misread("dedupe", f"is empty or longer than {_DEDUPE_LENGTH} characters")
    if "text" in record.content:
        yield Misread("text", "is no property: it stands beside them")
    texts = (record.entity, record.key, record.type, record.text, record.dedupe, record.reason, record.run)
    values: list[Value] = [*texts, *record.derived_from, *record.sources, dict(record.content)]
    yield from _unspeakable(values)


def never_mended(record: Record) -> Iterator[Misread]:
    """Give what a check would say of the record's file for ever: markers of a merge, frontmatter after frontmatter."""
    for found in parse(record_text(record)).findings:
        if found.code in _NEVER_MENDED:
            yield Misread("text", f"would break {found.code} for ever: {found.message.partition(' at line')[0]}")


def _unspeakable(values: list[Value]) -> Iterator[Misread]:
    """Give values that neither YAML nor JSON can hold: half characters, infinite numbers, nests without an end."""
    waiting: list[tuple[int, Value]] = [(0, value) for value in values]
    while waiting:
        depth, value = waiting.pop()
        if isinstance(value, str) and _halved(value):
            yield Misread(repr(value[:40]), "is no text: it holds half a character")
        elif isinstance(value, float) and not isfinite(value):
            yield Misread(repr(value), "is no number")
        elif isinstance(value, dict | list) and depth > _DEEPEST:
            yield Misread("content", f"is nested more than {_DEEPEST} deep")
            return
        elif isinstance(value, dict):
            waiting += [(depth + 1, one) for pair in value.items() for one in pair]
        elif isinstance(value, list):
            waiting += [(depth + 1, one) for one in value]


def _halved(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text) if not text.isascii() else False
