"""Checkbox tasks and what stands behind their text."""

import pytest

from tests.unit.notes.conftest import CASES
from vaultd.notes.note import parse
from vaultd.notes.structure import structure
from vaultd.notes.tasks import Task, toggled


def tasks(text: str) -> tuple[Task, ...]:
    return structure(parse(text.encode())).tasks


def task(text: str) -> Task:
    (only,) = tasks(text)
    return only


def test_a_line_is_a_task_or_not(row_tasks):
    line, expected = row_tasks
    found = [[task.indent, task.status, task.text] for task in tasks(f"- x\n{line}")]
    assert found == ([expected] if expected else [])


def test_lists_of_every_kind_hold_tasks():
    found = tasks((CASES / "49-task-number-prefix-and-ordered-lists" / "input" / "t.md").read_text(encoding="utf-8"))
    assert [task.line for task in found] == [*range(1, 12), 17]
    assert [task.status for task in found] == [" ", "x", "x", " ", " ", " ", "-", "/", "x", " ", " ", " "]
    assert (found[1].text, found[4].marker, found[11].text) == ("1. task B", "2)", "")


def test_callouts_hold_tasks_and_code_and_comments_do_not():
    found = tasks((CASES / "50-task-callout-yes-code-no" / "input" / "t.md").read_text(encoding="utf-8"))
    assert [task.line for task in found] == [2, 3, 4, 7, 18]


def test_toggling_changes_one_character():
    lines = (CASES / "50-task-callout-yes-code-no" / "input" / "t.md").read_text(encoding="utf-8").splitlines()
    assert toggled(lines[1], "x") == "> - [x] first"
    assert toggled(lines[3], "/") == "> > - [/] inner"


@pytest.mark.parametrize(
    ("line", "status", "expected"),
    [
        ("- [ ]\r\n", "x", "- [x]\r\n"),
        ("\t2) [x]  a [ ] ^b \n", " ", "\t2) [ ]  a [ ] ^b \n"),
        ("- [ ] 📅️ 2026-01-02", "🔥", "- [🔥] 📅️ 2026-01-02"),
    ],
)
def test_toggling_keeps_everything_else(line, status, expected):
    assert toggled(line, status) == expected


@pytest.mark.parametrize(
    ("line", "status"), [("no task", "x"), ("a - [ ] b", "x"), ("- [ ] a", "xx"), ("- [ ] a", ""), ("- [ ] a", "\n")]
)
def test_toggling_what_is_no_task_is_refused(line, status):
    with pytest.raises(ValueError):
        toggled(line, status)


@pytest.mark.parametrize(
    ("written", "field", "value"),
    [
        ("📅 2023-04-16", "due", "2023-04-16"),
        ("📆 2023-04-16", "due", "2023-04-16"),
        ("🗓2023-04-16", "due", "2023-04-16"),
        ("📅\ufe0f 2023-04-16", "due", "2023-04-16"),
        ("📅\u00a02023-04-16", "due", None),
        ("📅 2023-4-16", "due", None),
        ("⏳ 2023-04-16", "scheduled", "2023-04-16"),
        ("⌛ 2023-04-16", "scheduled", "2023-04-16"),
        ("🛫 2023-04-16", "start", "2023-04-16"),
        ("➕ 2023-04-16", "created", "2023-04-16"),
        ("✅ 2023-04-16", "done", "2023-04-16"),
        ("❌ 2023-04-16", "cancelled", "2023-04-16"),
        ("🔺", "priority", "highest"),
        ("⏫", "priority", "high"),
        ("🔼", "priority", "medium"),
        ("🔽", "priority", "low"),
        ("⏬\ufe0f", "priority", "lowest"),
        ("", "priority", "normal"),
        ("🔁 every day when done", "recurrence", "every day when done"),
        ("🆔 dcf64c", "id", "dcf64c"),
        ("⛔ dcf64c,0h17ye", "depends_on", ("dcf64c", "0h17ye")),
        ("⛔ a , b", "depends_on", ("a", "b")),
        ("🏁 delete", "on_completion", "delete"),
        ("[due:: 2022-04-05]", "due", "2022-04-05"),
        ("(scheduled::2022-04-05)", "scheduled", "2022-04-05"),
        ("[completion:: 2022-04-05]", "done", "2022-04-05"),
        ("[priority:: high]", "priority", "high"),
        ("[repeat:: every week]", "recurrence", "every week"),
        ("[dependsOn:: a,b]", "depends_on", ("a", "b")),
        ("[onCompletion:: keep]", "on_completion", "keep"),
        ("[id:: x1]", "id", "x1"),
        ("[due:: soon]", "due", None),
        ("[unknown:: 2022-04-05]", "due", None),
    ],
)
def test_fields_at_the_end_are_read(written, field, value):
    assert getattr(task(f"- [ ] text {written}"), field) == value


def test_text_behind_a_field_makes_it_text():
    found = task("- [ ] a 📅 2023-04-16 more text")
    assert (found.due, found.text) == (None, "a 📅 2023-04-16 more text")


def test_tags_may_stand_between_and_behind_fields():
    found = task("- [ ] a #t1 ⏫ 📅 2023-04-16 #t2 🔁 every day #t3")
    assert (found.due, found.priority, found.recurrence) == ("2023-04-16", "high", "every day")
    assert (found.text, found.tags) == ("a #t1 #t2 #t3", ("#t1", "#t2", "#t3"))


def test_the_block_id_is_no_part_of_the_text():
    found = task("- [ ] a 📅 2023-04-16 ^blk")
    assert (found.text, found.due, found.block_id) == ("a", "2023-04-16", "blk")


def test_of_two_alike_the_first_counts():
    assert task("- [ ] a 📅 2023-01-01 📅 2023-02-02").due == "2023-01-01"


@pytest.mark.parametrize(
    ("status", "expected", "complete"),
    [
        (" ", "TODO", False),
        ("/", "IN_PROGRESS", True),
        ("h", "ON_HOLD", True),
        ("x", "DONE", True),
        ("X", "DONE", True),
        ("-", "CANCELLED", True),
        ("~", "NON_TASK", True),
        ("?", "TODO", True),
    ],
)
def test_the_character_says_what_became_of_it(status, expected, complete):
    found = task(f"- [{status}] a")
    assert (found.status_type, found.complete) == (expected, complete)


@pytest.mark.parametrize("text", ["- [ ] `code` $x$ [[A|b]]", "- [ ] [t](u.md) <b>x</b>"])
def test_the_text_is_shown_as_written(text):
    assert task(text).text == text[6:]
