"""Notes as HTML: what is shown, and that nothing in it can run."""

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.notes.conftest import CASES
from vaultd.notes.note import parse
from vaultd.notes.rendering import render


def html(text: str) -> str:
    return render(parse(text.encode("utf-8", "replace")))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("# T", "<h1>T</h1>"),
        ("[[A#B|c]]", '<a class="internal-link" href="A#B" data-target="A#B">c</a>'),
        ("[[A b]]", '<a class="internal-link" href="A%20b" data-target="A b">A b</a>'),
        ("![[p.png|100]]", '<a class="internal-embed" href="p.png" data-target="p.png">100</a>'),
        ("[x](My%20Note.md#H)", '<a class="internal-link" href="My%20Note.md#H" data-target="My Note.md#H">x</a>'),
        ("![alt](p.png)", '<a class="internal-embed" href="p.png" data-target="p.png">alt</a>'),
        (
            "![a](http://e.com/p.png)",
            '<a class="external-embed" href="http://e.com/p.png" rel="noopener noreferrer">a</a>',
        ),
        ("<https://e.com>", '<a class="external-link" href="https://e.com" rel="noopener noreferrer">'),
        ("| a |\n| - |\n| [[b\\|c]] |", '<td><a class="internal-link" href="b" data-target="b">c</a></td>'),
        ("- [ ] a", '<li class="task" data-task=" "><input type="checkbox" disabled="" />a</li>'),
        ("1. [/] a", '<li class="task" data-task="/"><input type="checkbox" disabled="" checked="" />a</li>'),
        (
            "> [!Tip] Hi *you*\n> text",
            '<div class="callout" data-callout="tip">\n<div class="callout-title">Hi <em>you</em>',
        ),
        (
            "> [!faq]-\n> text",
            '<details class="callout" data-callout="faq">\n<summary class="callout-title">Faq</summary>',
        ),
        ("> [!faq]+ T", '<details class="callout" data-callout="faq" open="">'),
        ("> quote", "<blockquote>\n<p>quote</p>\n</blockquote>"),
        ("$a<b$", '<span class="math inline">a&lt;b</span>'),
        ("$$\na\n$$", '<div class="math block">\na\n</div>'),
        ("a[^1]\n\n[^1]: note", '<li id="fn1" class="footnote-item"><p>note'),
        ("a ==b *c*== d", "<mark>b <em>c</em></mark>"),
        ("~~a~~", "<s>a</s>"),
        ("text ^id-1", '<span class="block-id" id="^id-1"></span>'),
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ("`[[A]]` $5", "<code>[[A]]</code> $5"),
        ("a == b", "<p>a == b</p>"),
    ],
)
def test_what_is_shown(text, part):
    assert part in html(text)


def test_frontmatter_and_comments_are_not_shown():
    shown = html("---\nsecret: 1\n---\na %%hidden%% b\n\n%%\nhidden\n\nhidden\n%%\n\n`%%code%%`\n")
    assert "secret" not in shown
    assert "hidden" not in shown
    assert "<code>%%code%%</code>" in shown


def test_comments_of_html_are_not_shown_nor_those_of_either_kind_in_the_other():
    shown = html("a <!-- hidden --> b\n\n<!--\nhidden %%\n\n# hidden\n-->\n\n%% <!-- hidden --> %%c\n\n`<!--code-->`\n")
    assert "hidden" not in shown
    assert "--" not in shown.replace("<code>&lt;!--code--&gt;</code>", "")
    assert "<code>&lt;!--code--&gt;</code>" in shown
    assert "c" in shown


def test_nested_callouts_close_in_order():
    shown = html("> [!a]- A\n> > [!b] B\n> > b\n>\n> a\n\nend")
    places = [shown.index(part) for part in ("<p>b</p>\n</div>", "<p>a</p>\n</details>", "<p>end</p>")]
    assert places == sorted(places)


def test_the_examples_of_the_cases_render():
    for file in CASES.rglob("*.md"):
        assert render(parse(file.read_bytes())) is not None


TAGS = frozenset(
    [
        "a",
        "blockquote",
        "br",
        "code",
        "del",
        "details",
        "div",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "input",
        "li",
        "mark",
        "ol",
        "p",
        "pre",
        "s",
        "section",
        "span",
        "strong",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
ATTRIBUTES = frozenset(
    [
        "align",
        "checked",
        "class",
        "data-callout",
        "data-target",
        "data-task",
        "disabled",
        "href",
        "id",
        "open",
        "rel",
        "start",
        "style",
        "type",
    ]
)
SCHEMES = ("http:", "https:", "mailto:", "tel:", "obsidian:")


class Guard(HTMLParser):
    """Refuses every tag, attribute and address that is not known to be harmless."""

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS, tag
        for name, value in attrs:
            assert name in ATTRIBUTES, name
            assert name != "style" or value.startswith("text-align:"), value
            if name == "href" and ":" in value.split("/")[0].split("#")[0].split("?")[0]:
                assert value.lower().startswith(SCHEMES), value

    handle_startendtag = handle_starttag


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](<java\tscript:alert(1)>)",
    "[x](data:text/html,<script>)",
    "![x](vbscript:y)",
    "<javascript:alert(1)>",
    "[[javascript:alert(1)]]",
    '[[" onclick="alert(1)]]',
    "![[x|<script>]]",
    '[x](a.md "t\\" onclick=\\"y")',
    "[x]: javascript:y\n\n[x]",
    '- ["] x',
    '> [!"onclick=x] <b>',
    "$<script>$",
    "$$\n</div><script>\n$$",
    "```<script>\n</code><script>\n```",
    "a[^<script>]\n\n[^<script>]: <script>",
    "| a |\n| :-: |\n| <script> |",
    "%% <script> %% <!-- <script> --> b",
    "text ^id\n\n==<script>==",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_can_run(text):
    shown = html(text)
    assert shown
    Guard().feed(shown)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=10)), max_size=6),
    st.sampled_from(["", " ", "\n", "\n> "]),
)
def test_nothing_can_run_whatever_stands_together(pieces, between):
    Guard().feed(html(between.join(pieces)))
