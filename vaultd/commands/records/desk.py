"""Where record commands work: the slots they open, the files they mean to write, and nothing on disk until the end."""

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import product
from pathlib import Path

from vaultd.commands.asking import Asked
from vaultd.commands.recorded import entries_of
from vaultd.commands.records.sealed import Sealed
from vaultd.errors import RejectedError
from vaultd.history.repository import head_quick
from vaultd.judging.designs import in_force
from vaultd.judging.opened import Opened
from vaultd.judging.records.conflicts import way_out
from vaultd.judging.records.files import Placed, placed_at, placed_in, record_files
from vaultd.lifecycle.changesets import Changeset, Write
from vaultd.lifecycle.events import Event, EventName
from vaultd.lifecycle.records.acceptable import never_mended
from vaultd.lifecycle.records.envelope import Misread, record_text, stamped
from vaultd.lifecycle.records.places import SlotPlace, distinct_name, entity_folder, is_head_path, plain_name
from vaultd.lifecycle.records.slots import Current, current
from vaultd.lifecycle.records.values import Record, Slot, Status
from vaultd.notes.names import collision_key
from vaultd.notes.times import render
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class OpenSlot:
    """A slot with every record that was ever written in it, drafts too."""

    slot: Slot
    place: SlotPlace
    placed: tuple[Placed, ...]

    def lane(self, lane: Status = "active") -> Current:
        """Return what holds in one lane."""
        return current((one.record for one in self.placed), lane)

    def heads(self, lane: Status = "active") -> list[Placed]:
        """Return the heads of one lane with their files."""
        ids = self.lane(lane).ids
        return [one for one in self.placed if one.record.id in ids and one.record.status == lane]


