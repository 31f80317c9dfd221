"""Standing orders about records, carried out once their files have been quiet."""

import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime

from vaultd.app import Overview
from vaultd.commands.accept import UNKNOWN, Pending
from vaultd.commands.asking import Asked
from vaultd.commands.records.standing_orders import Order, obey, standing_orders
from vaultd.errors import VaultdError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.ids import new_id

log = logging.getLogger("vaultd")


_DONE = {"adopt": "adopted", "approve": "approved", "reject": "rejected"}


class Orders:
    """What is to be done by itself, and what was refused of it."""

    def __init__(self, opened: Opened, say: Callable[[str], None]) -> None:
        self._opened = opened
        self._say = say
        self._open: tuple[Order, ...] = ()
        self._refused: dict[Order, str] = {}

    def judged(self, seen: Overview) -> None:
        """Learn what is to be done now; what was refused is tried again, because something changed."""
        self._open = standing_orders(self._opened, seen.violations)
        self._refused = {}

    def pending(self) -> tuple[Pending, ...]:
        """Return what waits, and why."""
        return tuple(_told(order, self._refused.get(order)) for order in self._open)

    def carry_out(self, seen: Overview, now: float) -> None:
        """Do what has been quiet for as long as the config says."""
        for order in self._open:
            stamp = seen.notes.get(order.path)
            quiet = stamp is not None and now - stamp.mtime_ns / 1e9 >= self._opened.settings.commit_quiet
            if quiet and order not in self._refused:
                self._refused |= refused(self._opened, order, self._say)
                self._open = tuple(one for one in self._open if one != order or one in self._refused)


def refused(opened: Opened, order: Order, say: Callable[[str], None]) -> dict[Order, str]:
    """Carry an order out and tell of it; return why it was refused, nothing where it was not."""
    try:
        done = obey(opened, nobody(), order)
    except VaultdError as exc:
        say(f"refused: {order.what} {order.path}: {exc.message}")
        return {order: exc.message}
    if done.event is not None:
        log.info("event=%s id=%s path=%r commit=%s", done.event, done.id, done.path, done.commit[:10])
        say(f"{_DONE[order.what]}: {order.path} ({done.commit[:10]})")
    return {}


def nobody() -> Asked:
    """Return who asks: an editor does not say who typed."""
    return Asked(
        UNKNOWN,
        datetime.now(UTC),
        lambda: new_id(int(datetime.now(UTC).timestamp() * 1000), os.urandom(10)),
        at_once=True,
    )


def _told(order: Order, why: str | None) -> Pending:
    return Pending(order.path, "quiet") if why is None else Pending(order.path, "refused", why)
