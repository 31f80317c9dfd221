"""When a note says that it was changed last."""

from datetime import UTC, datetime

from vaultd.notes.frontmatter import set_value
from vaultd.notes.note import parse
from vaultd.notes.times import parse_moment, render


def touched(data: bytes, now: datetime) -> bytes:
    """Return a text with `updated` set to this moment, or to `created` where the clock is behind the one that wrote it.

    Raises:
        NoteFormatError: its frontmatter cannot be changed.
    """
    created = parse(data).properties.get("created")
    begun = parse_moment(created, UTC) if isinstance(created, str) else None
    begun_at = begun.utc if begun is not None and begun.zoned else None
    return set_value(data, "updated", render(max(now, begun_at or now)))
