"""What a record command may build on: a slot, or a file of lines, whose records still say what history knows of them."""

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cached_property
from shlex import quote

from vaultd.catalog.lock import Lock
from vaultd.errors import ConflictError
from vaultd.history.repository import head_quick
from vaultd.history.trees import Trees
from vaultd.judging.opened import Opened
from vaultd.judging.records.accepted import held_in
from vaultd.judging.records.broken import broken_at
from vaultd.judging.records.files import Placed
from vaultd.judging.records.seals import seals_at
from vaultd.lifecycle.records.places import SlotPlace
from vaultd.lifecycle.records.rules import counting, way_back
from vaultd.lifecycle.records.seals import Seal, differing
from vaultd.lifecycle.records.values import Record


class Sealed:
    """Compares what a command finds on disk with what every record first said."""

    def __init__(self, opened: Opened, lock: Lock) -> None:
        self._opened = opened
        self._head = head_quick(opened.recorded)
        self._trees = Trees(opened.recorded, opened.objects)
        self._declared = {
            name: one.declared for name, one in lock.catalog.collections.items() if one.declared is not None
        }
        self._records = opened.settings.folders.records

    @cached_property
    def _seals(self) -> Mapping[str, Seal]:
        """Asked for only where something is not as HEAD holds it: it takes reading all that history knows."""
        return seals_at(self._opened, self._head) if self._head is not None else {}

    @cached_property
    def _below(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for id_, seal in self._seals.items():
            found.setdefault(seal.path.rpartition("/")[0], []).append((seal.path, id_))
        return found

    @cached_property
    def _broken(self) -> Mapping[str, str]:
        return broken_at(self._opened, self._head) if self._head is not None else {}

    def _untouched(self, found: Sequence[Placed], also: Container[str] = ()) -> bool:
        """Return whether files are what HEAD holds, and HEAD what was first committed there and at these paths."""
        if any(one.record.id in self._broken for one in found) or any(path in also for path in self._broken.values()):
            return False
        full = self._opened.recorded.full
        held = self._trees.items(self._head, [full(one.path) for one in found])
        return all(
            (item := held[full(one.path)]) is not None and item.oid == self._opened.blob_id(one.data) for one in found
        )

    def of(self, record: Record) -> Seal | None:
        """Return what history knows of a record."""
        return self._seals.get(record.id)

    def edited(self, record: Record) -> tuple[str, ...]:
        """Return the keys in which a record is not what it first said."""
        seal = self._seals.get(record.id)
        return counting(self._declared, record, differing(seal, record)) if seal is not None else ()

    def refuse_edited(self, one: Placed) -> None:
        """Refuse a record that says something else than it first said, whether a commit holds the edit or not.

        Raises:
            ConflictError: with both ways out.
        """
        if not self._untouched([one]) and self.edited(one.record):
            raise ConflictError(
                f"V402 {one.path} was edited by hand, and the edit is not recorded", way_back(one.path, self._records)
            )

    def refuse_unlike(self, place: SlotPlace, found: Sequence[Placed], excepted: Iterable[str] = ()) -> None:
        """Refuse a slot of which a record is gone, or where one was edited in what decides between them.

        Args:
            place: where the slot's files lie.
            found: every record of the slot that is there.
            excepted: ids of records whose edit is the very thing that is being recorded.
        """
        if self._whole(place, found):
            return
        there = {one.record.id for one in found}
        folder = place.head.rpartition("/")[0]
        known = [(path, id_) for path, id_ in self._below.get(folder, ()) if path == place.head]
        self._refuse_gone((*known, *self._below.get(place.history, ())), there)
        for one in found:
            if one.record.id not in excepted and "" in self.edited(one.record):
                self.refuse_edited(one)

    def _whole(self, place: SlotPlace, found: Sequence[Placed]) -> bool:
        """Return whether a slot's files are those of HEAD, and none of its records was ever edited."""
        if self._head is None:
            return True
        lying = {one.path for one in found}
        past = held_in(self._opened, self._trees, self._head, [place.history]).keys()
        gone = (path for path in self._broken.values() if path == place.head or path.startswith(f"{place.history}/"))
        if not past <= lying or any(True for _ in gone) or not self._untouched(found):
            return False
        return place.head in lying or not self._at_head(place.head)

    def _at_head(self, path: str) -> bool:
        full = self._opened.recorded.full(path)
        return self._trees.items(self._head, [full])[full] is not None

    def refuse_lines(self, path: str, found: Iterable[Placed]) -> None:
        """Refuse a file of lines in which one was edited or taken away."""
        lines = list(found)
        if self._untouched(lines[:1], (path,)) and (lines or not self._at_head(path)):
            return
        there = {one.record.id: one for one in lines}
        known = [(at, id_) for at, id_ in self._below.get(path.rpartition("/")[0], ()) if at == path]
        self._refuse_gone(known, there)
        for one in there.values():
            self.refuse_edited(one)

    def _refuse_gone(self, known: Iterable[tuple[str, str]], there: Iterable[str]) -> None:
        gone = [(path, id_) for path, id_ in known if id_ not in there]
        if gone:
            path, id_ = gone[0]
            raise ConflictError(
                f"V402 the record {id_} is gone from {path}", f"vaultd revert {quote(path)} brings it back"
            )
