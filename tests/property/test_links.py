"""What a note's structure says stands where it says, and links mean what was linked."""

import posixpath

from hypothesis import given, settings
from hypothesis import strategies as st

from vaultd.notes.note import parse
from vaultd.notes.resolution import Names, link_key, link_text
from vaultd.notes.structure import structure
from vaultd.notes.tasks import toggled

PIECES = st.sampled_from(
    [
        "[[A]]",
        "![[B|c]]",
        "[d](e.md)",
        "#tag",
        "- [ ] task 📅 2026-01-02",
        "> [!x] y",
        "[k:: v]",
        "Key:: v",
        "[^1]",
        "^id",
        "`",
        "```",
        "~~~",
        "$",
        "$$",
        "%%",
        "<!--",
        "-->",
        "[",
        "]",
        "(",
        ")",
        "\\",
        "# H",
        "===",
        "---",
        "|",
        "    ",
        "\t",
        " ",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "a",
        "é",
        "漢",
        "🔥",
        "\u2028",
        "\x00",
        "- ",
        "1. ",
        "> ",
    ]
)
TEXTS = st.lists(PIECES, max_size=40).map("".join)
FRONTS = st.sampled_from(["", "---\na: 1\n---\n", '---\r\na: "[[A]]"\r\n---\r\n', "---\ntags: [a]\n--- "])
FOLDERS = st.sampled_from(["", "a/", "b/", "a/b/", "deep/er/"])
FILES = st.sampled_from(["n.md", "N.md", "m.md", "n.png", "n.base", "é.md", "x y.md", "n.md.md"])
PATHS = st.lists(st.tuples(FOLDERS, FILES).map("".join), unique=True, max_size=12)


@settings(max_examples=200, deadline=None)
@given(FRONTS, TEXTS)
def test_places_name_the_text_they_are_about(front, text):
    note = parse((front + text).encode())
    found = structure(note)
    lines = note.data.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for link in (link for link in found.links if link.key is None):
        written = note.body[link.start : link.end]
        first = written.replace("\r\n", "\n").replace("\r", "\n").split("\n")[0]
        assert lines[link.line - 1][link.column - 1 :].startswith(first)
        assert written.startswith("!") is link.embed
    for tag in (tag for tag in found.tags if tag.start >= 0):
        assert note.body[tag.start :].casefold().startswith(tag.name.casefold())
        assert lines[tag.line - 1][tag.column - 1] == "#"
    for task in found.tasks:
        assert lines[task.line - 1][task.column - 1] == task.status
        line = note.body.replace("\r\n", "\n").replace("\r", "\n").split("\n")[task.line - note.body_line]
        assert toggled(line, task.status) == line
    assert all(1 <= block.line <= block.last_line <= len(lines) for block in found.blocks)


@settings(max_examples=200, deadline=None)
@given(
    PATHS,
    PATHS,
    st.sampled_from(["n", "N.md", "n.png", "a/n", "./n", "../n", "b/../n", "x y", "n.md.md", "/n", "E\u0301"]),
)
def test_names_kept_up_to_date_resolve_like_names_built_anew(before, after, target):
    names = Names(before)
    for path in before:
        if path not in after:
            names.remove(path)
    for path in after:
        names.add(path)
    anew = Names(after)
    for source in ("s.md", "a/s.md", "a/b/s.md"):
        assert names.resolve(target, source) == anew.resolve(target, source)
    assert names.candidates(target) == anew.candidates(target)


@settings(max_examples=200, deadline=None)
@given(PATHS, FOLDERS, FILES, st.sampled_from(["n", "n.md", "N.MD", "n.png", "a/n", "./n.base", "../n", "m", "é"]))
def test_a_path_changes_only_the_links_whose_key_it_touches(paths, folder, file, target):
    path = folder + file
    paths = [other for other in paths if other != path]
    names = Names(paths)
    before = names.resolve(target, "a/s.md")
    names.add(path)
    if link_key(target) not in names.keys_touched(path):
        assert names.resolve(target, "a/s.md") == before


@settings(max_examples=200, deadline=None)
@given(PATHS.filter(bool), FOLDERS, st.sampled_from(["shortest", "relative", "absolute"]), st.data())
def test_a_link_written_to_a_file_means_that_file(paths, folder, form, data):
    path = data.draw(st.sampled_from(paths))
    names = Names(paths)
    text = link_text(path, folder + "s.md", names, form)
    assert names.resolve(text, folder + "s.md") == path
    assert posixpath.basename(path).startswith(posixpath.basename(text))
