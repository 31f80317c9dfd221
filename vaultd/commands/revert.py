"""Put back what was accepted of a memory, and keep every other edit."""

from shlex import quote

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out, put_back
from vaultd.commands.records.revert import revert_record
from vaultd.commands.references import accepted_ground, path_meant
from vaultd.errors import RejectedError, UsageError
from vaultd.history.repository import head_quick
from vaultd.history.walk import last_version
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write, changed, digest, reverted_text
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.facts import facts_of
from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.places import place_of
from vaultd.lifecycle.states import Standing
from vaultd.notes.note import parse
from vaultd.vault.reading import read_stable


def revert(opened: Opened, asked: Asked, ref: str) -> Done:
    """Give a file the lifecycle values that are accepted, or bring back a memory that left; a record says what it first said.

    Raises:
        UsageError: nothing was ever accepted of it.
        RejectedError: its frontmatter cannot be edited.
    """
    if ref.startswith((f"{opened.settings.folders.records}/", f"{opened.settings.folders.review}/")):
        return revert_record(opened, asked, ref)
    ground = accepted_ground(opened)
    path = path_meant(opened, ground, ref)
    try:
        data: bytes | None = read_stable(opened.root, path).data
    except FileNotFoundError:
        data = None
    standing = _standing(ground, path, facts_of(parse(data)).id if data is not None else None)
    if standing is None:
        raise UsageError(
            f"nothing was accepted of {path} yet", f"edit it by hand, or vaultd adopt {quote(path)} if it is meant"
        )
    after = _returned(opened, standing) if data is None else reverted_text(data, standing.id, standing.state)
    write = Write(path if data is not None else standing.path, data, after)
    if standing.id not in ground.open:  # HEAD says what is accepted: the file alone is wrong
        put_back(opened, [write], asked)
        moved = bool(changed([write]))
        plan = (f"write {write.path}",) if moved and asked.dry_run else ()
        event = "reverted" if moved else None
        return Done(event, standing.id, write.path, digest(after), paths=(write.path,) if moved else (), plan=plan)
    place = place_of(write.path, opened.settings.folders.memory)
    changeset = Changeset(
        f"memory: revert {place.label if place is not None else write.path}",
        (Event("reverted", standing.id, write.path),),
        (write,),
        completes=frozenset({standing.id}),
    )
    return carry_out(opened, changeset, asked)


def _standing(ground: Ground, path: str, id_: str | None) -> Standing | None:
    here = ground.standings.get(ground.at.get(path, ""))
    own = ground.standings.get(id_ or "")
    if own is not None and (here is None or own.path == path or own.path not in ground.at):
        return own
    return here or next((s for s in ground.standings.values() if s.path == path), None)


def _returned(opened: Opened, standing: Standing) -> bytes:
    """Return the last committed bytes of a memory whose file left, with the accepted values in them."""
    head = head_quick(opened.recorded) or ""
    oid = last_version(opened.recorded, head, standing.path)
    data = opened.fold.blobs.data(standing.path, oid) if oid is not None else None
    if data is None:
        raise RejectedError(f"no commit holds {standing.path}", "look for it with: git log --all -- PATH")
    return reverted_text(data, standing.id, standing.state)
