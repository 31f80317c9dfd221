"""Rules V401 to V414 about the records of a vault, each a pure function of all of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from shlex import quote
from typing import Protocol

from vaultd.lifecycle.records.places import head_paths, is_head_path
from vaultd.lifecycle.records.provenance import DEEPEST, depth_of, in_circle
from vaultd.lifecycle.records.seals import LEFT, Seal, differing
from vaultd.lifecycle.records.slots import Current, current
from vaultd.lifecycle.records.values import Record, Slot
from vaultd.lifecycle.violations import Severity, Violation
from vaultd.values import dataclass, field


class Placed(Protocol):
    """A record and where it stands."""

    @property
    def path(self) -> str:
        """The file."""
        ...

    @property
    def line(self) -> int:
        """The line in it, from 1."""
        ...

    @property
    def record(self) -> Record:
        """What it says."""
        ...

    @property
    def blob(self) -> str:
        """The blob of its file; empty where it is not known, or the record is one line of it."""
        ...


@dataclass(frozen=True)
class Shelf:
    """All records of a vault, with the look-ups that rules need."""

    placed: Sequence[Placed]
    records: str
    """The folder of records."""
    seals: Mapping[str, Seal] = field(default_factory=dict)
    decided_in_notes: bool = False
    """Whether a decision that is written into a draft is carried out."""
    declared: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By `name@version` of a closed collection, which properties are content; others come and go as they like."""

    @cached_property
    def by_id(self) -> dict[str, Record]:
        """Return records by id."""
        return {one.record.id: one.record for one in self.placed}

    @cached_property
    def slots(self) -> dict[Slot, list[Placed]]:
        """Return the records of each slot, drafts too."""
        found: dict[Slot, list[Placed]] = {}
        for one in self.placed:
            if (slot := one.record.slot) is not None:
                found.setdefault(slot, []).append(one)
        return found

    @cached_property
    def current(self) -> dict[Slot, Current]:
        """Return what answers each slot."""
        return {slot: current(one.record for one in placed) for slot, placed in self.slots.items()}

    @cached_property
    def successors(self) -> dict[str, list[Record]]:
        """Return, by id, the records that supersede one."""
        found: dict[str, list[Record]] = {}
        for one in self.placed:
            for old in one.record.supersedes:
                found.setdefault(old, []).append(one.record)
        return found


def record_violations(shelf: Shelf) -> Iterator[Violation]:
    """Return every broken rule about records."""
    yield from records_stay_as_they_were(shelf)
    yield from standing_violations(shelf)


def standing_violations(shelf: Shelf) -> Iterator[Violation]:
    """Return every broken rule that records as they stand break, whatever they said before."""
    for rule in (
        ids_are_unique,
        stamps_fit_successors,
        supersession_stays_in_its_slot,
        supersession_has_a_beginning,
        what_is_cited_is_there,
        retractions_are_empty,
        slots_have_one_head,
        drafts_lie_in_review,
        approval_is_a_record,
        heads_lie_at_their_paths,
        dedupe_keys_are_unique,
        corrections_name_events,
    ):
        yield from rule(shelf)


def _broken(
    code: str, one: Placed, message: str, hint: str = "", subject: str = "", severity: Severity = "error"
) -> Violation:
    return Violation(code, severity, one.path, one.line, message, hint, subject=subject or one.record.id)


def ids_are_unique(shelf: Shelf) -> Iterator[Violation]:
    """V401: an id is one record's."""
    first: dict[str, Placed] = {}
    for one in shelf.placed:
        known = first.setdefault(one.record.id, one)
        if known is not one:
            yield _broken("V401", one, f"the id {one.record.id} stands in {known.path} already", "delete the copy")


def records_stay_as_they_were(shelf: Shelf) -> Iterator[Violation]:
    """V402: what a record said first it says always."""
    for one in shelf.placed:
        seal = shelf.seals.get(one.record.id)
        if seal is not None and one.blob and one.blob == seal.blob:
            continue  # the very file that was found to say the same
        changed = counting(shelf.declared, one.record, differing(seal, one.record)) if seal is not None else ()
        if seal is not None and changed:
            yield _broken(
                "V402",
                one,
                f"{what_changed(changed)} of a record that never changes{_since(seal)}",
                way_back(one.path, shelf.records),
            )
    for id_, seal in shelf.seals.items():
        if id_ not in shelf.by_id and seal.path.startswith(shelf.records + "/"):
            yield Violation(
                "V402",
                "error",
                seal.path,
                1,
                f"the record {id_} is gone{_since(seal)}",
                f"vaultd revert {quote(seal.path)} brings it back; vaultd record retract empties a slot",
                subject=id_,
            )


