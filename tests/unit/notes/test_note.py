"""Reading a note: properties, places, findings, and no bytes that stop it."""

import subprocess
import sys
from pathlib import Path

import pytest

from vaultd.notes.note import parse

CASES = Path(__file__).parents[2] / "cases"


def note(yaml: str, body: str = "body\n") -> bytes:
    return f"---\n{yaml}\n---\n{body}".encode()


def codes(data: bytes) -> list[tuple[str, int]]:
    return [(found.code, found.line) for found in parse(data).findings]


def test_a_note_gives_properties_their_lines_and_the_body():
    read = parse(b"---\n# c\nid: x\ntags:\n- a\n- b\n\nlast: 1\n---\n# T\n")
    assert read.properties == {"id": "x", "tags": ["a", "b"], "last": 1}
    assert read.key_lines == {"id": 3, "tags": 4, "last": 8}
    assert (read.body, read.body_line) == ("# T\n", 10)
    assert read.readable
    assert read.findings == ()


def test_a_note_without_frontmatter_is_all_body():
    read = parse(b"\xef\xbb\xbf# T\n")
    assert (read.properties, read.body, read.body_line, read.readable, read.block) == ({}, "# T\n", 1, True, None)


def test_the_body_line_is_right_in_every_line_ending():
    assert parse(b"---\r\na: 1\r\n---\r\nx").body_line == 4
    assert parse(b"---\ra: 1\r---\rx").body_line == 4
    assert parse(b"---\na: 1\n---x\n").body_line == 3


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("unclosed", b"---\na: 1\n\n# No end\n", [("V201", 1)]),
        ("blank line before", b"\n\n---\na: 1\n---\nx\n", [("V202", 3)]),
        ("space before", b" ---\na: 1\n---\nx\n", [("V202", 1)]),
        ("two byte order marks", b"\xef\xbb\xbf\xef\xbb\xbf---\na: 1\n---\n", [("V202", 1)]),
        ("space behind the opener", b"--- \na: 1\n---\n", [("V203", 1)]),
        ("space behind the closer", b"---\na: 1\n--- \n", [("V203", 3)]),
        ("four dashes close", b"---\na: 1\nb: 2\n----\n", [("V203", 4)]),
        ("lone carriage returns", b"---\ra: 1\r---\rbody", [("V203", 1)]),
        ("second block", b"---\na: 1\n---\n\n---\nb: 2\n---\n", [("V204", 5)]),
        ("two colons", note("t: x\ntitle: Fwd: x"), [("V205", 3)]),
        ("two documents", note("a: b\n...\nc: d"), [("V205", 4)]),
        ("unknown alias", note("a: *x"), [("V205", 2)]),
        ("star items", note("id: F\naliases:\n  * bar"), [("V205", 4)]),
        ("number sign in a list", note("a: 1\ntags: [#dd]"), [("V205", 3)]),
        ("inner quotes", note('a: "abc "def" ghi"'), [("V205", 2)]),
        ("duplicate key", note("a: 1\nb: 2\na: 3"), [("V206", 4)]),
        ("duplicate key in a map", note("m:\n  a: 1\n  a: 2"), [("V206", 4)]),
        ("a list", note("- x\n- y"), [("V207", 2)]),
        ("a sentence", note("# c\njust text"), [("V207", 3)]),
        ("tab as indentation", note("a:\n\t- b"), [("V208", 3)]),
        ("tab before a key", note("\ta: 1"), [("V208", 2)]),
        ("latin 1 in the body", b"---\na: 1\n---\nM\xfcller\n", [("V209", 4)]),
        ("latin 1 in the block", b"---\nb: 1\na: M\xfcller\n---\n", [("V209", 3)]),
        ("conflict markers", b"# T\n<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n", [("V210", 2)]),
        ("leading zero", note("zip: 02142"), [("V211", 2)]),
        ("short hash", note("commit: 1234567e12"), [("V211", 2)]),
        ("number as id", note("id: 12"), [("V211", 2)]),
        ("number as tag", note("tags: [a, 123]"), [("V211", 2)]),
        ("unsafe integer", note("n: 12345678901234567890"), [("V212", 2)]),
        ("unsafe integer in a list", note("n:\n  - 9007199254740992"), [("V212", 3)]),
        ("case variant", note("Invalid_At: 2026-11-30"), [("V213", 2)]),
        ("unquoted wikilink", note("a: [[Foo]]\nb:\n  - [[Bar|b]]"), [("V214", 2), ("V214", 4)]),
        ("comment as value", note("tags: #foo"), [("V215", 2)]),
        ("comment in a value", note("description: see #762 - note"), [("V215", 2)]),
        ("no-break space alone", note("a:\u00a0x"), [("V216", 2)]),
        ("no-break space below", note("t: 1\na:\u00a0x"), [("V216", 3)]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_named_with_its_line(name, data, expected):
    assert codes(data) == expected


READABLE = {"V202", "V203", "V204", "V211", "V212", "V213", "V214", "V215"}


@pytest.mark.parametrize(
    "data",
    [
        b"---\na: 1\n\n# No end\n",
        note("a: b: c"),
        note("a: 1\na: 2"),
        note("- x"),
        note("a:\n\t- b"),
        b"---\na: \xff\n---\n",
        note("a:\xa0x"),
        note("<<<<<<< a\nk: 1\n=======\nk: 2\n>>>>>>> b"),
        b"\xff\xfe-\x00-\x00-\x00\n\x00",
        b"<<<<<<< a\n---\na: 1\n=======\n---\na: 2\n>>>>>>> b\n---\n",
    ],
)
def test_a_block_that_cannot_be_known_is_unreadable_and_has_no_properties(data):
    read = parse(data)
    assert not read.readable
    assert read.properties == {}
    assert {found.code for found in read.findings} - READABLE


@pytest.mark.parametrize(
    "data",
    [
        b"--- \na: 1\n---\n",
        note("A: 1\na: 1"),
        note("a: [[x]]"),
        b"---\na: 1\n---\n\xff",
        note("a: 1", "<<<<<<< a\n=======\n>>>>>>> b\n"),
    ],
)
def test_a_block_that_is_only_odd_stays_readable(data):
    read = parse(data)
    assert read.readable
    assert "a" in read.properties


def test_every_finding_says_how_to_mend_it():
    for data in (
        note("a: @x"),
        note("a: 1\na: 2"),
        note("- x"),
        note("id: 007"),
        note("a:\u00a0x"),
        b"--- \na: 1\n---\n",
    ):
        assert all(found.hint and found.message for found in parse(data).findings)


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("a: @x", "quote the value"),
        ("tags: [#dd]", "leave the # out"),
        ("title: Fwd: x", "colon and a space"),
        ("aliases:\n  * bar", "starts with `- `"),
        ('a: "abc "def" ghi"', "single quotes"),
        ("p: [[A]], [[B]]", "quote each wikilink"),
        ("a: [1, 2", "close the bracket"),
        ("a: 'x", "close the quote"),
    ],
)
def test_a_yaml_mistake_has_the_hint_for_it(line, hint):
    assert hint in parse(note(line)).findings[0].hint


