"""Verbs that read records: nothing that writes is loaded for them."""

from argparse import Namespace

from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.reaching import opened_sidecar, start_of
from vaultd.cli.visible import visible
from vaultd.errors import UsageError
from vaultd.judging.opened import opened_vault
from vaultd.judging.records.located import Located
from vaultd.lifecycle.records.values import Slot
from vaultd.search.documents import Reviewed, document, drafts, entities, history, timeline, unseen, why
from vaultd.state.cursors import advance, cursor_of
from vaultd.values import asdict


def review_list(asked: Namespace) -> Outcome:
    """List drafts."""
    with opened_vault(start_of(asked.vault)) as opened:
        found = [one for one in drafts(opened) if asked.all or one.standing in ("pending", "stale")]
    rows = [_row(one.draft) | {"standing": one.standing} for one in found]
    return Outcome({"vaultd": 1, "drafts": rows}, tuple(_line(one) for one in found))


def read_document(asked: Namespace) -> Outcome:
    """Print what holds of an entity."""
    with opened_vault(start_of(asked.vault)) as opened:
        found = document(opened, asked.entity, asked.collection, "draft" if asked.drafts else "active")
    rows = [_row(one.located) | {"forked": one.forked} for one in found if not one.retracted]
    gone = [_row(one.located) for one in found if one.retracted]
    lines = [
        f"{one.located.record.collection} · {visible(one.located.record.key)}: {_text(one.located)}"
        + ("  (forked)" if one.forked else "")
        + _mark(one.located)
        for one in found
        if not one.retracted
    ]
    return Outcome(
        {"vaultd": 1, "entity": asked.entity, "beliefs": rows, "retractions": gone},
        tuple(lines),
        talk=() if found else _nothing(asked.entity),
    )


def read_history(asked: Namespace) -> Outcome:
    """Print everything that was ever written in a slot."""
    with opened_vault(start_of(asked.vault)) as opened:
        found = history(opened, Slot(asked.collection.partition("@")[0], asked.entity, asked.key))
    slot = f"{asked.collection} · {asked.entity} · {asked.key}"
    return _listed("versions", found, _handed_over(found), of=slot)


def read_timeline(asked: Namespace) -> Outcome:
    """Print the events of an entity."""
    with opened_vault(start_of(asked.vault)) as opened:
        found = timeline(opened, asked.entity, asked.collection, asked.type, corrected=asked.all)
    return _listed("events", found[: asked.limit], of=asked.entity)


def read_entities(asked: Namespace) -> Outcome:
    """List the entities of which something is remembered."""
    with opened_vault(start_of(asked.vault)) as opened:
        found = entities(opened)
    lines = (f"{visible(one.entity)}  {one.collection}: {one.slots} answers, {one.events} events" for one in found)
    return Outcome({"vaultd": 1, "entities": [asdict(one) for one in found]}, tuple(lines))


def read_delta(asked: Namespace) -> Outcome:
    """Print what a consumer was not given yet, and with --advance or --done remember what was."""
    start = start_of(asked.vault)
    scope = f"{asked.entity or 'all entities'} in {', '.join(sorted(asked.collection)) or 'all collections'}"
    with opened_sidecar(start) as sidecar, opened_vault(start) as opened:
        cursor = cursor_of(sidecar.options, asked.consumer, scope)
        found = unseen(opened, cursor.seen, asked.entity, asked.collection)
        if asked.done:
            given = cursor.seen | {one.record.id for one in found}
            if unknown := [id_ for id_ in asked.done if id_ not in given]:
                raise UsageError(
                    f"no record for {asked.consumer} is {unknown[0]!r}", "whole ids, as delta printed them"
                )
            cursor = advance(sidecar.options, asked.consumer, scope, frozenset(asked.done))
            found = [one for one in found if one.record.id not in cursor.seen]
        shown = found[: asked.limit]
        if asked.advance:
            cursor = advance(sidecar.options, asked.consumer, scope, frozenset(one.record.id for one in shown))
    outcome = _listed("records", shown)
    more = {"consumer": asked.consumer, "scope": scope, "seen": len(cursor.seen), "left": len(found) - len(shown)}
    return Outcome({**outcome.document, **more}, outcome.lines)


def read_why(asked: Namespace) -> Outcome:
    """Print what a record rests on."""
    with opened_vault(start_of(asked.vault)) as opened:
        record, depth, found = why(opened, asked.ref)
    rows = [
        {"below": one.below, "id": one.id, "there": one.located is not None}
        | (_row(one.located) if one.located else {})
        for one in found
    ]
    lines = [f"{record.record.id}  {visible(record.record.label)}: {_text(record)}{_mark(record)}"]
    lines += [
        "  " * one.below
        + (
            f"{one.id}  {visible(one.located.record.label)}: {_text(one.located)}{_mark(one.located)}"
            if one.located
            else f"{one.id}  gone"
        )
        for one in found
    ]
    return Outcome({"vaultd": 1, "record": _row(record), "depth": depth, "evidence": rows}, tuple(lines))


def _nothing(of: str) -> tuple[str, ...]:
    return (f"vaultd: nothing is remembered of {visible(of)}; vaultd entities lists what there is",)


def _handed_over(found: list[Located]) -> set[str]:
    """Return what a record of its slot and lane supersedes: the successor decides, whatever the stamp tells."""
    lanes = {one.record.id: one.record.status for one in found}
    return {old for one in found for old in one.record.supersedes if lanes.get(old) == one.record.status}


def _listed(name: str, found: list[Located], superseded: set[str] | None = None, *, of: str = "") -> Outcome:
    rows = [_row(one) | ({} if superseded is None else {"state": _state(one, superseded)}) for one in found]
    lines = (
        f"{row['created']}  {row['state']:<10}  {row['id']}  {_text(one)}{_mark(one)}"
        for row, one in zip(rows, found, strict=True)
    )
    return Outcome({"vaultd": 1, name: rows}, tuple(lines), talk=_nothing(of) if of and not found else ())


def _state(one: Located, superseded: set[str] | None = None) -> str:
    record = one.record
    if record.status == "draft":
        return record.stamps.review if record.stamps.superseded_by is None else "superseded"
    if record.retracted:
        return "retracted"
    over = record.stamps.superseded_by is not None if superseded is None else record.id in superseded
    return "superseded" if over else "active"


def _text(one: Located) -> str:
    return one.record.text.partition("\n")[0]


def _mark(one: Located) -> str:
    return f"  [rejected: {one.rejected}]" if one.rejected else ""


def _row(one: Located) -> Document:
    record = one.record
    return {
        "id": record.id,
        "path": one.path,
        "line": one.line,
        "collection": record.contract,
        "entity": record.entity,
        "key": record.key,
        "type": record.type,
        "status": record.status,
        "state": _state(one),
        "created": record.created,
        "occurred": record.occurred,
        "text": record.text,
        "content": dict(record.content),
        "supersedes": list(record.supersedes),
        "superseded_by": record.stamps.superseded_by,
        "corrects": record.corrects,
        "derived_from": list(record.derived_from),
        "sources": list(record.sources),
        "reason": record.reason,
        "rejected": one.rejected or None,
    }


def _line(one: Reviewed) -> str:
    draft = one.draft.record
    return f"{one.standing:<10}  {draft.id}  {visible(draft.label)}: {_text(one.draft)}{_mark(one.draft)}"
