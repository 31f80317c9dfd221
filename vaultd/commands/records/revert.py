"""Put back what records first said: the way back from a hand edit, whether a commit holds it by now or not."""

from collections.abc import Mapping
from shlex import quote

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out, put_back
from vaultd.commands.recorded import entries_of, is_recorded
from vaultd.errors import RejectedError, UsageError
from vaultd.history.repository import head_quick
from vaultd.judging.opened import Opened
from vaultd.judging.records.files import Placed, find_record, placed_at
from vaultd.judging.records.first import first_lines, first_text, in_line
from vaultd.judging.records.seals import seals_at
from vaultd.lifecycle.changesets import Changeset, Write, changed, digest
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.records.places import slot_place_of
from vaultd.lifecycle.records.seals import Seal, differing
from vaultd.lifecycle.records.values import PASSED_THROUGH, Record
from vaultd.notes.frontmatter import remove_value, set_value
from vaultd.notes.note import parse

_STAMPS = ("invalid_at", "superseded_by", "review", "review_reason")
_READERS = (*sorted(PASSED_THROUGH), "sources")


def revert_record(opened: Opened, asked: Asked, path: str) -> Done:
    """Give a file the records that history knows of it, as they first were; stamps and a reader's own keys stay.

    Raises:
        UsageError: nothing in it was edited.
        RejectedError: no commit holds what it said.
    """
    opened.require_started()
    head = head_quick(opened.recorded) or ""
    known = {id_: seal for id_, seal in seals_at(opened, head).items() if seal.path == path}
    wanted = _lines(opened, path, known) if path.endswith(".jsonl") else _file(opened, head, path, known)
    if wanted is None:
        raise UsageError(f"no record in {path} was edited or is gone", "vaultd check names those that were")
    id_, at, after = wanted
    write = Write(at, opened.read(at), after)
    entry = entries_of(opened, head, [at]).get(at)
    if is_recorded(opened, entry, at, after):  # HEAD says what it first said: the file alone is wrong
        put_back(opened, [write], asked)
        moved = bool(changed([write]))
        plan = (f"write {at}",) if moved and asked.dry_run else ()
        event = "reverted" if moved else None
        return Done(event, id_, at, digest(after), paths=(at,) if moved else (), plan=plan)
    changeset = Changeset(
        f"record: revert {at.rpartition('/')[2]}",
        (Event("reverted", id_, at),),
        (write,),
        completes=frozenset(known),
    )
    return carry_out(opened, changeset, asked)


def _file(opened: Opened, head: str, path: str, known: Mapping[str, Seal]) -> tuple[str, str, bytes] | None:
    """Return the id of the record that comes back, where it lies, and its file; None where nothing is amiss."""
    data = opened.read(path)
    found = placed_at(path, data) if data is not None else None
    here = found.record if isinstance(found, Placed) else None
    stored = _stored(opened, head, path)
    for id_, seal in known.items():
        if here is not None and here.id == id_:
            if differing(seal, here) or (stored is not None and stored.record.stamps != here.stamps):
                return id_, path, _as_sealed(opened, id_, seal, stored, here)
        else:
            _refuse_elsewhere(opened, id_, path)
            place = slot_place_of(path, opened.settings.folders.records)
            taken = here is not None and here.id in known and place is not None
            return id_, place.past(id_) if taken and place else path, _as_sealed(opened, id_, seal, stored, None)
    return None


def _stored(opened: Opened, head: str, path: str) -> Placed | None:
    entry = entries_of(opened, head, [path]).get(path)
    data = opened.fold.blobs.data(path, entry.oid) if entry is not None else None
    found = placed_at(path, data) if data is not None else None
    return found if isinstance(found, Placed) else None


def _refuse_elsewhere(opened: Opened, id_: str, path: str) -> None:
    """Refuse to write a record again that lies somewhere else now.

    Raises:
        UsageError: with what moves it back.
    """
    try:
        lies = find_record(opened, id_).path
    except UsageError:
        return
    raise UsageError(f"{id_} lies in {lies} now", f"mv {quote(lies)} {quote(path)}")


def _as_sealed(opened: Opened, id_: str, seal: Seal, stored: Placed | None, here: Record | None) -> bytes:
    """Return the file that said what was sealed, with the stamps of HEAD and the keys that a reader gave it since."""
    data = first_text(opened, seal)
    if data is None:
        raise RejectedError(f"no commit holds what {seal.path} said", "look for it with: git log --all -- PATH")
    if stored is not None and stored.record.id == id_:
        data = _with(data, stored.data, _STAMPS)
    if here is not None:
        data = _with(data, opened.read(seal.path) or b"", _READERS)
    return data


def _with(data: bytes, other: bytes, keys: tuple[str, ...]) -> bytes:
    """Return a file with some of its properties as another file has them."""
    values = parse(other).properties
    for key in keys:
        if key not in values:
            data = remove_value(data, key)
        elif parse(data).properties.get(key) != values[key]:
            data = set_value(data, key, values[key])
    return data


def _lines(opened: Opened, path: str, known: Mapping[str, Seal]) -> tuple[str, str, bytes] | None:
    """Return the id of the first line that comes back, the file, and its bytes; None where nothing is amiss."""
    data = opened.read(path) or b""
    kept: list[bytes] = []
    wanted = dict(known)
    for line in data.split(b"\n"):
        record = in_line(line)
        if record is None or record.id not in known:
            kept += [line] if line.strip() else []
        elif not differing(known[record.id], record):
            kept.append(line)
            wanted.pop(record.id, None)
    if not wanted:
        return None
    back = first_lines(opened, path, wanted)
    if lost := wanted.keys() - back.keys():
        raise RejectedError(f"no commit holds {', '.join(sorted(lost))}", f"git log --all -p -- {quote(path)}")
    lines = sorted([*kept, *back.values()], key=_order)
    return min(back), path, b"\n".join(lines) + b"\n"


def _order(line: bytes) -> tuple[str, str]:
    record = in_line(line)
    return record.order if record is not None else ("~", "")
