"""Scalars as YAML 1.2 core reads them, which is how Obsidian does: dates, clock times and `yes` are text."""

import json
import math
import re
from typing import TypeAlias

from vaultd.quickly import pattern

Value: TypeAlias = "bool | int | float | str | list[Value] | dict[str, Value] | None"

LONGEST_NUMBER = 1000
"""Characters; a longer run of digits is text, because reading it as a number takes quadratic time."""

_WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{sign + word: math.inf for sign in ("", "+") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
_NUMBER = re.compile(
    r"(?P<int>[-+]?[0-9]+)|(?P<oct>0o[0-7]+)|(?P<hex>0x[0-9a-fA-F]+)"
    r"|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
)
_DIGITS = "0123456789"
STARTS = frozenset("~nNtTfF+-." + _DIGITS)
ENDS = frozenset("~lLeEfFnN." + _DIGITS + "abcdABCD")
"""First and last characters of everything that is not text; most text is told apart by them alone."""

_NEVER_PLAIN = pattern(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"  # what has to be escaped
    r"|^[\s,\[\]{}#&*!|>'\"%@`]|^[-?:](?:\s|$)|^[?:]"  # what cannot start a scalar, or not everywhere
    r"|:[ \t]| \#|[\s:-]$"  # what would end it, or start a comment
)
_FLOW_INDICATORS = frozenset("[]{},")
_ESCAPED = pattern(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def resolve(text: str) -> Value:
    """Return the value of a plain scalar; integers are exact, whatever their size."""
    if text and (text[0] not in STARTS or text[-1] not in ENDS):
        return text
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > LONGEST_NUMBER:
        return text
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    match match.lastgroup:
        case "int":
            return int(text)
        case "oct" | "hex":
            return int(text, base=0)
        case _:
            return float(text)


def spell(value: Value) -> str:
    """Return the text Obsidian's own writer would choose for a value, on one line; lists and maps in flow style."""
    return _spell(value, in_flow=False)


def spell_item(value: Value) -> str:
    """Return the text of a value that stands inside a flow list or map."""
    return _spell(value, in_flow=True)


def _spell(value: Value, *, in_flow: bool) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _spell_float(value)
        case str():
            return _spell_text(value, in_flow=in_flow)
        case list():
            return "[" + ", ".join(spell_item(item) for item in value) + "]"
        case dict():
            return "{" + ", ".join(f"{spell_item(key)}: {spell_item(item)}" for key, item in value.items()) + "}"


def _spell_float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    return repr(value)


def _spell_text(text: str, *, in_flow: bool) -> str:
    if _NEVER_PLAIN.search(text) or not isinstance(resolve(text), str) or (in_flow and _ends_in_flow(text)):
        return single_quoted(text) if '"' in text and "'" not in text and text.isprintable() else double_quoted(text)
    return text


def _ends_in_flow(text: str) -> bool:
    # libyaml takes `:?` for the end of a key, though YAML does not
    return bool(_FLOW_INDICATORS & set(text)) or ":?" in text


def single_quoted(text: str) -> str:
    """Return `text` between single quotes; only for text that is printable and on one line."""
    return "'" + text.replace("'", "''") + "'"


def double_quoted(text: str) -> str:
    """Return `text` between double quotes, with escapes where YAML needs them and nowhere else."""
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def same(a: Value, b: Value) -> bool:
    """Say whether two values are equal and of one type; nan equals nan, the order of keys does not matter."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(item, b[key]) for key, item in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    return a == b
