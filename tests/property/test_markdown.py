"""The scanner of notes/ held against a full CommonMark parser, on the specification's ground, on cases, on made-up text.

The examples are our own, one or more for every section of CommonMark 0.31 that says where headings, links, code spans
and fences begin and end. What the scanner reads otherwise stands in DIFFERENCES, with the reason.
"""

import re
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from vaultd.notes.lines import Lines
from vaultd.notes.links import markdown_target, scan
from vaultd.notes.markdown import headings_in
from vaultd.notes.masking import code_spans, fences, flatten, masked, masked_blocks
from vaultd.notes.note import parse

CASES = Path(__file__).parents[1] / "cases"
PARSER = MarkdownIt("commonmark", {"store_labels": True})

EXAMPLES = [
    # tabs, precedence, thematic breaks
    "\tfoo\tbaz\n",
    "  - foo\n\n\tbar `x`\n",
    "- `one\n- two`\n",
    "Foo\n***\nbar\n",
    "* Foo\n* * *\n* Bar\n",
    # headings, ATX
    "# a\n## b\n### c\n#### d\n##### e\n###### f\n",
    "####### seven\n",
    "#5 bolt\n\n#hashtag\n",
    "\\## escaped\n",
    "#   wide   \n",
    " ### a\n  ## b\n   # c\n",
    "    # code\n",
    "foo\n    # bar\n",
    "## a ##\n  ###   b    ###\n",
    "# a ##################################\n##### b ##\n",
    "### a ### b\n",
    "# a#\n",
    "### a \\###\n# b \\#\n",
    "****\n## a\n****\n",
    "text\n# a\nmore\n",
    "## \n#\n### ###\n",
    # headings, setext
    "a\n===\n\nb\n---\n",
    "a\nb\n====\n",
    "  a\nb\n\t===\n",
    "   a\n---\n",
    "    a\n    ---\n",
    "a\n   ----      \n",
    "a\n= =\n\nb\n--- -\n",
    "`a\n----\n`\n",
    "> a\n---\n",
    "- a\n---\n",
    "---\na\n---\nb\n",
    "\n====\n",
    "- a\n-----\n",
    "    a\n---\n",
    "\\> a\n------\n",
    "a\n\nb\n---\nc\n",
    # indented code
    "    a `b`\n      c\n",
    "a\n    [b](c.md)\n",
    "- a\n\n    [b](c.md)\n",
    "    # a\n\n    [b](c.md)\n\nd\n",
    # fences
    "```\n<\n >\n```\n",
    "~~~\n[a](b.md)\n~~~\n",
    "``\na\n``\n",
    "```\na\n~~~\n```\n",
    "````\na\n```\n``````\n",
    "```\n",
    "`````\n\n```\na\n",
    "> ```\n> a\n\nb\n",
    "```\n\n  \n```\n",
    "   ```\n   a\n  ```\n",
    "    ```\n    a\n    ```\n",
    "```\na\n    ```\n",
    "``` a``` `b`\n",
    "a\n```\nb\n```\nc\n",
    "~~~    ruby startline=3 $%@#$\nx\n~~~~~~~\n",
    "~~~ aa ``` ~~~\na\n~~~\n",
    "```\n``` aaa\n```\n",
    "- ```\n  a\n  ```\n- b\n",
    # code spans
    "`foo` ``foo ` bar`` ` `` ` `  ``  `\n",
    "` a` `\u00a0b\u00a0` ` ` `  `\n",
    "``\nfoo\nbar  \nbaz\n``\n",
    "`foo\\`bar`\n",
    "``foo`bar`` ` foo `` bar `\n",
    "*foo`*` [not a `link](/foo`)\n",
    "```foo``\n",
    "`foo\n",
    "`foo``bar``\n",
    "\\`not code` and `code\\`\n",
    # links
    "[a](b.md) [c](</d e.md>) [](./t.md) [f]() [g](<>)\n",
    "[a](b.md \"t\") [a](b.md 't') [a](b.md (t))\n",
    "[link](/my uri)\n",
    "[a](foo\nbar)\n",
    "[a](<foo\nbar>)\n",
    "[a](<b)c>)\n",
    "[a](<b\\>)\n",
    "[a](<b)c\n[a](<b)c>\n[a](<b>c)\n",
    "[a](\\(foo\\)) [a](foo(and(bar))) [a](foo(and(bar))\n",
    "[a](foo\\(and\\(bar\\)) [a](<foo(and(bar)>)\n",
    "[a](foo\\)\\:)\n",
    "[a](#f) [a](b.md#f) [a](b.md?x=3#f)\n",
    "[a](foo%20b&auml;.md)\n",
    '[a](/url "title \\"&quot;")\n',
    '[a](/url "title "and" title")\n',
    '[a](   /uri\n  "title"  )\n',
    "[a] (/uri)\n",
    "[a [b [c]]](/uri) [a] b](/uri) [a [b](/uri) [a \\[b](/uri)\n",
    "[a *b **c** `#`*](/uri)\n",
    "[![moon](moon.jpg)](/uri)\n",
    "[foo [bar](/one) baz](/two)\n",
    "![[[foo](uri1)](uri2)](uri3)\n",
    "*[foo*](/uri) [foo *bar](baz*)\n",
    "[foo`](/uri)`\n",
    '![foo](train.jpg) My ![foo bar](/path/to/t.jpg  "t"   ) ![](u.png) \\![x](y.md) \\!\\[x](y.md)\n',
    "[a](https://example.com) <https://a.b/c> [b](mailto:x@y)\n",
    # reference definitions
    '[foo]: /url "title"\n\n[foo]\n',
    "   [foo]: \n      /url\n",
    "[Foo bar]: <my url.md>\n",
    "[foo]: <>\n",
    "    [foo]: /url\n",
    "```\n[foo]: /url\n```\n",
    "[foo]: /url1\n[bar]: /url2 'x'\n",
    '[foo]: /url "title" ok\n',
    # raw HTML
    "<table>\n# a\n</table>\n\n# b\n",
    "<pre>\n# a\n\n# b\n</pre>\n# c\n",
    "<!-- a\n\n# b -->\n# c\n",
    "<?php\n# a\n?>\nb\n===\n",
    "<!DOCTYPE\n# a\nhtml>\n# b\n",
    "<![CDATA[\n# a\n]]>\n# b\n",
    "a\n<div>\n# b\nc\n---\n",
    " <style>\n# a\n",
    "<!-- a -->\nb\n---\n",
    # containers
    "> # a\n\n- # b\n\n1. c\n   ===\n",
    "> [a](b.md)\n> `c`\n",
    "1.  a [b](c.md)\n\n        indented [x](y.md)\n",
    "a  \nb [c](d.md)\\\ne `f`\n",
]

