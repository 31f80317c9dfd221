"""On any bytes: an edit changes what it is about and nothing else, or it refuses."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from vaultd.errors import VaultdError
from vaultd.lifecycle.tombstones import archived_line, find_tombstone, with_tombstone, without_tombstone
from vaultd.notes.checkboxes import toggled_at
from vaultd.notes.editing import Replacement, appended, replaced, with_body
from vaultd.notes.fences import empty_fences
from vaultd.notes.frontmatter import set_value
from vaultd.notes.note import parse
from vaultd.notes.scalars import same

PIECES = (
    *("---\n", "---\r\n", "--- \n", "\ufeff", "a: 1\n", "tags: [x,  y]\r\n", "ref: &r [1]\n", "again: *r\n", "# c\n"),
    *("odd:\n      - x # k\n", "'q': \"é\"\n", "\n", "\r\n", "\r", "日本 ", "WORD", "WORD\n", "```\n", "\t- [ ] t\n"),
    *("- [x] 日\r\n", "> 1. [/] q\n", "<<<<<<< a\n", "=======\n", ">>>>>>> b\n", " ", "last"),
)
notes = st.lists(st.sampled_from(PIECES), max_size=14).map(lambda pieces: "".join(pieces).encode())
texts = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)


def body_of(data: bytes) -> bytes:
    block = parse(data).block or empty_fences(data)
    start = block.body if block else 3 if data.startswith(b"\xef\xbb\xbf") else 0
    return data[start:]


def same_frontmatter(before: bytes, after: bytes) -> bool:
    return same(dict(parse(before).properties), dict(parse(after).properties))


@given(notes.filter(lambda data: not data.endswith(b"\r")), st.sampled_from(("\n", "\r\n")))
@settings(max_examples=150)
def test_a_tombstone_line_comes_and_goes_without_a_trace(data: bytes, newline: str):
    marked = with_tombstone(data, archived_line("2025-06-01"), newline)
    assert marked.startswith(data)
    found = find_tombstone(parse(marked), in_code=True)
    if found is not None:  # else it would stand in the frontmatter
        assert without_tombstone(marked, found) == data


@given(notes, texts)
@settings(max_examples=150)
def test_replacing_leaves_all_around_it(data: bytes, text: str):
    body = body_of(data)
    try:
        after = replaced(data, [Replacement("WORD", text)])
    except VaultdError:
        return
    head, tail = body.split(b"WORD")
    assert after.startswith(data[: len(data) - len(body)] + head)
    assert after.endswith(tail)
    between = after[len(data) - len(body) + len(head) : len(after) - len(tail)]
    assert between.decode().replace("\r\n", "\n").replace("\r", "\n") == text.replace("\r\n", "\n").replace("\r", "\n")
    assert same_frontmatter(data, after)


@given(notes, texts.filter(bool))
@settings(max_examples=150)
def test_appending_leaves_all_before_it(data: bytes, text: str):
    try:
        after = appended(data, text)
    except VaultdError:
        return
    assert after.startswith(data)
    assert after.endswith((b"\n", b"\r"))
    assert same_frontmatter(data, after)


@given(notes, texts)
@example(b"", "\ufeff")
@settings(max_examples=150)
def test_another_body_leaves_all_before_it(data: bytes, text: str):
    try:
        after = with_body(data, text)
    except VaultdError:
        return
    assert after.startswith(data[: len(data) - len(body_of(data))])
    assert same_frontmatter(data, after)
    assert with_body(after, text) == after


@given(notes, st.integers(1, 16))
@settings(max_examples=150)
def test_toggling_twice_is_nothing_and_once_one_character(data: bytes, line: int):
    try:
        once = toggled_at(data, line)
    except VaultdError:
        return
    assert sum(a != b for a, b in zip(once.decode(), data.decode(), strict=True)) == 1
    twice = toggled_at(once, line)
    assert twice == data or b"[/]" in data


@given(notes, st.sampled_from(("a", "tags", "new")), st.sampled_from((1, "x: y", ["x", "z"], None, True)))
@settings(max_examples=150)
def test_setting_a_value_leaves_the_body(data: bytes, key: str, value: object):
    try:
        after = set_value(data, key, value)
    except VaultdError:
        return
    assert after.endswith(body_of(data))
    assert same(dict(parse(after).properties), {**parse(data).properties, key: value})