def counting(declared: Mapping[str, frozenset[str]], record: Record, changed: Iterable[str]) -> tuple[str, ...]:
    """Return those of the changed keys that are part of what was remembered.

    Args:
        declared: by `name@version` of a closed collection, which properties are content.
        record: what stands there now.
        changed: the keys in which it is not what it first said.
    """
    content = declared.get(record.contract)
    return tuple(key for key in changed if content is None or key in ("", "text") or key in content)


def what_changed(changed: Iterable[str]) -> str:
    """Return in words which keys were edited."""
    named = [key or "the envelope" for key in changed if key != LEFT]
    return "an edit of " + ", ".join(named) if named else "the removal"


def _since(seal: Seal) -> str:
    return f" (commit {seal.commit[:10]})" if seal.changed else ""


def way_back(path: str, records: str) -> str:
    """Return what a person can do about a record that was edited by hand, committed or not."""
    back = f"vaultd revert {quote(path)} takes it back"
    if is_head_path(path, records):
        return f"vaultd adopt {quote(path)} makes it a successor; {back}"
    return f"{back}; vaultd record correct says how an event really was"


def stamps_fit_successors(shelf: Shelf) -> Iterator[Violation]:
    """V404: `superseded_by` names the record that supersedes this one; the successor decides, the stamps tell."""
    for one in shelf.placed:
        record = one.record
        times = {successor.id: successor.created for successor in shelf.successors.get(record.id, ())}
        names, by, at = list(times), record.stamps.superseded_by, record.stamps.invalid_at
        if by is not None and by not in names and by in shelf.seals and by not in shelf.by_id:
            continue  # what took over is gone, which V402 tells, and this stays superseded
        if by is not None and by not in names:
            yield _broken("V404", one, f"superseded_by: {by}, and {by} does not supersede it", "git restore the stamps")
        elif names and by is None and one.path.endswith(".md"):
            message = f"{names[0]} supersedes it, and it has no stamp"
            yield _broken("V404", one, message, f"write superseded_by: {names[0]}", severity="warning")
        elif by is not None and at is not None and at != times[by]:
            message = f"invalid_at: {at}, and {by} took over at {times[by]}"
            yield _broken("V404", one, message, f"write invalid_at: {times[by]}", severity="warning")
        elif by is None and at is not None:
            yield _broken(
                "V404", one, "invalid_at without superseded_by", "remove the line; vaultd record retract ends it"
            )


def supersession_stays_in_its_slot(shelf: Shelf) -> Iterator[Violation]:
    """V406: what a record supersedes is another one of its slot and lane."""
    for one in shelf.placed:
        for id_ in one.record.supersedes:
            old = shelf.by_id.get(id_)
            if id_ == one.record.id:
                yield _broken("V406", one, "it supersedes itself", subject=id_)
            elif old is None:
                yield _broken(
                    "V406", one, f"no record is {id_}", "vaultd revert PATH brings back what left", subject=id_
                )
            elif one.record.slot is None or old.slot != one.record.slot or old.status != one.record.status:
                yield _broken("V406", one, f"{id_} is of another slot or lane: {old.label}", subject=id_)


def supersession_has_a_beginning(shelf: Shelf) -> Iterator[Violation]:
    """V406: no record supersedes, over whatever it supersedes, itself: then nothing would answer the slot."""
    over = {id_: sum(one.id != id_ for one in found) for id_, found in shelf.successors.items()}
    free = [record for id_, record in shelf.by_id.items() if not over.get(id_)]
    while free:
        record = free.pop()
        for id_ in record.supersedes:
            if id_ != record.id and id_ in over:
                over[id_] -= 1
                if over[id_] == 0 and id_ in shelf.by_id:
                    free.append(shelf.by_id[id_])
    for one in shelf.placed:
        if over.get(one.record.id) and any(over.get(id_) for id_ in one.record.supersedes):
            yield _broken("V406", one, "it supersedes itself, over what it supersedes", subject="circle")


def what_is_cited_is_there(shelf: Shelf) -> Iterator[Violation]:
    """V407: what a record rests on is there, older, and does not rest on it. V408: at most four conclusions deep."""
    for one in shelf.placed:
        record = one.record
        for id_ in record.derived_from:
            parent = shelf.by_id.get(id_)
            if parent is None:
                yield _broken("V407", one, f"it rests on {id_}, and no record is called so", subject=id_)
            elif parent.created > record.created:
                yield _broken("V407", one, f"it rests on {id_}, which is younger", subject=id_)
        if record.derived_from and in_circle(record, shelf.by_id.get):
            yield _broken("V407", one, "it rests on itself")
        elif record.derived_from and (depth := depth_of(record, shelf.by_id.get)) > DEEPEST:
            yield _broken("V408", one, f"{depth} conclusions lie below it, {DEEPEST} at the most")


