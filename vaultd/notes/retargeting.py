"""What a link must say once files have other names: in the way it said it before, as far as that still means the file."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from vaultd.notes.names import collision_key
from vaultd.notes.resolution import Form, Names, link_key, link_text
from vaultd.values import dataclass

Style = Literal["short", "partial", "whole", "near", "stepped", "rooted"]
"""A bare name, the end of a path, a path, a path from the note's folder without and with `./` or `../`, a path from `/`."""
_SUFFIX = ".md"
_UNLINKABLE = re.compile(r"[\[\]#^|]|%%")


@dataclass(frozen=True)
class Renaming:
    """Files that get other names at once, and the names of the vault before and after."""

    moves: Mapping[str, str]
    """Old path to new path, files only."""
    before: Names
    after: Names
    form: Form | None = None
    """What the vault asks links to look like; None keeps each link's own look."""
    markdown_form: Form | None = None
    """The same for Markdown links."""

    @cached_property
    def keys(self) -> frozenset[str]:
        """Return the keys (`link_key`) of the links that may mean something else now."""
        changed = {path for pair in self.moves.items() if pair[0] != pair[1] for path in pair}
        return frozenset(key for path in changed for key in self.before.keys_touched(path))

    @cached_property
    def known(self) -> dict[tuple[str, str, bool], str | None]:
        """Return what was found out about links so far: a vault writes the same ones again and again."""
        return {}

    def now(self, path: str) -> str:
        """Return what a path is called afterwards."""
        return self.moves.get(path, path)


@dataclass(frozen=True, slots=True)
class Aim:
    """A link that means a file: where it stands and what it means, before and after."""

    written: str
    source: str
    meant: str
    new_source: str
    new_meant: str
    markdown: bool


def retargeted(renaming: Renaming, written: str, source: str, *, markdown: bool) -> str | None:
    """Return the target a link must have, None where it stays as it is; "" where no link can mean the file.

    Links that meant nothing before stay: what they will mean is not known.
    """
    if not written:
        return None
    if source in renaming.moves:
        return _found(renaming, written, source, markdown=markdown)
    # what a link means elsewhere hangs on the folder it is seen from
    about = (written, _folder(source), markdown)
    if about not in renaming.known:
        renaming.known[about] = _found(renaming, written, source, markdown=markdown)
    return renaming.known[about]


def _found(renaming: Renaming, written: str, source: str, *, markdown: bool) -> str | None:
    if link_key(written) not in renaming.keys and not _moves_away(renaming, source):
        return None
    meant = renaming.before.resolve(written, source)
    if meant is None:
        return None
    aim = Aim(written, source, meant, renaming.now(source), renaming.now(meant), markdown)
    new = _rewritten(renaming, aim)
    return None if new is None or new == written else new


def linkable(name: str) -> bool:
    """Say whether a wikilink can hold this name."""
    return _UNLINKABLE.search(name) is None


def stem(path: str) -> str:
    """Return what people call a file: its name, without `.md`."""
    return _last(path).removesuffix(_SUFFIX)


def _moves_away(renaming: Renaming, source: str) -> bool:
    return _folder(renaming.now(source)) != _folder(source)


def _rewritten(renaming: Renaming, aim: Aim) -> str | None:
    style = _style(aim)
    if renaming.after.resolve(aim.written, aim.new_source) == aim.new_meant and not _stale(renaming, aim, style):
        return None
    for new in _spellings(renaming, aim, style):
        if renaming.after.resolve(new, aim.new_source) == aim.new_meant:
            return new
    return ""


def _stale(renaming: Renaming, aim: Aim, style: Style) -> bool:
    """Say whether a link that still means its file no longer says so in the way it did."""
    if _last(aim.meant) != _last(aim.new_meant):
        return True
    if aim.meant != aim.new_meant and style in ("whole", "partial", "near"):
        return True
    match style:
        case "short":
            return _alone(renaming.before, aim.meant) and not _alone(renaming.after, aim.new_meant)
        case "near":
            return _folder(aim.source) != _folder(aim.new_source)
        case _:
            return False


