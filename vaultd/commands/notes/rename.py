"""Give notes, other files and folders another name."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from vaultd.commands.asking import Asked, Done
from vaultd.commands.moving import Move, carry_out_move
from vaultd.commands.new_paths import Pair, existing, expanded, refuse_twins, refuse_unfit, tidy
from vaultd.errors import UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.events import Event, EventName


def rename(opened: Opened, asked: Asked, pairs: Sequence[tuple[str, str]], *, reason: str = "") -> Done:
    """Rename files and folders, all at once so that they may swap names; every link follows.

    A name without `/` stays in its folder, one with is seen from the vault; the ending may be left out.

    Raises:
        UsageError: nothing is there, or a name does not travel.
        RejectedError: a name is taken.
    """
    return move_pairs(opened, asked, [_pair(opened, old, new) for old, new in pairs], ("renamed", "rename"), reason)


def _pair(opened: Opened, old: str, new: str) -> Pair:
    path, folder = existing(opened, old)
    if not tidy(new):
        raise UsageError(f"{path} needs a name", "vaultd note move moves a file to the top of the vault")
    above = PurePosixPath(path).parent.as_posix()
    wanted = tidy(new) if "/" in new or above == "." else f"{above}/{tidy(new)}"
    ending = "" if folder else PurePosixPath(path).suffix
    if not wanted.endswith(ending):
        wanted += ending
    return Pair(path, wanted, folder)


def move_pairs(opened: Opened, asked: Asked, pairs: Sequence[Pair], verb: tuple[EventName, str], reason: str) -> Done:
    """Carry out what was asked for these files and folders; `verb` is the event, and the word of the subject."""
    for pair in pairs:
        refuse_unfit(opened, pair.new)
        refuse_twins(opened, pair)
    if asked.expect_hash and (len(pairs) > 1 or pairs[0].folder):
        raise UsageError("--expect-hash is one file's", "leave it out")
    moves = expanded(opened, pairs)
    first = pairs[0]
    if not moves:
        return Done(None, "", first.new)
    more = f" and {len(pairs) - 1} more" if len(pairs) > 1 else ""
    lead = Event(verb[0], "", first.new) if first.folder or len(pairs) > 1 else None
    subject = f"note: {verb[1]} {first.old} to {first.new}{more}"
    return carry_out_move(opened, asked, Move(moves, subject, lead, reason))