DIFFERENCES = {
    parse((CASES / "28-link-markdown-percent-encoding" / "input" / "note.md").read_bytes()).body: (
        "a definition may follow a paragraph at once, and is a link there too"
    ),
    "w [[a]](b.md)\n": "two brackets are a wikilink before they are anything else",
    "[![ [a](b.md)](c.md)](d.md)\n": "the specification's algorithm knows no link around a link, this parser does here",
    "- a\n\n  # b\n": "an indented heading below a list is taken for one of the note, not of the list",
    "- a\n\n  ```\nb\n  ```\n": "a fence in a list item ends at its closer, not at the first line outside the item",
    "$[a](b.md)$\n": "math holds no links",
    "<div>\n[a](b.md)\n</div>\n": "links and code in HTML count, but for those in comments: the text there is shown",
    "<!-- a -->[b](c.md)\n": "a line of HTML may hold a link behind a comment",
    "<b>\n# a\n": "only the names of blocks begin a block of HTML, not every tag",
    "`a\n----\n`\n": "a code span may run over what a full parser knows for a heading's underline",
    "- `one\n- two`\n": "a code span may run over list items: only a blank line ends it",
    "1.  a [b](c.md)\n\n        indented [x](y.md)\n": "below a list item all indented text is text, as tasks nest deeply",
}


