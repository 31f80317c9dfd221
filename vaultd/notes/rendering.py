"""A note as HTML for a page of our own: what a reader of Obsidian sees, and nothing that could run.

Raw HTML is shown as text; pictures and embeds become links, so that a page fetches nothing; math stays text in a span.
Links keep what they name in `data-target`: where that leads is for the page to decide.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from urllib.parse import quote

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from vaultd.notes.callouts import comments
from vaultd.notes.links import markdown_target, wikilink
from vaultd.notes.masking import flatten, html_comments, masked
from vaultd.notes.note import Note

_WIKILINK = re.compile(r"(!?)\[\[(?!\[)((?:(?!\[\[|\]\])[^\n])++)\]\]")
_HIGHLIGHT = re.compile(r"==(?=[^\s=])([^\n=]++(?:=[^\n=]++)*+)(?<=\S)==")
_BLOCK_ID = re.compile(r"\^([A-Za-z0-9-]+)[ \t]*\Z")
_CALLOUT = re.compile(r"\[!([^\[\]|\n]+)(?:\|[^\[\]\n]*)?\]([+-]?)(?:[ \t]+([^\n]*))?(?:\n|\Z)")
_CHECKBOX = re.compile(r"\[([^\n])\](?:[ \t]|\Z)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_TRUSTED = ("http:", "https:", "mailto:", "tel:", "obsidian:")


def render(note: Note) -> str:
    """Return a note's body as HTML; frontmatter and comments, of both kinds, are not shown."""
    body = flatten(note.body)
    shown: list[str] = []
    at = 0
    for start, end in sorted([*html_comments(body), *(comments(masked(body)) if "%%" in body else ())]):
        shown.append(body[at:start])
        at = max(at, end)
    return str(_parser().render("".join((*shown, body[at:]))))


class _Parser(MarkdownIt):
    """CommonMark with Obsidian's additions, and no link that could run anything."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the library's name
        scheme = _SCHEME.match(url.strip())
        return scheme is None or scheme[0].lower() in _TRUSTED


@cache
def _parser() -> MarkdownIt:
    parser = _Parser("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin).use(dollarmath_plugin, allow_labels=False, allow_space=False, double_inline=True)
    parser.inline.ruler.before("link", "wikilink", _read_wikilink)
    parser.inline.ruler.before("emphasis", "highlight", _read_highlight)
    parser.inline.ruler.before("emphasis", "block_id", _read_block_id)
    parser.core.ruler.after("block", "callout", _mark_callouts)
    parser.core.ruler.after("callout", "checkbox", _mark_checkboxes)
    parser.add_render_rule("link_open", _show_link)
    parser.add_render_rule("image", _show_image)
    return parser


def _read_wikilink(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the library's signature
    match = _WIKILINK.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        target, subpath, display = wikilink(match[2])
        link = state.push("link_open", "a", 1)
        link.attrs = {"class": "internal-embed" if match[1] else "internal-link"}
        link.meta = {"target": target, "subpath": subpath}
        state.push("text", "", 0).content = display or target + subpath
        state.push("link_close", "a", -1)
    state.pos = match.end()
    return True


def _read_highlight(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    match = _HIGHLIGHT.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        end = state.posMax
        state.push("mark_open", "mark", 1)
        state.pos, state.posMax = match.span(1)
        state.md.inline.tokenize(state)
        state.push("mark_close", "mark", -1)
        state.posMax = end
    state.pos = match.end()
    return True


def _read_block_id(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    match = _BLOCK_ID.match(state.src, state.pos)
    if match is None or (state.pos and state.src[state.pos - 1] not in " \t\n"):
        return False
    if not silent:
        state.push("block_id_open", "span", 1).attrs = {"class": "block-id", "id": f"^{match[1]}"}
        state.push("block_id_close", "span", -1)
    state.pos = match.end()
    return True


def _mark_callouts(state: StateCore) -> None:
    tokens: list[Token] = []
    opened: list[re.Match[str] | None] = []
    for index, token in enumerate(state.tokens):
        if token.type == "blockquote_open":
            opened.append(_callout(state.tokens[index : index + 4]))
            tokens += _callout_begins(opened[-1]) if opened[-1] else (token,)
        elif token.type == "blockquote_close":
            begun = opened.pop()
            tokens.append(Token("callout_close", "details" if begun[2] else "div", -1, block=True) if begun else token)
        else:
            tokens.append(token)
    state.tokens = tokens


def _callout(start: Sequence[Token]) -> re.Match[str] | None:
    """Return the first line of a quote if it makes it a callout, and take that line away."""
    match = _CALLOUT.match(start[2].content) if len(start) == 4 and start[2].type == "inline" else None
    if match:
        start[2].content = start[2].content[match.end() :]
        start[1].hidden = start[3].hidden = not start[2].content
    return match


def _callout_begins(match: re.Match[str]) -> Iterator[Token]:
    kind = match[1].strip().lower()
    attrs: dict[str, str | int | float] = {"class": "callout", "data-callout": kind}
    if match[2] == "+":
        attrs["open"] = ""
    outer, inner = ("details", "summary") if match[2] else ("div", "div")
    yield Token("callout_open", outer, 1, attrs=attrs, block=True)
    yield Token("callout_title_open", inner, 1, attrs={"class": "callout-title"}, block=True)
    yield Token("inline", "", 0, content=(match[3] or "").strip() or kind.capitalize(), children=[])
    yield Token("callout_title_close", inner, -1, block=True)


def _mark_checkboxes(state: StateCore) -> None:
    tokens: list[Token] = []
    for token in state.tokens:
        in_item = token.type == "inline" and len(tokens) > 1 and tokens[-2].type == "list_item_open"
        if in_item and (match := _CHECKBOX.match(token.content)):
            token.content = token.content[match.end() :]
            tokens[-2].attrs |= {"class": "task", "data-task": match[1]}
            box: dict[str, str | int | float] = {"type": "checkbox", "disabled": ""}
            tokens.append(Token("checkbox", "input", 0, attrs=box if match[1] == " " else box | {"checked": ""}))
        tokens.append(token)
    state.tokens = tokens


def _show_link(self: object, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG001
    token = tokens[index]
    if "target" in token.meta:
        return _link(str(token.attrs["class"]), str(token.meta["target"]), str(token.meta["subpath"]))
    return _destination("link", str(token.attrs["href"]))


def _show_image(self: object, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG001
    token = tokens[index]
    source = str(token.attrs["src"])
    return f"{_destination('embed', source)}{escapeHtml(token.content or source)}</a>"


def _destination(kind: str, href: str) -> str:
    if _SCHEME.match(href) or href.startswith("//"):
        return f'<a class="external-{kind}" href="{escapeHtml(href)}" rel="noopener noreferrer">'
    return _link(f"internal-{kind}", *markdown_target(href))


def _link(name: str, target: str, subpath: str) -> str:
    whole = target + subpath
    return f'<a class="{name}" href="{escapeHtml(quote(whole, safe="/#"))}" data-target="{escapeHtml(whole)}">'