class Desk:
    """Collects what one command writes; what it has put down already is what it reads next."""

    def __init__(self, opened: Opened, asked: Asked) -> None:
        self.opened = opened
        self.asked = asked
        self.records = opened.settings.folders.records
        self.review = opened.settings.folders.review
        self.at = render(asked.now)
        self.lock = in_force(opened)
        self.events: list[Event] = []
        self.completes: set[str] = set()
        self._before: dict[str, bytes | None] = {}
        self._after: dict[str, bytes | None] = {}
        self._below: dict[str, set[str]] = {}
        """Folder to the names that were put down in it, of files and of folders."""
        self._there: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
        """Folder to the names of the files and of the folders that lie in it on disk."""
        self._keys: dict[str, dict[str, set[str]]] = {}
        """Folder to the names in it by what a system that ignores case takes them for."""
        self._drafts: dict[Slot, dict[str, None]] | None = None
        self._names: dict[tuple[str, str], str] = {}
        self._dedupes: dict[str, str] | None = None
        self._lined: set[str] = set()

    @cached_property
    def sealed(self) -> Sealed:
        """Return what history knows of the records that are there."""
        return Sealed(self.opened, self.lock)

    # Files ------------------------------------------------------------------------------------------------------------

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes as they will be."""
        return self._after[path] if path in self._after else self.opened.read(path)

    def put(self, path: str, data: bytes | None) -> None:
        """Mean to write a file, or with None to remove it."""
        if path not in self._before:
            self._before[path] = self.opened.read(path)
            above, _, name = path.rpartition("/")
            while name not in self._below.setdefault(above, set()):
                self._below[above].add(name)
                if above in self._keys:
                    self._keys[above].setdefault(collision_key(name), set()).add(name)
                above, _, name = above.rpartition("/")
        self._after[path] = data
        if self._drafts is not None and path.startswith(self.review + "/"):
            self._learn_draft(self._drafts, path)

    def put_record(self, path: str, record: Record) -> None:
        """Mean to write a new record into a file of its own.

        Raises:
            RejectedError: its text makes a file that could never be mended.
        """
        for problem in never_mended(record):
            raise RejectedError(f"{record.label}: {problem.key} {problem.what}", "a line before it, or --store jsonl")
        self.put(path, record_text(record))

    def files(self, folder: str) -> Iterator[str]:
        """Give the files that will lie in a folder itself."""
        names = self._on_disk(folder)[0] | self._below.get(folder, set())
        paths = (f"{folder}/{name}" for name in names)
        yield from sorted(path for path in paths if path not in self._below and self._after.get(path, b"") is not None)

    def folders(self, folder: str) -> frozenset[str]:
        """Return the names of the folders that will lie in a folder."""
        begun = (name for name in self._below.get(folder, ()) if f"{folder}/{name}" in self._below)
        return self._on_disk(folder)[1].union(begun)

    def _on_disk(self, folder: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return what lay in a folder when it was first looked at: a batch looks at one again and again."""
        if folder not in self._there:
            self._there[folder] = _names(self.opened.root / folder)
        return self._there[folder]

    def _alike(self, folder: str, name: str) -> set[str]:
        """Return the names in a folder that some systems take for this one, itself among them."""
        if folder not in self._keys:
            found: dict[str, set[str]] = {}
            for there in (*self._on_disk(folder)[0], *self._on_disk(folder)[1], *self._below.get(folder, ())):
                found.setdefault(collision_key(there), set()).add(there)
            self._keys[folder] = found
        return self._keys[folder].get(collision_key(name), set())

    def put_down(self) -> tuple[str, ...]:
        """Return the paths of the files that are meant to be written."""
        return tuple(path for path, data in self._after.items() if data is not None)

    def written_under(self, dedupe: str) -> Iterator[str]:
        """Give the file on disk that holds a record with a dedupe key; all files are looked at once for a batch."""
        if self._dedupes is None:
            self._dedupes = {}
            for path in record_files(self.opened):
                data = self.opened.read(path)
                if data is not None and b"dedupe" in data:
                    self._dedupes |= {one.record.dedupe: path for one in placed_in(path, data) if one.record.dedupe}
        if dedupe in self._dedupes:
            yield self._dedupes[dedupe]

    def changeset(self, subject: str, reason: str = "") -> Changeset:
        """Return everything that was put down as one change."""
        writes = tuple(Write(path, self._before[path], after) for path, after in self._after.items())
        return Changeset(subject, tuple(self.events), writes, reason=reason, completes=frozenset(self.completes))

    def tell(self, name: EventName, record: Record, path: str, successor: str = "") -> None:
        """Put down what happens to a record."""
        self.events.append(Event(name, record.id, path, successor))

    # Names ------------------------------------------------------------------------------------------------------------

    def entity_folder(self, collection: str, entity: str) -> str:
        """Return the folder of an entity; where another entity has the plain name already, one with a digest."""
        if (collection, entity) not in self._names:
            self._names[collection, entity] = self._entity_name(collection, entity)
        return entity_folder(self.records, collection, self._names[collection, entity])

    def _entity_name(self, collection: str, entity: str) -> str:
        around = f"{self.records}/{collection}"
        plain, distinct = plain_name(entity), distinct_name(entity)
        alike = self._alike(around, plain)
        owner = self._owner(f"{around}/{plain}")
        if plain in alike and owner == entity:
            return plain
        apart = alike - {plain} or owner not in (None, entity) or _like_a_note(plain)
        return distinct if apart or distinct in self._alike(around, distinct) else plain

    def _owner(self, folder: str) -> str | None:
        """Return whose records lie in a folder, None where there are none."""
        waiting = [folder]
        while waiting:
            place = waiting.pop()
            for path in self.files(place):
                for one in placed_in(path, self.read(path) or b""):
                    return one.record.entity
            waiting += [f"{place}/{name}" for name in sorted(self.folders(place))]
        return None

    def place(self, slot: Slot) -> SlotPlace:
        """Return where a slot's files lie; a plain name that another key has already is not taken twice."""
        folder = self.entity_folder(slot.collection, slot.entity)
        plain, distinct = (SlotPlace(folder, name(slot.key)) for name in (plain_name, distinct_name))
        key = self._key_at(plain) if self._lies(plain) else None
        if key == slot.key:
            return plain
        apart = key is not None or self._has_twin(plain) or _like_a_note(plain.name)
        return distinct if apart or self._lies(distinct) else plain

    def _lies(self, place: SlotPlace) -> bool:
        """Return whether files of a slot lie at a place, under this very name."""
        head = place.head.rpartition("/")[2]
        return head in self._alike(place.folder, head) or place.name in self._alike(_past(place), place.name)

    def _has_twin(self, place: SlotPlace) -> bool:
        """Return whether another slot has a name that some systems take for this one."""
        head = place.head.rpartition("/")[2]
        return bool(self._alike(place.folder, head) - {head} or self._alike(_past(place), place.name) - {place.name})

    def _places(self, slot: Slot) -> Iterator[SlotPlace]:
        """Give where a slot's files lie: in several places where two clones named its entity or key each its way."""
        own = self.place(slot)
        yield own
        names = [{name(text): None for name in (plain_name, distinct_name)} for text in (slot.entity, slot.key)]
        for entity, key in product(*names):
            place = SlotPlace(entity_folder(self.records, slot.collection, entity), key)
            if place != own and self._lies(place):
                yield place

    def _key_at(self, place: SlotPlace) -> str | None:
        for path in (place.head, *self.files(place.history)):
            for one in placed_in(path, self.read(path) or b""):
                return one.record.key
        return None

    # Slots ------------------------------------------------------------------------------------------------------------

    def slot(self, slot: Slot) -> OpenSlot:
        """Return a slot with its records.

        Raises:
            RejectedError: a file of it cannot be read as a record.
            ConflictError: one of its records is gone, or says by hand that it is another's.
        """
        places = list(self._places(slot))
        placed = [one for at in places for path in (at.head, *self.files(at.history)) for one in self.placed(path)]
        drafts = [one for path in self._drafts_of(slot) for one in placed_in(path, self.read(path) or b"")]
        for at in places:
            self.sealed.refuse_unlike(at, (*placed, *drafts), self.completes)
        everything = (*placed, *(one for one in drafts if one.record.status == "draft"))
        return OpenSlot(slot, places[0], tuple(one for one in everything if one.record.slot == slot))

    def _drafts_of(self, slot: Slot) -> Iterable[str]:
        """Return the files of the drafts for a slot; the folder is read once for a batch."""
        if self._drafts is None:
            found: dict[Slot, dict[str, None]] = {}
            for path in self.files(self.review):
                self._learn_draft(found, path)
            self._drafts = found
        return self._drafts.get(slot, ())

    def _learn_draft(self, found: dict[Slot, dict[str, None]], path: str) -> None:
        for one in placed_in(path, self.read(path) or b""):
            if one.record.slot is not None:
                found.setdefault(one.record.slot, {})[path] = None

    def placed(self, path: str) -> list[Placed]:
        """Return the record in a file, none where there is no file.

        Raises:
            RejectedError: it is no record.
        """
        data = self.read(path)
        if data is None:
            return []
        found = placed_at(path, data)
        if isinstance(found, Misread):
            torn = data.startswith(b"<<<<<<< ") or b"\n<<<<<<< " in data
            way = way_out(self.opened) if torn else "mend the file, or git restore it"
            raise RejectedError(f"V403 {path}: {found.key} {found.what}", way)
        return [found]

    def retire(self, heads: Iterable[Placed], successor: Record, place: SlotPlace) -> None:
        """Stamp what a record supersedes; what stood at a path of the slot's moves into its history."""
        stamps = {"invalid_at": self.at, "superseded_by": successor.id}
        for head in heads:
            self.sealed.refuse_edited(head)
            path = place.past(head.record.id) if is_head_path(head.path, self.records) else head.path
            if path != head.path:
                self.put(head.path, None)
            self.put(path, stamped(head.data, stamps))
            self.tell("superseded", head.record, path, successor.id)

    def fill(self, place: SlotPlace, record: Record) -> str:
        """Put a record where it belongs in its slot: a retraction into the history, anything else at its head."""
        path = place.past(record.id) if record.retracted else place.head
        self.put_record(path, record)
        return path

    def stored(self, path: str) -> bytes | None:
        """Return a file as HEAD holds it, in the form of the work tree."""
        head = head_quick(self.opened.recorded)
        entry = entries_of(self.opened, head, [path]).get(path) if head is not None else None
        return self.opened.fold.blobs.data(path, entry.oid) if entry is not None else None

    def lines(self, path: str) -> bytes:
        """Return a file of lines, to which another one may be added.

        Raises:
            ConflictError: one was edited by hand, or taken away.
        """
        data = self.read(path) or b""
        if path not in self._lined:
            self._lined.add(path)
            self.sealed.refuse_lines(path, placed_in(path, data))
        return data


def _like_a_note(name: str) -> bool:
    """Say whether a folder of this name would be taken for a note (V227)."""
    return name.lower().endswith(".md")


def _past(place: SlotPlace) -> str:
    return place.history.rpartition("/")[0]


def _names(folder: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the files and of the folders in a folder, hidden ones left out."""
    try:
        there = [entry for entry in os.scandir(folder) if entry.name[:1] != "."]
    except (FileNotFoundError, NotADirectoryError):
        return frozenset(), frozenset()
    files = frozenset(entry.name for entry in there if entry.is_file())
    return files, frozenset(entry.name for entry in there) - files
