"""What a memory's or work note's fields may say when a command writes them: canonical, where reading is liberal."""

from vaultd.errors import UsageError
from vaultd.lifecycle.new_names import why_not_made
from vaultd.lifecycle.note_rules import DESCRIPTION_LENGTH, KINDS
from vaultd.lifecycle.places import Place
from vaultd.notes.conflicts import refuse_markers
from vaultd.notes.names import slug
from vaultd.notes.note import is_second_block
from vaultd.notes.properties import tag_of

PLAN_TAG = "plan:"
"""Before a plan's slug: the tag of its notes. A colon is in no tag of Obsidian's, so no tag tree shows it."""


def refuse_names(place: Place, name_option: str = "--name") -> None:
    """Refuse a name or project that not every system can hold.

    Raises:
        UsageError: with the nearest name that can.
    """
    for option, text in ((name_option, place.name), ("--project", place.project)):
        if option == "--project" and not text:
            continue
        wrong = why_not_made(text, ".md" if option == name_option else "")
        if wrong:
            proposal = slug(text[:-3] if text.lower().endswith(".md") else text)
            raise UsageError(
                f"the {option.removeprefix('--')} {text!r} {wrong}",
                f"{option} {proposal}" if proposal and proposal != text else "",
            )


def refuse_kind(kind: str) -> None:
    """Refuse what is no kind of memory.

    Raises:
        UsageError: it is none.
    """
    if kind not in KINDS:
        raise UsageError(f"no kind is {kind!r}", "one of " + ", ".join(KINDS))


def refuse_description(text: str) -> None:
    """Refuse what is not one line of at most 150 characters.

    Raises:
        UsageError: it is not.
    """
    if not text.strip() or len(text.splitlines()) > 1:
        raise UsageError("the description must be one line", "it is the only text that lists show")
    if len(text) > DESCRIPTION_LENGTH:
        raise UsageError(f"the description has {len(text)} characters", f"at most {DESCRIPTION_LENGTH}")


def refuse_body(text: str) -> None:
    """Refuse a text that brings frontmatter of its own, which nobody would read behind the note's, or conflict markers.

    Raises:
        UsageError: it does.
    """
    refuse_markers(text.encode("utf-8", "surrogateescape"))
    if is_second_block(text):
        raise UsageError(
            "the text begins with frontmatter, and the note has its own already",
            "leave the block out: what it says is said by parameters of their own; begin with the text",
        )


def as_tags(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return tags as a note holds them, each once and without `#`.

    Raises:
        UsageError: one of them is none.
    """
    found = (text if text.startswith(PLAN_TAG) and " " not in text else tag_of(text) for text in texts)
    return tuple(dict.fromkeys(found))
