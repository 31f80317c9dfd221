"""File names: which travel to every system, what a title becomes, which names tools leave behind."""

import re
import unicodedata

from vaultd.quickly import pattern

_FORBIDDEN = pattern(r'[\\/:*?"<>|\x00-\x1f\x7f]')
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"]
)
_GITS_OWN = frozenset({".git", "git~1"})
"""The second is the short name that Windows gives to the first: git puts neither into an index, on any system."""
_LONGEST = 255
_CONFLICTS = (
    pattern(r"(?P<stem>.+) \(Conflicted copy .+ \d{12}\)", re.DOTALL),
    pattern(r"(?P<stem>.+)\.sync-conflict-\d{8}-\d{6}-[A-Z0-9]{7}", re.DOTALL),
    pattern(
        r"(?P<stem>.+) \((?:.+['’]s )?conflicted copy \d{4}-\d\d-\d\d(?: \d{6})?(?: \(\d+\))?\)",
        re.DOTALL | re.IGNORECASE,
    ),
)
_TEMPORARY = pattern(
    r"\..*|.*~|4913|#.*#|~\$.*|.*\.(?:tmp|temp|swp|swx|part|crdownload|orig)|.*\.md\.\d{6,}", re.DOTALL
)
_NOT_IN_SLUG = pattern(r"[^\w]+")


def unportable(name: str) -> str | None:
    """Return why a file name cannot be checked out or synced everywhere, or None if it can."""
    if not name or name in (".", ".."):
        return "it is not a name"
    try:
        size = len(name.encode("utf-8"))
    except UnicodeEncodeError:
        return "it is not UTF-8"
    if size > _LONGEST:
        return f"it is {size} bytes long, and 255 is the limit"
    if found := _FORBIDDEN.search(name):
        character = repr(found[0]) if found[0].isprintable() else f"the control character U+{ord(found[0]):04X}"
        return f"it has {character} in it, which Windows and sync tools refuse"
    if name.lower() in _GITS_OWN:
        return "git takes it for its own folder"
    if name != name.rstrip(" ."):
        return "it ends in a space or a dot, which Windows drops"
    return _unportable_stem(name)


def _unportable_stem(name: str) -> str | None:
    if name.split(".", maxsplit=1)[0].rstrip(" ").lower() in _DEVICES:
        return "Windows keeps this name for a device"
    stem = name.removesuffix(".md")
    if stem != stem.strip(" ") or stem.endswith("."):
        return "a space at the edge, or a dot before `.md`, gives links that cannot resolve"
    return None


def portable(name: str) -> str:
    """Return the nearest name that travels everywhere; a portable name is returned as it is."""
    if unportable(name) is None:
        return name
    stem, suffix = (name[:-3], ".md") if name.endswith(".md") else (name, "")
    stem = stem.encode("utf-8", "replace").decode("utf-8")
    stem = re.sub(r" {2,}", " ", _FORBIDDEN.sub("-", stem)).strip(" ").rstrip(" .")
    stem = stem.lstrip(".").replace("~", "-") if (stem + suffix).lower() in _GITS_OWN else stem or "unnamed"
    if stem.split(".")[0].rstrip(" ").lower() in _DEVICES:
        head, dot, rest = stem.partition(".")
        stem = f"{head.rstrip(' ')}-{dot}{rest}"
    return _cut(stem, _LONGEST - len(suffix)).rstrip(" .") + suffix


def slug(title: str) -> str:
    """Return what a title becomes in a file name: NFC, lower case, words joined by `-`, at most 200 bytes."""
    joined = _NOT_IN_SLUG.sub("-", unicodedata.normalize("NFC", title).casefold().replace("'", "").replace("’", ""))
    cut = _cut(unicodedata.normalize("NFC", joined).strip("-_"), 200).strip("-_")
    return f"{cut}-" if cut in _DEVICES else cut


def conflict_original(name: str) -> str | None:
    """Return the name of the file a sync tool made this conflict copy of, or None if it is none."""
    stem, dot, suffix = name.rpartition(".")
    if not dot:
        stem, suffix = name, ""
    for shape in _CONFLICTS:
        if match := shape.fullmatch(stem):
            return match["stem"] + dot + suffix
    return None


def is_temporary(name: str) -> bool:
    """Say whether an editor or a sync tool left this name behind: hidden, backup, lock or half-written files."""
    return _TEMPORARY.fullmatch(name) is not None


def collision_key(path: str) -> str:
    """Return what two paths share if they are one file where case or Unicode form does not count."""
    folded = unicodedata.normalize("NFC", path).casefold()
    return unicodedata.normalize("NFC", folded)


def _cut(text: str, limit: int) -> str:
    return text.encode("utf-8")[:limit].decode("utf-8", "ignore")
