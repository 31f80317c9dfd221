"""Lossless edits of a note's frontmatter: the bytes of one value change, all others stay.

Nothing is ever written out anew. An edit replaces the characters of one value (or adds, or takes out, one entry), reads
the result back, and is made only if that says what the note said before plus exactly the requested change. Otherwise
it is refused with the line, the reason and the mend, and the note stays as it is.
"""

from collections.abc import Mapping, Sequence

from vaultd.errors import NoteFormatError
from vaultd.notes.fences import BOM, Block, empty_fences, find_block
from vaultd.notes.findings import Finding
from vaultd.notes.nodes import Node
from vaultd.notes.note import around, read_block
from vaultd.notes.plain import read_plainly
from vaultd.notes.plain_places import plain_places
from vaultd.notes.reading import Reading
from vaultd.notes.scalars import Value, same, spell
from vaultd.notes.splices import Entry, Splice, apply, entries, to_add, to_begin, to_remove, to_replace
from vaultd.values import dataclass

_HARMLESS = frozenset(("V202", "V204", "V211", "V212", "V213", "V214", "V215"))


def set_value(data: bytes, key: str, value: Value) -> bytes:
    """Return the note with one property set.

    An equal value (by value, not by spelling) returns `data` itself. Text keeps its kind of quotes, a list its style
    and the lines of the items that stay; a new key becomes one line behind the last one.

    Raises:
        NoteFormatError: the frontmatter cannot be read, or not changed without touching something else.
    """
    draft = _open(data)
    if draft is None:
        return _prepend(data, {key: value})
    if key in draft.properties and same(draft.properties[key], value):
        return data
    return draft.set(key, value)


def remove_value(data: bytes, key: str) -> bytes:
    """Return the note without one property: its lines go, with the comment on them; the fences stay.

    Raises:
        NoteFormatError: as for `set_value`.
    """
    draft = _open(data)
    if draft is None or key not in draft.properties:
        return data
    return draft.remove(key)


def add_item(data: bytes, key: str, item: Value) -> bytes:
    """Return the note with an item at the end of a list, unless the list holds it; one value alone becomes a list.

    Raises:
        NoteFormatError: the property is a map; and as for `set_value`.
    """
    draft = _open(data)
    items = draft.items(key) if draft else []
    if any(same(item, held) for held in items):
        return data
    return set_value(data, key, [*items, item])


def remove_item(data: bytes, key: str, item: Value) -> bytes:
    """Return the note without an item of a list; a list that loses its last item becomes `[]`.

    Raises:
        NoteFormatError: the property is a map; and as for `set_value`.
    """
    draft = _open(data)
    items = draft.items(key) if draft else []
    kept = [held for held in items if not same(item, held)]
    return data if len(kept) == len(items) else set_value(data, key, kept)


def new_block(properties: Mapping[str, Value]) -> str:
    """Return the frontmatter of a new file in canonical spelling, lists in flow style; "" for no properties."""
    if not properties:
        return ""
    return "---\n" + "".join(f"{spell(key)}: {spell(value)}\n" for key, value in properties.items()) + "---\n"


