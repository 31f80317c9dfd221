"""Work notes: where they lie, what a new one says."""

from datetime import datetime

from vaultd.errors import UsageError
from vaultd.notes.frontmatter import new_block
from vaultd.notes.names import slug
from vaultd.notes.scalars import Value
from vaultd.notes.times import render
from vaultd.values import dataclass

_LONGEST_TITLE = 255
_SLUG_IS_CUT = 197
"""Bytes: a slug is at most 200, and one that long may have lost its end."""


@dataclass(frozen=True, slots=True)
class WorkDraft:
    """A work note to be made."""

    title: str
    slug: str = ""
    """Empty: made from the title."""
    project: str = ""
    description: str = ""
    source_url: str = ""
    tags: tuple[str, ...] = ()
    body: str = ""


def refuse_title(title: str) -> None:
    """Refuse what is not one line of at most 255 bytes.

    Raises:
        UsageError: it is not.
    """
    if not title.strip() or len(title.splitlines()) > 1:
        raise UsageError("the title must be one line", "what the note is about, in a few words")
    if len(title.encode()) > _LONGEST_TITLE:
        raise UsageError(f"the title is longer than {_LONGEST_TITLE} bytes", "the rest belongs into the text")


def slug_of(title: str) -> str:
    """Return the name of the file of a title.

    Raises:
        UsageError: nothing is left of it, or not all: two titles would be one file.
    """
    made = slug(title)
    if not made:
        raise UsageError(f"no file name can be made of {title!r}", "--slug NAME says what the file is called")
    if len(made.encode()) >= _SLUG_IS_CUT:
        raise UsageError("the title is too long for a file name", f"--slug {made[:40].strip('-_')} or another name")
    return made


def work_text(draft: WorkDraft, name: str, id_: str, now: datetime) -> bytes:
    """Return the bytes of a new work note, keys in canonical order."""
    moment = render(now)
    values: dict[str, Value] = {"id": id_, "title": draft.title.strip(), "slug": name}
    if draft.description:
        values["description"] = draft.description.strip()
    if draft.project:
        values["project"] = draft.project
    values |= {"created": moment, "updated": moment}
    if draft.source_url:
        values["source_url"] = draft.source_url
    if draft.tags:
        values["tags"] = list(draft.tags)
    body = draft.body if draft.body.endswith("\n") or not draft.body else draft.body + "\n"
    return (new_block(values) + body).encode()
