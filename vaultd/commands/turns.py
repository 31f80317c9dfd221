"""Commands of one clone take turns, so that none reads what another is about to change."""

from collections.abc import Iterator
from contextlib import contextmanager

from vaultd.commands.asking import Asked
from vaultd.judging.opened import Opened
from vaultd.vault.locks import hold

PATIENCE = 60.0
"""Seconds; as long as a command may itself wait for somebody who writes a commit message."""


@contextmanager
def turn(opened: Opened, asked: Asked) -> Iterator[None]:
    """Hold the clone against other commands, from the reading to the commit; a dry run waits for nobody.

    Raises:
        ConflictError: another command has it for longer than a minute; the message names its process.
        UsageError: the folder is no vault.
    """
    opened.require_started()
    if asked.dry_run:
        yield
        return
    opened.claim()
    if opened.places.locks is None:
        yield
        return
    with hold(opened.places.locks / "turn.lock", PATIENCE):
        yield
