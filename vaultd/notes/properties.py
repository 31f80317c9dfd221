"""Values of properties as a person types them, read by the type that the vault gives the property."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, date
from typing import Literal, TypeAlias, get_args

from vaultd.errors import UsageError
from vaultd.notes.markdown import frontmatter_tags
from vaultd.notes.note import read_block
from vaultd.notes.scalars import Value, resolve, same, spell
from vaultd.notes.times import parse_moment
from vaultd.values import dataclass

Kind = Literal["text", "multitext", "number", "checkbox", "date", "datetime", "tags", "aliases"]
Operation = Literal["=", "+=", "-="]
Kinds: TypeAlias = Mapping[str, Kind]
"""Case-folded name of a property to its type."""

ALWAYS: Kinds = {"tags": "tags", "aliases": "aliases", "cssclasses": "multitext"}
"""Types that Obsidian gives whatever a vault says."""
_LISTS = ("multitext", "tags", "aliases")
_ASSIGNMENT = re.compile(r"([^=\r\n]*?)(\+=|-=|=)(.*)", re.DOTALL)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


@dataclass(frozen=True, slots=True)
class Assignment:
    """`key=value`, `key+=item` or `key-=item`, as typed."""

    key: str
    operation: Operation
    text: str


def parse_assignment(text: str) -> Assignment:
    """Return what `key=value`, `key+=item` or `key-=item` says.

    Raises:
        UsageError: it is none of them.
    """
    match = _ASSIGNMENT.fullmatch(text)
    key = match[1].strip() if match else ""
    if match is None or not key:
        raise UsageError(f"{text!r} sets nothing", "key=value, key+=item or key-=item is needed")
    operation: Operation = "+=" if match[2] == "+=" else "-=" if match[2] == "-=" else "="
    return Assignment(key, operation, match[3])


def parse_kinds(data: bytes) -> Kinds:
    """Return the types that `.obsidian/types.json` gives, Obsidian's own before them; unknown ones are left out.

    Raises:
        ValueError: it is not JSON of that form.
    """
    document = json.loads(data)
    types = document.get("types", {}) if isinstance(document, dict) else None
    if not isinstance(types, dict):
        raise ValueError("no types")  # noqa: TRY004  -- one kind of failure, whatever is wrong with the file
    return {str(name).casefold(): kind for name, kind in types.items() if kind in get_args(Kind)} | dict(ALWAYS)


def value_of(key: str, text: str, kind: Kind | None, held: Value) -> Value:
    """Return the value that a text gives a property; without a type it keeps the kind of value it has.

    Raises:
        UsageError: the type does not allow it.
    """
    if kind in _LISTS or (kind is None and isinstance(held, list)):
        return _list(key, text, kind)
    if not text:
        return None
    match kind:
        case "text":
            return text
        case None:
            return text if isinstance(held, str) else _guessed(text)
        case _:
            return _scalar(key, text, kind)


def item_of(key: str, text: str, kind: Kind | None) -> Value:
    """Return an item that is added to, or taken out of, a list.

    Raises:
        UsageError: the property is no list, or the item is none that it may hold.
    """
    if kind is not None and kind not in _LISTS:
        raise UsageError(f"{key} is a {kind}, not a list", f"{key}=VALUE sets it")
    if not text:
        raise UsageError(f"{key}: an empty item says nothing", f"{key}+=ITEM")
    if kind == "tags":
        return tag_of(text)
    return text if kind is not None else _guessed_scalar(text)


def held_item(items: list[Value], item: Value, kind: Kind | None) -> Value:
    """Return the item of a list that is meant by a typed one: `7` may stand there as a text, a tag in another case."""
    for held in items:
        if same(held, item) or (isinstance(held, str) and not isinstance(item, str) and held == spell(item)):
            return held
        if kind == "tags" and isinstance(held, str) and held.lstrip("#").casefold() == str(item).casefold():
            return held
    return item


def _list(key: str, text: str, kind: Kind | None) -> list[Value]:
    flow = _flow(text)
    if flow is not None and kind is None:
        return flow
    if flow is not None:
        return [item_of(key, item if isinstance(item, str) else spell(item), kind) for item in flow]
    texts = text.split(",") if kind == "tags" else [text]
    return [item_of(key, one.strip(), kind) for one in texts if one.strip()]


def _flow(text: str) -> list[Value] | None:
    """Return the items of `[a, b]`; a wikilink is no list."""
    if not (text.startswith("[") and text.endswith("]")) or text.startswith("[["):
        return None
    reading = read_block(f"x: {text}\n")
    value = reading.properties.get("x") if reading.readable and len(reading.properties) == 1 else None
    return value if isinstance(value, list) else None


def _guessed(text: str) -> Value:
    flow = _flow(text)
    return flow if flow is not None else _guessed_scalar(text)


def _guessed_scalar(text: str) -> Value:
    """Return a number or a truth where writing it gives back what was typed: `1.10` and `007` are texts."""
    value = resolve(text)
    return value if spell(value) == text else text


def _scalar(key: str, text: str, kind: Kind) -> Value:
    value = resolve(text)
    fits, example = False, ""
    match kind:
        case "number":
            fits, example = isinstance(value, int | float) and not isinstance(value, bool), "12 or 1.5"
        case "checkbox":
            fits, example = isinstance(value, bool), "true or false"
        case "date":
            fits, example, value = _is_date(text), "2026-11-30", text
        case _:
            fits, example, value = _is_moment(text), "2026-11-30T18:00:00", text
    if not fits:
        raise UsageError(f"{key} is a {kind}, and {text!r} is none", f"write it as {example}")
    return value


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _is_moment(text: str) -> bool:
    return "T" in text and parse_moment(text, UTC) is not None


def tag_of(text: str) -> str:
    """Return a tag as the `tags` property holds it, without `#`.

    Raises:
        UsageError: no tag can be called so.
    """
    name = text.strip().removeprefix("#")
    if not frontmatter_tags({"tags": [name]}) or "," in name:
        raise UsageError(f"{text!r} is no tag", "letters, digits, '-', '_' and '/'; not digits alone, no spaces")
    return name
