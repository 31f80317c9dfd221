"""Verbs that write texts and properties; each is one call of a command and one document."""

from argparse import Namespace

from vaultd.cli.change import body_given, body_of, change, readable
from vaultd.cli.outcome import Outcome
from vaultd.commands.memory_append import append_to_memory
from vaultd.commands.memory_edit import edit_memory
from vaultd.commands.memory_star import star_memory, unstar_memory
from vaultd.commands.memory_write import Wanted, write_memory
from vaultd.errors import UsageError
from vaultd.lifecycle.places import Place
from vaultd.notes.editing import Replacement


def write(asked: Namespace) -> Outcome:
    """Make a memory, or change it in place."""
    tags = None if asked.tags is None else _tags(asked.tags)
    wanted = Wanted(asked.kind, asked.description, body_given(asked), tags)
    place = Place(asked.project, asked.name)
    return change(
        asked,
        lambda app, how: write_memory(app.opened, how, place, wanted, supersedes=asked.supersedes, reason=asked.reason),
    )


def append(asked: Namespace) -> Outcome:
    """Add to the end of a memory."""
    text = body_of(asked)
    return change(asked, lambda app, how: append_to_memory(app.opened, how, asked.ref, text, reason=asked.reason))


def edit(asked: Namespace) -> Outcome:
    """Change words of a memory."""
    pairs = _replacements(asked)
    return change(
        asked,
        lambda app, how: edit_memory(app.opened, how, asked.ref, pairs, every=asked.all, reason=asked.reason),
    )


def star(asked: Namespace) -> Outcome:
    """Star a memory, or take its star away."""
    put = unstar_memory if asked.off else star_memory
    return change(asked, lambda app, how: put(app.opened, how, asked.ref, reason=asked.reason))


def _tags(text: str) -> tuple[str, ...]:
    return tuple(tag.strip() for tag in text.split(",") if tag.strip())


def _replacements(asked: Namespace) -> list[Replacement]:
    if len(asked.replace) != len(asked.new):
        raise UsageError(
            f"{len(asked.replace)} texts to replace and {len(asked.new)} to put there", "one --with for each --replace"
        )
    texts = zip(asked.replace, asked.new, strict=True)
    return [Replacement(readable(old, "--replace"), readable(new, "--with")) for old, new in texts]
