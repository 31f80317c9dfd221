"""Headings, links and tags of a body."""

import pytest

from vaultd.notes.markdown import (
    Heading,
    frontmatter_tags,
    heading_key,
    headings,
    in_fence,
    last_line,
    links,
    tags,
    title,
)


def test_inline_tags(row_tags):
    text, expected = row_tags
    assert tags(text) == expected


def test_frontmatter_tags(row_frontmatter_tags):
    properties, expected = row_frontmatter_tags
    assert frontmatter_tags(properties) == expected


def test_wikilinks(row_wikilinks):
    text, expected = row_wikilinks
    assert [[link.embed, link.target, link.subpath, link.display] for link in links(text)] == expected


def test_headings_are_compared_without_punctuation_and_case(row_headings):
    one, other, same = row_headings
    assert (heading_key(one) == heading_key(other)) is same


def test_a_tag_is_counted_once_in_its_first_spelling():
    assert tags("#Tag and #TAG and #tag/sub") == ["#Tag", "#tag/sub"]


@pytest.mark.parametrize(
    "text",
    [
        "`#code`",
        "```\n#code\n```",
        "~~~\n#code",
        "> ```\n> #code",
        "$#x$",
        "$$\n#x\n$$",
        "[x](http://a/#frag)",
        "[[#H]]",
        "[[A #b]]",
        "\n    #indented\n",
        "``a ` #b``",
        "a\n```` \n```\n#x\n````",
    ],
)
def test_code_math_and_link_targets_hold_no_tags(text):
    assert tags(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%%#hidden%%", ["#hidden"]),
        ("**#bold**", ["#bold"]),
        ("- item\n\n    #nested", ["#nested"]),
        ("[a #shown](x.md)", ["#shown"]),
        ("a ` b #t", ["#t"]),
        ("`a\n\n#t`", ["#t"]),
        ("$5 and #t and $6", ["#t"]),
        ("\\`#a` #b", ["#b"]),
        ("> ```\n> code\n#after", ["#after"]),
        ("```\ncode\n```\r\n#after", ["#after"]),
    ],
)
def test_text_that_only_looks_like_code_holds_tags(text, expected):
    assert tags(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[y](My%20Note.md)", [("My Note.md", "", "y")]),
        ("[y](<My Note.md>)", [("My Note.md", "", "y")]),
        ("[x](Note.md#Some%20head)", [("Note.md", "#Some head", "x")]),
        ("[b](Note(1).md)", [("Note(1).md", "", "b")]),
        ('[b](a.md "Title (x)")', [("a.md", "", "b")]),
        ("[![alt](Pic.png)](Note.md)", [("Note.md", "", "![alt](Pic.png)"), ("Pic.png", "", "alt")]),
        ("[a](#H)", [("", "#H", "a")]),
        ("[a [b] c](x.md)", [("x.md", "", "a [b] c")]),
        ("[web](https://e.com) [mail](mailto:a@b.c) [x](//e.com)", []),
        ("\\[a](b.md)", []),
        ("[a]()", []),
        ("[a](b c.md)", []),
        ("`[a](b.md)`", []),
    ],
)
def test_markdown_links(text, expected):
    assert [(link.target, link.subpath, link.display) for link in links(text)] == expected


@pytest.mark.parametrize("text", ["%%[[Note]]%%", "[[Note]] $x", "a `b` [[Note]]", "$5 [[Note]] $6", "[[[Note]]]"])
def test_links_in_comments_and_beside_code_count(text):
    assert [link.target for link in links(text)] == ["Note"]


@pytest.mark.parametrize(
    "text",
    [
        "`[[Note]]`",
        "```\n[[Note]]\n```",
        "$$[[Note]]$$",
        "```mermaid\nA-->[[Note]]\n```",
        "a\n\n\t[[Note]]",
        "<!-- [[Note]] -->",
        "\\[[Note]]",
    ],
)
def test_links_in_code_math_and_html_comments_do_not(text):
    assert links(text) == []


def test_a_dollar_in_a_link_is_no_math():
    assert [link.target for link in links("[[a$b]] and [[c$d]]")] == ["a$b", "c$d"]


def test_a_link_knows_its_line_and_column():
    found = links("first\r\nsee [[A]] and ![p](p.png)\n")
    assert [(link.line, link.column, link.kind, link.embed) for link in found] == [
        (2, 5, "wiki", False),
        (2, 15, "md", True),
    ]


def test_both_kinds_of_headings_are_found():
    body = "# A #\n\nSet\next\n===\n\n## B ##\nUnder\n---\n#\n####### seven\n#no\n"
    assert headings(body) == [
        Heading(1, "A", 1),
        Heading(1, "Set ext", 3),
        Heading(2, "B", 7),
        Heading(2, "Under", 8),
        Heading(1, "", 10),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "```\n# A\n```",
        "    # A",
        "- x\ny\n---",
        "| a |\n---",
        "\n---\n",
        "> q\n---",
        "---\n---",
        "***\n---",
        "```\nx\n---\n```",
        "~~~\n# A",
    ],
)
def test_code_lists_quotes_and_rules_are_no_headings(body):
    assert headings(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "<!--\n# A\n\n# B\n-->",
        "<!-- never closed\n# A",
        "<pre>\n# A\n\nB\n---\n</pre>",
        "<SCRIPT>\n# A [[x]]\n</script>",
        "a\n<div class=x>\n# A\nb\n---\n</div>",
        "<details>\n<summary>s</summary>\n# A",
        "<?php\n# A\n?>",
        "<![CDATA[\n# A\n]]>",
        "</ul>\n# A",
        " <hr/>\n# A",
        "<!-- one line -->\n<!-- another\n# A\n-->",
    ],
)
def test_raw_html_holds_no_headings(body):
    assert headings(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "<!-- c -->\n# A",
        "<div>\n\n# A",
        "<pre></pre>\n# A",
        "a <!--\n# A\n-->",
        "`<!--`\n# A",
        "```\n<!--\n```\n# A",
        "    <div>\n# A",
        "<b>\n\n# A",
        "<divided>\n# A",
        "<!-- c -->\nA\n===",
    ],
)
def test_headings_beside_raw_html_count(body):
    assert [heading.text for heading in headings(body)] == ["A"]


def test_the_title_is_the_first_heading_of_level_one():
    assert title("## no\n\n# Yes\n# Later") == "Yes"
    assert title("#\n\ntext") is None
    assert title("# C\r\n") == "C"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a\n\n> b \n\n \n", ("> b", 3)),
        ("a", ("a", 1)),
        ("", None),
        ("\n \r\n", None),
        ("a\r\nb\r\n", ("b", 2)),
        ("a\rb", ("b", 2)),
    ],
)
def test_the_last_line_that_is_not_blank(body, expected):
    assert last_line(body) == expected


@pytest.mark.parametrize(
    ("body", "inside"),
    [
        ("a\n```\nb\n```\nc", [2, 3, 4]),
        ("```\na\n~~~\n``\n```` \nb", [1, 2, 3, 4, 5]),
        ("- ```\n  a\n  ```\nb", [1, 2, 3]),
        ("> ```\n> a\nb", [1, 2]),
        ("```\nopen\nend", [1, 2, 3]),
        ("``` a`b\nc", []),
        ("```\r\na\r\n```\r\nb", [1, 2, 3]),
    ],
)
def test_lines_of_fenced_code(body, inside):
    assert [line for line in range(1, 8) if in_fence(body, line)] == inside
