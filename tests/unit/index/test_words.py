"""What counts as a word, and which spellings survive splitting."""

import pytest

from vaultd.index.fulltext import open_fulltext
from vaultd.index.words import folded, literal, literals, pictures, spaced


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("run `ask-codex` now", {"ask-codex"}),
        ("C++, C# and .NET.", {"C++", "C#", ".NET"}),
        ("node_modules (foo.bar) a=b", {"node_modules", "foo.bar", "a=b"}),
        ("--error-on-warnings @nasa #tag 50%", {"--error-on-warnings", "@nasa", "#tag", "50%"}),
        ("parseNoteNow", {"parse", "Note", "Now"}),
        ("üni@x grammar::fa x\\y", {"üni@x", "grammar::fa", "x\\y"}),
        ("shoot 🎯 →", {"🎯", "→"}),
        ('Plain prose, with stops. And "quotes" - and dashes; (brackets) [[Links]]!', set()),
        ("", set()),
    ],
)
def test_spellings_that_splitting_would_lose(text: str, found: set[str]):
    assert literals(text) == found


def test_emphasis_is_no_part_of_a_spelling():
    assert literal("**ask-codex**,") == "ask-codex"


def test_a_spelling_too_long_to_be_typed_is_none():
    assert literals("x-" * 60 + "x") == set()


def test_a_bare_word_is_no_literal():
    assert (literal("word."), literal("..."), literal("")) == ("", "", "")


def test_each_character_of_an_unspaced_script_stands_alone():
    assert spaced("abc日本語def").split() == ["abc", "日", "本", "語", "def"]
    assert spaced("한국 ไทย").split() == ["한", "국", "ไ", "ท", "ย"]


def test_accents_are_composed_before_splitting():
    assert spaced("cafe\u0301") == "café"


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("İstanbul", "istanbul"),
        ("i\u0307stanbul", "istanbul"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("Αθήνα", "αθηνα"),
        ("ᾠδή", "ωδη"),
        ("Ёлка", "елка"),
        ("مُحَمَّد", "محمد"),
        ("שָׁלוֹם", "שלום"),
        ("x\u0302y", "xy"),
        ("Straße", "strasse"),
    ],
)
def test_one_word_with_and_without_accents(tmp_path, written: str, typed: str):
    index = open_fulltext(tmp_path)
    assert index.words(written) == index.words(typed)
    assert len(index.words(typed)) == 1
    assert folded(written) == folded(typed)


def test_marks_that_tell_words_apart_stay():
    assert spaced("हिन्दी й") == "हिन्दी й"
    assert spaced("が").strip() == "が"


def test_folding_keeps_lines_and_scripts():
    assert folded("Ünï\nSTRASSE ß Ø\nが한\ncafe\u0301") == "uni\nstrasse ss o\nが한\ncafe"


def test_pictures_are_found_one_by_one():
    assert pictures("a🎯b→c") == ["🎯", "→"]
