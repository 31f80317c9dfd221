"""Toggle a checkbox: one character of one line changes."""

import re

from vaultd.errors import ConflictError, NoteFormatError, UsageError
from vaultd.notes.lines import Lines
from vaultd.notes.masking import flatten, masked
from vaultd.notes.note import parse
from vaultd.notes.tasks import Task, tasks

_LINE_END = re.compile(rb"\r\n|\n|\r")


def toggled_at(data: bytes, line: int, expected: str = "") -> bytes:
    """Return the note with the task on a line (1-based, in the file) done, or to be done again.

    `expected` is the task's text, its whole line, or empty for any.

    Raises:
        UsageError: no task stands there.
        ConflictError: another one than expected stands there.
        NoteFormatError: the note is not UTF-8, or holds an unresolved merge.
    """
    note = parse(data)
    for found in note.findings:
        if found.code in {"V209", "V210"}:
            raise NoteFormatError(found.message, found.hint, line=found.line)
    flat = flatten(note.body)
    lines = Lines(flat, note.body_line)
    shown = [lines.line(index) for index in range(len(lines.starts))]
    there = shown[line - note.body_line] if 0 <= line - note.body_line < len(shown) else None
    every = list(tasks(masked(flat), flat, lines))
    task = next((task for task in every if task.line == line), None)
    if expected and (there is None or not _agrees(task, there, expected)):
        moved = [str(one.line) for one in every if _agrees(one, shown[one.line - note.body_line], expected)]
        raise ConflictError(
            f"line {line} is not {expected!r}" + (f" but {there.strip()!r}" if there is not None else ""),
            f"it stands on line {' and '.join(moved)} now" if moved else "read the note again: lines have moved",
        )
    if task is None:
        nearest = min((one.line for one in every), key=lambda other: abs(other - line), default=0)
        raise UsageError(
            f"no task stands on line {line}",
            "a task is a list item such as `- [ ] text`, outside code"
            + (f"; line {nearest} has one" if nearest else ""),
        )
    return _with_status(data, line, task, " " if task.complete else "x")


def _agrees(task: Task | None, line: str, expected: str) -> bool:
    wanted = expected.strip()
    behind = line[task.column + 1 :].strip() if task is not None else ""
    return wanted in (line.strip(), behind, task.text if task is not None else "")


def _with_status(data: bytes, line: int, task: Task, status: str) -> bytes:
    starts = [0, *(match.end() for match in _LINE_END.finditer(data))]
    start = starts[line - 1]
    end = starts[line] if line < len(starts) else len(data)
    text = data[start:end].decode()
    bom = 1 if text.startswith("\ufeff") and start == 0 else 0
    at = task.column - 1 + bom
    return data[:start] + (text[:at] + status + text[at + 1 :]).encode() + data[end:]
