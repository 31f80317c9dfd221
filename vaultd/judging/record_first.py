"""What a record said when it was first committed, from git."""

from collections.abc import Iterator, Mapping

from vaultd.history.snapshots import entries_at
from vaultd.judging.opened import Opened
from vaultd.judging.record_files import Placed, placed_at
from vaultd.lifecycle.records.envelope import lines_of
from vaultd.lifecycle.records.seals import Seal, differing
from vaultd.lifecycle.records.values import Record


def first_text(opened: Opened, seal: Seal) -> bytes | None:
    """Return the last committed file of a record that said what it said first; None where git has it no more."""
    return opened.fold.blobs.data(seal.path, seal.blob) if seal.blob else None


def first_record(opened: Opened, id_: str, seal: Seal) -> Record | None:
    """Return a record as it was first committed, None where git has it no more."""
    if seal.path.endswith(".jsonl"):
        line = first_lines(opened, seal.path, {id_: seal}).get(id_)
        return in_line(line) if line is not None else None
    data = first_text(opened, seal)
    found = placed_at(seal.path, data) if data is not None else None
    return found.record if isinstance(found, Placed) else None


def first_lines(opened: Opened, path: str, wanted: Mapping[str, Seal]) -> dict[str, bytes]:
    """Return, by id, the lines of a file's history that say what was sealed."""
    found: dict[str, bytes] = {}
    for data in _versions(opened, path):
        for line in data.split(b"\n"):
            record = in_line(line)
            if record is not None and record.id in wanted and not differing(wanted[record.id], record):
                found.setdefault(record.id, line)
        if len(found) == len(wanted):
            break
    return found


def in_line(line: bytes) -> Record | None:
    """Return the record that a line holds, None where it holds none."""
    return next((one for _, one in lines_of(line) if isinstance(one, Record)), None)


def _versions(opened: Opened, path: str) -> Iterator[bytes]:
    repo = opened.recorded
    for commit in repo.git.text("rev-list", "--full-history", "HEAD", *repo.spec(path)).split():
        entry = entries_at(repo, commit, [path]).get(path)
        data = opened.fold.blobs.data(path, entry.oid) if entry is not None else None
        if data is not None:
            yield data
