"""Give files other paths, and let every link to them follow, in one commit."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from shlex import quote

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.following import Edit, Following, follow_moves
from vaultd.commands.occupied import occupant, out_of_sight
from vaultd.commands.recorded import entries_of
from vaultd.commands.records.guard import refuse_plain_arrival, refuse_record_move
from vaultd.commands.references import accepted_ground
from vaultd.commands.stamping import naming
from vaultd.errors import RejectedError
from vaultd.history.repository import head_quick
from vaultd.history.snapshots import ignored
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset
from vaultd.lifecycle.events import Event, EventName
from vaultd.lifecycle.facts import facts_of
from vaultd.lifecycle.places import place_of
from vaultd.lifecycle.renaming import placed_text, slugged_text
from vaultd.notes.names import collision_key
from vaultd.notes.note import parse
from vaultd.values import dataclass, replace
from vaultd.vault.folders import above, unmake


@dataclass(frozen=True, slots=True)
class Move:
    """Files that get other paths at once."""

    moves: Mapping[str, str]
    """Old path to new path."""
    subject: str
    lead: Event | None = None
    """What the commit tells first; None: what happened to the first file."""
    reason: str = ""


def carry_out_move(opened: Opened, asked: Asked, move: Move) -> Done:
    """Move files, let a memory's fields say where it stands, and let every link follow, or change nothing.

    Raises:
        RejectedError: a path is taken, a file holds records, or a rule would be broken.
        NoteFormatError: a link that must follow cannot be written.
    """
    opened.require_started()
    _refuse_taken(opened, move.moves)
    for old, new in move.moves.items():
        refuse_record_move(opened, old)
        refuse_plain_arrival(opened, old, new)
    _refuse_leaving(opened, move.moves)
    events: list[Event] = []
    edits: dict[str, Edit] = {}
    for old, new in move.moves.items():
        kept = _kept(opened, old, new, asked.now)
        events.append(Event(_happened(old, new), kept.id, new))
        if kept.edit is not None:
            edits[old] = kept.edit
    following = follow_moves(opened, move.moves, edits)
    private = _ignored(opened, move.moves)
    lead = move.lead or events[0]
    rest = (event for event in events if event.id and event.id != lead.id)
    changeset = Changeset(
        move.subject, (lead, *rest), following.writes(), reason=move.reason, unrecorded=frozenset(private)
    )
    done = carry_out(opened, changeset, asked)
    if not asked.dry_run:
        unmake(above(opened.root, move.moves))
    arrived = [new for new in move.moves.values() if new in private]
    hidden = ignored(opened.recorded, arrived)
    beside = tuple(
        f"{new} moved, and stays out of git"
        + ("" if new in hidden else ", which does not ignore it there: see .gitignore")
        for new in arrived
    )
    outcome = told(done, following, changeset)
    return replace(outcome, notices=(*outcome.notices, *beside, *_out_of_sight(opened)))


def _out_of_sight(opened: Opened) -> tuple[str, ...]:
    """Return the notice about notes of which nobody can say whether they link to what moved."""
    notes = sum(path.endswith((".md", ".canvas")) for path in out_of_sight(opened))
    several = f"{notes} notes are outside the sparse checkout" if notes > 1 else "1 note is outside the sparse checkout"
    return (f"{several}: links there stay as they are; vaultd check names them once it is here",) if notes else ()


def _ignored(opened: Opened, moves: Mapping[str, str]) -> set[str]:
    """Return both paths of files that git ignores: they move with the others, but no commit tells of them.

    Where nothing else moves there is nothing to commit, so that git's refusal stands.
    """
    if len(moves) == 1:
        return set()
    head = head_quick(opened.recorded)
    stored = entries_of(opened, head, moves) if head is not None else {}
    found = ignored(opened.recorded, [old for old in moves if old not in stored])
    return {path for old in found for path in (old, moves[old])} if len(found) < len(moves) else set()


def told(done: Done, following: Following, changeset: Changeset) -> Done:
    """Return what was done with what it did to links; a plan lists each file."""
    plan = (*following.told(), f"commit: {changeset.subject}") if done.plan else ()
    return replace(done, plan=plan, notices=(*done.notices, *following.notices()))


def _refuse_taken(opened: Opened, moves: Mapping[str, str]) -> None:
    wanted: dict[str, str] = {}
    for new in moves.values():
        other = wanted.setdefault(collision_key(new), new)
        if other != new or list(moves.values()).count(new) > 1:
            raise RejectedError(f"{new} would be {other} on some systems", "choose another name for one of the two")
        taken = occupant(opened, new)
        if taken is not None and taken not in moves:
            raise RejectedError(f"{taken} is there already", "choose another name, or move that one away first")


def _refuse_leaving(opened: Opened, moves: Mapping[str, str]) -> None:
    """Refuse to move a memory out of the memory folder that its history needs (V111)."""
    ground = accepted_ground(opened)
    for old, new in moves.items():
        standing = ground.standings.get(ground.at.get(old, ""))
        if standing is None or place_of(new, ground.folder) is not None:
            continue
        if standing.active and standing.id not in ground.predecessors:
            continue
        why = "replaced another" if standing.active else "has ended"
        raise RejectedError(
            f"V111 {old}: a memory that {why} stays in {ground.folder}/PROJECT/",
            f"vaultd memory move {quote(old)} PROJECT; or vaultd memory delete {standing.id} --yes",
        )


@dataclass(frozen=True, slots=True)
class _Kept:
    """What vaultd knows of a file that moves: its id, and the edit by which its fields say where it stands."""

    id: str = ""
    edit: Edit | None = None


def _kept(opened: Opened, old: str, new: str, now: datetime) -> _Kept:
    folders = opened.settings.folders
    for folder, placed in ((folders.memory, placed_text), (folders.notes, slugged_text)):
        before, after = place_of(old, folder), place_of(new, folder)
        if before is not None:
            id_ = facts_of(parse(opened.read(old) or b"")).id or ""
            edit = partial(placed, before=before, after=after, now=now) if id_ and after is not None else None
            return _Kept(id_, _edit(old, edit) if edit is not None else None)
    return _Kept()


def _happened(old: str, new: str) -> EventName:
    return "renamed" if old.rpartition("/")[0] == new.rpartition("/")[0] else "moved"


def _edit(path: str, edit: Edit) -> Edit:
    def named(data: bytes) -> bytes:
        with naming(path):
            return edit(data)

    return named
