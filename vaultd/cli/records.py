"""Verbs about records; each is one call of a command and one document."""

from argparse import Namespace

from vaultd.app import App
from vaultd.cli.change import body_of, change, time_of
from vaultd.cli.outcome import Outcome
from vaultd.commands.asking import Asked, Done
from vaultd.commands.record_correct import correct_record
from vaultd.commands.record_event import observe
from vaultd.commands.record_retract import retract_record
from vaultd.commands.record_set import propose_record, set_record
from vaultd.commands.record_wanted import Wanted
from vaultd.errors import UsageError
from vaultd.lifecycle.records.values import Slot
from vaultd.notes.scalars import Value, resolve
from vaultd.notes.times import render


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
        return observe(app.opened, how, wanted, store=asked.store or "file", reason=asked.reason)

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


def _wanted(asked: Namespace, app: App, how: Asked, body: str) -> Wanted:
    occurred = time_of(app, asked.occurred, how.now)
    return Wanted(
        collection=asked.collection,
        entity=asked.entity,
        type=asked.type,
        text=body,
        key=getattr(asked, "key", None),
        occurred=render(occurred) if occurred is not None else None,
        content=dict(_property(text) for text in asked.property),
        derived_from=tuple(dict.fromkeys(asked.derived_from)),
        sources=tuple(dict.fromkeys(asked.source)),
        dedupe=asked.dedupe,
        expect_head=getattr(asked, "expect_head", ""),
    )


def _property(text: str) -> tuple[str, Value]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise UsageError(f"{text!r} is no property", "--property KEY=VALUE")
    return key, resolve(value)
