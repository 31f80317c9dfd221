"""Where frontmatter is, by both of Obsidian's recognisers."""

import pytest

from vaultd.notes.fences import api_block, empty_fences, find_block, is_opened


def test_the_block_that_is_shown(row_fence):
    text, shown, _ = row_fence
    data = text.encode()
    block = find_block(data)
    found = None
    if block is not None:
        yaml = data[block.start : block.end].decode()
        found = [yaml.removesuffix("\r\n") if yaml.endswith("\r\n") else yaml[:-1], data[block.body :].decode()]
    assert found == shown


def test_the_block_that_plugins_edit(row_fence):
    text, _, edited = row_fence
    data = text.encode()
    found = api_block(data)
    assert (None if found is None else [data[found[0] : found[1]].decode(), data[found[2] :].decode()]) == edited


def test_a_block_is_writable_only_where_both_agree(row_fence):
    text, shown, _ = row_fence
    data = text.encode()
    block = find_block(data)
    if shown is None:
        assert block is None
        return
    edited = api_block(data.removeprefix(b"\xef\xbb\xbf"))
    bom = 3 if text.startswith("\ufeff") else 0
    assert block.writable == (edited == (block.start - bom, block.end - bom, block.body - bom))


@pytest.mark.parametrize(
    "data", [b"---\n---\nx", b"---\r\n---\r\n", b"---\n---", b"\xef\xbb\xbf---\n---\n", b"---\n---\nx\n\n---\ny"]
)
def test_fences_with_nothing_between_are_no_block_but_have_a_place(data):
    assert find_block(data) is None
    place = empty_fences(data)
    assert place.start == place.end == data.index(b"\n") + 1


@pytest.mark.parametrize(
    "data", [b"---\na: 1\n---\n", b"---\n--- \n", b"--- \n---\n", b"text", b"---", b"---\n\n---\n"]
)
def test_other_fences_are_not_empty_ones(data):
    assert empty_fences(data) is None


def test_added_lines_end_like_the_first_line_of_yaml():
    assert find_block(b"---\r\na: 1\nb: 2\r\n---\r\n").newline == "\n"
    assert find_block(b"---\na: 1\r\nb: 2\n---\n").newline == "\r\n"
    assert empty_fences(b"---\r\n---\r\n").newline == "\r\n"


def test_a_lone_carriage_return_in_the_yaml_makes_it_read_only():
    assert not find_block(b"---\na: 1\rb: 2\n---\n").writable
    assert find_block(b"---\r\na: 1\r\n---\r\n").writable


@pytest.mark.parametrize(
    ("data", "opened"),
    [(b"---\na: 1\n", True), (b"--- \n", True), (b"---", False), (b"----\n", False), (b" ---\n", False)],
)
def test_an_opening_fence_is_a_line_of_its_own(data, opened):
    assert is_opened(data) is opened
