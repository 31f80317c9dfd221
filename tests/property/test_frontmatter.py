"""What holds for every note: edits touch one value, and the quick reader says what the full reader says."""

import functools
import operator
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from vaultd.errors import NoteFormatError
from vaultd.notes.careful import read_carefully, read_with_places
from vaultd.notes.fences import api_block, find_block
from vaultd.notes.frontmatter import add_item, new_block, remove_item, remove_value, set_value
from vaultd.notes.note import parse
from vaultd.notes.plain import read_plainly
from vaultd.notes.plain_places import plain_places
from vaultd.notes.scalars import Value, resolve, same, spell, spell_item

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
"""A busy machine is no reason to fail; each example takes well below a millisecond on an idle one."""

CHARACTERS = st.characters(exclude_categories=["Cs"])
AWKWARD = st.sampled_from(
    [
        "yes",
        "null",
        "~",
        "007",
        "1e3",
        "0x1F",
        "10:30",
        "2026-11-30",
        "a: b",
        "a #b",
        "#x",
        "[[A]]",
        "@x",
        "-",
        "- a",
        "it's",
        'say "hi"',
        "x ",
        " x",
        "日本語",
        "🛒쇼핑",
        "a\u2028b",
        "a\x85b",
        "\ufeffa",
        "a\xa0b",
        "a\nb",
        "a\tb",
        "---",
        "",
        "'",
        '"',
        "\\",
        "*x",
        "&x",
        "!x",
        "?",
        ": ",
        ":x",
        "a:",
        "{{x}}",
        ",",
        "1_000",
        ".inf",
        "0o17",
        "\x07",
        "<<",
    ]
)
TEXT = AWKWARD | st.text(CHARACTERS, max_size=12) | st.text(st.sampled_from("ab :#-'\"[]{},\n&*!|>%@`?"), max_size=8)
SCALAR: st.SearchStrategy[Value] = (
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.sampled_from([2**53, 10**30, -0.0, 1e300])
)
VALUE: st.SearchStrategy[Value] = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6
)
NEW_KEYS = st.sampled_from(["zz", "Status: Rate", "yes", "10", "with space", "日本", "", "-", "#k", "a\nb"])

ENTRIES = {
    "a": [
        "a: 1",
        "a:   two words   ",
        "a: 'it''s'  # why",
        'a: "q\\u00e9"',
        "a:",
        "a: ",
        "a:  # nothing",
        "a: ~",
        "a : x",
        "a: |\n  one\n\n  two",
        "a: >-\n  text\n  more",
        "a: |+\n  kept\n\n",
        "a:\n  value",
        "a: one\n  two",
        "a: &x foo",
        '"a": 1',
        "'a': null",
        "a: x\u2028y",
        "a: 日本語 😀",
        "a: 🛒쇼핑",
        "a: 2026-06-29",
        "a: x#y",
        "a: http://x.y/#f",
    ],
    "tags": [
        "tags: [x, y]   # t",
        "tags:\n- x\n- y",
        "tags:\n    - x  # one\n    - 'y'\n  # after",
        "tags: []",
        "tags:",
        "tags: [x,\n   y,   # inner\n   z]",
        "tags:\n- ",
        "tags: [x, y,]",
        "tags: x",
        "tags:\n-   x\n-   |\n    y\n    z",
    ],
    "m": [
        "m: {a: 1, b: [x, y]}",
        "m:\n  k: v   # n\n  deeper:\n      odd: indent",
        "m: {{date}}",
        "m: &m {k: 1}\nn: *m",
        "m:\n- k: 1\n  l: 2\n-   k: 3",
        "m:\n- - 1\n  - 2\n- [3]",
        "m: !custom thing",
        "m: [[Note]]",
        "<<: {k: 1}",
    ],
}
BETWEEN = st.lists(st.sampled_from(["# a comment", "", "  # indented comment", "   "]), max_size=2)


@dataclass(frozen=True, slots=True)
class Sample:
    """A note that can be read, with the lines of its block."""

    data: bytes

    @property
    def properties(self) -> dict[str, Value]:
        return dict(parse(self.data).properties)


