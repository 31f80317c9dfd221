"""Commands of one clone take turns, so that none reads what another is about to change, or left half done."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from vaultd.commands.asking import Asked
from vaultd.commands.recovering import Mended, mend
from vaultd.errors import ConflictError
from vaultd.history.commit_hooks import BEING_COMMITTED
from vaultd.judging.opened import Opened
from vaultd.vault import intents
from vaultd.vault.locks import hold

PATIENCE = 60.0
"""Seconds; as long as a command may itself wait for somebody who writes a commit message."""


@contextmanager
def turn(opened: Opened, asked: Asked) -> Iterator[tuple[str, ...]]:
    """Hold the clone against other commands, from the reading to the commit; a dry run waits for nobody.

    What a killed command left is finished or undone first; the lines say what became of it.

    Raises:
        ConflictError: another command has it for longer than a minute, or runs this one as a hook; the message names its
            process.
        UsageError: the folder is no vault.
    """
    opened.require_started()
    if asked.dry_run:
        yield ()
        return
    opened.claim()
    if opened.places.locks is None:
        yield ()
        return
    with _held(opened.places.locks / "turn.lock"):
        yield _mended(opened)


@contextmanager
def _held(lock: Path) -> Iterator[None]:
    if not os.environ.get(BEING_COMMITTED):
        with hold(lock, PATIENCE):
            yield
        return
    with ExitStack() as stack:
        try:
            stack.enter_context(hold(lock, 0.0))
        except ConflictError as exc:
            raise ConflictError(
                f"a hook cannot wait for the command that runs it: {exc.message}",
                f"start it in the background, without {BEING_COMMITTED} in its environment",
            ) from exc
        yield


def _mended(opened: Opened) -> tuple[str, ...]:
    folder = opened.places.intents
    if folder is None or not intents.listed(folder):
        return ()
    return tuple(_told(one) for one in mend(opened))


def _told(one: Mended) -> str:
    return "; ".join((f"recovered a killed command: {one.subject}: {one.outcome}", *one.notes))
