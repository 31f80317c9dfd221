"""Verbs that give notes, files and folders other paths; links follow."""

# ruff: noqa: PLC0415  -- a verb needs its own command, and importing them all takes as long as most of them

from argparse import Namespace

from vaultd.cli.change import change, vault_path
from vaultd.cli.outcome import Outcome
from vaultd.commands.asking import Asked, Done
from vaultd.errors import UsageError
from vaultd.judging.opened import Opened


def rename(asked: Namespace) -> Outcome:
    """Give a memory another name."""
    from vaultd.commands.memories.rename import rename_memory

    return change(asked, lambda opened, how: rename_memory(opened, how, asked.ref, asked.name, reason=asked.reason))


def move(asked: Namespace) -> Outcome:
    """Give a memory to another project."""
    from vaultd.commands.memories.move import move_memory

    return change(asked, lambda opened, how: move_memory(opened, how, asked.ref, asked.project, reason=asked.reason))


def free(asked: Namespace) -> Outcome:
    """Free the name of an ended memory."""
    from vaultd.commands.memories.free import free as free_memory

    return change(asked, lambda opened, how: free_memory(opened, how, asked.ref, reason=asked.reason))


def note_rename(asked: Namespace) -> Outcome:
    """Rename notes, other files and folders."""
    from vaultd.commands.notes.rename import rename as rename_notes

    def run(opened: Opened, how: Asked) -> Done:
        pairs = [(vault_path(opened, old), new) for old, new in _pairs(asked.pairs)]
        return rename_notes(opened, how, pairs, reason=asked.reason)

    return change(asked, run)


def note_move(asked: Namespace) -> Outcome:
    """Move a note, another file or a folder into a folder."""
    from vaultd.commands.notes.move import move as move_note

    def run(opened: Opened, how: Asked) -> Done:
        into = vault_path(opened, asked.folder)
        return move_note(opened, how, vault_path(opened, asked.path), into, reason=asked.reason)

    return change(asked, run)


def note_relink(asked: Namespace) -> Outcome:
    """Mend links to what something else moved."""
    from vaultd.commands.notes.relink import relink as relink_notes

    def run(opened: Opened, how: Asked) -> Done:
        pairs = [(old, vault_path(opened, new)) for old, new in _pairs(asked.pairs)]
        return relink_notes(opened, how, pairs, reason=asked.reason)

    return change(asked, run)


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    if len(words) % 2:
        raise UsageError(f"{words[-1]} stands alone", "each OLD needs its NEW")
    return list(zip(words[::2], words[1::2], strict=True))
