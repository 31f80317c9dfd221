"""Lossless edits, and the public bug reports they must never repeat."""

import json
from pathlib import Path

import pytest

from vaultd.errors import NoteFormatError
from vaultd.notes.frontmatter import add_item, new_block, remove_item, remove_value, set_value
from vaultd.notes.markdown import frontmatter_tags
from vaultd.notes.note import parse

CASES = Path(__file__).parents[2] / "cases"


def note(yaml: str, body: str = "body\n") -> bytes:
    return f"---\n{yaml}\n---\n{body}".encode()


def case(name: str) -> tuple[dict, Path]:
    folder = CASES / name
    return json.loads((folder / "case.json").read_text(encoding="utf-8"))["op_json"], folder


@pytest.mark.parametrize(
    "name",
    [
        "01-fm-comments-quotes-order",
        "02-fm-long-scalar-not-wrapped",
        "03-fm-flow-list-stays-flow",
        "04-fm-blank-values-and-trailing-space",
        "05-fm-colon-inside-quotes",
        "09-fm-second-block-never-prepended",
        "14-fm-odd-indent-and-blank-line-comments",
        "15-fm-anchors-merge-keys-tags",
        "19-fm-utf8-bom",
    ],
)
def test_a_case_gives_its_expected_bytes(name):
    edit, folder = case(name)
    before = (folder / "input" / edit["file"]).read_bytes()
    assert set_value(before, edit["key"], edit["value"]) == (folder / "expected" / edit["file"]).read_bytes()


def test_a_crlf_note_stays_one():
    folder = CASES / "18-fm-crlf-note"
    made = set_value(set_value((folder / "input/note.md").read_bytes(), "status", "new"), "k", "v")
    assert made.replace(b"[ ]", b"[x]") == (folder / "expected/note.md").read_bytes()


@pytest.mark.parametrize("name", ["10-fm-yaml11-type-traps", "11-fm-impossible-dates"])
def test_setting_what_is_there_changes_nothing(name):
    data = (CASES / name / "input/note.md").read_bytes()
    for key, value in parse(data).properties.items():
        assert set_value(data, key, value) == (CASES / name / "expected/note.md").read_bytes()


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("07-fm-invalid-yaml-left-alone/input/note.md", 4),
        ("08-fm-at-sign-plain-scalar/input/note.md", 3),
        ("09-fm-second-block-never-prepended/input/dashes-space.md", 1),
        ("13-fm-unquoted-wikilinks/input/bad.md", 2),
        ("17-fm-or-horizontal-rule/input/prose-block.md", 2),
        ("17-fm-or-horizontal-rule/input/unclosed.md", 1),
        ("21-enc-non-utf8-note-and-rename/input/latin1.md", 1),
        ("21-enc-non-utf8-note-and-rename/input/utf16.md", 1),
        ("46-git-committed-conflict-markers/input/n.md", 3),
    ],
)
def test_a_note_that_cannot_be_known_is_refused_with_line_and_mend(name, line):
    with pytest.raises(NoteFormatError) as refused:
        set_value((CASES / name).read_bytes(), "status", "x")
    assert refused.value.line == line
    assert refused.value.hint


def test_a_second_block_is_named_and_the_first_one_edited():
    data = (CASES / "09-fm-second-block-never-prepended/input/damaged.md").read_bytes()
    assert [(found.code, found.line) for found in parse(data).findings] == [("V204", 5)]


@pytest.mark.parametrize("name", ["crlf", "bom"])
def test_no_note_with_a_block_gains_one(name):
    made = set_value((CASES / f"09-fm-second-block-never-prepended/input/{name}.md").read_bytes(), "x", 1)
    assert made.count(b"---") == 2


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("heading-first", b"---\nstatus: x\n---\n# T\n\n---\n\nx\n\n---\n"),
        ("blank-before", b"---\nstatus: x\n---\n\n\n---\na: 1\n---\nx\n"),
        ("code-first", b"---\na: 1\nstatus: x\n---\n\n```yaml\n---\nb: 2\n---\n```\n"),
        ("empty-block", b"---\nstatus: x\n---\nx\n"),
        ("only-fences-eof", b"---\nstatus: x\n---"),
        ("four-dashes", b"---\nstatus: x\n---\n----\na: 1\n----\nx\n"),
    ],
)
def test_a_rule_is_not_a_fence_and_a_fence_is_not_a_rule(name, expected):
    assert set_value((CASES / f"17-fm-or-horizontal-rule/input/{name}.md").read_bytes(), "status", "x") == expected


