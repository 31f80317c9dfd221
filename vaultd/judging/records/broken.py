"""Which records a commit holds in another wording than their first; asked for at every reading, so kept in a few bytes."""

import json
from collections.abc import Iterable, Mapping

from vaultd.history.walk import Commit, walk
from vaultd.judging.folding import explained_in
from vaultd.judging.opened import Opened
from vaultd.judging.records.first import in_line
from vaultd.judging.records.seals import holds_records, leads_to, lines_in, records_in, seals_at
from vaultd.lifecycle.records.seals import Pieces, pieces_of

_NAME = "record-broken"
_FORMAT = 3


def broken_at(opened: Opened, head: str) -> Mapping[str, str]:
    """Return, by id, the path of every record that HEAD holds otherwise than it first was, or not any more."""
    known = _kept(opened, head)
    if known is not None and known[0] == head:
        return known[1]
    if known is not None and all(_quiet(opened, one, known[1]) for one in walk(opened.recorded, head, [known[0]])):
        broken = known[1]
    else:
        broken = {id_: seal.path for id_, seal in seals_at(opened, head).items() if seal.changed}
    opened.mirror.put(_NAME, json.dumps([_FORMAT, head, broken]))
    return broken


def _kept(opened: Opened, head: str) -> tuple[str, dict[str, str]] | None:
    text = opened.mirror.get(_NAME)
    if not text:
        return None
    form, at, broken = json.loads(text)
    return (at, broken) if form == _FORMAT and leads_to(opened, at, head) else None


def _quiet(opened: Opened, commit: Commit, broken: Mapping[str, str]) -> bool:
    """Return whether a commit left every record that it touched as it was: then nobody has to read all of history."""
    if len(commit.parents) != 1 or explained_in(commit.message).reverts:
        return False
    changes = [change for change in commit.changes[0] if holds_records(opened, change.path)]
    before, after = (
        _said(opened, ((c.path, c.before) for c in changes)),
        _said(opened, ((c.path, c.after) for c in changes)),
    )
    touched = {id_ for id_ in before.keys() | after.keys() if id_ in broken}
    return not touched and all(after.get(id_) == pieces for id_, pieces in before.items())


def _said(opened: Opened, versions: Iterable[tuple[str, str | None]]) -> dict[str, Pieces]:
    there = list(versions)
    found = {record.id: pieces_of(record) for record in records_in(opened, there).values()}
    for path, oid in there:
        if path.endswith(".jsonl"):
            for line in lines_in(opened, path, oid):
                if (record := in_line(line)) is not None:
                    found[record.id] = pieces_of(record)
    return found
