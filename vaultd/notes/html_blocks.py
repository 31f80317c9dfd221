"""Where raw HTML stands as a block of its own: nothing in it is a heading."""

import re

from vaultd.notes.masking import Span

_BLOCKS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|"
    "track|ul"
)
_BEGINS = re.compile(
    r"^ {0,3}<(?:(?P<raw>(?:script|pre|style|textarea)(?=[\s>]))|(?P<comment>!--)|(?P<cdata>!\[CDATA\[)|(?P<order>\?)"
    rf"|(?P<declared>![a-z])|(?P<block>/?(?:{_BLOCKS})(?=[\s>]|/>)))",
    re.MULTILINE | re.IGNORECASE,
)
_ENDS = {
    "raw": re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    "comment": re.compile("-->"),
    "cdata": re.compile(r"\]\]>"),
    "order": re.compile(r"\?>"),
    "declared": re.compile(">"),
    "block": re.compile(r"(?=\n[ \t]*(?:\n|\Z))"),
}


def html_blocks(text: str) -> list[Span]:
    """Return the blocks of raw HTML of a body whose code blocks are masked, whole lines each, in linear time.

    As in CommonMark, one of `<div>` and its like runs to the next blank line, one of `<pre>`, of a comment and their
    like to the line that closes it; what is never closed runs to the end. A tag of any other name begins none.
    """
    spans: list[Span] = []
    at = 0
    while begins := _BEGINS.search(text, at):
        ends = _ENDS[str(begins.lastgroup)].search(text, begins.end())
        line_end = text.find("\n", ends.end()) if ends else -1
        at = len(text) if line_end < 0 else line_end
        spans.append((begins.start(), at))
    return spans