def test_unquoted_wikilinks_are_left_by_an_edit_of_another_key():
    data = (CASES / "13-fm-unquoted-wikilinks/input/note.md").read_bytes()
    assert set_value(data, "x", 1) == data.replace(b"\n---\nSee", b"\nx: 1\n---\nSee")


LONG = "word " * 30 + "end"
KEPT = {
    "B-01 commented-out keys": "# old: 1\na: 1",
    "B-02 comments and quotes": '# c\na: "1"',
    "B-04 quotes of other fields": "a: \"x\"\nb: 'y'",
    "B-05 a colon in quotes": 'summary: "it: John\'s"\np: false',
    "B-06 a long value": f'title: "{LONG}"\nplain: {LONG}',
    "B-07 emoji": "tags: [🛒쇼핑]",
    "B-08 a flow list": "alias: [A B]",
    "B-09 trailing spaces": "key: \nb: 1   ",
    "B-12 a folded scalar": "d: >-\n  text\na: 1",
    "B-13 a literal scalar": "o: |-\n  it's\n\n  x",
    "B-15 the user's keys": "mine: 1",
    "B-17 a comment in a value": "description: see #762 — note\nmetadata:\n  kind: x",
    "B-18 a dash below the fence": "t: x",
    "B-19 the order of keys": "b: 1\na: 2",
    "B-20 spellings of null": 'a: null\nb:\nc: ""\nd: ~',
    "B-21 a time with an offset": "date: 2022-12-06T09:05:28-06:00",
    "B-22 comments between blank lines": "a: 1\n\n# c\n\nb: 2",
    "B-23 a value on its own line": "key:\n  value",
    "B-24 leading zeros": "zip: 02142\nn: 000032",
    "B-28 a quoted wikilink": 'l: "[[A]]"',
    "B-32 no metadata": "name: x",
}


@pytest.mark.parametrize("yaml", KEPT.values(), ids=KEPT)
def test_an_edit_of_one_key_keeps_every_other_byte(yaml):
    assert set_value(note(yaml), "new", True) == note(f"{yaml}\nnew: true")


@pytest.mark.parametrize("yaml", KEPT.values(), ids=KEPT)
def test_a_key_taken_out_again_leaves_the_bytes_of_before(yaml):
    assert remove_value(set_value(note(yaml), "new", "x"), "new") == note(yaml)