@dataclass(frozen=True, slots=True)
class _Draft:
    """A note whose frontmatter can be read and edited."""

    data: bytes
    block: Block
    text: str
    root: Node | None
    reading: Reading

    @property
    def properties(self) -> Mapping[str, Value]:
        return self.reading.properties

    def items(self, key: str) -> list[Value]:
        """Return a property as a list: null and absent hold nothing, one value alone is one item."""
        match self.properties.get(key):
            case None:
                return []
            case list() as items:
                return items
            case dict():
                raise NoteFormatError(f"{key!r} is a map, not a list", "edit it by hand", line=self.line(key))
            case value:
                return [value]

    def line(self, key: str) -> int:
        return self.reading.key_lines.get(key, 1)

    def set(self, key: str, value: Value) -> bytes:
        want = {**self.properties, key: value}
        return self.first_that_holds(key, want, self.places(key, value))

    def places(self, key: str, value: Value) -> list[list[Splice]]:
        """Return the edits that may give a property this value, the best first."""
        if self.root is None:
            return [[to_begin(self.text, key, value, self.block.newline)]]
        if key not in self.properties:
            return [[place] for place in to_add(self.text, self.root, key, value, self.block.newline)]
        entry = next(found for found in self.entries() if found.key.value == key)
        made = to_replace(self.text, self.root, entry, value, self.block.newline)
        return [made] if made else []

    def remove(self, key: str) -> bytes:
        want = {name: value for name, value in self.properties.items() if name != key}
        index = list(self.properties).index(key)
        return self.first_that_holds(key, want, [[to_remove(self.text, self.root, index)]] if self.root else [])

    def first_that_holds(self, key: str, want: dict[str, Value], attempts: Sequence[Sequence[Splice]]) -> bytes:
        """Return the note after the first attempt that gives exactly the wanted properties."""
        for attempt in attempts:
            if (made := self.holds(apply(self.text, attempt), want)) is not None:
                return made
        shared = any(
            found.key.value == key and self.text.startswith("&", found.value.start) for found in self.entries()
        )
        reason = "other values are taken from it (an anchor)" if shared else "that would change something else too"
        raise NoteFormatError(f"{key!r} is left as it is: {reason}", "edit it by hand", line=self.line(key))

    def entries(self) -> list[Entry]:
        return entries(self.root) if self.root else []

    def holds(self, text: str, want: dict[str, Value]) -> bytes | None:
        """Return the note with this YAML text if it reads as the wanted properties, in their order."""
        try:
            encoded = text.encode("utf-8")
        except UnicodeEncodeError:
            return None
        made = self.data[: self.block.start] + encoded + self.data[self.block.end :]
        if text and not _same_place(find_block(made), self.block, len(encoded)):
            return None
        reading = read_block(text)
        unchanged = reading.readable and same(dict(reading.properties), want) and list(reading.properties) == list(want)
        return made if unchanged else None


def _same_place(found: Block | None, block: Block, size: int) -> bool:
    return found is not None and found.writable and (found.start, found.end) == (block.start, block.start + size)


def _open(data: bytes) -> _Draft | None:
    """Return the note ready for an edit, None where it has no frontmatter at all; refuse what cannot be edited."""
    shown = find_block(data)
    _refuse_for(tuple(around(data, shown)))
    block = shown or empty_fences(data)
    if block is None:
        return None
    text = data[block.start : block.end].decode("utf-8")
    root, reading = _read_with_places(text)
    if not reading.readable:
        _refuse_for(reading.findings)
    return _Draft(data, block, text, root, reading)


def _read_with_places(text: str) -> tuple[Node | None, Reading]:
    plainly = read_plainly(text)
    if plainly is not None:
        return plain_places(text, plainly), plainly
    # libyaml takes longer to import than a plain block takes to change
    from vaultd.notes.careful import read_with_places  # noqa: PLC0415

    return read_with_places(text)


def _refuse_for(findings: Sequence[Finding]) -> None:
    for found in findings:
        if found.code not in _HARMLESS:
            raise NoteFormatError(found.message, found.hint, line=found.line)


def _prepend(data: bytes, properties: Mapping[str, Value]) -> bytes:
    """Put a new block before a note that has none, in the line endings the note has."""
    start = len(BOM) if data.startswith(BOM) else 0
    first_break = data.find(b"\n")
    newline = "\r\n" if first_break > 0 and data[first_break - 1] == 0x0D else "\n"
    try:
        block = new_block(properties).replace("\n", newline).encode("utf-8")
    except UnicodeEncodeError as exc:
        raise NoteFormatError("a lone surrogate cannot be written", "leave it out") from exc
    made = data[:start] + block + data[start:]
    found = find_block(made)
    reading = read_block(made[found.start : found.end].decode("utf-8")) if found else Reading()
    if not same(dict(reading.properties), dict(properties)):
        raise NoteFormatError("a property cannot be written so that it reads back the same", "choose another value")
    return made
