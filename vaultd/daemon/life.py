"""What a running daemon knows beside the vault."""

from vaultd.app import Overview
from vaultd.commands.accept import Pending
from vaultd.documents import Document
from vaultd.values import dataclass


@dataclass(slots=True)
class Life:
    """How far it is, what it saw last, and what holds it up."""

    state: str = "starting"
    overview: Overview | None = None
    pending: tuple[Pending, ...] = ()
    last_event_at: str | None = None
    last_reconcile: Document | None = None
    note: str = ""
    """Why it is suspended or degraded."""
    lasting: tuple[str, ...] = ()
    """What it cannot do until that is mended."""
