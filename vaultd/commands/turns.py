"""Commands of one clone take turns, so that none reads what another is about to change, or left half done."""

from collections.abc import Iterator
from contextlib import contextmanager

from vaultd.commands.asking import Asked
from vaultd.commands.recovering import Mended, mend
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
        ConflictError: another command has it for longer than a minute; the message names its process.
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
    with hold(opened.places.locks / "turn.lock", PATIENCE):
        yield _mended(opened)


def _mended(opened: Opened) -> tuple[str, ...]:
    folder = opened.places.intents
    if folder is None or not intents.listed(folder):
        return ()
    return tuple(_told(one) for one in mend(opened))


def _told(one: Mended) -> str:
    return "; ".join((f"recovered a killed command: {one.subject}: {one.outcome}", *one.notes))
