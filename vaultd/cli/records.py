"""Verbs about records; each is one call of a command and one document."""

import sys
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

from vaultd.app import App
from vaultd.cli.change import asked_of, body_of, change, seen_by_daemon, time_of
from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.reaching import opened_app, opened_sidecar, start_of
from vaultd.cli.visible import visible
from vaultd.commands.asking import Asked, Done
from vaultd.commands.catalog_publish import publish_catalog
from vaultd.commands.record_apply import apply_records
from vaultd.commands.record_approve import approve_records
from vaultd.commands.record_correct import correct_record
from vaultd.commands.record_event import observe
from vaultd.commands.record_merge import merge_records
from vaultd.commands.record_reject import reject_record
from vaultd.commands.record_retract import retract_record
from vaultd.commands.record_set import propose_record, set_record
from vaultd.commands.record_wanted import Wanted
from vaultd.commands.turns import turn
from vaultd.errors import UsageError
from vaultd.judging.designs import catalog_files, contents, declared, in_force, would_change
from vaultd.judging.record_located import Located
from vaultd.lifecycle.records.values import Slot
from vaultd.notes.scalars import Value, resolve
from vaultd.notes.times import render
from vaultd.search.documents import Reviewed, document, drafts, entities, history, timeline, unseen, why
from vaultd.state.cursors import advance, cursor_of


def set_(asked: Namespace) -> Outcome:
    """Answer a slot, or propose an answer."""
    body = body_of(asked)
    run = propose_record if asked.draft else set_record
    return change(asked, lambda app, how: run(app.opened, how, _wanted(asked, app, how, body), reason=asked.reason))


def event(asked: Namespace) -> Outcome:
    """Remember something that happened, or propose to."""
    body = body_of(asked)

    def run(app: App, how: Asked) -> Done:
        wanted = _wanted(asked, app, how, body)
        if asked.draft:
            return propose_record(app.opened, how, wanted, reason=asked.reason)
        return observe(app.opened, how, wanted, store=asked.store, reason=asked.reason)

    return change(asked, run)


def retract(asked: Namespace) -> Outcome:
    """Empty a slot."""
    slot = Slot(asked.collection.partition("@")[0], asked.entity, asked.key)
    return change(
        asked,
        lambda app, how: retract_record(app.opened, how, slot, expect_head=asked.expect_head, reason=asked.reason),
    )


def correct(asked: Namespace) -> Outcome:
    """Say how an event really was."""
    body = body_of(asked)
    return change(asked, lambda app, how: correct_record(app.opened, how, asked.ref, body, reason=asked.reason))


