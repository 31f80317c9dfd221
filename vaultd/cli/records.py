"""Verbs about records; each is one call of a command and one document."""

# ruff: noqa: PLC0415  -- a verb needs its own command, and importing them all takes as long as most of them

import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from vaultd.cli.change import asked_of, body_of, change, seen_by_daemon, time_of
from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.reaching import start_of
from vaultd.commands.asking import Asked, Done
from vaultd.commands.turns import turn
from vaultd.errors import UsageError
from vaultd.judging.designs import catalog_files, contents, declared, in_force, would_change
from vaultd.judging.opened import Opened, opened_vault
from vaultd.lifecycle.records.values import Slot
from vaultd.notes.scalars import Value, resolve
from vaultd.notes.times import render
from vaultd.values import asdict

if TYPE_CHECKING:
    from vaultd.commands.records.wanted import Wanted


def set_(asked: Namespace) -> Outcome:
    """Answer a slot, or propose an answer."""
    from vaultd.commands.records.set import propose_record, set_record

    body = body_of(asked)
    run = propose_record if asked.draft else set_record
    return change(asked, lambda opened, how: run(opened, how, _wanted(asked, opened, how, body), reason=asked.reason))


def event(asked: Namespace) -> Outcome:
    """Remember something that happened, or propose to."""
    from vaultd.commands.records.event import observe
    from vaultd.commands.records.set import propose_record

    body = body_of(asked)

    def run(opened: Opened, how: Asked) -> Done:
        wanted = _wanted(asked, opened, how, body)
        if asked.draft:
            return propose_record(opened, how, wanted, reason=asked.reason)
        return observe(opened, how, wanted, store=asked.store, reason=asked.reason)

    return change(asked, run)


def retract(asked: Namespace) -> Outcome:
    """Empty a slot."""
    from vaultd.commands.records.retract import retract_record

    slot = Slot(asked.collection.partition("@")[0], asked.entity, asked.key)
    return change(
        asked,
        lambda opened, how: retract_record(opened, how, slot, expect_head=asked.expect_head, reason=asked.reason),
    )


def correct(asked: Namespace) -> Outcome:
    """Say how an event really was."""
    from vaultd.commands.records.correct import correct_record

    body = body_of(asked)
    return change(asked, lambda opened, how: correct_record(opened, how, asked.ref, body, reason=asked.reason))


def apply(asked: Namespace) -> Outcome:
    """Write a batch."""
    from vaultd.commands.records.apply import apply_records

    try:
        text = sys.stdin.read() if asked.file == "-" else Path(asked.file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise UsageError(
            f"{asked.file} cannot be read: {exc}", "a UTF-8 file of JSON lines, or - for standard input"
        ) from exc
    return change(asked, lambda opened, how: apply_records(opened, how, text, reason=asked.reason))


def merge(asked: Namespace) -> Outcome:
    """Resolve what git left in conflict among records."""
    from vaultd.commands.records.merge import merge_records

    start = start_of(asked.vault)
    with opened_vault(start) as opened:
        how = asked_of(asked)
        with turn(opened, how) as recovered:
            done = merge_records(opened, how)
    seen = seen_by_daemon(start, () if how.dry_run else done.resolved)
    word = "would resolve" if how.dry_run else "resolved"
    lines = [f"{word}: {path}" for path in done.resolved]
    lines += [f"left: {path}: no records on both sides, or not the same one" for path in done.left]
    open_ = (*done.left, *done.others)
    then = "mend the rest, git add it, and git commit" if open_ else "git commit ends the merge"
    document = {"vaultd": 1, **asdict(done), "notices": list(recovered), **seen}
    return Outcome(document, tuple(lines), int(bool(done.left)), talk=(*recovered, f"vaultd: {then}"))


def approve(asked: Namespace) -> Outcome:
    """Make drafts count."""
    from vaultd.commands.records.approve import approve_records

    return change(asked, lambda opened, how: approve_records(opened, how, asked.refs, reason=asked.reason))


def reject(asked: Namespace) -> Outcome:
    """Turn a draft down."""
    from vaultd.commands.records.reject import reject_record

    return change(asked, lambda opened, how: reject_record(opened, how, asked.ref, reason=asked.reason))


def catalog_check(asked: Namespace) -> Outcome:
    """Say what is wrong with the catalog, and what publishing it would change."""
    with opened_vault(start_of(asked.vault)) as opened:
        catalog = declared(catalog_files(opened))
        changes = would_change(opened, catalog) if catalog.sound else []
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
    from vaultd.commands.catalog_publish import publish_catalog

    return change(asked, lambda opened, how: publish_catalog(opened, how, reason=asked.reason))


def catalog_prune(asked: Namespace) -> Outcome:
    """Say which versions no record needs."""
    with opened_vault(start_of(asked.vault)) as opened:
        lock = in_force(opened)
        stored = contents(opened)
    old = [one for one in lock.catalog.collections.values() if not one.active]
    rows: list[Document] = [
        {"name": one.contract_name, "records": (count := len(stored.get(one.contract_name, []))), "needed": count > 0}
        for one in old
    ]
    lines = (f"{row['name']}: {row['records']} records" + ("" if row["needed"] else ", can go") for row in rows)
    return Outcome({"vaultd": 1, "versions": rows}, tuple(lines))


def _wanted(asked: Namespace, opened: Opened, how: Asked, body: str) -> "Wanted":
    from vaultd.commands.records.wanted import Wanted

    occurred = time_of(opened, asked.occurred, how.now)
    design = in_force(opened).catalog.resolve(asked.collection) if asked.property else None
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
