"""End a memory without a successor."""

from datetime import datetime

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out, refuse_waiting
from vaultd.commands.memories.supersede import refuse_end
from vaultd.commands.references import find_memory
from vaultd.commands.stamping import naming
from vaultd.history.trailers import one_line
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Stamp, Write, archived_text, digest
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.states import Archived


def archive(opened: Opened, asked: Asked, ref: str, *, reason: str = "", at: datetime | None = None) -> Done:
    """Stamp a memory as ended; one that is archived already stays as it is.

    Raises:
        RejectedError: it was replaced.
        ConflictError: its file holds a lifecycle edit that is not committed.
    """
    found = find_memory(opened, ref)
    if found.standing is not None and isinstance(found.standing.state, Archived):
        refuse_waiting(opened, found.standing, found.path, found.data, asked.now)
        return Done(None, found.id, found.path, digest(found.data))
    refuse_end(found, "")
    with naming(found.path):
        text = archived_text(found.data, one_line(reason), Stamp(asked.now, opened.settings.zone, at))
    typed = found.facts.invalid_at is not None and found.facts.superseded_by is None
    changeset = Changeset(
        f"memory: archive {found.place.label}",
        (Event("archived", found.id, found.path),),
        (Write(found.path, found.data, text),),
        reason=reason,
        completes=frozenset({found.id}) if typed else frozenset(),
    )
    return carry_out(opened, changeset, asked)
