"""What every verb that changes notes does alike: ask, carry out, tell; and where its text comes from."""

import os
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.reaching import ask_daemon, start_of
from vaultd.cli.visible import visible
from vaultd.commands.asking import Asked, Done, as_expected
from vaultd.commands.turns import turn
from vaultd.documents import done_document
from vaultd.errors import UsageError, VaultdError
from vaultd.judging.opened import Opened, opened_vault
from vaultd.lifecycle.ids import new_id
from vaultd.notes.times import parse_moment
from vaultd.values import replace


def change(asked: Namespace, run: Callable[[Opened, Asked], Done]) -> Outcome:
    """Open the vault, carry one change out, and tell what became of it."""
    start = start_of(asked.vault)
    with opened_vault(start) as opened:
        how = asked_of(asked)
        with turn(opened, how) as recovered:
            done = as_expected(run(opened, how), how)
    done = replace(done, notices=(*recovered, *done.notices))
    outcome = told(done)
    document = {**outcome.document, **seen_by_daemon(start, () if done.plan else done.paths)}
    return Outcome(document, outcome.lines, outcome.code, outcome.talk)


def told(done: Done) -> Outcome:
    """Return what a change did, for people and for `--json`."""
    return Outcome(done_document(done), lines_of(done), talk=tuple(f"vaultd: {notice}" for notice in done.notices))


def seen_by_daemon(start: Path, paths: Sequence[str]) -> Document:
    """Have the daemon look at what was written, and return the generation of the index that has seen it.

    Empty where no daemon runs, nothing was written, or it has its hands full: what was done is done all the same.
    """
    try:
        answer = ask_daemon(start, "refresh", {"paths": list(paths)}) if paths else None
    except VaultdError:
        return {}
    return {"generation": answer["generation"]} if answer is not None and "generation" in answer else {}


def asked_of(asked: Namespace) -> Asked:
    """Return who asks, when and how."""
    return Asked(
        actor=os.environ.get("VAULTD_ACTOR") or "person",
        now=datetime.now(UTC),
        new_id=lambda: new_id(int(datetime.now(UTC).timestamp() * 1000), os.urandom(10)),
        dry_run=asked.dry_run,
        expect_hash=_hash(asked.expect_hash),
        at_once=asked.now,
    )


def _hash(text: str) -> str:
    if text and not re.fullmatch(r"[0-9a-fA-F]{64}", text):
        raise UsageError(f"{text!r} is no SHA-256", "write the 64 hexadecimal digits that sha256sum FILE prints")
    return text.lower()


def lines_of(done: Done) -> tuple[str, ...]:
    """Return what a change did, or would do, as lines."""
    diff = tuple(done.diff.splitlines())
    if done.plan:
        return (*(f"would {visible(line)}" for line in done.plan), *diff)
    if done.event is None:
        return (f"{visible(done.path)}: nothing to do",)
    commit = f" ({done.commit[:10]})" if done.commit else ""
    return (f"{done.event}: {visible(done.path)}{commit}", *diff)


def vault_path(opened: Opened, path: str) -> str:
    """Return a path typed in a shell as the vault's own: tab completion starts from where the person stands."""
    here = Path(path) if path.startswith("/") else Path.cwd() / path
    try:
        inside = Path(os.path.abspath(here)).relative_to(opened.root.resolve())  # noqa: PTH100  -- links unresolved
    except ValueError:
        return path
    return inside.as_posix() if (opened.root / inside).exists() else path


def time_of(opened: Opened, text: str | None, now: datetime) -> datetime | None:
    """Return the time that `--at` names, None where it names none.

    Raises:
        UsageError: it is no time, or has not come yet.
    """
    if text is None:
        return None
    moment = parse_moment(text, opened.settings.zone)
    if moment is None or moment.utc is None:
        raise UsageError(f"{text!r} is not a time", "write it as 2026-11-30T18:00:00Z")
    if moment.utc > now:
        raise UsageError(f"{text} has not come yet", "leave --at out for now")
    return moment.utc


def body_of(asked: Namespace) -> str:
    """Return the text that a command line gives.

    Raises:
        UsageError: it gives none, or one that is not UTF-8.
    """
    text = body_given(asked)
    if text is None:
        raise UsageError("a text is needed", "--body TEXT, --body-file FILE, or - for standard input")
    return text


def body_given(asked: Namespace) -> str | None:
    """Return the text that a command line gives, None where it gives none.

    Raises:
        UsageError: it is not UTF-8, or cannot be read.
    """
    if asked.body is not None:
        return readable(str(asked.body), "--body")
    if asked.body_file not in (None, "-"):
        try:
            return Path(asked.body_file).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as exc:
            raise UsageError(f"{asked.body_file} cannot be read: {exc}", "--body-file needs a UTF-8 text file") from exc
    if "-" not in (asked.stdin, asked.body_file):
        return None
    try:
        return readable(sys.stdin.read(), "standard input")
    except UnicodeDecodeError as exc:
        raise UsageError(f"standard input cannot be read: {exc}", "UTF-8 text is needed") from exc


def readable(text: str, where: str) -> str:
    """Return text that UTF-8 can write.

    Raises:
        UsageError: a shell or a pipe gave bytes that are not UTF-8.
    """
    try:
        text.encode()
    except UnicodeEncodeError as exc:
        raise UsageError(f"{where} is not UTF-8", "UTF-8 text is needed") from exc
    return text
