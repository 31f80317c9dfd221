"""Where the path of a Markdown link stands in the text, and how another path is written in its place and style."""

import re
from urllib.parse import quote

from vaultd.notes.links import Written, markdown_target
from vaultd.values import dataclass

_GAP = re.compile(r"[ \t\n]*")
_BARE = re.compile(r"[^\s]*")
_PERCENT = re.compile(r"%(?=[0-9A-Fa-f]{2})")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")


@dataclass(frozen=True, slots=True)
class Place:
    """The path in a destination: where it begins, as it is written, and whether `<` `>` stand around it."""

    start: int
    path: str
    angled: bool


def destination(text: str, link: Written) -> Place:
    """Return where the path of a Markdown link or reference definition stands in a flattened text."""
    after = link.opaque + 2 if link.kind == "md" else link.start + len(link.display or "") + 3
    gap = _GAP.match(text, after)
    at = gap.end() if gap else after
    if text.startswith("<", at):
        return Place(at + 1, text[at + 1 : text.index(">", at)].partition("#")[0], angled=True)
    end = _inline_end(text, at, link.end) if link.kind == "md" else _BARE.match(text, at).end()  # type: ignore[union-attr]
    return Place(at, text[at:end].partition("#")[0], angled=False)


def _inline_end(text: str, at: int, limit: int) -> int:
    depth = 0
    while at < limit and not text[at].isspace():
        if text[at] == "\\":
            at += 1
        elif text[at] == "(":
            depth += 1
        elif text[at] == ")":
            if depth == 0:
                return at
            depth -= 1
        at += 1
    return at


def respelled(place: Place, old: str, new: str) -> str | None:
    """Return how another target is written in the place of the old one, None where nothing there would mean it.

    What both paths begin with keeps its spelling. Percent signs are used where the old path used them, and where
    nothing else will do; parentheses and letters beyond ASCII only in the first case or where they must.
    """
    kept, was, wanted = _shared(place.path, old, new)
    for text in (kept + _encoded(place, was, wanted), kept + quote(wanted, safe="/"), quote(new, safe="/")):
        if _SCHEME.match(text) is None and _fits(place, text) and markdown_target(text) == (new, ""):
            return text
    return None


def _shared(path: str, old: str, new: str) -> tuple[str, str, str]:
    """Return the folders, as written, that both targets begin with, and what is left of both."""
    raw, before, after = path.split("/"), old.split("/"), new.split("/")
    if len(raw) != len(before):
        return "", path, new
    count = 0
    while count < min(len(before), len(after)) - 1 and before[count] == after[count]:
        count += 1
    return "".join(f"{part}/" for part in raw[:count]), "/".join(raw[count:]), "/".join(after[count:])


def _encoded(place: Place, was: str, wanted: str) -> str:
    text = _ENTITY.sub("%26", _PERCENT.sub("%25", wanted)).replace("\\", "%5C")
    if place.angled:
        return text.replace("<", "%3C").replace(">", "%3E")
    text = text.replace(" ", "%20").replace("\t", "%09").replace("\xa0", "%C2%A0")
    if "%" in place.path or not _balanced(text):
        text = text.replace("(", "%28").replace(")", "%29")
    if was.isascii() and not markdown_target(was)[0].isascii():
        text = quote(text, safe="/%()!$&'*+,;=:@~")
    return text


def _balanced(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth not in (0, 1):
            return False
    return depth == 0


def _fits(place: Place, text: str) -> bool:
    if place.angled:
        return not set(text) & set("<>\n")
    return bool(text) and not text.startswith("<") and not any(char.isspace() for char in text) and _balanced(text)
