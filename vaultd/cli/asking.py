"""Verbs that read: search, show, log, chain."""

import os
from typing import TYPE_CHECKING, Any

from vaultd.cli.outcome import Outcome
from vaultd.cli.quick import answer, search_arguments, told
from vaultd.cli.reaching import opened_app, start_of
from vaultd.cli.visible import visible
from vaultd.errors import UsageError

if TYPE_CHECKING:
    from argparse import Namespace


def search(asked: "Namespace") -> Outcome:
    """Find notes by their words."""
    document = answer(vars(asked))
    if document is None:
        from vaultd import answers  # noqa: PLC0415  -- a daemon's answer needs none of it
        from vaultd.daemon.requests import question_of  # noqa: PLC0415

        with opened_app(start_of(asked.vault)) as app:
            notices = app.look().notices
            if os.path.lexists(app.opened.root / ".vaultd" / "plugins.json"):
                from vaultd.plugged.alone import index_alone  # noqa: PLC0415  -- most vaults want no plugin

                index_alone(app)
            late = _not_reached(app.opened.mirror.generation(), asked.min_generation, caught_up=not notices)
            document = answers.search(app, question_of(search_arguments(vars(asked))), (*notices, *late))
    return told(vars(asked), document)


def _not_reached(generation: int, wanted: int | None, *, caught_up: bool) -> tuple[str, ...]:
    """Say where the index, read without a daemon, is not the one that a generation was told of."""
    if wanted is None or generation >= wanted:
        return ()
    if caught_up:
        return (f"generation {wanted} is not of this index, which was made again; it has seen every file",)
    return (f"the index has not reached generation {wanted} yet",)


def show(asked: "Namespace") -> Outcome:
    """Print a note."""
    from vaultd import answers  # noqa: PLC0415
    from vaultd.listings import meant  # noqa: PLC0415

    with opened_app(start_of(asked.vault)) as app:
        if app.opened.read(asked.ref) is None:
            app.look()
        document = answers.show(app, meant(app, asked.ref))
    if asked.html:
        from vaultd.notes.note import parse  # noqa: PLC0415
        from vaultd.notes.rendering import render  # noqa: PLC0415  -- rendering is heavy, and seldom asked for

        document["html"] = render(parse(str(document["text"]).encode("utf-8", "replace")))
    talk = []
    if document["state"] is not None:
        talk.append(f"vaultd: {visible(document['path'])} is {document['state']}")
    successor: Any = document["superseded_by"]
    if successor:
        talk.append(f"vaultd: replaced by {visible(successor['path'])} ({visible(successor['id'])})")
    text = str(document["html" if asked.html else "text"])
    return Outcome(document, (text.removesuffix("\n"),), talk=tuple(talk), verbatim=True)


def log(asked: "Namespace") -> Outcome:
    """Tell the ledger."""
    from vaultd import answers  # noqa: PLC0415
    from vaultd.history.recent import is_time  # noqa: PLC0415

    with opened_app(start_of(asked.vault)) as app:
        if asked.since is not None and not is_time(app.opened.require_started(), asked.since, app.clock()):
            raise UsageError(f"{asked.since!r} is not a time", "write a date, or what git understands: '2 weeks ago'")
        document = answers.log(app, asked.ref, asked.since, asked.limit)
    entries: list[dict[str, Any]] = document["entries"]  # type: ignore[assignment]  # our own document
    return Outcome(document, tuple(_entry(entry) for entry in entries))


def _entry(entry: dict[str, Any]) -> str:
    reason = f"  ({entry['reason']})" if entry["reason"] else ""
    who, what = visible(entry["actor"] or "unknown"), visible(f"{entry['event']:<10}  {entry['subject']}{reason}")
    return f"{entry['commit'][:10]}  {entry['at']}  {who:<10}  {what}"


def chain(asked: "Namespace") -> Outcome:
    """Show a memory's chain."""
    from vaultd import answers  # noqa: PLC0415

    with opened_app(start_of(asked.vault)) as app:
        document = answers.chain(app, asked.ref)
    rows: list[dict[str, Any]] = document["chain"]  # type: ignore[assignment]  # our own document
    lines = [
        f"{row['state']:<10}  {visible(row['path'])}  {visible(row['id'])}"
        + (f"  until {row['invalid_at']}" if row["invalid_at"] else "")
        for row in rows
    ]
    return Outcome(document, tuple(lines))