def _was_lengthened(renaming: Renaming, aim: Aim) -> bool:
    """Say whether the path of a file that is renamed had to be written because others had its name; none has it now."""
    if aim.markdown or renaming.form not in (None, "shortest") or "/" not in aim.written:
        return False
    return not _alone(renaming.before, aim.meant) and _alone(renaming.after, aim.new_meant)


def _style(aim: Aim) -> Style:
    written = aim.written.strip()
    if written.startswith("/"):
        return "rooted"
    if written.startswith(("./", "../")) or "/./" in written or "/../" in written:
        return "stepped"
    folder = _folder(aim.source)
    if aim.markdown and _same(f"{folder}/{written}" if folder else written, aim.meant):
        return "near"
    if "/" not in written:
        return "short"
    return "whole" if _same(written, aim.meant) else "partial"


def _spellings(renaming: Renaming, aim: Aim, style: Style) -> list[str]:
    """Return what the link may say, the best first; each is only taken if it means the file."""
    form = renaming.markdown_form if aim.markdown else renaming.form
    own = form if form is not None and style not in ("stepped", "rooted") else None
    last = [_shortest(renaming, aim), _whole(aim), aim.new_meant, _stepped(aim), "/" + aim.new_meant]
    if own is not None:
        return [_formed(renaming, aim, own), *last]
    if style == "short":
        return last
    if style == "whole" and _was_lengthened(renaming, aim):
        return last
    stays = _folder(aim.meant) == _folder(aim.new_meant) and _folder(aim.source) == _folder(aim.new_source)
    return [*([_renamed_in_place(aim)] if stays else []), *_moved(renaming, aim, style), *last[1:]]


def _moved(renaming: Renaming, aim: Aim, style: Style) -> list[str]:
    match style:
        case "near":
            return [_suffixed(aim, _near(aim)), _stepped(aim)]
        case "stepped":
            return [_stepped(aim)]
        case "rooted":
            return ["/" + _whole(aim)]
        case "partial":
            return [_partial(renaming, aim)]
        case _:
            return []


def _formed(renaming: Renaming, aim: Aim, form: Form) -> str:
    return _suffixed(aim, link_text(aim.new_meant, aim.new_source, renaming.after, form))


def _shortest(renaming: Renaming, aim: Aim) -> str:
    """Return the bare name where only this file has it, or where it was the name of several before too."""
    if _alone(renaming.after, aim.new_meant) or ("/" not in aim.written and not _alone(renaming.before, aim.meant)):
        return _suffixed(aim, stem(aim.new_meant))
    return _whole(aim)


def _renamed_in_place(aim: Aim) -> str:
    head, slash, _ = aim.written.rstrip().rpartition("/")
    return head + slash + _suffixed(aim, stem(aim.new_meant))


def _partial(renaming: Renaming, aim: Aim) -> str:
    parts = aim.new_meant.split("/")
    text = _suffixed(aim, "/".join(parts[-aim.written.count("/") - 1 :]).removesuffix(_SUFFIX))
    return text if renaming.after.candidates(text) == (aim.new_meant,) else _whole(aim)


def _whole(aim: Aim) -> str:
    return _suffixed(aim, aim.new_meant.removesuffix(_SUFFIX))


def _near(aim: Aim) -> str:
    return relative(aim.new_meant.removesuffix(_SUFFIX), _folder(aim.new_source))


def _stepped(aim: Aim) -> str:
    near = _near(aim)
    return _suffixed(aim, near if near.startswith("../") else f"./{near}")


def relative(path: str, folder: str) -> str:
    """Return a path as it is seen from a folder."""
    here = folder.split("/") if folder else []
    there = path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:])


def _suffixed(aim: Aim, text: str) -> str:
    """Return the text with `.md` where the link had it."""
    if not aim.new_meant.endswith(_SUFFIX):
        return text
    had = collision_key(aim.written.strip()).endswith(collision_key(_last(aim.meant)))
    return text + _SUFFIX if had and aim.meant.endswith(_SUFFIX) else text


def _alone(names: Names, path: str) -> bool:
    return names.candidates(stem(path)) == (path,)


def _same(written: str, path: str) -> bool:
    return collision_key(written) in (collision_key(path), collision_key(path.removesuffix(_SUFFIX)))


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _last(path: str) -> str:
    return path.rpartition("/")[2]