REFUSED = {
    "B-10 opener with a space": b"--- \na: 1\n---\n",
    "B-10 invalid YAML": note("a: b: c"),
    "B-14 star items": note("id: F\naliases:\n  * bar"),
    "B-16 inner quotes": note('a: "abc "def" ghi"'),
    "B-26 duplicate keys": note("created: 1\ncreated: 2"),
    "B-29 a number sign in a list": note("tags: [#dd]"),
    "B-30 two colons": note("title: Fwd: x"),
    "B-35 a list": note("- x"),
    "B-41 opener with a space, CRLF": b"---\t\r\na: 1\r\n---\r\n",
    "MD-16 conflict markers in the body": note("a: 1", "<<<<<<< a\n=======\n>>>>>>> b\n"),
    "VA-07 a body that is not UTF-8": note("a: 1") + b"\xff",
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize(
    "edit",
    [
        lambda data: set_value(data, "x", 1),
        lambda data: remove_value(data, "a"),
        lambda data: add_item(data, "tags", "x"),
    ],
)
def test_what_cannot_be_edited_safely_is_refused(data, edit):
    with pytest.raises(NoteFormatError) as refused:
        edit(data)
    assert refused.value.line
    assert refused.value.hint


def test_b03_a_tag_is_added_without_touching_the_date():
    assert add_item(note("date: 2026-06-29\ntags: [a]"), "tags", "b") == note("date: 2026-06-29\ntags: [a, b]")


def test_b25_one_list_under_two_keys_gets_no_anchor():
    shared = ["x", "y"]
    assert set_value(set_value(note("z: 1"), "a", shared), "b", shared) == note("z: 1\na: [x, y]\nb: [x, y]")


def test_b26_the_refusal_names_both_lines():
    with pytest.raises(NoteFormatError, match=r"line 2 and again on line 3"):
        set_value(note("created: 1\ncreated: 2"), "x", 1)


def test_b27_a_key_with_a_colon_is_quoted():
    assert set_value(note("a: 1"), "Status: Rate", 1) == note('a: 1\n"Status: Rate": 1')


def test_b28_a_new_wikilink_is_quoted():
    assert set_value(note("a: 1"), "up", "[[A]]") == note('a: 1\nup: "[[A]]"')


@pytest.mark.parametrize(
    ("name", "data", "properties", "body"),
    [
        ("B-36 CRLF", b"---\r\na: 1\r\n---\r\nbody", {"a": 1}, "body"),
        ("B-36 closer at the end", b"---\na: 1\n---", {"a": 1}, ""),
        ("B-37 BOM", b"\xef\xbb\xbf---\na: 1\n---\nbody", {"a": 1}, "body"),
        ("B-38 dashes in a literal", b"---\na: |\n  ---\n  x\n---\nbody", {"a": "---\nx\n"}, "body"),
        ("B-39 dashes in a value", b"---\na: x---\nb: y\n---\nc", {"a": "x---", "b": "y"}, "c"),
        ("B-39 dashes in a quoted value", b'---\na: "q\n---\nr"\n---\nbody', {}, 'r"\n---\nbody'),
        ("B-40 unclosed", b"---\na: 1\nbody", {}, "---\na: 1\nbody"),
        ("B-41 space behind the opener", b"--- \na: 1\n---\nbody", {"a": 1}, "body"),
        ("B-42 not at the start", b"text\n\n---\na: 1\n---\n", {}, "text\n\n---\na: 1\n---\n"),
        ("B-46 a boolean", note("draft: true"), {"draft": True}, "body\n"),
    ],
)
def test_a_block_is_found_where_it_is(name, data, properties, body):
    read = parse(data)
    assert read.properties == properties
    assert read.body == body


@pytest.mark.parametrize(
    ("name", "yaml", "expected"),
    [
        ("B-43", "tags: [a, 123]", ["#a"]),
        ("B-44", "tags: blog", ["#blog"]),
        ("B-45", "tags:", []),
        ("B-47", 'tags: ["🔥"]', ["#🔥"]),
    ],
)
def test_tags_of_every_type_are_read(name, yaml, expected):
    assert frontmatter_tags(parse(note(yaml)).properties) == expected


EDITS = [
    ("a: 'x'  # why", "it's", "a: 'it''s'  # why"),
    ('a: "x"', "y", 'a: "y"'),
    ('a: "x"', 5, "a: 5"),
    ("a: x", "b: c", 'a: "b: c"'),
    ("a: 'x'", "a\nb", 'a: "a\\nb"'),
    ("a:", "x", "a: x"),
    ("a: ", "x", "a: x"),
    ("a:  # nothing", "x", "a: x  # nothing"),
    ("a: ~", "x", "a: x"),
    ("a : x", "y", "a : y"),
    ("a: x", None, "a: null"),
    ("a: null", "2026-07-10T18:00:00Z", "a: 2026-07-10T18:00:00Z"),
    ("a: |\n  x\n\n  y\n\nb: 1", "z", "a: z\n\nb: 1"),
    ("a: one\n  two", "z", "a: z"),
    ("a: &x foo", "z", "a: &x z"),
    ("a: !custom thing", "z", "a: z"),
    ("a:\n  value", "z", "a:\n  z"),
    ("a: # c\n  - x\nb: 1", "z", "a: z # c\nb: 1"),
    ("a: # c\n  - x\n  - y", [], "a: [] # c"),
    ("a: [x, y]", ["x", "z"], "a: [x, z]"),
    ("a: ['x', y]", ["q", "y"], "a: ['q', y]"),
    ("a: [x,\n  y,  # why\n  z]", ["x", "y", "w"], "a: [x,\n  y,  # why\n  w]"),
    ("a: [x, y, z]", ["z"], "a: [z]"),
    ("a: [x, y, z]", ["x"], "a: [x]"),
    ("a: [x, y]", ["w", "x", "y"], "a: [w, x, y]"),
    ("a: []", ["x"], "a: [x]"),
    ("a:\n- x  # one\n# two\n- y", ["x", "y", "z"], "a:\n- x  # one\n# two\n- y\n- z"),
    ("a:\n    - x\n    -   y\nb: 1", ["w", "x", "y"], "a:\n    - w\n    - x\n    -   y\nb: 1"),
    ("a:\n  - x\n  - y\n  - z", ["x", "z"], "a:\n  - x\n  - z"),
    ("a:\n  - x\n  - y", ["x", "q r"], "a:\n  - x\n  - q r"),
    ("a:\n  - |\n    x\n  - y", ["z", "y"], "a: [z, y]"),
    ("a: {k: 1}", {"k": 2}, "a: {k: 2}"),
    ("a:\n  k: 1\nb: 2", "x", "a: x\nb: 2"),
    ('"a": 1', 2, '"a": 2'),
    ("? a\n: 1", 2, "? a\n: 2"),
    ("{a: 1, b: 2}", 3, "{a: 3, b: 2}"),
    ("{a: , b: 2}", 3, "{a: 3, b: 2}"),
    ("{a, b: 2}", 3, "{a: 3, b: 2}"),
    ('{"a":[1],"b":2}', "x, y", '{"a":"x, y","b":2}'),
    ("b: 1\n# end", "x", "b: 1\na: x\n# end"),
    ("  b: 1", "x", "  b: 1\n  a: x"),
    ("b: 1\n...", "x", "b: 1\na: x\n..."),
    ("b: |+\n  x\n\n\n# end", "x", "b: |+\n  x\n\n\n# end\na: x"),
    ("# only", "x", "# only\na: x"),
    ("{}", 1, "{a: 1}"),
    ("{b: 2}", 1, "{b: 2, a: 1}"),
    ("{\n  b: 2,   # c\n}", 1, "{\n  b: 2, a: 1,   # c\n}"),
    ("b: &x [1]\na: *x", [1, 2], "b: &x [1]\na: [1, 2]"),
]


@pytest.mark.parametrize(("yaml", "value", "expected"), EDITS, ids=[repr(edit[0]) for edit in EDITS])
def test_set_changes_the_value_of_one_key_where_it_stands(yaml, value, expected):
    assert set_value(note(yaml), "a", value) == note(expected)


REMOVALS = [
    ("a: 1\nb: 2", "b: 2"),
    ("b: 2\na: 1  # c", "b: 2"),
    ("a:\n- x\n- y\n# c\nb: 2", "# c\nb: 2"),
    ("a: |\n  x\n\nb: 2", "\nb: 2"),
    ("{a: 1, b: 2}", "{b: 2}"),
    ("{b: 2, a: 1}", "{b: 2}"),
    ("{a: 1}", "{}"),
    ("# c\na: 1", "# c"),
]


@pytest.mark.parametrize(("yaml", "expected"), REMOVALS, ids=[repr(removal[0]) for removal in REMOVALS])
def test_remove_takes_the_lines_of_one_key(yaml, expected):
    assert remove_value(note(yaml), "a") == note(expected)


def test_the_last_key_leaves_the_fences():
    assert remove_value(note("a: 1"), "a") == b"---\n---\nbody\n"
    assert set_value(b"---\n---\nbody\n", "a", 1) == note("a: 1")


@pytest.mark.parametrize(
    "edit",
    [
        lambda data: remove_value(data, "zz"),
        lambda data: remove_item(data, "tags", "zz"),
        lambda data: add_item(data, "tags", "x"),
    ],
)
@pytest.mark.parametrize("data", [note("tags: [x]"), note("tags: x")])
def test_an_edit_with_nothing_to_do_returns_the_same_object(data, edit):
    assert edit(data) is data


def test_removing_from_a_note_without_frontmatter_changes_nothing():
    assert remove_value(b"text", "a") == remove_item(b"text", "a", 1) == b"text"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a: &n null # why", "a: &n 7 # why"),
        ("a: &n", "a: &n 7"),
        ("a: &n # why", "a: &n 7 # why"),
        ("a: &n !!str x", "a: &n 7"),
        ("a: !!str &n 'x'", "a: &n 7"),
        ("a: &n [1, &m 2]", "a: &n 7"),
        ("a: &n # why\n  - x\n  - y", "a: &n 7 # why"),
        ("a: &n |\n  text", "a: &n 7"),
        ("a:\n  &k k: 1", "a: 7"),
        ("{a: &n null, c: 1}", "{a: &n 7, c: 1}"),
        ("a: &n\n  - x # one", None),
    ],
)
def test_the_anchor_of_a_value_stays_where_nothing_is_taken_from_it(old: str, new: str | None):
    made = set_value(note(f"{old}"), "a", 7 if new else ["x", "y"])
    assert made == note(new or "a: &n\n  - x # one\n  - y")


