"""What the user asked to leave alone, in gitignore's words and in Obsidian's."""

import json
from pathlib import Path

import pytest

from vaultd.settings import Folders
from vaultd.vault.ignoring import Ignore, load_ignore, parse_ignore


def test_nothing_is_left_alone_by_default(root: Path) -> None:
    ignore = load_ignore(root)
    assert not ignore
    assert not ignore.note("a.md")


@pytest.mark.parametrize(
    ("pattern", "path", "left"),
    [
        ("*.excalidraw.md", "d/p.excalidraw.md", True),
        ("/top.md", "d/top.md", False),
        ("/top.md", "top.md", True),
        ("build/", "a/build/n.md", True),
        ("build/", "a/build.md", False),
        ("a/**/z.md", "a/b/c/z.md", True),
        ("# comment", "# comment", False),
        ("", "a.md", False),
    ],
)
def test_patterns_mean_what_gitignore_says(pattern: str, path: str, left: bool) -> None:
    assert parse_ignore([pattern], []).note(path) is left


def test_a_later_line_takes_back_an_earlier_one() -> None:
    ignore = parse_ignore(["*.md", "!keep.md"], [])
    assert (ignore.note("a.md"), ignore.note("keep.md")) == (True, False)


def test_a_folder_pattern_leaves_the_folder_alone() -> None:
    assert parse_ignore(["archive/"], []).folder("old/archive")


def test_a_plain_obsidian_filter_is_the_start_of_a_path() -> None:
    ignore = parse_ignore([], ["Templates/"])
    assert (ignore.note("Templates/a.md"), ignore.folder("Templates"), ignore.note("My Templates/a.md")) == (
        True,
        True,
        False,
    )


def test_an_obsidian_filter_between_slashes_is_an_expression() -> None:
    ignore = parse_ignore([], [r"/\d{4}-draft/"])
    assert (ignore.note("d/2024-draft.md"), ignore.note("draft.md")) == (True, False)


def test_an_expression_that_is_none_is_skipped_and_listed() -> None:
    ignore = parse_ignore([], ["/(/", "A/"])
    assert ignore.unreadable == ("/(/",)
    assert ignore.note("A/n.md")


def test_an_empty_filter_does_not_hide_everything() -> None:
    assert not parse_ignore([], ["", "/"]).note("a.md")


def test_both_files_are_read(root: Path) -> None:
    (root / ".vaultdignore").write_text("*.log.md\n")
    (root / ".obsidian").mkdir()
    (root / ".obsidian/app.json").write_text(json.dumps({"userIgnoreFilters": ["T/", 5]}))
    ignore = load_ignore(root)
    assert (ignore.note("x.log.md"), ignore.note("T/a.md"), ignore.note("a.md")) == (True, True, False)


@pytest.mark.parametrize("text", ["{", "[]", '{"userIgnoreFilters": null}', '{"userIgnoreFilters": "T/"}', "\xff"])
def test_a_broken_settings_file_of_obsidian_leaves_nothing_alone(root: Path, text: str) -> None:
    (root / ".obsidian").mkdir()
    (root / ".obsidian/app.json").write_text(text, "latin-1")
    assert not load_ignore(root)


def test_managed_folders_are_spared_from_obsidian_but_not_from_vaultdignore() -> None:
    ignore = parse_ignore(["memory/secret/"], ["memory/"]).sparing(Folders())
    assert not ignore.note("memory/p/n.md")
    assert ignore.note("memory/secret/n.md")


def test_the_empty_value_leaves_nothing_alone() -> None:
    assert not Ignore().folder("a")
