"""YAML text to values and the exact places they stand at, by libyaml's events and YAML 1.2 core scalars.

Bounds: MAX_DEPTH levels, MAX_VALUES values after aliases are expanded. What lies beyond is refused like invalid YAML,
so that no text takes more than a moment or overflows a stack. No tag ever runs code: an unknown one is looked past.
"""

import re
from collections.abc import Callable
from typing import NamedTuple, NoReturn, Protocol, cast

import yaml
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from vaultd.notes.nodes import Kind, Node
from vaultd.notes.scalars import Value, resolve, spell

__all__ = ["MAX_DEPTH", "MAX_VALUES", "Duplicate", "Node", "Tree", "YamlProblem", "read_tree"]

MAX_DEPTH = 100
MAX_VALUES = 100_000

_STYLES: dict[str | None, Kind] = {
    None: "plain",
    "": "plain",
    "'": "single",
    '"': "double",
    "|": "literal",
    ">": "folded",
}

# libyaml refuses control characters and takes U+0085, U+2028 and U+2029 for line breaks (YAML 1.1), which YAML 1.2
# and Obsidian do not. Exchanging them one for one keeps every mark valid.
_STRANGE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_STAND_IN = 0x10F000
_STAND_INS = re.compile("[\U0010f000-\U0010fffd]")
_SMALL = 0x100
_LARGE = {0x2028: _STAND_IN + 0x100, 0x2029: _STAND_IN + 0x101, 0xFEFF: _STAND_IN + 0x102}
_LARGE |= {0xFFFE: _STAND_IN + 0x103, 0xFFFF: _STAND_IN + 0x104}
_EXCHANGE = {code: _STAND_IN + code for code in range(_SMALL) if _STRANGE.match(chr(code))} | _LARGE
_EXCHANGE_BACK = {stand_in: code for code, stand_in in _EXCHANGE.items()}
_CORE_TAGS: dict[str, tuple[type, ...]] = {
    "tag:yaml.org,2002:null": (type(None),),
    "tag:yaml.org,2002:bool": (bool,),
    "tag:yaml.org,2002:int": (int,),
    "tag:yaml.org,2002:float": (int, float),
}


_ALIAS: type[object] = AliasEvent
_MAPPING_END: type[object] = MappingEndEvent
_SCALAR: type[object] = ScalarEvent
_SEQUENCE_END: type[object] = SequenceEndEvent
_SEQUENCE_START: type[object] = SequenceStartEvent
_STREAM_END: type[object] = StreamEndEvent


class Duplicate(NamedTuple):
    """A key that a map holds twice; lines count from 0."""

    key: str
    first: int
    second: int
    column: int