def test_a_shared_anchor_is_not_broken():
    with pytest.raises(NoteFormatError, match="anchor"):
        set_value(note("a: &x [1]\nb: *x"), "a", [2])
    with pytest.raises(NoteFormatError, match="anchor"):
        remove_value(note("a: &x [1]\nb: *x"), "a")


def test_items_join_and_leave_lists_of_every_style():
    assert add_item(note("tags:"), "tags", "x") == note("tags: [x]")
    assert add_item(note("b: 1"), "tags", "x") == note("b: 1\ntags: [x]")
    assert add_item(note("tags: x"), "tags", "y") == note("tags: [x, y]")
    assert add_item(note("tags:\n- x"), "tags", "y") == note("tags:\n- x\n- y")
    assert add_item(note("tags: [x,]"), "tags", "y") == note("tags: [x, y,]")
    assert remove_item(note("tags: [x, y,]"), "tags", "y") == note("tags: [x,]")
    assert remove_item(note("tags:\n- x"), "tags", "x") == note("tags: []")
    assert remove_item(note("tags: x"), "tags", "x") == note("tags: []")


def test_a_map_has_no_items():
    with pytest.raises(NoteFormatError, match="map"):
        add_item(note("tags: {a: 1}"), "tags", "x")


def test_a_note_without_frontmatter_gets_a_block_in_its_own_line_endings():
    assert set_value(b"# T\r\n", "a", 1) == b"---\r\na: 1\r\n---\r\n# T\r\n"
    assert set_value(b"\xef\xbb\xbf# T\n", "a", 1) == b"\xef\xbb\xbf---\na: 1\n---\n# T\n"
    assert set_value(b"", "a", 1) == b"---\na: 1\n---\n"


def test_mixed_endings_stay_mixed_and_new_lines_follow_the_first():
    data = b"---\r\na: 1\nb: 2\r\n---\r\nx\n"
    assert set_value(data, "c", 3) == b"---\r\na: 1\nb: 2\r\nc: 3\n---\r\nx\n"
    assert set_value(data, "b", 3) == data.replace(b"b: 2", b"b: 3")


def test_text_that_is_no_unicode_is_refused():
    with pytest.raises(NoteFormatError):
        set_value(note("a: 1"), "b", "\ud800")
    with pytest.raises(NoteFormatError):
        set_value(b"text", "b", "\ud800")


def test_a_new_block_is_canonical():
    block = new_block(
        {"id": "01234567890123456789012345", "invalid_at": None, "tags": ["a", "b c"], "description": "x: y"}
    )
    assert (
        block == '---\nid: "01234567890123456789012345"\ninvalid_at: null\ntags: [a, b c]\ndescription: "x: y"\n---\n'
    )
    assert new_block({}) == ""
