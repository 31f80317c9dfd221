"""Where the properties of a block of plain lines stand, without libyaml: most commands change one value of such a block.

It answers for blocks that the quick reader took, and says what the full one would; the property tests hold it to that.
"""

import re
from collections.abc import Iterator

from vaultd.notes.nodes import Kind, Node
from vaultd.notes.plain import ENTRY, FLOW_ITEM, LIST_ITEM
from vaultd.notes.reading import FIRST_LINE, Reading
from vaultd.notes.scalars import Value

_QUOTES: dict[str, Kind] = {"'": "single", '"': "double"}


def plain_places(text: str, reading: Reading) -> Node | None:
    """Return the root of a block that the quick reader read, None where it holds no property."""
    parts: list[Node] = []
    for found in ENTRY.finditer(text):
        key = found["key"]
        if key is not None:
            line = reading.key_lines[key] - FIRST_LINE
            parts.append(Node(key, found.start("key"), found.end("key"), "plain", line, 0))
            parts.append(_value(text, found, reading.properties[key], line))
    if not parts:
        return None
    first = parts[0]
    return Node(reading.properties, first.start, parts[-1].end, "block", first.line, 0, tuple(parts))  # type: ignore[arg-type]


def _value(text: str, found: re.Match[str], value: Value, line: int) -> Node:
    if found["items"]:
        start = text.index("-", found.start("items"))
        items = tuple(_items(text, found, line + 1))
        return Node(value, start, items[-1].end, "block", line + 1, start - found.start("items"), items)
    if found["flow"]:
        start, end = found.span("flow")
        spans = [item.span() for item in FLOW_ITEM.finditer(text, start + 1, end - 1)]
        parts = tuple(_scalar(text, span, line, found.start()) for span in spans)
        return Node(value, start, end, "flow", line, start - found.start(), parts)
    if found["plain"] or found["quoted"]:
        span = found.span("plain" if found["plain"] else "quoted")
        return _scalar(text, span, line, found.start())._replace(value=value)
    behind = found.end("key") + 1
    return Node(None, behind, behind, "empty", line, behind - found.start())


def _items(text: str, found: re.Match[str], line: int) -> Iterator[Node]:
    for number, item in enumerate(LIST_ITEM.finditer(text, *found.span("items"))):
        yield _scalar(text, item.span(1), line + number, item.start())


def _scalar(text: str, span: tuple[int, int], line: int, line_start: int) -> Node:
    start, end = span
    written = text[start:end].rstrip(" ")
    kind = _QUOTES.get(written[0], "plain")
    value = written if kind == "plain" else written[1:-1]
    return Node(value, start, start + len(written), kind, line, start - line_start)
