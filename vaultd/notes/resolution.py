"""Which file a link means, which heading or block its subpath means, and how to write a link to a file.

As Obsidian does it: the exact path, then the linking note's own folder, then the shortest path; never by alias or title.
Case, Unicode form and no-break spaces do not count.
"""

import unicodedata
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from typing import Literal

from vaultd.notes.markdown import heading_key
from vaultd.notes.structure import Structure

Form = Literal["shortest", "relative", "absolute"]

_SUFFIX = ".md"


class Names:
    """The paths of a vault, found by what links call them; `/` separates, hidden paths are not part of it."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._exact: dict[str, list[str]] = {}
        self._named: dict[str, list[tuple[int, str]]] = {}
        for path in paths:
            if not _hidden(path):
                self._exact.setdefault(_fold(path), []).append(path)
                self._named.setdefault(_name(path), []).append((len(path), path))
        for rivals in self._named.values():
            rivals.sort()

    def add(self, path: str) -> None:
        """Take in a path; one that is there already changes nothing."""
        same = self._exact.setdefault(_fold(path), []) if not _hidden(path) else [path]
        if path not in same:
            same.append(path)
            insort(self._named.setdefault(_name(path), []), (len(path), path))

    def remove(self, path: str) -> None:
        """Take out a path; one that is not there changes nothing."""
        folded, name = _fold(path), _name(path)
        if path not in self._exact.get(folded, ()):
            return
        _discard(self._exact, folded, path)
        rivals = self._named[name]
        del rivals[bisect_left(rivals, (len(path), path))]
        if not rivals:
            del self._named[name]

    def resolve(self, target: str, source: str) -> str | None:
        """Return the path a link target in the note at `source` means, or None; what follows a `#` is looked past."""
        written = _written(target)
        if not written:
            return source
        if _last(written) in ("", ".", ".."):
            return None
        folder = source.rpartition("/")[0]
        if written.startswith(("./", "../")):
            return self._at(_joined(folder, written))
        if written.startswith("/"):
            return self._at(_joined("", written))
        if _walks(written):
            return self._at(_joined(folder, written)) or self._at(_joined("", written))
        if exact := self._at(written):
            return exact
        if folder and (own := self._at(f"{folder}/{written}")):
            return own
        return next(self._ending(written), None)

    def candidates(self, target: str) -> tuple[str, ...]:
        """Return every path a target could mean, wherever it stands, the best first; more than one is ambiguous.

        A target that begins at a folder (`./`, `../`, `/`) is none of these: it means one place or nothing.
        """
        written = _written(target)
        if _last(written) in ("", ".", "..") or _begins_somewhere(written):
            return ()
        exact = self._at(written)
        others = [path for path in self._ending(written) if path != exact]
        return (exact, *others) if exact else tuple(others)

    def keys_touched(self, path: str) -> frozenset[str]:
        """Return the keys (`link_key`) of the links that may resolve otherwise once this path comes or goes."""
        return frozenset(() if _hidden(path) else (_key(path),))

    def _at(self, path: str | None) -> str | None:
        """Return the file at a path, written without `.md` or as it is."""
        if not path:
            return None
        for wanted in (path + _SUFFIX, path):
            if same := self._exact.get(_fold(wanted)):
                return same[0] if len(same) == 1 else min(same, key=lambda rival: _unlike(rival, wanted))
        return None

    def _ending(self, written: str) -> Iterator[str]:
        """Yield the files whose path ends in what is written: those with `.md` added first, then shortest path first."""
        for wanted in (_fold(written + _SUFFIX), _fold(written)):
            rivals = self._named.get(_last(wanted), ())
            if "/" in wanted:
                ending = "/" + wanted
                yield from (path for _, path in rivals if ("/" + _fold(path)).endswith(ending))
            else:
                yield from (path for _, path in rivals)


def link_key(target: str) -> str:
    """Return the key of a link: two links with different keys never depend on the same file; "" for the note itself."""
    written = _written(target)
    return _key(written) if written else ""


def depends_on_place(target: str) -> bool:
    """Return whether a target may mean one thing in one note and another in the next though no name comes or goes."""
    written = _written(target)
    return not written or _begins_somewhere(written)


def resolve_subpath(structure: Structure, subpath: str) -> int | None:
    """Return the line a subpath means, `#heading`, `#a#b` or `#^block`, or None where nothing there is called so.

    The first heading that fits counts; in `#a#b` each must stand below the one before, at a deeper level.
    """
    parts = [part for part in subpath.split("#") if part.strip()]
    if not parts:
        return 1
    if parts[-1].strip().startswith("^"):
        wanted = parts[-1].strip()[1:].casefold()
        return next((block.line for block in structure.blocks if block.id.casefold() == wanted), None)
    keys = [heading_key(part) for part in parts]
    found, level = 0, 0
    for heading in structure.headings:
        if heading.level > level and heading_key(heading.text) == keys[found]:
            found, level = found + 1, heading.level
            if found == len(keys):
                return heading.line
    return None


def link_text(path: str, source: str, names: Names, form: Form = "shortest") -> str:
    """Return what a link in the note at `source` calls the file at `path`, so that it means that file.

    `shortest` is the file's name where no other file has it, else the whole path; `.md` is left out.
    """
    whole = path.removesuffix(_SUFFIX)
    match form:
        case "absolute":
            return whole
        case "relative":
            near = _relative(whole, source.rpartition("/")[0])
            return near if near.startswith("../") or names.resolve(near, source) == path else f"./{near}"
        case "shortest":
            name = _last(whole)
            return name if names.candidates(name) == (path,) else whole


def _written(target: str) -> str:
    """Return the path in a link target, in the one form paths are compared in."""
    path = target.partition("#")[0]
    if path.isascii():
        return path.strip()
    return unicodedata.normalize("NFC", path.replace("\xa0", " ")).strip()


def _fold(path: str) -> str:
    if path.isascii():
        return path.lower()
    folded = unicodedata.normalize("NFC", path.replace("\xa0", " ")).casefold()
    return unicodedata.normalize("NFC", folded)


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _name(path: str) -> str:
    return _fold(_last(path))


def _key(path: str) -> str:
    """Return the folded last name without any `.md`: `Note.md` may be called `Note` or `note.md`, `a.md.md` `a.md`."""
    name = _name(path)
    while name.endswith(_SUFFIX):
        name = name[: -len(_SUFFIX)]
    return name


def _hidden(path: str) -> bool:
    return "/." in f"/{path}"


def _begins_somewhere(written: str) -> bool:
    return written.startswith(("./", "../", "/")) or _walks(written)


def _walks(written: str) -> bool:
    return "/./" in written or "/../" in written


def _joined(folder: str, written: str) -> str | None:
    """Return a path seen from a folder, or None where it leaves the vault."""
    parts = folder.split("/") if folder else []
    for part in written.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _relative(path: str, folder: str) -> str:
    here = folder.split("/") if folder else []
    there = path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:])


def _unlike(path: str, wanted: str) -> tuple[bool, bool, str]:
    """Return the order of files that only case or Unicode form tells apart: the spelling that was written first."""
    return path != wanted, unicodedata.normalize("NFC", path) != unicodedata.normalize("NFC", wanted), path


def _discard(index: dict[str, list[str]], key: str, path: str) -> None:
    index[key].remove(path)
    if not index[key]:
        del index[key]
