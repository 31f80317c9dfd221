"""What a vault that stays open need not find out again about its records."""

from typing import TYPE_CHECKING

from vaultd.values import dataclass, field

if TYPE_CHECKING:  # made for every vault that is opened, and used by few
    from vaultd.judging.records.located import Located, Unread
    from vaultd.lifecycle.records.seals import Seals

Misfit = tuple[str, str] | None
"""The dotted path and the reason of what a schema does not allow; None where it allows everything."""


@dataclass(slots=True)
class RecordMemory:
    """What was read last; each part says by itself of what."""

    files: "dict[str, tuple[str, tuple[Located | Unread, ...]]]" = field(default_factory=dict)
    """Path to the blob of a file and what it held."""
    seals: "tuple[str, Seals] | None" = None
    """What history knew at a commit."""
    misfits: dict[tuple[str, str], Misfit] = field(default_factory=dict)
    """By contract and blob."""
