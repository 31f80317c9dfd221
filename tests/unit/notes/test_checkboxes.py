"""Toggling a task changes one character."""

import pytest

from vaultd.errors import ConflictError, NoteFormatError, UsageError
from vaultd.notes.checkboxes import toggled_at

NOTE = """---
tasks: "- [ ] no"
---
- [ ] plain 日本
  > 1. [x] in a quote
```
- [ ] code
```
* [/] half 📅 2026-11-30
    + [ ] same
    + [ ] same
- [] none
"""


def toggled(line: int, expected: str = "", *, data: bytes = NOTE.encode()) -> tuple[bytes, bytes]:
    """Return the only byte that differs, before and after."""
    after = toggled_at(data, line, expected)
    assert len(after) == len(data)
    [(old, new)] = [(old, new) for old, new in zip(data, after, strict=True) if old != new]
    return bytes([old]), bytes([new])


@pytest.mark.parametrize(
    ("line", "change"), [(4, (b" ", b"x")), (5, (b"x", b" ")), (9, (b"/", b" ")), (11, (b" ", b"x"))]
)
def test_a_task_changes_in_one_byte(line: int, change: tuple[bytes, bytes]):
    assert toggled(line) == change


@pytest.mark.parametrize("line", [2, 3, 7, 12, 13, 14, 99])
def test_what_is_no_task_is_refused(line: int):
    with pytest.raises(UsageError, match=f"line {line}"):
        toggled_at(NOTE.encode(), line)


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_lines_are_counted_whatever_ends_them(newline: str):
    data = NOTE.replace("\n", newline).encode()
    if newline == "\r":
        data = data.partition(b"---\r- ")[2].join([b"- ", b""])  # fences need a line feed
    assert toggled(1 if newline == "\r" else 4, data=data) == (b" ", b"x")


def test_a_byte_order_mark_is_no_character_of_the_line():
    assert toggled(1, data="\ufeff- [ ] a".encode()) == (b" ", b"x")


@pytest.mark.parametrize("expected", ["plain 日本", "- [ ] plain 日本", " plain 日本 "])
def test_the_text_is_what_was_expected(expected: str):
    assert toggled(4, expected) == (b" ", b"x")


def test_the_text_may_leave_out_the_fields():
    assert toggled(9, "half") == toggled(9, "half 📅 2026-11-30")


@pytest.mark.parametrize(("line", "expected"), [(4, "plain"), (5, "plain 日本"), (3, "plain 日本"), (99, "plain 日本")])
def test_another_text_is_a_conflict(line: int, expected: str):
    with pytest.raises(ConflictError, match="lines have moved" if line > 99 else f"line {line} is not"):
        toggled_at(NOTE.encode(), line, expected)


def test_a_note_that_is_not_utf_8_is_refused():
    with pytest.raises(NoteFormatError):
        toggled_at(b"- [ ] caf\xe9\n", 1)


def test_a_character_of_several_bytes_gives_way_to_one():
    assert toggled_at("- [✓] done\n".encode(), 1) == b"- [ ] done\n"
