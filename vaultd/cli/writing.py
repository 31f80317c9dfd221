"""Verbs that write texts and properties; each is one call of a command and one document."""

# ruff: noqa: PLC0415  -- a verb needs its own command, and importing them all takes as long as most of them

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from vaultd.cli.change import body_given, body_of, change, readable, vault_path
from vaultd.cli.outcome import Outcome
from vaultd.commands.asking import Asked, Done
from vaultd.errors import UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.places import Place

if TYPE_CHECKING:
    from vaultd.notes.editing import Replacement


def write(asked: Namespace) -> Outcome:
    """Make a memory, or change it in place."""
    from vaultd.commands.memories.write import Wanted, write_memory

    tags = None if asked.tags is None else _tags(asked.tags)
    wanted = Wanted(asked.kind, asked.description, body_given(asked), tags)
    place = Place(asked.project, asked.name)
    return change(
        asked,
        lambda opened, how: write_memory(opened, how, place, wanted, supersedes=asked.supersedes, reason=asked.reason),
    )


def append(asked: Namespace) -> Outcome:
    """Add to the end of a memory."""
    from vaultd.commands.memories.append import append_to_memory

    text = body_of(asked)
    return change(asked, lambda opened, how: append_to_memory(opened, how, asked.ref, text, reason=asked.reason))


def edit(asked: Namespace) -> Outcome:
    """Change words of a memory."""
    from vaultd.commands.memories.edit import edit_memory

    pairs = _replacements(asked)
    return change(
        asked,
        lambda opened, how: edit_memory(opened, how, asked.ref, pairs, every=asked.all, reason=asked.reason),
    )


def star(asked: Namespace) -> Outcome:
    """Star a memory, or take its star away."""
    from vaultd.commands.memories.star import star_memory, unstar_memory

    put = unstar_memory if asked.off else star_memory
    return change(asked, lambda opened, how: put(opened, how, asked.ref, reason=asked.reason))


def note_new(asked: Namespace) -> Outcome:
    """Make a work note, or with --path a plain note."""
    from vaultd.commands.notes.new import new_work_note
    from vaultd.lifecycle.work_notes import WorkDraft

    body = body_given(asked) or ""
    if asked.path is not None:
        return _plain_note(asked, body)
    if asked.title is None:
        raise UsageError(
            "a note needs a title or a path", "vaultd note new --title TITLE, or vaultd note new --path PATH"
        )
    draft = WorkDraft(
        title=readable(asked.title, "the title"),
        slug=asked.slug,
        project=asked.project,
        description=asked.description,
        source_url=asked.source_url,
        tags=_tags(asked.tags),
        body=body,
    )
    return change(asked, lambda opened, how: new_work_note(opened, how, draft, reason=asked.reason))


def _plain_note(asked: Namespace, body: str) -> Outcome:
    from vaultd.commands.notes.new import new_plain_note

    if asked.title or asked.slug or asked.project or asked.description or asked.source_url or asked.tags:
        raise UsageError("a plain note has only a path and a text", "leave --path out for a work note")
    return change(asked, lambda opened, how: new_plain_note(opened, how, asked.path, body, reason=asked.reason))


def note_append(asked: Namespace) -> Outcome:
    """Add to the end of a note."""
    from vaultd.commands.notes.append import append_to_note

    text = body_of(asked)
    return _note(asked, lambda opened, how, ref: append_to_note(opened, how, ref, text, reason=asked.reason))


def note_edit(asked: Namespace) -> Outcome:
    """Change words of a note."""
    from vaultd.commands.notes.edit import edit_note

    pairs = _replacements(asked)
    return _note(
        asked, lambda opened, how, ref: edit_note(opened, how, ref, pairs, every=asked.all, reason=asked.reason)
    )


def note_delete(asked: Namespace) -> Outcome:
    """Delete a note."""
    from vaultd.commands.notes.delete import delete_note

    if not asked.yes and not asked.dry_run:
        raise UsageError("deleting a note takes its file away", "say --yes, or see --dry-run")
    return _note(asked, lambda opened, how, ref: delete_note(opened, how, ref, reason=asked.reason))


def note_star(asked: Namespace) -> Outcome:
    """Star a note, or take its star away."""
    from vaultd.commands.notes.star import star_note, unstar_note

    put = unstar_note if asked.off else star_note
    return _note(asked, lambda opened, how, ref: put(opened, how, ref, reason=asked.reason))


def set_(asked: Namespace) -> Outcome:
    """Set properties."""
    from vaultd.commands.properties.set import set_properties
    from vaultd.notes.properties import parse_assignment

    wanted = [parse_assignment(readable(text, "the property")) for text in asked.assignments]
    return _note(asked, lambda opened, how, ref: set_properties(opened, how, ref, wanted, reason=asked.reason))


def unset(asked: Namespace) -> Outcome:
    """Take properties away."""
    from vaultd.commands.properties.unset import unset_properties

    return _note(asked, lambda opened, how, ref: unset_properties(opened, how, ref, asked.keys, reason=asked.reason))


def toggle(asked: Namespace) -> Outcome:
    """Toggle a checkbox."""
    from vaultd.commands.task_toggle import toggle_task

    ref, colon, number = asked.ref.rpartition(":")
    if not colon or not number.isdecimal() or int(number) < 1:
        raise UsageError(f"{asked.ref!r} names no line", "PATH:LINE, as check prints it: Tasks.md:12")
    asked.ref = ref
    return _note(
        asked,
        lambda opened, how, path: toggle_task(opened, how, path, int(number), asked.expect, reason=asked.reason),
    )


def import_(asked: Namespace) -> Outcome:
    """Bring notes in from another folder; without --apply only show what would come."""
    from vaultd.commands.import_notes import import_memories, import_whole

    asked.dry_run = asked.dry_run or not asked.apply
    source = Path(asked.source).expanduser()
    project = asked.as_memories

    def run(opened: Opened, how: Asked) -> Done:
        if project is None:
            return import_whole(opened, how, source, reason=asked.reason)
        return import_memories(opened, how, source, project, reason=asked.reason)

    outcome = change(asked, run)
    more = ("vaultd: nothing is written yet: --apply does it",) if asked.dry_run else ()
    return Outcome(outcome.document, outcome.lines, outcome.code, (*outcome.talk, *more))


def undo(asked: Namespace) -> Outcome:
    """Take the last change back."""
    from vaultd.commands.undo import undo as undo_last

    return change(asked, lambda opened, how: undo_last(opened, how, commit=asked.commit, reason=asked.reason))


def _note(asked: Namespace, run: Callable[[Opened, Asked, str], Done]) -> Outcome:
    return change(asked, lambda opened, how: run(opened, how, vault_path(opened, asked.ref)))


def _tags(text: str) -> tuple[str, ...]:
    return tuple(tag.strip() for tag in text.split(",") if tag.strip())


def _replacements(asked: Namespace) -> "list[Replacement]":
    from vaultd.notes.editing import Replacement

    if len(asked.replace) != len(asked.new):
        raise UsageError(
            f"{len(asked.replace)} texts to replace and {len(asked.new)} to put there", "one --with for each --replace"
        )
    texts = zip(asked.replace, asked.new, strict=True)
    return [Replacement(readable(old, "--replace"), readable(new, "--with")) for old, new in texts]
