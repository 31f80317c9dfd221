"""Where in a YAML text one property, or one item of a list, can be changed and nothing else."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from vaultd.notes.nodes import Node
from vaultd.notes.scalars import Value, double_quoted, same, single_quoted, spell, spell_item

_COLON = re.compile(r"[ \t]*:")
_BLANK_REST = re.compile(r"[ \t]*(?=\r?\n|\Z|[,}])")
_COMMENT = re.compile(r"[ \t]+#[^\r\n]*")
_ANCHOR = re.compile(r"[ \t]*(?:!\S*[ \t]+)?(&[^\s,\[\]{}]+)")
_DASH = re.compile(r"([ \t]*)-[ \t]*")


class Splice(NamedTuple):
    """Put `text` in the place of the characters from `start` to `end`."""

    start: int
    end: int
    text: str


class _Change(NamedTuple):
    """What differs between two lists: behind `at` items, those in `gone` leave and those in `come` arrive."""

    at: int
    gone: range
    come: list[Value]


class Entry(NamedTuple):
    """One property of the root: its key and its value."""

    key: Node
    value: Node


def entries(root: Node) -> list[Entry]:
    """Return the properties of a root that is a map, in order."""
    return [Entry(key, value) for key, value in zip(root.parts[::2], root.parts[1::2], strict=True)]


def apply(text: str, splices: Sequence[Splice]) -> str:
    """Return the text with every splice made; they must not overlap."""
    for splice in sorted(splices, reverse=True):
        text = text[: splice.start] + splice.text + text[splice.end :]
    return text


def line_start(text: str, offset: int) -> int:
    """Return where the line of `offset` begins."""
    return text.rfind("\n", 0, offset) + 1


def line_end(text: str, offset: int) -> int:
    """Return where the line of `offset` ends, its line break included."""
    at = text.find("\n", offset)
    return len(text) if at < 0 else at + 1


def to_replace(text: str, root: Node, entry: Entry, value: Value, newline: str) -> list[Splice] | None:
    """Return the splices that give an existing property a value, or None where it has no place to stand."""
    node = entry.value
    if isinstance(value, list) and value and node.parts and isinstance(node.value, list):
        spliced = _list_splices(text, node, value, newline)
        if spliced is not None:
            return spliced
    spelled = _in_style(node, value, in_flow=root.kind == "flow")
    if node.kind == "empty":
        return _fill(text, entry, spelled, in_flow=root.kind == "flow")
    if node.kind in {"block", "literal", "folded"}:
        colon = _COLON.match(text, entry.key.end)
        return [_replace_lines(text, colon.end(), node, spelled)] if colon else None
    return [Splice(node.start, node.end, _anchor(text, node.start) + spelled)]


def to_add(text: str, root: Node, key: str, value: Value, newline: str) -> list[Splice]:
    """Return the places a new property can go, the best first: behind the last one, else at the end."""
    found = entries(root)
    if root.kind == "flow":
        pair = f"{spell_item(key)}: {spell_item(value)}"
        if not found:
            return [Splice(root.end - 1, root.end - 1, pair)]
        # a key alone (`{a}`) has its value, the null, right behind it
        return [Splice(found[-1].value.end, found[-1].value.end, f", {pair}")]
    last = found[-1]
    indent = text[line_start(text, last.key.start) : last.key.start]
    line = (indent if not indent.strip() else "") + f"{spell(key)}: {spell(value)}{newline}"
    behind = line_end(text, last.value.end)
    return [Splice(behind, behind, line), Splice(len(text), len(text), line)]


def to_begin(text: str, key: str, value: Value, newline: str) -> Splice:
    """Return the place of the first property of a block that holds comments and blank lines, or nothing."""
    return Splice(len(text), len(text), f"{spell(key)}: {spell(value)}{newline}")


def to_remove(text: str, root: Node, index: int) -> Splice:
    """Return the splice that takes a property out, with its lines and the comment on them."""
    found = entries(root)
    entry = found[index]
    if root.kind == "flow":
        return _out_of_flow([Node(None, *_span(e), "flow", 0, 0) for e in found], index, index + 1)
    return Splice(line_start(text, entry.key.start), line_end(text, max(entry.value.end, entry.key.end)), "")


def _span(entry: Entry) -> tuple[int, int]:
    return entry.key.start, max(entry.key.end, entry.value.end)


def _in_style(node: Node, value: Value, *, in_flow: bool) -> str:
    """Spell a value; text keeps the quotes the old one had."""
    if isinstance(value, str):
        if node.kind == "single" and value.isprintable():
            return single_quoted(value)
        if node.kind in {"single", "double"}:
            return double_quoted(value)
    return spell_item(value) if in_flow else spell(value)


def _fill(text: str, entry: Entry, spelled: str, *, in_flow: bool) -> list[Splice] | None:
    colon = _COLON.match(text, entry.key.end)
    if colon is None:
        return [Splice(entry.key.end, entry.key.end, f": {spelled}")] if in_flow else None
    rest = _BLANK_REST.match(text, colon.end())
    return [Splice(colon.end(), rest.end() if rest else colon.end(), f" {spelled}")]


def _replace_lines(text: str, colon: int, node: Node, spelled: str) -> Splice:
    """Put a value on the key's line in the place of the lines below it; a comment behind the key stays."""
    found = _ANCHOR.match(text, colon)
    comment = _COMMENT.match(text, found.end() if found else colon)
    return Splice(colon, node.end, f" {_anchor(text, colon)}{spelled}{comment[0] if comment else ''}")


