"""Who asks for a change, when, and how; and what became of it."""

from collections.abc import Callable
from datetime import datetime

from vaultd.errors import ConflictError
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Asked:
    """What every command is given beside its own arguments."""

    actor: str
    """Who asks, as `Vaultd-Actor` will say."""
    now: datetime
    new_id: Callable[[], str]
    dry_run: bool = False
    expect_hash: str = ""
    """SHA-256 that the file must have as it is read, inside the lock; empty for any."""
    at_once: bool = False
    """Do not wait for an editor that saved the file a moment ago."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a command did: `event` is None where everything was so already."""

    event: str | None
    id: str
    path: str
    hash: str = ""
    """SHA-256 of the file that the command was about, as it is now; empty where it left."""
    commit: str = ""
    paths: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    """With `dry_run`: what would happen, a line each."""
    diff: str = ""
    """Of an edit: what it changed, as a unified diff."""


def as_expected(done: Done, asked: Asked) -> Done:
    """Return what a command did; where everything was so already, the file must be the one that was expected all the same.

    Raises:
        ConflictError: it is another text, so that what was read is not what is there.
    """
    if done.event is None and done.hash and asked.expect_hash not in ("", done.hash):
        raise other_text(done.path, done.hash)
    return done


def other_text(path: str, now: str) -> ConflictError:
    """Return the error for a file that is not the text that was expected; `now` is its hash."""
    return ConflictError(
        f"{path} is not the text that was expected: its hash is {now}",
        "read it again, and repeat with its hash if the change is still wanted",
    )
