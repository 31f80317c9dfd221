"""What a command will do, as a value: the bytes it writes, the bytes it assumes, the events that follow.

Every builder is pure: bytes, places, ids and the clock come in, a changeset goes out, and nothing has happened yet.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from hashlib import sha256

from vaultd.errors import ConflictError, UsageError
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.facts import facts_of
from vaultd.lifecycle.note_rules import DESCRIPTION_LENGTH
from vaultd.lifecycle.places import Place
from vaultd.lifecycle.states import Active, Archived, State, Superseded
from vaultd.lifecycle.tombstones import (
    archived_line,
    find_tombstone,
    superseded_line,
    with_tombstone,
    without_tombstone,
)
from vaultd.lifecycle.touching import touched
from vaultd.lifecycle.transitions import AHEAD
from vaultd.notes.frontmatter import new_block, set_value
from vaultd.notes.note import Note, parse
from vaultd.notes.scalars import Value
from vaultd.notes.times import parse_moment, render
from vaultd.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Write:
    """One file's bytes before and after; None where there is no file."""

    path: str
    before: bytes | None
    after: bytes | None
    source: str = ""
    """The path that the file had, whose mode, owner and extended attributes come along; empty where it stays."""


@dataclass(frozen=True, slots=True)
class Changeset:
    """The notes a command will write, the bytes it assumes, the events that follow."""

    subject: str
    events: tuple[Event, ...]
    writes: tuple[Write, ...]
    assumes: Mapping[str, str] = field(default_factory=dict)
    """Paths that are read and not written, to the SHA-256 of the bytes the decision rests on."""
    reason: str = ""
    completes: frozenset[str] = frozenset()
    """Ids whose uncommitted lifecycle edit is the very change this one makes."""
    undoes: str = ""
    """The commit that it takes back."""
    unrecorded: frozenset[str] = frozenset()
    """Paths that it writes and no commit holds: git was asked to ignore what stands there."""
    staged: Mapping[str, str | None] = field(default_factory=dict)
    """What somebody staged and it completes: paths to the blobs in git's index, None for an entry that was taken out."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the paths it writes, sorted."""
        return tuple(sorted(write.path for write in self.writes))


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory to be made."""

    id: str
    place: Place
    kind: str
    description: str
    body: str
    tags: tuple[str, ...] = ()
    source_session: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class Stamp:
    """When something ends: the moment to write, and the zone that times without one are read in."""

    now: datetime
    zone: tzinfo
    at: datetime | None = None
    """What `--at` asked for; None is now."""

    def ending(self, note: Note) -> str:
        """Return `invalid_at` for a note: not before its `valid_from`.

        Raises:
            UsageError: `--at` asked for a time before it.
            ConflictError: it has not come yet, by this machine's clock.
        """
        moment = self.at or self.now
        begun = note.properties.get("valid_from")
        start = parse_moment(begun, self.zone) if isinstance(begun, str) else None
        if start is not None and start.utc is not None and start.utc > moment:
            if self.at is not None:
                raise UsageError(
                    f"{render(self.at)} lies before valid_from {begun}", "name a later time, or leave --at out for now"
                )
            if start.utc > self.now + AHEAD:
                raise ConflictError(
                    f"valid_from {begun} has not come yet by this machine's clock, {render(self.now)}",
                    "set the clock; else what begins then can end then, and not before",
                )
            moment = start.utc
        return render(moment)

    @property
    def updated(self) -> str:
        """Return the moment of the writing itself."""
        return render(self.now)


def digest(data: bytes) -> str:
    """Return the SHA-256 of bytes, as `--expect-hash` and assumptions spell it."""
    return sha256(data).hexdigest()


def memory_text(draft: Draft, now: datetime) -> bytes:
    """Return the bytes of a new memory, keys in canonical order."""
    moment = render(now)
    values: dict[str, Value] = {
        "id": draft.id,
        "kind": draft.kind,
        "name": draft.place.name,
        "description": draft.description,
    }
    if draft.place.project:
        values["project"] = draft.place.project
    values |= {
        "created": moment,
        "updated": moment,
        "valid_from": moment,
        "invalid_at": None,
        "superseded_by": None,
    }
    if draft.source_session:
        values["source_session"] = draft.source_session
    if draft.model:
        values["model"] = draft.model
    if draft.tags:
        values["tags"] = list(draft.tags)
    body = draft.body if draft.body.endswith("\n") or not draft.body else draft.body + "\n"
    return (new_block(values) + body).encode()


def superseded_text(data: bytes, successor: Place, successor_id: str, stamp: Stamp) -> bytes:
    """Return a memory stamped as replaced; one that is archived already keeps its time."""
    note = parse(data)
    ended = facts_of(note).invalid_at
    at = ended or stamp.ending(note)
    text = data if ended else set_value(data, "invalid_at", at)
    text = set_value(text, "superseded_by", successor_id)
    text = touched(text, stamp.now)
    return with_tombstone(text, superseded_line(successor, successor_id, _day(at, stamp.zone)), _newline(note))


def archived_text(data: bytes, reason: str, stamp: Stamp) -> bytes:
    """Return a memory stamped as ended without a successor."""
    note = parse(data)
    at = stamp.ending(note)
    text = touched(set_value(data, "invalid_at", at), stamp.now)
    return with_tombstone(text, archived_line(_day(at, stamp.zone), reason), _newline(note))


def restored_text(data: bytes, stamp: Stamp) -> bytes:
    """Return a memory with its end and the tombstone line of that end taken away."""
    text = set_value(set_value(data, "invalid_at", None), "superseded_by", None)
    text = touched(text, stamp.now)
    tombstone = find_tombstone(parse(text), in_code=True)
    return without_tombstone(text, tombstone) if tombstone is not None else text


def completed_text(data: bytes, place: Place, state: State, successor: Place | None, stamp: Stamp) -> bytes:
    """Return an ended memory with what its stamp lacks: the time, the tombstone line; nothing else moves."""
    note = parse(data)
    match state:
        case Active():
            return data
        case Archived(at):
            line = archived_line(_day(at, stamp.zone))
            return with_tombstone(_ended(data, note, at), line, _newline(note)) if _unmarked(note, None) else data
        case Superseded(at, by):
            text = _ended(data, note, at)
            if not _unmarked(note, by):
                return text
            line = superseded_line(successor or place, by, _day(at, stamp.zone))
            return with_tombstone(text, line, _newline(note))


def adopted_text(data: bytes, place: Place, new_id: str, title: str | None, stamp: Stamp) -> bytes:
    """Return a file with the keys every memory has, keeping every byte it has."""
    note = parse(data)
    has = note.properties
    moment = stamp.updated
    created = has.get("created") if isinstance(has.get("created"), str) else moment
    wanted: dict[str, Value] = {
        "id": new_id,
        "kind": "reference",
        "name": place.name,
        "description": (title or place.name)[:DESCRIPTION_LENGTH],
    }
    if place.project:
        wanted["project"] = place.project
    wanted |= {"created": moment, "updated": moment, "valid_from": created, "invalid_at": None, "superseded_by": None}
    text = data
    for key, value in wanted.items():
        if key not in has or (value is not None and has[key] is None):
            text = set_value(text, key, value)
    return text


def reverted_text(data: bytes, id_: str, state: State) -> bytes:
    """Return a file with the accepted lifecycle values put back and every other edit kept."""
    text = set_value(data, "id", id_)
    for key, value in _values(state):
        text = _put(text, key, value)
    tombstone = facts_of(parse(text)).tombstone
    ended = not isinstance(state, Active)
    return text if ended or tombstone is None else without_tombstone(text, tombstone)


def _values(state: State) -> tuple[tuple[str, str | None], tuple[str, str | None]]:
    """Return how a state is spelled in a file."""
    match state:
        case Active():
            return (("invalid_at", None), ("superseded_by", None))
        case Archived(at):
            return (("invalid_at", at), ("superseded_by", None))
        case Superseded(at, _, text):
            return (("invalid_at", at), ("superseded_by", text))


def _put(data: bytes, key: str, value: str | None) -> bytes:
    """Set a value, or take the key's value away again in the way that leaves fewest traces."""
    properties = parse(data).properties
    if value is None and (key not in properties or properties[key] is None):
        return data
    return set_value(data, key, value)


def _ended(data: bytes, note: Note, at: str) -> bytes:
    return data if facts_of(note).invalid_at is not None else set_value(data, "invalid_at", at)


def _unmarked(note: Note, successor: str | None) -> bool:
    tombstone = facts_of(note).tombstone
    return tombstone is None or tombstone.successor != successor


def _day(at: str, zone: tzinfo) -> str:
    moment = parse_moment(at, zone)
    return render(moment.utc)[:10] if moment is not None and moment.utc is not None else at[:10]


def _newline(note: Note) -> str:
    return note.block.newline if note.block is not None else "\n"


def changed(writes: Sequence[Write]) -> tuple[Write, ...]:
    """Return the writes that change something."""
    return tuple(write for write in writes if write.before != write.after)
