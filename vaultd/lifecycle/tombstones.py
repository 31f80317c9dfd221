"""The line in an ended memory's body that names what replaced it."""

from vaultd.errors import UsageError
from vaultd.lifecycle.places import Place
from vaultd.notes.note import Note, parse
from vaultd.quickly import pattern
from vaultd.values import dataclass

_LINE = pattern(
    r"> (?:Superseded by (?P<ref>.+?) \((?P<id>[^()]+)\) on (?P<day>\d{4}-\d\d-\d\d)"
    r"|Archived(?: \((?P<reason>.*)\))? on (?P<date>\d{4}-\d\d-\d\d))\s*\Z"
)

_LAST_END = pattern(rb"(?:\r\n|\n|\r)\Z")


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A tombstone line as found: `successor` is the id it names, None for an archived memory's."""

    text: str
    line: int
    """1-based line in the file."""
    successor: str | None


def superseded_line(successor: Place, successor_id: str, day: str) -> str:
    """Return the line for a memory replaced on a day (`YYYY-MM-DD`)."""
    return f"> Superseded by {successor.label} ({successor_id}) on {day}"


def archived_line(day: str, reason: str = "") -> str:
    """Return the line for a memory that ended without a successor."""
    return f"> Archived ({reason}) on {day}" if reason else f"> Archived on {day}"


def find_tombstone(note: Note, *, in_code: bool = False) -> Tombstone | None:
    """Return the tombstone line that ends a note's body, if its last line is one and lies outside code.

    With `in_code` also one in a block of code that is never closed: a stamp has no other end to put it at.
    """
    if b">" not in note.data or (b"\n> " not in note.data and b"\r> " not in note.data):
        return None
    from vaultd.notes.markdown import in_fence, last_line  # noqa: PLC0415  -- few notes that a hook sees have ended

    body = note.body
    last = last_line(body)
    if last is None or not last[0].startswith("> ") or (not in_code and in_fence(body, last[1])):
        return None
    match = _LINE.match(last[0])
    return Tombstone(last[0].rstrip(), note.body_line + last[1] - 1, match["id"]) if match else None


def refuse_tombstone(data: bytes) -> None:
    """Refuse a text that would have an active memory end as one that has ended does.

    Raises:
        UsageError: its last line is a tombstone line.
    """
    if find_tombstone(parse(data)) is not None:
        raise UsageError(
            "the text ends with a tombstone line, and the memory is active (V108)",
            "leave that line out: vaultd memory archive and supersede write it",
        )


def with_tombstone(data: bytes, line: str, newline: str) -> bytes:
    """Return the note with the line appended after a blank line, or unchanged where its last line is already that.

    Every byte that was there stays, blank lines at the end too. A note without a final line end has none afterwards, by
    which `without_tombstone` knows that it had none.
    """
    text = data.rstrip(b"\r\n")
    wanted = line.encode()
    if text.endswith(wanted) and text[: -len(wanted)].endswith((b"\n", b"\r")):
        return data
    end = newline.encode()
    return data + end + wanted + end if data.endswith((b"\n", b"\r")) else data + end + end + wanted


def without_tombstone(data: bytes, tombstone: Tombstone) -> bytes:
    """Return the note without its last line, which is the tombstone, and without the blank line before it."""
    text = data.rstrip(b"\r\n")
    wanted = tombstone.text.encode()
    stripped = text.rstrip(b" \t")
    if not stripped.endswith(wanted):
        return data
    kept = stripped[: -len(wanted)]
    without_blank = _LAST_END.sub(b"", kept)
    if _LAST_END.search(without_blank) is None:
        return kept
    return without_blank if len(text) < len(data) else _LAST_END.sub(b"", without_blank)
