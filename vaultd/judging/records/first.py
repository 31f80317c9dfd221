"""What a record said when it was first committed, from git."""

from collections.abc import Iterator, Mapping

from vaultd.history.snapshots import entries_at
from vaultd.judging.opened import Opened
from vaultd.judging.records.files import Placed, placed_at
from vaultd.lifecycle.records.envelope import lines_of
from vaultd.lifecycle.records.seals import Seal, differing
from vaultd.lifecycle.records.values import Record


def first_text(opened: Opened, seal: Seal) -> bytes | None:
    """Return the last committed file of a record that said what it said first; None where git has it no more."""
    return opened.fold.blobs.data(seal.path, seal.blob) if seal.blob else None


def first_records(opened: Opened, wanted: Mapping[str, Seal]) -> dict[str, Record]:
    """Return records by id as they were first committed; what git has no more is left out. A file is gone through once."""
    found: dict[str, Record] = {}
    lines: dict[str, dict[str, Seal]] = {}
    for id_, seal in wanted.items():
        if seal.path.endswith(".jsonl"):
            lines.setdefault(seal.path, {})[id_] = seal
    files = [(seal.path, seal.blob) for seal in wanted.values() if seal.blob]
    for path, _, data, _ in opened.fold.blobs.versions(files):
        if isinstance(one := placed_at(path, data), Placed):
            found[one.record.id] = one.record
    for path, inside in lines.items():
        for id_, line in first_lines(opened, path, inside).items():
            if (record := in_line(line)) is not None:
                found[id_] = record
    return found


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