def retractions_are_empty(shelf: Shelf) -> Iterator[Violation]:
    """V409: a retraction names what it takes back and says nothing else."""
    for one in shelf.placed:
        if one.record.retracted and not one.record.supersedes:
            yield _broken("V409", one, "a retraction that supersedes nothing", "vaultd record retract writes one")
        elif one.record.retracted and (one.record.text or one.record.content):
            yield _broken("V409", one, "a retraction with a text or properties", "remove them")


def slots_have_one_head(shelf: Shelf) -> Iterator[Violation]:
    """V410: one record answers a slot."""
    for slot, lane in shelf.current.items():
        if lane.forked:
            winner = next(one for one in shelf.slots[slot] if one.record.id == lane.heads[0].id)
            others = ", ".join(head.id for head in lane.heads[1:])
            yield _broken(
                "V410",
                winner,
                f"forked slot {slot.label}: {lane.heads[0].id} answers, and {others} does not know of it",
                "vaultd record set supersedes all of them",
                severity="warning",
            )


def drafts_lie_in_review(shelf: Shelf) -> Iterator[Violation]:
    """V411: a draft is never the answer of a slot."""
    for one in shelf.placed:
        inside = one.path.startswith(shelf.records + "/")
        if inside and one.record.status == "draft":
            yield _broken("V411", one, "a draft among records", "vaultd review approve makes a draft count")
        elif not inside and one.record.status == "active":
            yield _broken("V411", one, "an active record among drafts", "vaultd review approve makes a draft count")
        elif one.record.stamps.wish is not None and not shelf.decided_in_notes:
            wish = one.record.stamps.wish
            yield _broken(
                "V411",
                one,
                f"review: {wish} decides nothing",
                f'vaultd review {wish} {quote(one.path)}; review = "in-notes" in the config makes it the command',
                severity="warning",
            )


def approval_is_a_record(shelf: Shelf) -> Iterator[Violation]:
    """V411: what was approved is an active record that cites the draft; a word in the draft alone approves nothing."""
    drafts = [one for one in shelf.placed if one.record.status == "draft" and one.record.stamps.review == "approved"]
    cited = {id_ for one in shelf.placed if drafts and one.record.status == "active" for id_ in one.record.derived_from}
    for one in drafts:
        if one.record.id not in cited:
            yield _broken("V411", one, "review: approved, and no record is what was approved", way_back(one.path, ""))


def heads_lie_at_their_paths(shelf: Shelf) -> Iterator[Violation]:
    """V412: at a slot's path lies what answers it, and nothing else does."""
    for slot, placed in shelf.slots.items():
        answer = shelf.current[slot].answer
        for one in placed:
            at_path = is_head_path(one.path, shelf.records)
            if at_path and (answer is None or answer.id != one.record.id):
                yield _broken("V412", one, "this does not answer the slot any more", severity="warning")
            elif answer is not None and answer.id == one.record.id and one.path not in head_paths(slot, shelf.records):
                free = {*head_paths(slot, shelf.records)}.difference(other.path for other in shelf.placed)
                path = next((path for path in list(head_paths(slot, shelf.records))[1:] if path in free), "")
                hint = f"mv {quote(one.path)} {quote(path)}" if path else ""
                yield _broken("V412", one, "this answers its slot, and lies elsewhere", hint, severity="warning")


def dedupe_keys_are_unique(shelf: Shelf) -> Iterator[Violation]:
    """V413: what is written once under a key is there once."""
    first: dict[str, Placed] = {}
    for one in shelf.placed:
        if one.record.dedupe is not None:
            known = first.setdefault(one.record.dedupe, one)
            if known.record.id != one.record.id:
                message = f"the dedupe key {one.record.dedupe} is that of {known.record.id} in {known.path}"
                yield _broken("V413", one, message, severity="warning")


def corrections_name_events(shelf: Shelf) -> Iterator[Violation]:
    """V414: what a record corrects is an event of the same entity."""
    for one in shelf.placed:
        if one.record.corrects is None:
            continue
        wrong = shelf.by_id.get(one.record.corrects)
        if one.record.corrects == one.record.id:
            yield _broken("V414", one, "it corrects itself")
        elif wrong is None or wrong.key is not None or wrong.entity != one.record.entity:
            yield _broken("V414", one, f"{one.record.corrects} is no event of {one.record.entity}")
