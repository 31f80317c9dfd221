"""Moments as people and Obsidian write them (RFC 3339 and its shorter forms), and the one way vaultd writes them."""

import functools
import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from vaultd.values import dataclass

_MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)"
    r"(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?[ ]?([Zz]|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as it was read."""

    utc: datetime | None
    """None only where the zone puts it outside the years datetime knows."""
    digits: str
    """What was written, without the zone, in one spelling."""
    zoned: bool


@functools.lru_cache(4_096)  # a note's times are few, and each is looked at by several rules
def parse_moment(text: str, zone: tzinfo) -> Moment | None:
    """Return the moment `text` names, read in `zone` where it has none of its own; None for impossible dates."""
    match = _MOMENT.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, offset = match.groups()
    micro = int((fraction or "0").ljust(6, "0")[:6])
    try:
        own = _zone(offset) if offset else zone
        # RFC 3339 allows a leap second; datetime does not, and the next second is the same instant.
        leap = second == "60" and minute == "59"
        local = datetime(
            int(year),
            int(month),
            int(day),
            int(hour or 0),
            int(minute or 0),
            59 if leap else int(second or 0),
            micro,
            own,
        )
    except ValueError:
        return None
    digits = local.replace(tzinfo=None).isoformat() if not leap else f"{local:%Y-%m-%dT%H:%M}:60"
    return Moment(_utc(local, timedelta(seconds=1 if leap else 0)), digits, offset is not None)


def same_moment(a: str, b: str, zone: tzinfo) -> bool:
    """Say whether two texts name one instant, or show the same digits where one of them has no zone."""
    if a.strip() == b.strip():
        return True
    first, second = parse_moment(a, zone), parse_moment(b, zone)
    if first is None or second is None:
        return False
    if first.utc is not None and first.utc == second.utc:
        return True
    return first.digits == second.digits and not (first.zoned and second.zoned)


def completes(old: str, new: str) -> bool:
    """Say whether `new` is `old` typed on: `2026-11-30` became `2026-11-30T18:00:00Z`."""
    return len(old) < len(new) and new.startswith(old)


def render(moment: datetime) -> str:
    """Return RFC 3339 in UTC to the second: `2026-11-30T18:00:00Z`."""
    utc = moment.astimezone(UTC)
    return f"{utc.year:04}-{utc:%m-%dT%H:%M:%SZ}"


def _zone(offset: str) -> tzinfo:
    if offset in "Zz":
        return UTC
    hours, minutes = int(offset[1:3]), int(offset[3:].lstrip(":") or 0)
    if minutes > 59:
        raise ValueError(offset)
    return timezone((-1 if offset[0] == "-" else 1) * timedelta(hours=hours, minutes=minutes))


def _utc(local: datetime, more: timedelta) -> datetime | None:
    try:
        return local.astimezone(UTC) + more
    except OverflowError:
        return None