class YamlProblem(Exception):  # noqa: N818 - not an error of the product: note.py turns it into a finding
    """The YAML cannot be read; `line` and `column` count from 0."""

    def __init__(self, problem: str, line: int, column: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line
        self.column = column


class Tree(NamedTuple):
    """The root of a block (None where it holds nothing) and the keys that stand twice in it."""

    root: Node | None
    duplicates: tuple[Duplicate, ...]


def read_tree(text: str) -> Tree:
    """Return what a YAML text says and where.

    Raises:
        YamlProblem: it is not YAML, holds several documents, or goes beyond the bounds.
    """
    strange = _STRANGE.search(text) is not None
    if strange and _STAND_INS.search(text):
        raise YamlProblem("control characters beside private-use characters", 0, 0)
    walk = _Walk(text, text.translate(_EXCHANGE) if strange else text, strange=strange)
    try:
        return walk.document()
    except yaml.MarkedYAMLError as exc:
        raise _as_problem(exc) from exc
    except yaml.YAMLError as exc:
        raise YamlProblem(str(exc).split("\n", maxsplit=1)[0], 0, 0) from exc
    finally:
        walk.loader.dispose()


def _as_problem(exc: yaml.MarkedYAMLError) -> YamlProblem:
    context = exc.context or ""
    # These report the place where libyaml gave up; the mistake is where the construct began.
    begun = context.startswith(("while parsing a flow", "while scanning a simple key", "while scanning a quoted"))
    mark = (exc.context_mark if begun else None) or exc.problem_mark
    words = f"{exc.problem} {context}".strip()
    return YamlProblem(words, mark.line if mark else 0, mark.column if mark else 0)


class _Mark(Protocol):
    index: int
    line: int
    column: int


class _Event(Protocol):
    """What libyaml's events carry, each where its type has it; the published types make every mark optional."""

    start_mark: _Mark
    end_mark: _Mark
    value: str
    style: str | None
    tag: str | None
    anchor: str | None
    flow_style: bool


class _Walk:
    """One pass over the events of one document."""

    def __init__(self, text: str, exchanged: str, *, strange: bool) -> None:
        self.text = text
        self.loader = yaml.CSafeLoader(exchanged)
        self.next_event = cast("Callable[[], _Event]", self.loader.get_event)
        self.strange = strange
        self.values = 0
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.duplicates: list[Duplicate] = []

    def document(self) -> Tree:
        self.next_event()
        if type(self.next_event()) is _STREAM_END:
            return Tree(None, ())
        root = self.node(self.next_event(), 0)
        self.next_event()
        after = self.next_event()
        if type(after) is not _STREAM_END:
            self.refuse("a second YAML document begins here", after)
        return Tree(root, tuple(self.duplicates))

    def node(self, event: _Event, depth: int) -> Node:
        self.values += 1
        if self.values > MAX_VALUES:
            self.refuse(f"more than {MAX_VALUES:,} values", event)
        kind = type(event)
        if kind is _SCALAR:
            return self.scalar(event)
        if kind is _ALIAS:
            return self.alias(event)
        if depth >= MAX_DEPTH:
            self.refuse(f"nested more than {MAX_DEPTH} levels deep", event)
        before = self.values
        node = self.sequence(event, depth + 1) if kind is _SEQUENCE_START else self.mapping(event, depth + 1)
        if event.anchor:
            self.anchors[event.anchor] = (node, self.values - before + 1)
        return node

    def scalar(self, event: _Event) -> Node:
        text = event.value.translate(_EXCHANGE_BACK) if self.strange else event.value
        if event.tag is not None:
            return self.leaf(event, _tagged(event.tag, text))
        return self.leaf(event, text if event.style else resolve(text))

    def leaf(self, event: _Event, value: Value) -> Node:
        mark = event.start_mark
        start, end = mark.index, event.end_mark.index
        kind = _STYLES[event.style]
        if start == end:
            kind = "empty"
        elif kind == "literal" or kind == "folded":  # noqa: PLR1714 - twice as fast, for every scalar of every note
            # libyaml counts the blank lines behind a block scalar to it
            end = start + len(self.text[start:end].rstrip(" \t\r\n"))
        node = Node(value, start, end, kind, mark.line, mark.column)
        if event.anchor:
            self.anchors[event.anchor] = (node, 1)
        return node

    def alias(self, event: _Event) -> Node:
        target = self.anchors.get(event.anchor or "")
        if target is None:
            self.refuse(f"the alias *{event.anchor} has no anchor before it", event)
        self.values += target[1]
        mark = event.start_mark
        return Node(target[0].value, mark.index, event.end_mark.index, "alias", mark.line, mark.column, target[0].parts)

    def sequence(self, begin: _Event, depth: int) -> Node:
        items: list[Node] = []
        while type(event := self.next_event()) is not _SEQUENCE_END:
            items.append(self.node(event, depth))
        return self.collection(begin, event, [item.value for item in items], items)

    def mapping(self, begin: _Event, depth: int) -> Node:
        parts: list[Node] = []
        found: dict[str, Value] = {}
        lines: dict[str, int] = {}
        while type(event := self.next_event()) is not _MAPPING_END:
            key = self.key(event, depth)
            value = self.node(self.next_event(), depth)
            name = str(key.value)
            if name in found:
                self.duplicates.append(Duplicate(name, lines[name], key.line, key.column))
            else:
                lines[name] = key.line
            found[name] = value.value
            parts += (key, value)
        return self.collection(begin, event, found, parts)

    def key(self, event: _Event, depth: int) -> Node:
        """Return a key with the string it is: its own text, whatever it would be as a value."""
        if type(event) is _SCALAR:
            self.values += 1
            return self.leaf(event, event.value.translate(_EXCHANGE_BACK) if self.strange else event.value)
        node = self.node(event, depth)
        return node._replace(value=_as_key(node.value))

    def collection(self, begin: _Event, last: _Event, value: Value, parts: list[Node]) -> Node:
        mark = begin.start_mark
        if begin.flow_style:
            return Node(value, mark.index, last.end_mark.index, "flow", mark.line, mark.column, tuple(parts))
        # a block collection ends, for libyaml, at the next token: take the end of its last part
        end = max((part.end for part in parts), default=begin.end_mark.index)
        return Node(value, mark.index, end, "block", mark.line, mark.column, tuple(parts))

    def refuse(self, problem: str, event: _Event) -> NoReturn:
        raise YamlProblem(problem, event.start_mark.line, event.start_mark.column)


def _tagged(tag: str, text: str) -> Value:
    value = resolve(text)
    return value if tag in _CORE_TAGS and isinstance(value, _CORE_TAGS[tag]) else text


def _as_key(value: Value) -> str:
    """Return the string Obsidian makes of a list or map that stands as a key: `{{date}}` holds the key `{ date }`."""
    match value:
        case str():
            return value
        case dict():
            pairs = (key if item is None else f"{key}: {_as_key(item)}" for key, item in value.items())
            return "{ " + ", ".join(pairs) + " }"
        case list():
            return "[ " + ", ".join(map(_as_key, value)) + " ]"
        case _:
            return spell(value)
