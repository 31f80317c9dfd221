"""Checkbox tasks: any status character, and what obsidian-tasks and Dataview write behind the text.

Fields are read from the end of the line backwards, as obsidian-tasks does: text behind a date makes the date text.
A checkbox at the very end of a line is a task with an empty text.
"""

import re
from bisect import bisect_right
from typing import Literal, NamedTuple

from vaultd.notes.lines import Lines

StatusType = Literal["TODO", "IN_PROGRESS", "ON_HOLD", "DONE", "CANCELLED", "NON_TASK"]
Priority = Literal["highest", "high", "medium", "normal", "low", "lowest"]

_CHECKBOX = re.compile(r"\[([^\n])\](?=[ \t\r]|$)", re.MULTILINE)
_BEFORE = re.compile(r"(?P<indent>(?:[ \t]*>)*[ \t]*)(?P<marker>[-*+]|\d{1,9}[.)])[ \t]+")
_USUAL: dict[str, tuple[str, str]] = {f"{marker} ": ("", marker) for marker in "-*+"}
"""Indent and marker of what stands before most checkboxes."""
_USUAL_WIDTH = 2
_STATUS_TYPES: dict[str, StatusType] = {
    "/": "IN_PROGRESS",
    "h": "ON_HOLD",
    "x": "DONE",
    "X": "DONE",
    "-": "CANCELLED",
    "~": "NON_TASK",
}
_BLOCK_LINK = re.compile(r"[ \t]\^([A-Za-z0-9-]+)\Z")
_TAG_TEXT = r"#[^\s!@#$%^&*(),.?\":{}|<>]+"
_TAG = re.compile(rf"(?:(?<=\s)|\A){_TAG_TEXT}")
_DATE = r"\d{4}-\d{2}-\d{2}"
_ID = r"[A-Za-z0-9_-]+"
_EMOJI = {
    "📅": "due",
    "📆": "due",
    "🗓": "due",
    "⏳": "scheduled",
    "⌛": "scheduled",
    "🛫": "start",
    "➕": "created",
    "✅": "done",
    "❌": "cancelled",
    "🔁": "recurrence",
    "🆔": "id",
    "⛔": "depends_on",
    "🏁": "on_completion",
}
_PRIORITIES: dict[str, Priority] = {"🔺": "highest", "⏫": "high", "🔼": "medium", "🔽": "low", "⏬": "lowest"}
_PRIORITY_WORDS: dict[str, Priority] = {
    "highest": "highest",
    "high": "high",
    "medium": "medium",
    "normal": "normal",
    "low": "low",
    "lowest": "lowest",
}
_DATAVIEW = {
    "due": "due",
    "scheduled": "scheduled",
    "start": "start",
    "created": "created",
    "completion": "done",
    "cancelled": "cancelled",
    "repeat": "recurrence",
    "id": "id",
    "dependsOn": "depends_on",
    "onCompletion": "on_completion",
    "priority": "priority",
}
_VALUES = {
    "recurrence": r"[A-Za-z0-9, !]++",
    "id": _ID,
    "depends_on": rf"{_ID}(?: *, *{_ID})*+",
    "on_completion": "[A-Za-z]+",
    "priority": "|".join(_PRIORITY_WORDS),
}
_SIGN = re.compile(rf"[{''.join((*_EMOJI, *_PRIORITIES))}]|[\[(](?=[ \t]*(?:{'|'.join(_DATAVIEW)})[ \t]*::)")
_TAGS_BEHIND = rf"[ \t]*(?P<tags>(?:(?<=\s){_TAG_TEXT}\s*)*+)\Z"
_BY_EMOJI = {
    emoji: re.compile(rf"\ufe0f? *(?P<value>{_VALUES.get(field, _DATE)}){_TAGS_BEHIND}")
    for emoji, field in _EMOJI.items()
} | {emoji: re.compile(rf"\ufe0f?(?P<value>){_TAGS_BEHIND}") for emoji in _PRIORITIES}
_IN_BRACKETS = re.compile(
    rf"[ \t]*(?P<key>{'|'.join(_DATAVIEW)})[ \t]*::[ \t]*(?P<value>[^\[\]()]*+)[\])],?{_TAGS_BEHIND}"
)
_MOST_FIELDS = 20


