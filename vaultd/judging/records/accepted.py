"""Records as they count: of one that was edited by hand the text on disk is shown, and what it first said decides.

So an editor, or a commit past the hook, makes no draft an answer, brings no retracted answer back, and moves no record to
another slot. Looking costs little where nothing was edited: the files are compared with HEAD, and HEAD with what is kept
of it.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence

from vaultd.history.repository import head_quick
from vaultd.history.trees import Trees
from vaultd.judging.opened import Opened
from vaultd.judging.records.broken import broken_at
from vaultd.judging.records.files import lies_indexed
from vaultd.judging.records.first import first_records
from vaultd.judging.records.located import Located
from vaultd.judging.records.seals import holds_records, seals_at
from vaultd.lifecycle.records.rules import counting
from vaultd.lifecycle.records.seals import Seal, differing
from vaultd.lifecycle.records.values import Record
from vaultd.values import replace

EDITED = "V402"


def accepted(opened: Opened, found: Sequence[Located], folders: Sequence[str] = ()) -> list[Located]:
    """Return records as they count, those that are gone from these folders too; without folders from all of records.

    Args:
        opened: the vault.
        found: what lies on disk.
        folders: where it was looked for.
    """
    head = head_quick(opened.recorded) if opened.judged else None
    if head is None:
        return list(found)
    looked = [one.rstrip("/") for one in folders] or [opened.settings.folders.records]
    if _as_head_holds(opened, head, found, looked):
        return list(found)
    return as_sealed(opened, found, seals_at(opened, head), looked)


def as_sealed(
    opened: Opened, found: Sequence[Located], seals: Mapping[str, Seal], folders: Sequence[str]
) -> list[Located]:
    """Return records as they count, measured on what history knows of each."""
    declared = _declared(opened)
    edits = [_edits(one, seals.get(one.record.id), declared) for one in found]
    gone = _gone(opened, seals, {one.record.id for one in found}, folders)
    ids = (one.record.id for one, changed in zip(found, edits, strict=True) if "" in changed)
    firsts = first_records(opened, {id_: seals[id_] for id_ in ids} | gone)
    kept = [
        replace(one, record=_decided_by(one.record, changed, firsts), rejected=EDITED) if changed else one
        for one, changed in zip(found, edits, strict=True)
    ]
    left = (Located(gone[id_].path, 0, first, rejected=EDITED) for id_, first in firsts.items() if id_ in gone)
    return [*kept, *left]


def line_marks(opened: Opened) -> Callable[[str, Record], str]:
    """Return what says of a record, kept as a line of a file, which rule an edit of it breaks; files are looked at once."""
    head = head_quick(opened.recorded) if opened.judged else None
    if head is None:
        return lambda _path, _record: ""
    trees = Trees(opened.recorded, opened.objects)
    broken = {*broken_at(opened, head).values()}
    plain: dict[str, bool] = {}

    def mark(path: str, record: Record) -> str:
        if path not in plain:
            item = trees.items(head, [full := opened.recorded.full(path)])[full]
            same = item is not None and item.oid == opened.blob_id(opened.read(path) or b"")
            plain[path] = same and path not in broken
        seal = None if plain[path] else seals_at(opened, head).get(record.id)
        return EDITED if seal is not None and counting(_declared(opened), record, differing(seal, record)) else ""

    return mark


def _declared(opened: Opened) -> Mapping[str, frozenset[str]]:
    from vaultd.judging.designs import closed  # noqa: PLC0415  -- it loads YAML, and hardly ever is anything edited

    return closed(opened)


def _edits(one: Located, seal: Seal | None, declared: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    if seal is None or (one.blob and one.blob == seal.blob):
        return ()
    return counting(declared, one.record, differing(seal, one.record))


def _decided_by(now: Record, changed: Container[str], firsts: Mapping[str, Record]) -> Record:
    """Return a record with the text of today and the envelope that it was first committed with, where that was edited."""
    if "" not in changed or now.id not in firsts:
        return now
    first = firsts[now.id]
    said = replace(first, text=now.text, content=now.content, sources=now.sources, reason=now.reason)
    return replace(said, stamps=now.stamps)


def _gone(opened: Opened, seals: Mapping[str, Seal], there: Container[str], folders: Sequence[str]) -> dict[str, Seal]:
    """Return the records whose file or line left: nobody answers for them, and what they superseded stays superseded."""
    records = opened.settings.folders.records
    tops = tuple(f"{folder}/" for folder in folders)
    left = {
        id_: seal
        for id_, seal in seals.items()
        if id_ not in there and seal.path.startswith(f"{records}/") and seal.path.startswith(tops)
    }
    if records in folders:
        return left  # everything was looked at
    return {id_: seal for id_, seal in left.items() if not lies_indexed(opened, id_)}


def _as_head_holds(opened: Opened, head: str, found: Sequence[Located], folders: Sequence[str]) -> bool:
    """Return whether files are what HEAD holds, and HEAD what was first committed: nearly always."""
    broken = broken_at(opened, head)
    tops = tuple(f"{folder}/" for folder in folders)
    if any(one.record.id in broken for one in found) or any(path.startswith(tops) for path in broken.values()):
        return False
    held = held_in(
        opened, Trees(opened.recorded, opened.objects), head, {*folders, *(_above(one.path) for one in found)}
    )
    blobs = {one.path: one.blob for one in found}
    for path, blob in blobs.items():
        if held.get(path) != (blob or opened.blob_id(opened.read(path) or b"")):
            return False
    review = opened.settings.folders.review + "/"  # whoever throws a draft away leaves nothing behind
    return all(path in blobs or path.startswith(review) for path in held if path.startswith(tops))


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def held_in(opened: Opened, trees: Trees, head: str, folders: Iterable[str]) -> dict[str, str]:
    """Return the files with records that HEAD holds in folders and below them, to their blobs."""
    found: dict[str, str] = {}
    asked = {*folders}
    for folder in sorted(asked):
        if not any(folder.startswith(f"{above}/") for above in asked):
            for full, item in trees.below(head, opened.recorded.full(folder)).items():
                path = next(opened.recorded.inside([full]), "")
                if holds_records(opened, path):
                    found[path] = item.oid
    return found
