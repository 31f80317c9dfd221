"""The quick reader: blocks of plain `key: value` lines, which is what nearly every note has, without libyaml.

It accepts a block only where its answer is the full reader's and the full reader would find nothing to say; the
property tests hold it to that. Anything else it leaves alone.
"""

import re

from vaultd.notes.reading import FIRST_LINE, ID_KEYS, LIFECYCLE_KEYS, Reading
from vaultd.notes.scalars import ENDS, STARTS, Value, resolve

LARGEST_PLAIN = 1 << 16
"""Characters; keeps the quick reader far inside the bounds of the full one."""

# Classes of characters below 256 compile in microseconds; one with a single wider one takes a millisecond, and there
# are thirty: what is odd and wide is looked for once, in the whole text.
_ODD = r"\x00-\x1f\x7f-\xa0"
_ODD_AND_WIDE = re.compile("[\u2028\u2029\ufeff\ufffe\uffff]")
_FIRST = rf"[^{_ODD}\s\-?:,\[\]{{}}#&*!|>'\"%@`]"
# A colon ends a plain scalar only before a space, a number sign only behind one.
_PLAIN = rf"{_FIRST}[^{_ODD}:#]*+(?:(?::(?=\S)|(?<! )#)[^{_ODD}:#]*+)*+"
_QUOTED = rf"\"[^{_ODD}\"\\]*+\"|'[^{_ODD}']*+'"
_WORD = rf"{_QUOTED}|{_FIRST}[^{_ODD}:#,\[\]{{}}]*+"
_EOL = r" *+\r?\n"
# A comment behind a value needs a blank on both sides of its sign: without the second, V215 has something to say.
_END = rf" *+(?:(?<= )#(?:[ #][^{_ODD}]*+)?)?\r?\n"
_LIST = rf"(?P<indent> *+)- ++(?:{_PLAIN}|{_QUOTED}){_END}(?:(?P=indent)- ++(?:{_PLAIN}|{_QUOTED}){_END})*+"
ENTRY = re.compile(
    rf"(?P<key>[^\W\d][\w-]{{0,63}}):"
    rf"(?: ++(?:(?P<plain>{_PLAIN})|(?P<quoted>{_QUOTED})|(?P<flow>\[ *+(?:(?:{_WORD}) *+(?:, *+(?:{_WORD}) *+)*+)?\]))"
    rf"{_END}|{_EOL}(?P<items>{_LIST})?)"
    rf"| *+#[^{_ODD}]*+\r?\n|{_EOL}"
    r"|(?P<strange>[\s\S]++)"
)
FLOW_ITEM = re.compile(_WORD)
LIST_ITEM = re.compile(rf"^ *+- ++({_PLAIN}|{_QUOTED})", re.MULTILINE)
_ORDINARY_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")


class _Unusual(Exception):  # noqa: N818 - a way out of the loop, never seen outside
    """The block is for the full reader."""


def read_plainly(text: str) -> Reading | None:
    """Return the content of a block of plain lines, or None where the full reader has to look."""
    if len(text) > LARGEST_PLAIN or (not text.isascii() and _ODD_AND_WIDE.search(text)):
        return None
    found = ENTRY.findall(text)
    if not found or found[-1][-1]:
        return None
    properties: dict[str, Value] = {}
    key_lines: dict[str, int] = {}
    line = FIRST_LINE
    try:
        for key, plain, quoted, flow, items, *_ in found:
            if key in properties:
                return None
            if key:
                key_lines[key] = line
                if plain:
                    written = plain if plain[-1] != " " else plain.rstrip(" ")
                    # nearly every value is text: no call to be told so
                    is_text = written[0] not in STARTS or written[-1] not in ENDS
                    properties[key] = written if is_text else _scalar(key, written)
                elif items:
                    properties[key] = [_item(item) for item in LIST_ITEM.findall(items)]
                    line += items.count("\n")
                elif quoted:
                    properties[key] = quoted[1:-1]
                else:
                    properties[key] = [_item(item) for item in FLOW_ITEM.findall(flow[1:-1])] if flow else None
            line += 1
    except _Unusual:
        return None
    if not all(map(str.islower, properties)) and not _no_case_variant(properties):
        return None
    return Reading(properties, key_lines)


def _scalar(key: str, text: str) -> Value:
    value = resolve(text)
    if isinstance(value, str) or value is None or value is True or value is False:
        return value
    if key in ID_KEYS or key.lower() == "tags" or not _ORDINARY_NUMBER.fullmatch(text):
        raise _Unusual
    return value


def _item(item: str) -> Value:
    if item[0] in "\"'":
        return item[1:-1]
    text = item.rstrip(" ")
    if not isinstance(resolve(text), str):
        raise _Unusual
    return text


def _no_case_variant(properties: dict[str, Value]) -> bool:
    return all(name in LIFECYCLE_KEYS or name.lower() not in LIFECYCLE_KEYS for name in properties)
