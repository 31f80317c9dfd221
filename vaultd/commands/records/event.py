"""Remember something that happened: an event has no key, and nothing takes its place."""

from vaultd.catalog.definitions import Store
from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.records.desk import Desk
from vaultd.commands.records.wanted import Wanted, made
from vaultd.errors import ConflictError, UsageError
from vaultd.judging.opened import Opened
from vaultd.judging.records.files import Placed, placed_in
from vaultd.lifecycle.changesets import digest
from vaultd.lifecycle.records.envelope import record_line
from vaultd.lifecycle.records.places import event_path, lines_path
from vaultd.lifecycle.records.values import Record


def observe(opened: Opened, asked: Asked, wanted: Wanted, *, store: Store | None = None, reason: str = "") -> Done:
    """Write an event; one with a dedupe key that was written already changes nothing.

    Raises:
        UsageError: it has a key, or a name or value that no record may have.
        ConflictError: its dedupe key belongs to another event.
    """
    opened.require_started()
    desk = Desk(opened, asked)
    record, path = put_event(desk, wanted, store)
    if not desk.events:
        return Done(None, record.id, path, digest(desk.read(path) or b""))
    return carry_out(opened, desk.changeset(f"record: observe {record.label}", reason), asked)


def put_event(desk: Desk, wanted: Wanted, store: Store | None = None) -> tuple[Record, str]:
    """Put an event on the desk; where its dedupe key is known, return what was written under it."""
    if wanted.key is not None:
        raise UsageError("an event has no key", "vaultd record set answers a slot")
    record = made(desk, wanted)
    if (known := known_under(desk, record)) is not None:
        return known.record, known.path
    return record, write_event(desk, record, store or store_of(desk, record))


def store_of(desk: Desk, record: Record) -> Store:
    """Return where the collection of an event keeps it."""
    design = desk.lock.catalog.collections.get(record.contract)
    return design.store if design is not None else "file"


def write_event(desk: Desk, record: Record, store: Store) -> str:
    """Put an event into a file of its own, or at the end of its month's lines; return the path."""
    folder = desk.entity_folder(record.collection, record.entity)
    path = event_path(folder, record) if store == "file" else lines_path(folder, record)
    desk.tell("observed", record, path)
    if store == "file":
        desk.put_record(path, record)
    else:
        there = desk.lines(path)
        desk.put(path, there + (b"" if there.endswith(b"\n") or not there else b"\n") + record_line(record))
    return path


def known_under(desk: Desk, record: Record) -> Placed | None:
    """Return the record that was written under the same dedupe key already, None where there is none.

    Raises:
        ConflictError: it says something else.
    """
    known = _written_under(desk, record.dedupe) if record.dedupe is not None else None
    if known is None:
        return None
    there = known.record
    same = there.means_the_same(record) and (there.collection, there.entity) == (record.collection, record.entity)
    if not same or there.key != record.key or there.derived_from != record.derived_from:
        raise ConflictError(
            f"the dedupe key {record.dedupe} belongs to {there.id}, which says something else", "use a key of its own"
        )
    return known


def _written_under(desk: Desk, dedupe: str) -> Placed | None:
    for path in (*desk.put_down(), *desk.written_under(dedupe)):
        for one in placed_in(path, desk.read(path) or b""):
            if one.record.dedupe == dedupe:
                return one
    return None
