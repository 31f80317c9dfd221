"""YAML that is valid and probably not what its author meant: V211 to V215."""

import re
from collections.abc import Iterator

from vaultd.notes.findings import Finding
from vaultd.notes.nodes import Node
from vaultd.notes.reading import FIRST_LINE, ID_KEYS, LIFECYCLE_KEYS

SAFE_INTEGER = 2**53 - 1
_LOOKS_LIKE_ID = re.compile(r"[-+]?0[0-9]+|[0-9]+[eE][-+]?[0-9]{2,}")
_LIKE_ID_LENGTH = 6
_COMMENT = re.compile(r"[ \t]+#[^\s#]")
_WIKILINK = re.compile(r"\[\[[^\[\]\r\n]+\]\]")


def suspicions(text: str, root: Node) -> Iterator[Finding]:
    """Yield what looks wrong in a block that reads as a mapping, key by key."""
    for key, value in zip(root.parts[::2], root.parts[1::2], strict=True):
        name = str(key.value)
        yield from _case_variant(name, key)
        yield from _below(text, name, value)


def _below(text: str, name: str, node: Node) -> Iterator[Finding]:
    if node.kind in {"plain", "empty"}:
        if not isinstance(node.value, str):
            yield from _number(text, name, node)
        if text[node.end : node.end + 1] in {" ", "\t"}:
            yield from _comment(text, name, node)
    elif node.kind in {"flow", "block"}:
        yield from _wikilink(text, name, node)
        for part in node.parts:
            yield from _below(text, name, part)


def _case_variant(name: str, key: Node) -> Iterator[Finding]:
    lower = name.lower()
    if lower in LIFECYCLE_KEYS and name not in LIFECYCLE_KEYS:
        message = f"{name!r} is not {lower!r}: lifecycle keys are lower case"
        yield _finding("V213", key, message, f"rename it to {lower!r}", name)


def _number(text: str, name: str, node: Node) -> Iterator[Finding]:
    value = node.value
    if not isinstance(value, int | float) or isinstance(value, bool):
        return
    written = text[node.start : node.end]
    like_id = _LOOKS_LIKE_ID.fullmatch(written) is not None
    like_id = like_id and (written.lstrip("+-")[0] == "0" or len(written) >= _LIKE_ID_LENGTH)
    if like_id or name in ID_KEYS or name.lower() == "tags":
        message = f"{written} is a number for YAML ({value})" if str(value) != written else f"{written} is a number"
        yield _finding("V211", node, message, f'quote it if it is a name: "{written}"', name)
    if isinstance(value, int) and abs(value) > SAFE_INTEGER:
        message = f"{written} is too large for JavaScript: Obsidian will change its last digits when it saves"
        yield _finding("V212", node, message, f'quote it: "{written}"', name)


def _comment(text: str, name: str, node: Node) -> Iterator[Finding]:
    if not _COMMENT.match(text, node.end):
        return
    what = "the value is" if node.kind == "empty" else "the value ends at"
    yield _finding("V215", node, f"{what} a comment: YAML drops everything from ` #` on", "quote the value", name)


def _wikilink(text: str, name: str, node: Node) -> Iterator[Finding]:
    if node.kind == "flow" and (match := _WIKILINK.match(text, node.start)) and match.end() == node.end:
        message = f"{match[0]} without quotes is a list in a list for YAML, not a link"
        yield _finding("V214", node, message, f'quote it: "{match[0]}"', name)


def _finding(code: str, node: Node, message: str, hint: str, subject: str) -> Finding:
    return Finding(code, node.line + FIRST_LINE, message, hint, node.column + 1, subject)