@st.composite
def blocks(draw: st.DrawFn) -> str:
    """A YAML text of real-life lines, in any order, comments and blank lines between them."""
    names = draw(st.permutations(list(ENTRIES)))
    lines: list[str] = []
    for name in names[: draw(st.integers(0, len(names)))]:
        lines += draw(BETWEEN)
        lines.append(draw(st.sampled_from(ENTRIES[name])))
    lines += draw(BETWEEN)
    return "".join(f"{line}\n" for line in lines)


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    """A readable note: LF, CRLF or mixed, with and without BOM, whatever body."""
    text = draw(blocks())
    endings = draw(st.sampled_from(["lf", "crlf", "mixed"]))
    if endings == "crlf":
        text = text.replace("\n", "\r\n")
    elif endings == "mixed":
        half = text.find("\n", len(text) // 2) + 1
        text = text[:half].replace("\n", "\r\n") + text[half:]
    fence = "---\r\n" if endings != "lf" else "---\n"
    body = draw(st.sampled_from(["", "body\n", "\n# T\r\n\n---\nrule\n", "no newline at the end", "日本\u2028\n"]))
    closer = draw(st.sampled_from([fence, "---"])) if not body else fence
    bom = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    data = bom + (fence + text + closer + body).encode()
    assume(parse(data).readable)
    return Sample(data)


def changed_span(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Return what differs: the bytes between the longest common start and the longest common end."""
    head = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    limit = min(len(old), len(new)) - head
    tail = next((i for i in range(limit) if old[-1 - i] != new[-1 - i]), limit)
    return old[head : len(old) - tail], new[head : len(new) - tail]


def attempt(edit, *arguments):
    """Return the edited note, or leave the example out where the edit is refused."""
    try:
        return edit(*arguments)
    except NoteFormatError:
        assume(condition=False)


@PATIENT
@given(samples())
def test_setting_every_value_to_itself_keeps_every_byte(sample):
    for key, value in sample.properties.items():
        assert set_value(sample.data, key, value) is sample.data


@PATIENT
@given(samples(), st.sampled_from([*ENTRIES, "n"]) | NEW_KEYS, VALUE)
def test_a_value_that_was_set_reads_back_and_all_others_stay(sample, key, value):
    made = attempt(set_value, sample.data, key, value)
    after = parse(made)
    assert after.readable
    assert same(dict(after.properties), {**sample.properties, key: value})
    assert [name for name in after.properties if name != key] == [name for name in sample.properties if name != key]


@PATIENT
@given(samples(), st.sampled_from([*ENTRIES, "n"]) | NEW_KEYS, VALUE)
def test_a_set_keeps_every_byte_outside_the_lines_of_its_key(sample, key, value):
    made = attempt(set_value, sample.data, key, value)
    before, after = around(sample.data, key)
    assert made.startswith(before)
    assert made.endswith(after)
    assert len(made) >= len(before) + len(after)


def around(data: bytes, key: str) -> tuple[bytes, bytes]:
    """Return the bytes before the line of a key and from the line of the next one on; for a new key, those of fences and body."""
    block, lines = find_block(data), parse(data).key_lines
    if block is None:
        start = (
            data.index(b"\n") + 1
            if data.lstrip(b"\xef\xbb\xbf").startswith(b"---")
            else 3 * data.startswith(b"\xef\xbb\xbf")
        )
        return data[:start], data[start:]
    if key not in lines:
        return data[: block.start], data[block.end :]
    offsets = [0]
    for row in data.split(b"\n"):
        offsets.append(offsets[-1] + len(row) + 1)
    following = [line for line in lines.values() if line > lines[key]]
    end = offsets[min(following) - 1] if following else block.end
    return data[: offsets[lines[key] - 1]], data[end:]


@PATIENT
@given(samples(), NEW_KEYS, SCALAR)
def test_a_new_key_is_one_more_line_and_taking_it_out_gives_the_old_bytes(sample, key, value):
    assume(key not in sample.properties)
    added = attempt(set_value, sample.data, key, value)
    gone, come = changed_span(sample.data, added)
    if find_block(sample.data) is not None and not sample.data.lstrip(b"\xef\xbb\xbf-\r\n").startswith(b"{"):
        assert gone == b""
        assert come.count(b"\n") == 1
    assert remove_value(added, key) == sample.data


@PATIENT
@given(samples(), TEXT)
def test_taking_an_item_out_undoes_putting_it_in(sample, item):
    held = sample.properties.get("tags")
    assume(isinstance(held, list) and held and not any(same(item, one) for one in held))
    added = attempt(add_item, sample.data, "tags", item)
    assert parse(added).properties["tags"] == [*held, item]
    assert remove_item(added, "tags", item) == sample.data


@PATIENT
@given(samples(), st.data())
def test_an_item_leaves_without_the_others_moving(sample, data):
    held = sample.properties.get("tags")
    assume(isinstance(held, list) and held)
    item = data.draw(st.sampled_from(held))
    made = attempt(remove_item, sample.data, "tags", item)
    kept = [one for one in held if not same(one, item)]
    assert same(parse(made).properties["tags"], kept)
    if kept:
        assert changed_span(sample.data, made)[1] == b""


@PATIENT
@given(samples(), st.sampled_from([*ENTRIES, "n"]))
def test_a_removed_key_takes_only_its_own_lines(sample, key):
    made = attempt(remove_value, sample.data, key)
    assert same(dict(parse(made).properties), {name: v for name, v in sample.properties.items() if name != key})
    gone, come = changed_span(sample.data, made)
    assert come == b""
    assert (gone == b"") == (key not in sample.properties)


@PATIENT
@given(
    blocks()
    | st.lists(st.sampled_from(functools.reduce(operator.iadd, ENTRIES.values(), [])), max_size=4).map("\n".join)
)
def test_the_quick_reader_agrees_with_the_full_one(text):
    quick = read_plainly(text + "\n")
    assume(quick is not None)
    assert quick == read_carefully(text + "\n")
    assert plain_places(text + "\n", quick) == read_with_places(text + "\n")[0]


WORD = st.sampled_from(
    ["x", "two words", "it's", "a:b", "C#", "2026-11-30", "01K0ABC", "日本", "null", "true", "12", "1.5"]
) | st.text(st.sampled_from("aé 1:#-,.e+'\"\u3000\u2009\u200b٣"), max_size=6)
FLOW = st.lists(WORD | WORD.map("'{}'".format) | WORD.map('"{}"'.format), max_size=3).map(
    lambda words: f"[{', '.join(words)}]"
)
PLAIN_VALUE = WORD | WORD.map("'{}'".format) | WORD.map('"{}"'.format) | FLOW | TEXT
ENDS = st.sampled_from(["", " ", " # c", "  ## - c", " #", " #c", "# c", " # a: 'b"])
PLAIN_LINES = (
    st.builds(
        "{}: {}{}".format,
        st.sampled_from(["a", "b", "tags", "id", "Name", "é", "a-b_1"]),
        PLAIN_VALUE,
        ENDS,
    )
    | st.builds("l:\n{0}- {1}{3}\n{0}- {2}{3}".format, st.sampled_from(["", "  ", "    "]), WORD, PLAIN_VALUE, ENDS)
    | st.sampled_from(["", "# comment", "  # comment", "c:", "d: "])
)


@settings(PATIENT, max_examples=200)
@given(st.lists(PLAIN_LINES, max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_the_quick_reader_agrees_on_lines_made_to_trip_it(lines, newline):
    text = "".join(line + newline for line in lines)
    quick = read_plainly(text)
    assume(quick is not None)
    assert quick == read_carefully(text)
    assert plain_places(text, quick) == read_with_places(text)[0]


@settings(PATIENT, max_examples=300)
@given(st.text(st.sampled_from("ab1: -#'\"[]{},\n\r\t&*!|>é\u00a0~"), max_size=30))
def test_both_readers_agree_on_noise(text):
    quick = read_plainly(text)
    if quick is not None:
        assert quick == read_carefully(text)
        assert plain_places(text, quick) == read_with_places(text)[0]


@PATIENT
@given(st.binary(max_size=60) | st.text(st.sampled_from("-\n\r ab:<=>\ufeff"), max_size=40).map(str.encode))
def test_no_bytes_make_the_reader_raise(data):
    note = parse(data)
    assert note.body_line >= 1
    assert isinstance(note.body, str)


@PATIENT
@given(st.text(st.sampled_from("-\n\r a:x"), max_size=30).map(str.encode))
def test_a_writable_block_is_the_one_that_plugins_would_edit(data):
    shown = find_block(data)
    if shown is not None and shown.writable:
        assert api_block(data) == (shown.start, shown.end, shown.body)


@PATIENT
@given(st.binary(max_size=40), NEW_KEYS, VALUE)
def test_an_edit_of_any_bytes_is_refused_or_changes_nothing_else(data, key, value):
    note = parse(data)
    try:
        made = set_value(data, key, value)
    except NoteFormatError:
        return
    after = parse(made)
    assert same(dict(after.properties), {**note.properties, key: value})
    assert made.endswith(data[note.block.end if note.block else 3 if data.startswith(b"\xef\xbb\xbf") else 0 :])


@PATIENT
@given(VALUE)
def test_every_spelled_value_reads_back(value):
    text = f"k: {spell(value)}\nl: [{spell_item(value)}]\n"
    assume(not any("\ud800" <= character <= "\udfff" for character in text))
    reading = read_carefully(text)
    assert reading.readable, reading.findings
    assert same(dict(reading.properties), {"k": value, "l": [value]})


@PATIENT
@given(st.dictionaries(st.sampled_from(["id", "name", "tags", "yes", "10", "a: b"]), VALUE, min_size=1, max_size=4))
def test_a_new_block_says_what_it_was_made_of(properties):
    note = parse(new_block(properties).encode())
    assert same(dict(note.properties), properties)
    assert list(note.properties) == list(properties)
    assert note.block.writable


@PATIENT
@given(TEXT)
def test_a_scalar_is_text_unless_it_is_something_else(text):
    value = resolve(text)
    assert value == text or not isinstance(value, str)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), -0.0, 5e-324, 1e22, 10**40, -(2**63)])
def test_every_number_reads_back_exactly(value):
    assert same(resolve(spell(value)), value)
