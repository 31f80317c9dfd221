"""Memories that a person moved and no commit knows yet: what HEAD still has at the old path, and what git mv staged of it."""

from collections.abc import Collection, Iterable, Mapping

from vaultd.commands.occupied import out_of_sight
from vaultd.commands.recorded import is_recorded
from vaultd.commands.references import followed
from vaultd.history.snapshots import indexed
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Write
from vaultd.lifecycle.facts import facts_of
from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.places import place_of
from vaultd.notes.note import parse
from vaultd.vault.reading import contained


def departures(
    opened: Opened, ground: Ground, texts: Mapping[str, bytes], told: Collection[str] = ()
) -> Mapping[str, str]:
    """Return the old path of each memory among these files that HEAD has elsewhere, where nothing is any more.

    A path that is `told` of is somebody else's to record.
    """
    found: dict[str, str] = {}
    for path, data in texts.items():
        if path in ground.at or place_of(path, ground.folder) is None:
            continue
        standing = ground.standings.get(facts_of(parse(data)).id or "")
        if standing is None or standing.path not in ground.at or standing.path in told or standing.path in found:
            continue
        if not contained(opened.root, standing.path).exists() and standing.path not in out_of_sight(opened):
            found[standing.path] = path
    return found


def displaced(opened: Opened, ground: Ground, writes: Iterable[Write]) -> Mapping[str, bytes]:
    """Return what a person moved away from the paths of new files, by where it is."""
    made = [one.path for one in writes if one.before is None and one.after is not None and one.path in ground.at]
    where = [new for path in made if (new := followed(opened, ground, path)) != path]
    return {path: data for path in where if (data := opened.read(path)) is not None}


def staged_moves(opened: Opened, moves: Mapping[str, str], texts: Mapping[str, bytes]) -> Mapping[str, str | None]:
    """Return what `git mv` left in the index: the moves and nothing else, which a commit of them completes."""
    if not moves:
        return {}
    there = indexed(opened.recorded, {*moves, *moves.values()})
    found: dict[str, str | None] = {old: None for old in moves if old not in there}
    for new in moves.values():
        if new in there and is_recorded(opened, there[new], new, texts[new]):
            found[new] = there[new].oid
    return found
