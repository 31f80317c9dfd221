"""Edits of a body: the words that are meant change, every other byte stays."""

import pytest

from vaultd.errors import ConflictError, NoteFormatError, UsageError
from vaultd.notes.editing import Replacement, appended, replaced, unified, with_body

HEAD = (
    b"---\n# why: \xe6\x97\xa5\xe6\x9c\xac\n"
    b"anchors: &a [1,  2]\nagain: *a\n\nodd:\n      - x   # kept\n      - 'y'\nblank:  \n---\n"
)
BODY = "\n# 日本 \n\nOne word.  \n\n\tcode\n\n- [ ] task é\n\nlast".encode()
NOTES = {
    "lf": HEAD + BODY + b"\n",
    "crlf": (HEAD + BODY + b"\n").replace(b"\n", b"\r\n"),
    "bom": b"\xef\xbb\xbf" + HEAD + BODY + b"\n",
    "mixed": HEAD + BODY.replace(b"word.  \n", b"word.  \r\n") + b"\r\n",
    "no final newline": HEAD + BODY,
    "no block": BODY.lstrip() + b"\n\n\n",
    "bom, no block": b"\xef\xbb\xbf" + BODY.lstrip(),
    "lone carriage returns": HEAD + BODY.replace(b"\n", b"\r"),
    "broken YAML": b"---\na: [\n---\n" + BODY,
}
nasty = pytest.mark.parametrize("data", NOTES.values(), ids=NOTES.keys())


def edited(data: bytes, old: str, new: str, *, every: bool = False) -> bytes:
    return replaced(data, [Replacement(old, new)], every=every)


# Replacing -------------------------------------------------------------------------------------------------------------


@nasty
def test_replacing_a_word_changes_that_word(data: bytes):
    assert edited(data, "One word.", "Two wörds.") == data.replace(b"One word.", "Two wörds.".encode())


@nasty
def test_a_text_over_several_lines_is_found_whatever_ends_the_lines(data: bytes):
    after = edited(data, "task é\n\nlast", "done")
    start = data.index("task é".encode())
    assert after == data[:start] + b"done" + data[data.index(b"last") + 4 :]


def test_new_lines_end_as_the_lines_around_them():
    assert edited(b"a\r\nb\r\nc\n", "b", "x\ny") == b"a\r\nx\r\ny\r\nc\n"


def test_new_lines_in_a_note_of_one_line_end_as_its_block_does():
    assert edited(b"---\r\na: 1\r\n---\r\nb", "b", "x\ny") == b"---\r\na: 1\r\n---\r\nx\r\ny"


def test_line_ends_typed_as_crlf_are_line_ends():
    assert edited(b"a\nb\n", "a\r\nb", "a\r\nc") == b"a\nc\n"


def test_later_replacements_see_what_earlier_ones_left():
    assert replaced(b"one\n", [Replacement("one", "two"), Replacement("two", "three")]) == b"three\n"


def test_a_text_that_is_not_there_is_a_conflict():
    with pytest.raises(ConflictError, match="'Word' does not stand"):
        edited(NOTES["lf"], "Word", "x")


@pytest.mark.parametrize("old", ["The  word", "the word", "The\nword"])
def test_a_text_that_is_there_in_other_letters_or_blanks_is_named_with_its_line(old: str):
    with pytest.raises(ConflictError) as refused:
        replaced(b"---\r\na: 1\r\n---\r\nMore.\r\nThe word.\r\n", [Replacement(old, "x")])
    assert refused.value.hint == "line 5 has 'The word': write it just so"


def test_one_that_fails_undoes_those_before_it():
    with pytest.raises(ConflictError):
        replaced(b"one\n", [Replacement("one", "two"), Replacement("one", "three")])


def test_a_text_that_stands_there_twice_is_refused_with_the_count():
    with pytest.raises(UsageError, match="stands there 2 times, on lines "):
        edited(b"a b a\n", "a", "x")


def test_every_occurrence_is_replaced_where_that_is_asked():
    assert edited(b"a b a\n", "a", "x", every=True) == b"x b x\n"


@pytest.mark.parametrize(("old", "new"), [("", "x"), ("a", "a"), ("a\r\nb", "a\nb")])
def test_a_replacement_that_says_nothing_is_refused(old: str, new: str):
    with pytest.raises(UsageError):
        edited(b"a\nb\n", old, new)


