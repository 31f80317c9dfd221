"""Make a hand edit of a slot's answer its successor: the old bytes come from git, the edited file gets an id of its own."""

from shlex import quote

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.records.desk import Desk
from vaultd.errors import ConflictError, RejectedError, UsageError
from vaultd.judging.opened import Opened
from vaultd.judging.records.files import Placed, placed_at
from vaultd.lifecycle.changesets import digest
from vaultd.lifecycle.records.envelope import Misread, stamped
from vaultd.lifecycle.records.places import is_head_path
from vaultd.lifecycle.records.seals import Seal, differing, pieces_of
from vaultd.lifecycle.records.values import Record, Slot
from vaultd.notes.frontmatter import remove_value, set_value


def adopt_record(opened: Opened, asked: Asked, path: str) -> Done:
    """Record the edit of a slot's answer; one that touched nothing that was remembered is no new record.

    Raises:
        UsageError: it is not the answer of a slot.
        RejectedError: it was never committed, cannot be read, or moved to another slot.
        ConflictError: the slot has another answer.
    """
    opened.require_started()
    if not is_head_path(path, opened.settings.folders.records):
        raise UsageError(f"{path} is not the answer of a slot", "vaultd record correct says how an event really was")
    desk = Desk(opened, asked)
    edited = _now(desk, path)
    old = _before(desk, path, edited.record)
    desk.completes.add(old.record.id)
    slot = old.record.slot
    if slot is None or edited.record.slot != slot:
        raise RejectedError(
            f"V402 {path}: its slot was edited", f"git restore {quote(path)}; record set answers another"
        )
    if edited.record.id != old.record.id:
        raise RejectedError(f"V402 {path}: its id was edited", f"write id: {old.record.id} again")
    if not differing(Seal(path, pieces_of(old.record)), edited.record):
        return Done(None, old.record.id, path, digest(edited.data))
    _put(desk, slot, edited, old)
    return carry_out(opened, desk.changeset(f"record: adopt {old.record.label}"), asked)


def _put(desk: Desk, slot: Slot, edited: Placed, old: Placed) -> None:
    there = desk.slot(slot)
    if there.lane().ids != (old.record.id,):
        raise ConflictError(f"{slot.label} has another answer, or several", "git restore the file, and set the slot")
    new_id = desk.asked.new_id()
    data = set_value(set_value(edited.data, "id", new_id), "created", desk.at)
    data = set_value(data, "supersedes", old.record.id)
    if edited.record.derived_from == old.record.derived_from:
        data = remove_value(data, "derived_from")  # whoever edited it cites nothing
    for key in ("invalid_at", "superseded_by", "dedupe", "run"):
        data = remove_value(data, key)
    past = there.place.past(old.record.id)
    desk.put(edited.path, data)
    desk.put(past, stamped(old.data, {"invalid_at": desk.at, "superseded_by": new_id}))
    successor = _read(edited.path, data)
    desk.tell("adopted", successor.record, edited.path)
    desk.tell("superseded", old.record, past, new_id)


def _now(desk: Desk, path: str) -> Placed:
    data = desk.read(path)
    if data is None:
        raise UsageError(f"{path} is not there", f"git restore {quote(path)}; vaultd record retract empties a slot")
    return _read(path, data)


def _before(desk: Desk, path: str, edited: Record) -> Placed:
    """Return what the record said before the edit, which a commit may hold by now."""
    seal = desk.sealed.of(edited)
    known = seal is not None and seal.changed and seal.path == path and seal.blob
    data = desk.opened.fold.blobs.data(path, seal.blob) if seal is not None and known else desk.stored(path)
    if data is None:
        raise RejectedError(
            f"{path} was never committed: there is nothing that it could succeed", "git add and commit it"
        )
    return _read(path, data)


def _read(path: str, data: bytes) -> Placed:
    found = placed_at(path, data)
    if isinstance(found, Misread):
        raise RejectedError(f"V403 {path}: {found.key} {found.what}", f"git restore {quote(path)}")
    return found
