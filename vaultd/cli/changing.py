"""Verbs that change memories; each is one call of a command and one document."""

import os
import re
import sys
from argparse import Namespace
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from vaultd.answers import done_document
from vaultd.app import App
from vaultd.cli.outcome import Outcome
from vaultd.cli.reaching import opened_app, start_of
from vaultd.commands.adopt import adopt as adopt_one
from vaultd.commands.asking import Asked, Done
from vaultd.commands.memory_archive import archive as archive_memory
from vaultd.commands.memory_delete import delete as delete_memory
from vaultd.commands.memory_new import new_memory
from vaultd.commands.memory_restore import restore as restore_memory
from vaultd.commands.memory_supersede import supersede as supersede_memory
from vaultd.commands.revert import revert as revert_one
from vaultd.errors import UsageError
from vaultd.lifecycle.ids import new_id
from vaultd.lifecycle.places import Place
from vaultd.notes.times import parse_moment


def new(asked: Namespace) -> Outcome:
    """Make a memory."""
    body = _body(asked)
    tags = tuple(tag.strip() for tag in asked.tags.split(",") if tag.strip())

    def run(app: App, how: Asked) -> Done:
        return new_memory(
            app.opened,
            how,
            place=Place(asked.project, asked.name),
            kind=asked.kind,
            description=asked.description,
            body=body,
            tags=tags,
            supersedes=asked.supersedes,
            reason=asked.reason,
        )

    return _change(asked, run)


def supersede(asked: Namespace) -> Outcome:
    """Hand over from one memory to another."""
    return _change(
        asked,
        lambda app, how: supersede_memory(
            app.opened, how, asked.old, asked.new, reason=asked.reason, at=_time(app, asked.at, how.now)
        ),
    )


def archive(asked: Namespace) -> Outcome:
    """End a memory without a successor."""
    return _change(
        asked,
        lambda app, how: archive_memory(
            app.opened, how, asked.ref, reason=asked.reason, at=_time(app, asked.at, how.now)
        ),
    )


def restore(asked: Namespace) -> Outcome:
    """Bring an ended memory back."""
    return _change(asked, lambda app, how: restore_memory(app.opened, how, asked.ref, reason=asked.reason))


def delete(asked: Namespace) -> Outcome:
    """Delete a memory for good."""
    if not asked.yes and not asked.dry_run:
        raise UsageError("deleting a memory ends its readable history in the folder", "say --yes, or see --dry-run")
    return _change(asked, lambda app, how: delete_memory(app.opened, how, asked.ref, reason=asked.reason))


def adopt(asked: Namespace) -> Outcome:
    """Complete hand edits and record them."""
    return _each(asked, lambda app, how, path: adopt_one(app.opened, how, path))


def revert(asked: Namespace) -> Outcome:
    """Put back accepted lifecycle values."""
    return _each(asked, lambda app, how, path: revert_one(app.opened, how, path))


def _each(asked: Namespace, run: Callable[[App, Asked, str], Done]) -> Outcome:
    """Change several files, one commit each; the first that fails ends the run and keeps what was done."""
    if asked.expect_hash and len(asked.paths) > 1:
        raise UsageError("--expect-hash is one file's", "name one path with it")
    with opened_app(start_of(asked.vault)) as app:
        done = [run(app, _asked(asked), _vault_path(app, path)) for path in asked.paths]
    documents = [done_document(one) for one in done]
    lines = tuple(line for one in done for line in _lines(one))
    if len(documents) == 1:
        return Outcome(documents[0], lines)
    return Outcome({"vaultd": 1, "done": documents}, lines)


def _change(asked: Namespace, run: Callable[[App, Asked], Done]) -> Outcome:
    with opened_app(start_of(asked.vault)) as app:
        done = run(app, _asked(asked))
    return Outcome(done_document(done), _lines(done))


def _asked(asked: Namespace) -> Asked:
    return Asked(
        actor=os.environ.get("VAULTD_ACTOR") or "person",
        now=datetime.now(UTC),
        new_id=lambda: new_id(int(datetime.now(UTC).timestamp() * 1000), os.urandom(10)),
        dry_run=asked.dry_run,
        expect_hash=_hash(asked.expect_hash),
    )


def _hash(text: str) -> str:
    if text and not re.fullmatch(r"[0-9a-fA-F]{64}", text):
        raise UsageError(f"{text!r} is no SHA-256", "write the 64 hexadecimal digits that sha256sum FILE prints")
    return text.lower()


def _lines(done: Done) -> tuple[str, ...]:
    if done.plan:
        return tuple(f"would {line}" for line in done.plan)
    if done.event is None:
        return (f"{done.path}: nothing to do",)
    commit = f" ({done.commit[:10]})" if done.commit else ""
    return (f"{done.event}: {done.path}{commit}",)


def _vault_path(app: App, path: str) -> str:
    """Return a path typed in a shell as the vault's own: tab completion starts from where the person stands."""
    here = Path(path) if path.startswith("/") else Path.cwd() / path
    try:
        inside = Path(os.path.abspath(here)).relative_to(app.opened.root.resolve())  # noqa: PTH100  -- links unresolved
    except ValueError:
        return path
    return inside.as_posix() if (app.opened.root / inside).exists() else path


def _time(app: App, text: str | None, now: datetime) -> datetime | None:
    if text is None:
        return None
    moment = parse_moment(text, app.opened.settings.zone)
    if moment is None or moment.utc is None:
        raise UsageError(f"{text!r} is not a time", "write it as 2026-11-30T18:00:00Z")
    if moment.utc > now:
        raise UsageError(f"{text} has not come yet", "leave --at out for now")
    return moment.utc


def _body(asked: Namespace) -> str:
    if asked.body is not None:
        return str(asked.body)
    if asked.body_file is not None:
        try:
            return Path(asked.body_file).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as exc:
            raise UsageError(f"{asked.body_file} cannot be read: {exc}", "--body-file needs a UTF-8 text file") from exc
    if asked.stdin == "-":
        return sys.stdin.read()
    raise UsageError("a memory needs a text", "--body TEXT, --body-file FILE, or - for standard input")
