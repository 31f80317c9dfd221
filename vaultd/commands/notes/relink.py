"""Mend the links that a renaming by something else broke: Obsidian closed, `mv`, `git mv`, a sync tool."""

from collections.abc import Mapping, Sequence

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.departures import staged_moves
from vaultd.commands.following import Following, follow_moved
from vaultd.commands.moving import told
from vaultd.commands.new_paths import existing, tidy
from vaultd.commands.recorded import entries_of
from vaultd.errors import ConflictError, UsageError
from vaultd.history.repository import head_quick
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write, changed
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.facts import facts_of
from vaultd.lifecycle.places import place_of
from vaultd.notes.note import parse


def relink(opened: Opened, asked: Asked, pairs: Sequence[tuple[str, str]], *, reason: str = "") -> Done:
    """Let links to files and folders that moved already follow; a move that is not committed is, with them.

    Raises:
        UsageError: NEW is not there, or OLD still is.
        NoteFormatError: a link that must follow cannot be written.
    """
    opened.require_started()
    moves = _moves(opened, pairs)
    following = follow_moved(opened, moves)
    writes = _writes(opened, following)
    first, last = tidy(pairs[0][0]), existing(opened, pairs[0][1])[0]
    if not changed(writes) and not any(one.after is None for one in writes):
        return Done(None, "", last, notices=following.notices())
    ids = {new: _memory_id(opened, new, following.after[new]) for new in moves.values()}
    renamed = tuple(Event("renamed", id_, new) for new, id_ in ids.items())
    lead = renamed[0] if len(moves) == 1 else Event("renamed", "", last)
    rest = (event for event in renamed if event.id and event.id != lead.id)
    subject = f"note: relink {first} to {last}"
    completes = frozenset(id_ for id_ in ids.values() if id_)
    changeset = Changeset(
        subject, (lead, *rest), writes, reason=reason, completes=completes, staged=_staged(opened, following)
    )
    return told(carry_out(opened, changeset, asked), following, changeset)


def _moves(opened: Opened, pairs: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    found = opened.scan()
    files = sorted((*found.notes, *found.others))
    moves: dict[str, str] = {}
    for typed_old, typed_new in pairs:
        new, folder = existing(opened, typed_new)
        old = tidy(typed_old)
        if folder:
            inside = [path for path in files if path.startswith(f"{new}/")]
            moves |= {
                old + path[len(new) :]: path for path in inside if not (opened.root / (old + path[len(new) :])).exists()
            }
            continue
        if new.endswith(".md") and not old.endswith(".md"):
            old += ".md"
        moves[old] = new
    still = [old for old in moves if (opened.root / old).exists() and old not in moves.values()]
    if still:
        raise UsageError(f"{still[0]} is still there", f"vaultd note rename {still[0]} NEW moves it and its links")
    if not moves:
        raise UsageError("nothing moved there", "OLD is the path that a file had, NEW the one it has")
    return moves


def _writes(opened: Opened, following: Following) -> tuple[Write, ...]:
    """Return the files whose links change, and what the commit needs to show the move itself."""
    head = head_quick(opened.recorded)
    if head is None:
        raise ConflictError("the vault has no commit yet", "vaultd init commits what it makes")
    moves = following.moves
    stored = entries_of(opened, head, [*moves, *moves.values()])
    writes: dict[str, Write] = {}
    for old, new in moves.items():
        data = following.before[old]
        if new not in stored or data != following.after[new]:
            writes[new] = Write(new, data, following.after[new])
    for old in moves:
        if old in stored and old not in moves.values():
            writes[old] = Write(old, None, None)
    arrived = set(moves.values())
    for path in following.after:
        if path not in arrived:
            writes[path] = Write(path, following.before[path], following.after[path])
    return tuple(writes.values())


def _staged(opened: Opened, following: Following) -> Mapping[str, str | None]:
    texts = {new: following.before[old] for old, new in following.moves.items()}
    return staged_moves(opened, following.moves, texts)


def _memory_id(opened: Opened, path: str, data: bytes) -> str:
    if place_of(path, opened.settings.folders.memory) is None:
        return ""
    return facts_of(parse(data)).id or ""
