"""A note with its links following renamed files: only link targets, and display texts that were the old name, change.

Links in code, math and HTML comments are none and stay; those in `%%comments%%` and in whole property values are links.
A property follows where it is a quoted text; an unquoted `[[wikilink]]` is a nested list to YAML and Obsidian, and stays.
Bytes that are not UTF-8 stay as they are. A note with git's conflict markers is not written: it says two things at once.
"""

from vaultd.notes.careful import read_with_places
from vaultd.notes.conflicts import find_hunks, of_hunks
from vaultd.notes.destinations import destination, respelled
from vaultd.notes.fences import BOM, Block, find_block
from vaultd.notes.links import Written, scan
from vaultd.notes.masking import flatten, masked
from vaultd.notes.nodes import Node
from vaultd.notes.note import read_block
from vaultd.notes.reading import Reading
from vaultd.notes.retargeting import Renaming, linkable, retargeted, stem
from vaultd.notes.scalars import Value, double_quoted, same, single_quoted
from vaultd.notes.splices import Splice
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Refused:
    """A link that must change and cannot; `line` is 1-based in the file."""

    line: int
    reason: str
    mend: str = "change this link by hand first"


@dataclass(frozen=True, slots=True)
class Relinked:
    """A note's bytes with its links following, how many did, and which cannot."""

    data: bytes
    links: int = 0
    refused: tuple[Refused, ...] = ()


class CannotFollow(Exception):  # noqa: N818 - not an error of the product: it becomes a `Refused`
    """A link cannot be written; the message says why."""


def relink(data: bytes, source: str, renaming: Renaming) -> Relinked:
    """Return the note that stood at `source` with every link that meant a file meaning it still."""
    done = _relinked(data, source, renaming)
    if done.data != data and (hunks := find_hunks(data)):
        merge = of_hunks(hunks)
        return Relinked(data, 0, (Refused(merge.line, merge.message, merge.hint),))
    return done


def _relinked(data: bytes, source: str, renaming: Renaming) -> Relinked:
    block = find_block(data)
    start = block.body if block else len(BOM) if data.startswith(BOM) else 0
    body, links, refused = _body(data, start, source, renaming)
    if block is None:
        return Relinked(data[:start] + body, links, refused)
    head, more, unfit = _properties(data, block, source, renaming)
    return Relinked(head + body, links + more, (*unfit, *refused))


def relink_property(data: bytes, source: str, renaming: Renaming, key: str) -> Relinked:
    """Return the note with nothing but the links in one of its properties following."""
    block = find_block(data)
    if block is None or find_hunks(data):
        return Relinked(data)
    head, links, refused = _properties(data, block, source, renaming, key)
    return Relinked(head + data[block.body :], links, refused)


def follow(text: str, source: str, renaming: Renaming) -> list[Splice]:
    """Return the splices that let the links of a Markdown text follow.

    Raises:
        CannotFollow: a link of it cannot be written.
    """
    shown = flatten(text)
    return [splice for link in _links(shown) for splice in _followed(shown, link, source, renaming)]


# The body --------------------------------------------------------------------------------------------------------------


def _body(data: bytes, start: int, source: str, renaming: Renaming) -> tuple[bytes, int, tuple[Refused, ...]]:
    text = data[start:].decode("utf-8", "surrogateescape")
    shown = flatten(text)
    splices: list[Splice] = []
    refused: list[Refused] = []
    count = 0
    for link in _links(shown):
        try:
            found = _followed(shown, link, source, renaming)
            _refuse_other_encoding(text, found)
        except CannotFollow as exc:
            refused.append(Refused(_line(data, start, text[: link.start]), str(exc)))
            continue
        count += bool(found)
        splices += found
    return spliced(text, splices).encode("utf-8", "surrogateescape"), count, tuple(refused)


def spliced(text: str, splices: list[Splice]) -> str:
    """Return the text with all splices made, in linear time."""
    parts: list[str] = []
    at = 0
    for splice in sorted(splices):
        parts += (text[at : splice.start], splice.text)
        at = splice.end
    return "".join((*parts, text[at:]))


def _line(data: bytes, start: int, before: str) -> int:
    lines = flatten(data[:start].decode("utf-8", "surrogateescape") + before)
    return lines.count("\n") + 1


def _refuse_other_encoding(text: str, splices: list[Splice]) -> None:
    """Refuse letters that the text's own encoding, whatever it is, may spell otherwise."""
    if all(splice.text.isascii() for splice in splices):
        return
    if any("\udc80" <= char <= "\udcff" for char in text):
        raise CannotFollow("the note is not UTF-8, and the new name is not ASCII: save the note as UTF-8 first")


def _links(shown: str) -> list[Written]:
    if "[[" not in shown and "](" not in shown and "]:" not in shown:
        return []
    return scan(masked(shown), shown)


def _followed(shown: str, link: Written, source: str, renaming: Renaming) -> list[Splice]:
    target = retargeted(renaming, link.target, source, markdown=link.kind != "wiki")
    if target is None:
        return []
    if not target:
        raise CannotFollow(f"no link can mean what {link.target!r} is called now")
    if link.kind == "wiki":
        return _wikilink(shown, link, target, _new_display(link, source, renaming))
    place = destination(shown, link)
    new = respelled(place, link.target, target)
    if new is None:
        raise CannotFollow(f"the link to {link.target!r} cannot be written for {target!r}")
    splices = [Splice(place.start, place.start + len(place.path), new)]
    display = _new_display(link, source, renaming)
    if display is not None and link.kind == "md" and link.display is not None:
        begin = link.opaque - len(link.display)
        splices.append(_inside(begin, link.display, display))
    return splices


