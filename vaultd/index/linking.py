"""What links mean: resolved against every path of the vault, and again only where a path came or went that matters."""

from collections.abc import Iterable, Iterator

from vaultd.index.derived import Meaning, Mention, meaning, plain, resolved_again
from vaultd.index.mirror import Mirror
from vaultd.index.rows import row_of, stored, unstored
from vaultd.notes.resolution import Names, depends_on_place, link_key

_AT_ONCE = 400


class Linking:
    """Resolves links against the names that the mirror holds; one at a time, for the one writer of the index."""

    def __init__(self, mirror: Mirror) -> None:
        self._mirror = mirror
        self._paths: set[str] | None = None
        self._names: Names | None = None
        self._version = -1
        self._seen: dict[str, tuple[Meaning, bool]] = {}
        """What a target means, and whether that is so in whatever note it stands."""

    def forget(self) -> None:
        """Know nothing any more: the mirror's tables were emptied."""
        self._paths = None
        self._names = None
        self._seen.clear()

    def paths_are(self, paths: Iterable[str]) -> None:
        """Take these for all paths of the vault, and remember which links that may change."""
        known = self._known()
        now = set(paths)
        if now != known:
            self._change(sorted(now - known), sorted(known - now))

    def paths_change(self, here: Iterable[str], gone: Iterable[str]) -> None:
        """Take these paths in and out, and remember which links that may change."""
        known = self._known()
        added, removed = sorted(set(here) - known), sorted(set(gone) & known)
        if added or removed:
            self._change(added, removed)

    def resolve(self, target: str, source: str) -> Meaning:
        """Return what a link in the note at `source` means."""
        seen = self._seen.get(target)
        if seen is None:
            seen = self._seen[target] = self._anywhere(target)
        means, everywhere = seen
        if everywhere:
            return means
        path = self._all().resolve(target, source)
        return means if path is None else meaning(target, row_of(path), means.rivals, means.key)

    def meant(self, target: str) -> tuple[str, ...]:
        """Return the paths that a link's target could mean, the best first."""
        self._known()
        return self._all().candidates(target)

    def settle(self) -> int:
        """Resolve again the links that a path which came or went may change, and return how many were looked at."""
        keys = [str(key) for (key,) in self._mirror.rows("SELECT key FROM touched")]
        looked = 0
        for start in range(0, len(keys), _AT_ONCE):
            looked += self._settle(keys[start : start + _AT_ONCE])
        return looked

    def _settle(self, keys: list[str]) -> int:
        marks = ",".join("?" * len(keys))
        rows = self._mirror.rows(
            "SELECT o.note, o.links, n.path FROM outlines o JOIN names n ON n.number = o.note"  # noqa: S608 — only marks
            f" WHERE o.note IN (SELECT note FROM mentions WHERE key IN ({marks}))",
            *keys,
        )
        looked, moved, mentions = 0, list[tuple[str, int]](), list[Mention]()
        for note, links, source in rows:
            number, before = int(note or 0), str(links)
            again, now, of_note = resolved_again(number, unstored(str(source)), before, set(keys), self.resolve)
            looked += again
            if now != before:
                moved.append((now, number))
                mentions += of_note
        with self._mirror.writing() as sql:
            sql.executemany("UPDATE outlines SET links = ? WHERE note = ?", moved)
            sql.executemany("INSERT OR REPLACE INTO mentions VALUES (?,?,?)", mentions)
            sql.executemany("DELETE FROM touched WHERE key = ?", [(key,) for key in keys])
        return looked

    def _anywhere(self, target: str) -> tuple[Meaning, bool]:
        """Return what a target means whatever note it stands in, and whether there is no note in which it means more."""
        candidates = self._all().candidates(target)
        only = row_of(candidates[0]) if len(candidates) == 1 else None
        everywhere = len(candidates) < 2 and not depends_on_place(target)
        return meaning(target, only, _rivals(target, candidates), plain(link_key(target))), everywhere

    def _known(self) -> set[str]:
        version = self._mirror.version()
        if self._paths is None or version != self._version:
            self.forget()
            self._paths = {unstored(str(path)) for (path,) in self._mirror.rows("SELECT path FROM names")}
            self._version = version
        return self._paths

    def _all(self) -> Names:
        if self._names is None:
            self._names = Names(self._known())
        return self._names

    def _change(self, added: list[str], removed: list[str]) -> None:
        known = self._known()
        keys = set(keys_of((*added, *removed))) if self._mirror.documents() else set[str]()
        with self._mirror.writing() as sql:
            sql.executemany("INSERT OR REPLACE INTO names VALUES (?, ?)", [(row_of(p), stored(p)) for p in added])
            sql.execute("DELETE FROM walked")
            sql.executemany("DELETE FROM names WHERE number = ?", [(row_of(path),) for path in removed])
            sql.executemany("INSERT OR IGNORE INTO touched VALUES (?)", [(key,) for key in sorted(keys)])
        self._paths = (known | set(added)) - set(removed)
        self._seen.clear()
        if self._names is not None:
            for path in added:
                self._names.add(path)
            for path in removed:
                self._names.remove(path)


def keys_of(paths: Iterable[str]) -> Iterator[str]:
    """Yield the keys of all links that can mean one of these files."""
    nobody = Names()
    for path in paths:
        yield from map(plain, nobody.keys_touched(path))


def _rivals(target: str, candidates: tuple[str, ...]) -> int:
    """Return how many files a target could mean; a whole path means one, whatever else ends like it."""
    if not candidates:
        return 0
    whole = target.casefold().removesuffix(".md").strip()
    return 1 if candidates[0].casefold().removesuffix(".md") == whole else len(candidates)