def test_a_text_is_no_pattern():
    assert edited(b"a.c abc \\1\n", "a.c", "\\1\\g<0>") == b"\\1\\g<0> abc \\1\n"


def test_the_frontmatter_is_not_searched():
    with pytest.raises(ConflictError):
        edited(b"---\ntitle: one\n---\ntext\n", "one", "two")


def test_a_body_that_becomes_frontmatter_is_refused():
    with pytest.raises(NoteFormatError, match="read as frontmatter"):
        edited(b"x\na: 1\n---\n", "x", "---")


def test_a_body_that_becomes_an_empty_frontmatter_is_refused():
    with pytest.raises(NoteFormatError, match="read as frontmatter"):
        with_body(b"words\n", "---\n---\n")


def test_a_note_that_is_not_utf_8_is_refused_with_the_line():
    with pytest.raises(NoteFormatError, match=r"line 2: .*0xe9"):
        edited(b"a\ncaf\xe9\n", "a", "b")


# Appending -------------------------------------------------------------------------------------------------------------


@nasty
def test_appending_keeps_every_byte_before_and_ends_lines_as_the_last_one_ends(data: bytes, request):
    newline = {"crlf": b"\r\n", "mixed": b"\r\n", "lone carriage returns": b"\r"}.get(request.node.callspec.id, b"\n")
    gap = b"" if data.endswith(b"\n") else newline
    assert appended(data, "more\nlines") == data + gap + b"more" + newline + b"lines" + newline


@pytest.mark.parametrize(
    ("data", "after"), [(b"", b"x\n"), (b"\n", b"\nx\n"), (b"---\na: 1\n---", b"---\na: 1\n---\nx\n")]
)
def test_appending_to_little(data: bytes, after: bytes):
    assert appended(data, "x") == after


def test_a_text_that_would_close_an_open_block_is_refused():
    with pytest.raises(NoteFormatError):
        appended(b"---\na: 1\n", "---")


# Another body ----------------------------------------------------------------------------------------------------------


@nasty
def test_another_body_keeps_the_frontmatter_and_the_blank_lines_below(data: bytes, request):
    newline = {"crlf": b"\r\n", "lone carriage returns": b"\r"}.get(request.node.callspec.id, b"\n")
    head = data[: data.index("# 日本".encode())]
    assert with_body(data, "new 日\ntext") == head + "new 日".encode() + newline + b"text" + newline


@nasty
def test_the_same_body_again_changes_nothing(data: bytes):
    body = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    text = body.rpartition("---\n")[2] if "---" in body else body
    assert with_body(data, text) is data


def test_the_mark_at_the_start_of_a_given_text_stays_in_the_file_it_came_from():
    assert with_body(b"", "\ufeffwords") == b"words\n"
    assert with_body(b"\xef\xbb\xbfold\n", "\ufeffwords") == b"\xef\xbb\xbfwords\n"
    assert appended(b"words\n", "\ufeffmore") == b"words\nmore\n"


def test_no_body_leaves_the_frontmatter():
    assert with_body(b"---\na: 1\n---\n\ntext\n", "") == b"---\na: 1\n---\n\n"


def test_a_body_begins_on_a_line_of_its_own():
    assert with_body(b"---\na: 1\n---", "x") == b"---\na: 1\n---\nx\n"


# Unresolved merges -----------------------------------------------------------------------------------------------------

MERGE = b"x\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n"


def test_an_edit_that_leaves_a_merge_unresolved_is_refused():
    with pytest.raises(NoteFormatError, match="unresolved merge at lines 2-6"):
        appended(MERGE, "more")
    with pytest.raises(NoteFormatError, match="unresolved merge"):
        replaced(MERGE, [Replacement("ours", "mine")])


def test_an_edit_may_resolve_a_merge():
    hunk = MERGE.decode().removeprefix("x\n")
    assert replaced(MERGE, [Replacement(hunk, "ours\n")]) == b"x\nours\n"
    assert with_body(MERGE, "x") == b"x\n"


# Diffs -----------------------------------------------------------------------------------------------------------------


def test_a_diff_shows_what_changed():
    assert unified(b"a\r\nb\r\n", b"a\r\nc\r\n", "n.md") == "--- a/n.md\n+++ b/n.md\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


def test_a_diff_tells_of_a_missing_line_end():
    assert unified(b"a", b"b\n", "n.md").endswith("-a\n\\ No newline at end of file\n+b\n")