def read(text: str) -> dict[str, list[object]]:
    """Return what the scanner finds in a body."""
    flat = flatten(text)
    lines = Lines(flat)
    unfenced = masked_blocks(flat)
    return {
        "headings": [(heading.level, heading.text, heading.line) for heading in headings_in(unfenced, lines)],
        "links": sorted((link.target, link.subpath) for link in scan(masked(flat), flat) if link.kind != "wiki"),
        "code": [_plain(flat[start:end]) for start, end in code_spans(unfenced)],
        "fences": [lines.index(start) + 1 for start, _ in fences(flat)],
    }


def _plain(span: str) -> str:
    inner = re.sub(r"\n(?:> )?", " ", span.strip("`"))
    return inner[1:-1] if inner[:1] == inner[-1:] == " " and inner.strip(" ") else inner


def expected(text: str) -> dict[str, list[object]]:
    """Return what a CommonMark parser finds: headings outside lists and quotes, links not to the web, definitions."""
    env: dict[str, object] = {}
    found: dict[str, list[object]] = {"headings": [], "links": [], "code": [], "fences": []}
    tokens = PARSER.parse(text, env)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "fence":
            found["fences"].append(token.map[0] + 1)
        if token.type == "inline":
            if before.type == "heading_open" and before.level == 0:
                words = " ".join(line.strip() for line in token.content.split("\n"))
                found["headings"].append((int(before.tag[1]), words, before.map[0] + 1))
            _inline(token.children, found)
    references = [*env.get("references", {}).values(), *env.get("duplicate_refs", [])]
    found["links"] += [_target(reference["href"]) for reference in references]
    found["links"] = sorted(link for link in found["links"] if link)
    return found


def _inline(tokens, found) -> None:
    for token in tokens or ():
        if token.type == "code_inline":
            found["code"].append(token.content)
        if token.type in ("link_open", "image") and "label" not in token.meta and token.markup != "autolink":
            found["links"].append(_target(token.attrs.get("href") or token.attrs.get("src")))
        if token.type == "image":
            _inline(token.children, found)


def _picture_of_a_link(tokens) -> bool:
    """Say whether a link stands in the text of a picture: the parser then sees links around links (DIFFERENCES)."""
    pictures = [token.children or () for token in tokens if token.type == "image"]
    return any(token.type == "link_open" for inner in pictures for token in inner) or any(
        map(_picture_of_a_link, pictures)
    )


def _target(href) -> tuple[str, str] | None:
    return markdown_target(str(href)) if href and not re.match(r"[A-Za-z][A-Za-z0-9+.-]+:|//", str(href)) else None


@pytest.mark.parametrize("text", [text for text in EXAMPLES if text not in DIFFERENCES])
def test_the_scanner_reads_as_commonmark_does(text):
    assert read(text) == expected(text)


@pytest.mark.parametrize(("text", "reason"), DIFFERENCES.items())
def test_what_is_listed_as_different_is(text, reason):
    assert read(text) != expected(text), f"no longer: {reason}"