def test_a_duplicate_key_names_both_lines():
    (found,) = parse(note("created: 1\nb: 2\ncreated: 2")).findings
    assert "line 2" in found.message
    assert "line 4" in found.message
    assert found.subject == "created"


def test_bytes_that_are_not_utf8_are_named_by_offset():
    (found,) = parse((CASES / "21-enc-non-utf8-note-and-rename/input/latin1.md").read_bytes()).findings
    assert (found.code, found.line, found.column) == ("V209", 1, 3)
    assert "byte 2 (0xdc)" in found.message


def test_conflict_markers_name_every_hunk():
    read = parse((CASES / "46-git-committed-conflict-markers/input/n.md").read_bytes())
    assert [found.message for found in read.findings] == ["unresolved merge at lines 3-7 and 11-15"]
    assert not read.readable


@pytest.mark.parametrize(
    "body",
    [
        "Title\n=======\n\ntext\n",
        "<<<<<<< a\n",
        ">>>>>>> b\n=======\n<<<<<<< a\n",
        " <<<<<<< a\n=======\n>>>>>>> b\n",
        "<<<<<<<<\n=======\n>>>>>>>\n",
    ],
)
def test_markers_that_are_not_three_in_order_are_text(body):
    assert parse(body.encode()).findings == ()


def test_conflict_markers_between_crlf_and_diff3_are_found():
    text = b"a\r\n<<<<<<< a\r\n1\r\n||||||| base\r\n0\r\n=======\r\n2\r\n>>>>>>> b\r\n"
    assert codes(text) == [("V210", 2)]


@pytest.mark.parametrize("name", ["heading-first", "code-first", "empty-block", "only-fences-eof", "four-dashes"])
def test_rules_and_code_are_not_taken_for_frontmatter(name):
    assert parse((CASES / f"17-fm-or-horizontal-rule/input/{name}.md").read_bytes()).findings == ()


def test_impossible_dates_are_text():
    read = parse((CASES / "11-fm-impossible-dates/input/note.md").read_bytes())
    assert set(read.properties.values()) == {"0000-00-00", "2024-02-30", "2023-13-01T25:61:00Z", "2024-02-29"}
    assert read.findings == ()


def test_values_are_never_those_of_yaml_1_1():
    read = parse((CASES / "10-fm-yaml11-type-traps/input/note.md").read_bytes())
    assert read.properties == {
        "wake_up": "06:20",
        "sleep": "10:00",
        "date": "2019-04-09T23:39:45-04:00",
        "version": 1.1,
        "code": 755,
        "flag": "on",
        "big": 12345678901234567890,
        "sci": 1000.0,
    }


def test_no_tag_runs_code():
    read = parse((CASES / "15-fm-anchors-merge-keys-tags/input/evil.md").read_bytes())
    assert read.properties == {"x": ["echo pwned > /tmp/vaultd_pwned"]}


BOUNDED = {
    "aliases": note(
        "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "\n".join(f"{chr(c)}: &{chr(c)} [{','.join(['*' + chr(c - 1)] * 9)}]" for c in range(98, 110))
    ),
    "an alias of itself": note("a: &a [*a]"),
    "ten thousand brackets": note("a: " + "[" * 10_000),
    "a hundred thousand dashes": note("a:\n" + "- " * 100_000),
    "a hundred thousand questions": note("? " * 100_000),
    "a mapping in a mapping": note("".join(" " * level + "k:\n" for level in range(300))),
    "more than a mebibyte": note("a: " + "x" * (1 << 20)),
    "more than a hundred thousand values": note("a: [" + "x," * 100_001 + "]"),
}


@pytest.mark.parametrize("data", BOUNDED.values(), ids=BOUNDED)
def test_yaml_made_to_hurt_is_one_finding(data):
    read = parse(data)
    assert [found.code for found in read.findings] == ["V205"]
    assert not read.readable


def test_fifty_megabytes_are_one_finding():
    assert codes(b"---\na: " + b"x" * 50_000_000 + b"\n---\n") == [("V205", 2)]


def test_a_read_without_surprises_does_not_import_yaml():
    script = "import sys\nfrom vaultd.notes.note import parse\nparse(b'---\\nid: x\\ntags: [a]\\n---\\n')\nsys.exit('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
