"""What history knows of each record: what it first said, and whether its file still says so."""

from collections.abc import Iterable
from hashlib import sha256

from vaultd.lifecycle.events import NOTHING_EXPLAINED, Explained
from vaultd.lifecycle.records.values import Record, canonical
from vaultd.values import dataclass, field, replace

LEFT = "*"
"""Stands among the changed keys where the file is gone."""
Pieces = dict[str, str]
"""Key to a digest of its value; the envelope as a whole stands under the empty key."""


@dataclass(frozen=True, slots=True)
class Seal:
    """A record as it was first committed, and what a later commit made of it without being allowed to."""

    path: str
    pieces: Pieces
    changed: tuple[str, ...] = ()
    commit: str = ""
    blob: str = ""
    """The last version of its file that said the same; empty for a line among others."""


@dataclass(frozen=True, slots=True)
class Version:
    """What one commit left at a path: a record, or None where there is none any more."""

    path: str
    record: Record | None
    blob: str = ""
    line: str = ""
    """The id of a record that is one line of the file; empty where the file is the record."""

    @property
    def place(self) -> str:
        """Return what tells it apart from all others."""
        return place_of(self.path, self.line)


def place_of(path: str, line: str) -> str:
    """Return where a record stands: a file, or one line of a file, which its id names."""
    return f"{path}#{line}" if path.endswith(".jsonl") else path


@dataclass(slots=True)
class Seals:
    """Every record that history knows, by id; advanced in place, a commit at a time."""

    known: dict[str, Seal] = field(default_factory=dict)
    at: dict[str, str] = field(default_factory=dict)
    """Place to the id that stands there."""

    def advance(self, commit: str, versions: Iterable[Version], explained: Explained = NOTHING_EXPLAINED) -> None:
        """Take in what one commit changed; a record that it says it takes back is forgotten. No command deletes one."""
        changes = list(versions)
        here = {one.record.id for one in changes if one.record is not None}
        for one in changes:
            before = self.at.pop(one.place, None)
            if before is None or before in here:
                continue
            if explained.reverts:
                del self.known[before]
            else:
                self.known[before] = replace(self.known[before], changed=(LEFT,), commit=commit)
        for one in changes:
            if one.record is not None:
                self._put(commit, one, one.record)

    def drop(self, commit: str, ids: Iterable[str]) -> None:
        """Take in what a merge lost of another side; a record that was taken back before is known no more."""
        for id_ in ids:
            if id_ in self.known:
                self.known[id_] = replace(self.known[id_], changed=(LEFT,), commit=commit)

    def _put(self, commit: str, version: Version, record: Record) -> None:
        seal = self.known.get(record.id)
        self.at[version.place] = record.id
        if seal is None:
            self.known[record.id] = Seal(version.path, pieces_of(record), blob=version.blob)
            return
        changed = differing(seal, record)
        blob, by = (seal.blob, commit) if changed else (version.blob, "")
        self.known[record.id] = replace(seal, path=version.path, changed=changed, commit=by, blob=blob)


def pieces_of(record: Record) -> Pieces:
    """Return digests of everything that must not change in a record."""
    pieces = {key: _digest(value) for key, value in record.content.items()}
    envelope = [
        record.id,
        record.contract,
        record.entity,
        record.key,
        record.type,
        record.status,
        record.created,
        record.occurred,
        sorted(record.supersedes),
        record.replaces,
        record.corrects,
        record.retracted,
        sorted(record.derived_from),
        record.run,
        record.dedupe,
    ]
    return pieces | {"": _digest(envelope), "text": _digest(record.text)}


def differing(seal: Seal, record: Record) -> tuple[str, ...]:
    """Return the keys in which a record is not what was sealed, the envelope as the empty key."""
    now = pieces_of(record)
    return tuple(sorted(key for key in seal.pieces.keys() | now.keys() if seal.pieces.get(key) != now.get(key)))


def _digest(value: object) -> str:
    return sha256(canonical(value)).hexdigest()[:16]