WORDS = st.text(st.sampled_from("ab é漢🔥.,:;()\"'"), min_size=1, max_size=8).map(lambda text: f"x{text}y")
CODE = st.tuples(
    st.integers(1, 3), st.sampled_from(["a", "[x](y.md)", "# b", "a ` `` b", "\\", " c ", "$d", "![e](f)"])
).map(lambda pair: f"{'`' * pair[0]}{pair[1]}{'`' * pair[0]}")
DESTINATIONS = st.sampled_from(
    [
        "a.md",
        "b%20c.md#d%20e",
        "<f g.md>",
        "h(i).md",
        "./j.md",
        "#k",
        "https://l.m",
        "<>",
        "n\\)o.md",
        "p&amp;q.md",
        "r s",
        "(",
        "",
    ]
)
TITLES = st.sampled_from(["", "", ' "t"', " 'u v'", " (w)", ' "open', " x"])
TEXTS = st.recursive(
    st.sampled_from(["a", "b c", "`]`", "\\]", "[d]", "*e*", "", "]", "[", "!"]),
    lambda inner: st.tuples(st.sampled_from(["", "!"]), inner, DESTINATIONS).map(
        lambda part: f"{'' if '](' in part[1] else part[0]}[{part[1]}]({part[2]})"
    ),
    max_leaves=3,
)
LINKS = st.tuples(st.sampled_from(["", "!", "\\", "\\!", "!\\"]), TEXTS, DESTINATIONS, TITLES).map(
    lambda part: f"{part[0]}[{part[1]}]({part[2]}{part[3]})"
)
STRAY = st.sampled_from(["`", "``", "[", "]", "![", "](", "\\", "\\`", "*", "#", "=", "~~~", "<", "&", "[]", "|"])
INLINE = st.lists(st.one_of(WORDS, CODE, LINKS, STRAY), min_size=1, max_size=6).map(" ".join)
# a word first, so that what a line begins with stays what the block says
SAFE_LINE = INLINE.map(lambda text: f"w {text} z")
PARAGRAPHS = st.lists(SAFE_LINE, min_size=1, max_size=3).map("\n".join)
HEADINGS = st.one_of(
    st.tuples(st.integers(0, 3), st.integers(1, 7), SAFE_LINE, st.sampled_from(["", " #", " ##  "])).map(
        lambda t: f"{' ' * t[0]}{'#' * t[1]} {t[2]}{t[3]}"
    ),
    st.tuples(PARAGRAPHS, st.sampled_from(["=", "---", "  ====  ", "-"])).map("\n".join),
)
FENCES = st.tuples(
    st.sampled_from(["```", "~~~", "`````", "  ```"]),
    st.sampled_from(["", "py", " a b"]),
    st.lists(st.sampled_from(["# x", "[a](b.md)", "``", "~~~~ z", "", "    y", "> q", "- i", "`c`"]), max_size=4),
).map(lambda t: "\n".join((t[0] + t[1], *t[2], t[0])))
INDENTED = st.lists(st.sampled_from(["    # x", "\t[a](b.md)", "      `c`"]), min_size=1, max_size=3).map("\n".join)
RULES = st.sampled_from(["***", "---", "_ _ _"])
DEFINITIONS = st.sampled_from(["[r1]: a.md", "[r2]: <b c.md> 't'", "   [r3]: https://d.e", "[r4]: f%20g.md#h"])
BLOCKS = st.one_of(PARAGRAPHS, HEADINGS, FENCES, RULES, DEFINITIONS)
QUOTES = st.one_of(PARAGRAPHS, FENCES).map(lambda text: "\n".join(f"> {line}" for line in text.split("\n")))
LISTS = st.lists(SAFE_LINE.map(lambda text: f"- {text}"), min_size=1, max_size=3).map("\n\n".join)
# indented text, headings and fences belong to a list above them, and `[[` is a wikilink
DOCUMENTS = st.one_of(
    st.lists(st.one_of(BLOCKS, QUOTES, INDENTED), min_size=1, max_size=6),
    st.lists(
        st.one_of(PARAGRAPHS, FENCES.filter(lambda text: text[0] != " "), RULES, QUOTES, LISTS), min_size=1, max_size=6
    ),
).map(lambda blocks: re.sub(r"\[(?=\[)", "[ ", "\n\n".join(blocks)))


@settings(max_examples=150, deadline=None)
@given(DOCUMENTS)
def test_made_up_text_reads_as_commonmark_does(text):
    assume(not any(_picture_of_a_link(token.children or ()) for token in PARSER.parse(text)))
    assert read(text) == expected(text)


@settings(max_examples=40, deadline=None)
@given(DOCUMENTS)
def test_line_endings_change_nothing(text):
    assert read(text.replace("\n", "\r")) == read(text)


NOTES = sorted(file for file in CASES.rglob("*.md") if file.name != "expected.md")


@pytest.mark.parametrize("file", NOTES, ids=lambda file: file.relative_to(CASES).as_posix())
def test_the_notes_of_the_cases_read_as_commonmark_does(file):
    body = parse(file.read_bytes()).body
    assert (read(body) == expected(body)) is (body not in DIFFERENCES)