def _wikilink(shown: str, link: Written, target: str, display: str | None) -> list[Splice]:
    if not linkable(target):
        raise CannotFollow(f"no wikilink can hold {target!r}")
    begin = link.start + link.embed + 2
    path, pipe, label = shown[begin : link.end - 2].partition("|")
    called = path.partition("#")[0]
    # in a table the pipe is escaped, and the backslash is the pipe's
    if pipe and called == path:
        called = called.removesuffix("\\")
    splices = [_inside(begin, called, target)]
    if display is not None:
        splices.append(_inside(begin + len(path) + 1, label, display))
    return splices


def _inside(begin: int, text: str, new: str) -> Splice:
    """Return the splice that replaces a text and keeps the blanks around it."""
    bare = text.strip()
    at = begin + len(text) - len(text.lstrip())
    return Splice(at, at + len(bare), new)


def _new_display(link: Written, source: str, renaming: Renaming) -> str | None:
    """Return what a display text becomes that was the old name of the file (Obsidian 1.2.1)."""
    if link.display is None or link.embed:
        return None
    meant = renaming.before.resolve(link.target, source)
    if meant is None or link.display.strip() != stem(meant):
        return None
    new = stem(renaming.now(meant))
    return new if new != link.display.strip() else None


# Properties ------------------------------------------------------------------------------------------------------------


def _properties(
    data: bytes, block: Block, source: str, renaming: Renaming, only: str = ""
) -> tuple[bytes, int, tuple[Refused, ...]]:
    """Return everything before the body with the links in properties following, or in `only` one of them."""
    old = data[: block.body]
    raw = data[block.start : block.end]
    if b"[[" not in raw and b"](" not in raw:
        return old, 0, ()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return old, 0, ()
    root, reading = read_with_places(text)
    if root is None or not reading.readable:
        return old, 0, ()
    edit = _PropertyEdit(text, source, renaming, only)
    edit.begin(root)
    if not edit.splices:
        return old, 0, tuple(edit.refused)
    new = spliced(text, edit.splices)
    if not edit.holds(new, reading):
        refused = Refused(
            _line(data, block.start, ""), "its properties cannot be changed without changing something else"
        )
        return old, 0, (*edit.refused, refused)
    return data[: block.start] + new.encode() + data[block.end : block.body], len(edit.splices), tuple(edit.refused)


class _PropertyEdit:
    """One pass over the values of a block, gathering what changes."""

    def __init__(self, text: str, source: str, renaming: Renaming, only: str) -> None:
        self.text = text
        self.source = source
        self.renaming = renaming
        self.only = only
        self.splices: list[Splice] = []
        self.refused: list[Refused] = []

    def begin(self, root: Node) -> None:
        for key, value in zip(root.parts[::2], root.parts[1::2], strict=False):
            if not self.only or key.value == self.only:
                self.visit(value)

    def visit(self, node: Node) -> None:
        if node.kind == "alias":
            return
        if isinstance(node.value, str) and not node.parts:
            self.leaf(node, node.value)
        parts = node.parts[1::2] if isinstance(node.value, dict) else node.parts
        for part in parts:
            self.visit(part)

    def leaf(self, node: Node, value: str) -> None:
        try:
            new = self.followed(value)
            if new is None:
                return
            spelled = _spelled(node, new)
            # an anchor or a tag may stand before the quote
            start = self.text.find("'" if node.kind == "single" else '"', node.start, node.end)
            self.splices.append(Splice(start, node.end, spelled))
        except CannotFollow as exc:
            # the block's first line is the second of the file
            self.refused.append(Refused(node.line + 2, str(exc)))

    def followed(self, value: str) -> str | None:
        """Return what a value becomes, None where it stays; only a value that is a link as a whole is one."""
        bare = value.strip()
        if "[[" not in bare and "](" not in bare:
            return None
        found = scan(bare, bare)
        if len(found) != 1 or found[0].kind == "reference" or (found[0].start, found[0].end) != (0, len(bare)):
            return None
        splices = _followed(bare, found[0], self.source, self.renaming)
        return value.replace(bare, spliced(bare, splices)) if splices else None

    def holds(self, new: str, before: Reading) -> bool:
        """Say whether a block reads as before with nothing but the links changed."""
        after = read_block(new)
        want = {
            key: self.expected(value) if not self.only or key == self.only else value
            for key, value in before.properties.items()
        }
        return after.readable and list(after.properties) == list(want) and same(dict(after.properties), want)

    def expected(self, value: Value) -> Value:
        match value:
            case str():
                try:
                    return self.followed(value) or value
                except CannotFollow:
                    return value
            case list():
                return [self.expected(item) for item in value]
            case dict():
                return {key: self.expected(item) for key, item in value.items()}
            case _:
                return value


def _spelled(node: Node, new: str) -> str:
    match node.kind:
        case "single" if new.isprintable():
            return single_quoted(new)
        case "single" | "double":
            return double_quoted(new)
        case _:
            raise CannotFollow("a link in a property follows only where it stands in quotes")
