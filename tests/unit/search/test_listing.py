"""What notes hold beside their words, as lists."""

from vaultd.index.derived import derived, meaning
from vaultd.index.mirror import FileRow, Mirror, open_mirror
from vaultd.index.rows import row_of
from vaultd.notes.note import parse
from vaultd.notes.structure import structure
from vaultd.search import listing

TEXTS = {
    "b.md": "- [ ] plain\n- [x] done #t 📅 2026-01-02 ✅ 2026-01-03 🔁 every day ^b1\n",
    "a.md": "text\n\n> - [/] half ⏫ [start:: 2026-02-01]\n",
    "none.md": "# No tasks\n",
    "empty.md": "",
}
_SHOWN = "line, column, status, type, text, due, scheduled, start, done, priority"


def kept(folder) -> Mirror:
    mirror = open_mirror(folder)
    for path, text in TEXTS.items():
        note = parse(text.encode())
        one = derived(path, note, structure(note), lambda target, _: meaning(target, None, 0, target))
        mirror.record([FileRow(path, 1, 1, 1, 1, path, path)], [], [one])
        with mirror.writing() as sql:
            sql.execute("INSERT INTO names VALUES (?, ?)", (row_of(path), path))
    return mirror


def test_tasks_are_listed_as_the_view_of_them_has_them(tmp_path):
    mirror = kept(tmp_path / "index")
    view = mirror.rows(f"SELECT n.path, {_SHOWN} FROM tasks t JOIN names n ON n.number = t.note ORDER BY n.path, line")

    listed = listing.tasks(mirror, None, None)

    names = ["path", *_SHOWN.split(", ")]
    assert [tuple(task[name] for name in names) for task in listed] == view
    assert [task["path"] for task in listed] == ["a.md", "b.md", "b.md"]
    assert (listed[2]["tags"], listed[2]["recurrence"], listed[2]["block_id"]) == (["#t"], "every day", "b1")


def test_tasks_are_asked_for_by_status_and_by_the_day_they_are_due(tmp_path):
    mirror = kept(tmp_path / "index")

    assert [task["text"] for task in listing.tasks(mirror, "/", None)] == ["half"]
    assert [task["line"] for task in listing.tasks(mirror, None, 1_800_000_000.0)] == [2]
    assert listing.tasks(mirror, None, 1_700_000_000.0) == []