def _anchor(text: str, at: int) -> str:
    """Return the anchor of the value that begins here: it stays, whatever the value is, and a tag of the old one goes."""
    found = _ANCHOR.match(text, at)
    return f"{found[1]} " if found else ""


def _list_splices(text: str, node: Node, new: list[Value], newline: str) -> list[Splice] | None:
    """Return splices that touch only the items that differ, or None where items have no lines of their own."""
    if node.kind not in {"block", "flow"}:
        return None
    old = node.parts
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    gone = range(head, len(old) - tail)
    come = new[head : len(new) - tail]
    kept = min(len(gone), len(come))
    in_place = [
        Splice(old[index].start, old[index].end, _in_style(old[index], item, in_flow=node.kind == "flow"))
        for index, item in zip(gone, come, strict=False)
    ]
    if any(old[index].kind in {"empty", "block", "literal", "folded"} for index in gone[:kept]):
        return None
    rest = _Change(head + kept, gone[kept:], come[kept:])
    if node.kind == "flow":
        return in_place + _flow_items(node, rest)
    lines = _block_items(text, node, rest, newline)
    return None if lines is None else in_place + lines


def _shared(old: Sequence[Node], new: Sequence[Value]) -> int:
    count = 0
    for node, item in zip(old, new, strict=False):
        if not same(node.value, item):
            break
        count += 1
    return count


def _flow_items(node: Node, change: _Change) -> list[Splice]:
    if change.gone:
        return [_out_of_flow(node.parts, change.gone.start, change.gone.stop)]
    if not change.come:
        return []
    spelled = ", ".join(map(spell_item, change.come))
    if change.at == 0:
        return [Splice(node.parts[0].start, node.parts[0].start, f"{spelled}, ")]
    before = node.parts[change.at - 1].end
    return [Splice(before, before, f", {spelled}")]


def _out_of_flow(parts: Sequence[Node], first: int, stop: int) -> Splice:
    if stop < len(parts):
        return Splice(parts[first].start, parts[stop].start, "")
    if first > 0:
        return Splice(parts[first - 1].end, parts[stop - 1].end, "")
    return Splice(parts[0].start, parts[-1].end, "")


def _block_items(text: str, node: Node, change: _Change, newline: str) -> list[Splice] | None:
    nearest = node.parts[max(change.at - 1, 0)]
    leaving = [node.parts[index] for index in change.gone]
    dashes = [_DASH.fullmatch(text, line_start(text, part.start), part.start) for part in [nearest, *leaving]]
    if dashes[0] is None or not all(dashes):
        return None
    removed = [Splice(line_start(text, part.start), line_end(text, part.end), "") for part in leaving]
    if not change.come:
        return removed
    lines = "".join(f"{dashes[0][1]}- {spell(item)}{newline}" for item in change.come)
    place = line_start(text, nearest.start) if change.at == 0 else line_end(text, nearest.end)
    return [*removed, Splice(place, place, lines)]