class Task(NamedTuple):
    """A list item with a checkbox; dates are `YYYY-MM-DD` as written, possible or not."""

    line: int
    column: int
    """Where the character between the brackets stands."""
    indent: str
    """All before the marker, `>` included."""
    marker: str
    status: str
    text: str
    """Without fields and block id; tags stay."""
    due: str | None = None
    scheduled: str | None = None
    start: str | None = None
    created: str | None = None
    done: str | None = None
    cancelled: str | None = None
    priority: Priority = "normal"
    recurrence: str | None = None
    id: str | None = None
    depends_on: tuple[str, ...] = ()
    on_completion: str | None = None
    tags: tuple[str, ...] = ()
    block_id: str | None = None

    @property
    def status_type(self) -> StatusType:
        """What obsidian-tasks takes the status for; a character it does not know is something to do."""
        return _STATUS_TYPES.get(self.status, "TODO")

    @property
    def complete(self) -> bool:
        """Whether Obsidian itself shows it as checked: any character but a space."""
        return self.status != " "


_NEW = tuple.__new__  # what `Task(…)` does, without a call in Python between
_NO_FIELDS = Task(0, 0, "", "", "", "")[6:]


def tasks(text: str, shown: str, lines: Lines) -> list[Task]:
    """Return the tasks of a body whose code and comments are masked, in the order they stand."""
    found: list[Task] = []
    starts, first_line = lines.starts, lines.first_line
    for match in _CHECKBOX.finditer(text):
        at, behind = match.span()
        index = bisect_right(starts, at) - 1
        start = starts[index]
        parts = _USUAL.get(text[start:at]) if at - start == _USUAL_WIDTH else None
        if parts is None:
            before = _BEFORE.fullmatch(text, start, at)
            if before is None:
                continue
            parts = before["indent"], before["marker"]
        indent, marker = parts
        written = shown[behind : starts[index + 1] if index + 1 < len(starts) else None].strip()
        column = at + 2 - start if index else at + 1 + lines.first_column
        # most tasks are a few words, and an index reads them by the ten thousand
        if written.isascii() and "#" not in written and "::" not in written and "^" not in written:
            found.append(_NEW(Task, (index + first_line, column, indent, marker, match[1], written, *_NO_FIELDS)))
        else:
            found.append(_task(index + first_line, column, indent, marker, match[1], written))
    return found


def toggled(line: str, status: str) -> str:
    """Return a line with the checkbox of its task set to a status character, everything else as it was.

    Raises:
        ValueError: the line holds no task, or the status is not one character.
    """
    match = _CHECKBOX.search(line)
    if match is None or len(status) != 1 or status in "\r\n" or not _BEFORE.fullmatch(line, 0, match.start()):
        raise ValueError(line)
    return line[: match.start(1)] + status + line[match.end(1) :]


def _task(line: int, column: int, indent: str, marker: str, status: str, written: str) -> Task:
    block = _BLOCK_LINK.search(written, max(written.rfind("^") - 1, 0)) if "^" in written else None
    text, values = _fields(written[: block.start()].rstrip() if block else written)
    return Task(
        line,
        column,
        indent,
        marker,
        status,
        text,
        due=values.get("due"),
        scheduled=values.get("scheduled"),
        start=values.get("start"),
        created=values.get("created"),
        done=values.get("done"),
        cancelled=values.get("cancelled"),
        priority=_PRIORITY_WORDS[values.get("priority", "normal")],
        recurrence=values.get("recurrence"),
        id=values.get("id"),
        depends_on=tuple(item.strip() for item in values["depends_on"].split(",")) if "depends_on" in values else (),
        on_completion=values.get("on_completion"),
        tags=tuple(_TAG.findall(text)) if "#" in text else (),
        block_id=block[1] if block else None,
    )


def _fields(written: str) -> tuple[str, dict[str, str]]:
    """Return the text without the fields at its end, and their values; of two alike the first counts."""
    values: dict[str, str] = {}
    tags: list[str] = []
    for sign in reversed([*_SIGN.finditer(written)][-_MOST_FIELDS:]):
        pattern = _IN_BRACKETS if sign[0] in "[(" else _BY_EMOJI[sign[0]]
        match = pattern.match(written, sign.end())
        found = _value(sign[0], match) if match else None
        if match is None or found is None:
            break
        values |= (found,)
        tags.append(match["tags"].strip())
        written = written[: sign.start()].rstrip()
    return " ".join(filter(None, (written, *reversed(tags)))), values


def _value(sign: str, match: re.Match[str]) -> tuple[str, str] | None:
    if priority := _PRIORITIES.get(sign):
        return "priority", priority
    written = match["value"].strip()
    if field := _EMOJI.get(sign):
        return field, written
    field = _DATAVIEW[match["key"]]
    return (field, written) if re.fullmatch(_VALUES.get(field, _DATE), written) else None