def apply(asked: Namespace) -> Outcome:
    """Write a batch."""
    try:
        text = sys.stdin.read() if asked.file == "-" else Path(asked.file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise UsageError(
            f"{asked.file} cannot be read: {exc}", "a UTF-8 file of JSON lines, or - for standard input"
        ) from exc
    return change(asked, lambda app, how: apply_records(app.opened, how, text, reason=asked.reason))


def merge(asked: Namespace) -> Outcome:
    """Resolve what git left in conflict among records."""
    start = start_of(asked.vault)
    with opened_app(start) as app:
        how = asked_of(asked)
        with turn(app.opened, how) as recovered:
            done = merge_records(app.opened, how)
    seen = seen_by_daemon(start, () if how.dry_run else done.resolved)
    word = "would resolve" if how.dry_run else "resolved"
    lines = [f"{word}: {path}" for path in done.resolved]
    lines += [f"left: {path}: no records on both sides, or not the same one" for path in done.left]
    open_ = (*done.left, *done.others)
    then = "mend the rest, git add it, and git commit" if open_ else "git commit ends the merge"
    document = {"vaultd": 1, **asdict(done), "notices": list(recovered), **seen}
    return Outcome(document, tuple(lines), int(bool(done.left)), talk=(*recovered, f"vaultd: {then}"))


def review_list(asked: Namespace) -> Outcome:
    """List drafts."""
    with opened_app(start_of(asked.vault)) as app:
        found = [one for one in drafts(app.opened) if asked.all or one.standing in ("pending", "stale")]
    rows = [_row(one.draft) | {"standing": one.standing} for one in found]
    return Outcome({"vaultd": 1, "drafts": rows}, tuple(_line(one) for one in found))


def approve(asked: Namespace) -> Outcome:
    """Make drafts count."""
    return change(asked, lambda app, how: approve_records(app.opened, how, asked.refs, reason=asked.reason))


def reject(asked: Namespace) -> Outcome:
    """Turn a draft down."""
    return change(asked, lambda app, how: reject_record(app.opened, how, asked.ref, reason=asked.reason))


def catalog_check(asked: Namespace) -> Outcome:
    """Say what is wrong with the catalog, and what publishing it would change."""
    with opened_app(start_of(asked.vault)) as app:
        catalog = declared(catalog_files(app.opened))
        changes = would_change(app.opened, catalog) if catalog.sound else []
    problems = [str(problem) for problem in catalog.problems]
    blocked = not catalog.sound or any(change.blocker for change in changes)
    told = [f"{c.effect}: {c.name}: {c.what}{'; refused: ' + c.blocker if c.blocker else ''}" for c in changes]
    answer: Document = {
        "vaultd": 1,
        "publishable": not blocked,
        "problems": [asdict(problem) for problem in catalog.problems],
        "changes": [asdict(change) for change in changes],
    }
    return Outcome(answer, (*problems, *told) or ("nothing to publish",), code=int(blocked))


def catalog_publish(asked: Namespace) -> Outcome:
    """Put the catalog in force."""
    return change(asked, lambda app, how: publish_catalog(app.opened, how, reason=asked.reason))


def catalog_prune(asked: Namespace) -> Outcome:
    """Say which versions no record needs."""
    with opened_app(start_of(asked.vault)) as app:
        lock = in_force(app.opened)
        stored = contents(app.opened)
    old = [one for one in lock.catalog.collections.values() if not one.active]
    rows: list[Document] = [
        {"name": one.contract_name, "records": (count := len(stored.get(one.contract_name, []))), "needed": count > 0}
        for one in old
    ]
    lines = (f"{row['name']}: {row['records']} records" + ("" if row["needed"] else ", can go") for row in rows)
    return Outcome({"vaultd": 1, "versions": rows}, tuple(lines))


def read_document(asked: Namespace) -> Outcome:
    """Print what holds of an entity."""
    with opened_app(start_of(asked.vault)) as app:
        found = document(app.opened, asked.entity, asked.collection, "draft" if asked.drafts else "active")
    rows = [_row(one.located) | {"forked": one.forked} for one in found if not one.retracted]
    gone = [_row(one.located) for one in found if one.retracted]
    lines = [
        f"{one.located.record.collection} · {visible(one.located.record.key)}: {_text(one.located)}"
        + ("  (forked)" if one.forked else "")
        + _mark(one.located)
        for one in found
        if not one.retracted
    ]
    return Outcome({"vaultd": 1, "entity": asked.entity, "beliefs": rows, "retractions": gone}, tuple(lines))


def read_history(asked: Namespace) -> Outcome:
    """Print everything that was ever written in a slot."""
    with opened_app(start_of(asked.vault)) as app:
        found = history(app.opened, Slot(asked.collection.partition("@")[0], asked.entity, asked.key))
    return _listed("versions", found, _handed_over(found))


def read_timeline(asked: Namespace) -> Outcome:
    """Print the events of an entity."""
    with opened_app(start_of(asked.vault)) as app:
        found = timeline(app.opened, asked.entity, asked.collection, asked.type, corrected=asked.all)
    return _listed("events", found[: asked.limit])


def read_entities(asked: Namespace) -> Outcome:
    """List the entities of which something is remembered."""
    with opened_app(start_of(asked.vault)) as app:
        found = entities(app.opened)
    lines = (f"{visible(one.entity)}  {one.collection}: {one.slots} answers, {one.events} events" for one in found)
    return Outcome({"vaultd": 1, "entities": [asdict(one) for one in found]}, tuple(lines))


def read_delta(asked: Namespace) -> Outcome:
    """Print what a consumer was not given yet, and with --advance or --done remember what was."""
    start = start_of(asked.vault)
    scope = f"{asked.entity or 'all entities'} in {', '.join(sorted(asked.collection)) or 'all collections'}"
    with opened_sidecar(start) as sidecar, opened_app(start) as app:
        cursor = cursor_of(sidecar.options, asked.consumer, scope)
        found = unseen(app.opened, cursor.seen, asked.entity, asked.collection)
        if asked.done:
            given = cursor.seen | {one.record.id for one in found}
            if unknown := [id_ for id_ in asked.done if id_ not in given]:
                raise UsageError(f"no record for {asked.consumer} is {unknown[0]!r}", "whole ids, as delta printed them")
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
    with opened_app(start_of(asked.vault)) as app:
        record, depth, found = why(app.opened, asked.ref)
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


def _handed_over(found: list[Located]) -> set[str]:
    """Return what a record of its slot and lane supersedes: the successor decides, whatever the stamp tells."""
    lanes = {one.record.id: one.record.status for one in found}
    return {old for one in found for old in one.record.supersedes if lanes.get(old) == one.record.status}


def _listed(name: str, found: list[Located], superseded: set[str] | None = None) -> Outcome:
    rows = [_row(one) | ({} if superseded is None else {"state": _state(one, superseded)}) for one in found]
    lines = (
        f"{row['created']}  {row['state']:<10}  {row['id']}  {_text(one)}{_mark(one)}"
        for row, one in zip(rows, found, strict=True)
    )
    return Outcome({"vaultd": 1, name: rows}, tuple(lines))


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


def _wanted(asked: Namespace, app: App, how: Asked, body: str) -> Wanted:
    occurred = time_of(app, asked.occurred, how.now)
    design = in_force(app.opened).catalog.resolve(asked.collection) if asked.property else None
    texts = design.texts if design is not None else frozenset[str]()
    return Wanted(
        collection=asked.collection,
        entity=asked.entity,
        type=asked.type,
        text=body,
        key=getattr(asked, "key", None),
        occurred=render(occurred) if occurred is not None else None,
        content=dict(_property(text, texts) for text in asked.property),
        derived_from=tuple(dict.fromkeys(asked.derived_from)),
        sources=tuple(dict.fromkeys(asked.source)),
        dedupe=asked.dedupe,
        expect_head=getattr(asked, "expect_head", ""),
    )


def _property(text: str, texts: frozenset[str]) -> tuple[str, Value]:
    """Return a property as YAML would read it; one that its collection declares as text is text, `1` and `yes` too."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise UsageError(f"{text!r} is no property", "--property KEY=VALUE")
    return key, value if key in texts else resolve(value)
