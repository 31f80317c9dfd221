"""A look at a vault in which nothing changed since it was last judged: its stamps, its HEAD, and what was kept of then.

The full look answers the same and would find nothing to do; importing all that it might have to do takes far longer.
"""

from array import array
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path

from vaultd.errors import ConflictError, StorageError
from vaultd.index.fulltext_folder import FOLDER, counted, identity, is_whole
from vaultd.index.mirror import FULLTEXT, Mirror
from vaultd.index.rows import unstored
from vaultd.judging.keeping import kept_at, moment
from vaultd.judging.opened import Opened
from vaultd.judging.records.presence import keeps_records, outside_index
from vaultd.judging.weighing import heeds_links, ordered
from vaultd.lifecycle.violations import Violation
from vaultd.values import dataclass
from vaultd.vault.scanning import Scan


@dataclass(frozen=True, slots=True)
class Unchanged:
    """What stands, as it was judged when the index was brought to just these files."""

    notes: int
    violations: tuple[Violation, ...]


def unchanged(opened: Opened) -> Unchanged | None:
    """Return what stands; None where anything is to be mended, indexed or judged, or may be."""
    if not opened.started or _left_behind(opened.recorded.git_dir / "vaultd") or _has_more_judges(opened):
        return None
    opened.claim()
    fulltext = opened.places.index / FOLDER
    if not is_whole(fulltext):
        return None
    found = opened.scan()
    if not _is_indexed(opened.mirror, fulltext, found):
        return None
    at = moment(opened)
    if at and keeps_records(opened):
        at = f"{at} {outside_index(opened, found.others)}"
    kept = kept_at(opened, at)
    if kept is None or _may_be_ordered(opened, kept.violations):
        return None
    violations = ordered((*kept.violations, *found.problems), opened.settings)
    return Unchanged(len(found.notes), tuple(violations))


def _may_be_ordered(opened: Opened, violations: Sequence[Violation]) -> bool:
    """Tell whether the config may want something done about records by itself."""
    return opened.settings.review == "in-notes" or any(one.code == "V402" for one in violations)


def _left_behind(own: Path) -> bool:
    """Tell whether a killed command may have left something that is to be finished or undone."""
    return any(own.glob("commit-*.lock")) or any(own.glob("intents/*"))


def _has_more_judges(opened: Opened) -> bool:
    """Tell whether links or plugins count among the problems: what they find is not kept."""
    return heeds_links(opened.settings) or (opened.root / ".vaultd" / "plugins.json").is_file()


def answers_at_once(mirror: Mirror, fulltext: Path, found: Scan) -> bool:
    """Tell whether the index is known to answer for exactly the files found; False may only mean that nobody noted it."""
    return is_whole(fulltext) and _agree(mirror, fulltext) and _packed(found) == mirror.walked()


def answers_next_time(mirror: Mirror, found: Scan) -> None:
    """Have it told at once next time that the index answers for the files found: none of them was new to it.

    The caller holds the index against other writers, who might bring other files to it meanwhile.
    """
    _note(mirror, _packed(found))


def _is_indexed(mirror: Mirror, fulltext: Path, found: Scan) -> bool:
    """Tell whether the index, which is whole, answers for exactly the files found."""
    if not _agree(mirror, fulltext):
        return False
    walk = _packed(found)
    return walk == mirror.walked() or _is_looked_up(mirror, found, walk)


def _agree(mirror: Mirror, fulltext: Path) -> bool:
    """Tell whether both halves of a whole index agree, and nothing is left to do in them."""
    if mirror.get(FULLTEXT) != identity(fulltext) or mirror.expected():
        return False
    return counted(fulltext) == mirror.documents() and not mirror.rows("SELECT 1 FROM touched LIMIT 1")


def _packed(found: Scan) -> bytes:
    """Return everything found with its stamps: one thing to compare, where ten thousand rows take as long as the walk."""
    names = "\0".join((*found.notes, "", *sorted(found.others)))
    try:
        stamps = array("q", chain.from_iterable(found.notes.values())).tobytes()
    except OverflowError:
        return b""  # a file system that uses all 64 bits of an inode number: never noted
    return names.encode("utf-8", "surrogateescape") + b"\0\0" + stamps


def _is_looked_up(mirror: Mirror, found: Scan, walk: bytes) -> bool:
    """Tell whether the index answers for the files found, row by row; and have it told at once next time."""
    known = mirror.stamps()
    if known.keys() != found.notes.keys() or not _names_are(mirror, found):
        return False
    if any(known[path][:4] != stamp for path, stamp in found.notes.items()):
        return False
    _note(mirror, walk)
    return True


def _note(mirror: Mirror, walk: bytes) -> None:
    if walk:
        with suppress(ConflictError, StorageError):
            mirror.answers_for(walk)


def _names_are(mirror: Mirror, found: Scan) -> bool:
    """Tell whether links were resolved among these files; a note that is indexed is among the names."""
    if not found.others:
        return mirror.rows("SELECT count(*) FROM names") == [(len(found.notes),)]
    names = {unstored(str(path)) for (path,) in mirror.rows("SELECT path FROM names")}
    return names == {*found.notes, *found.others}
