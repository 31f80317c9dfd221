"""Fields that plugins add to notes: rows beside those of the frontmatter, behind every place that a note's text can fill."""

from collections.abc import Iterable, Mapping

from vaultd.index.derived import plain
from vaultd.index.mirror import FULLTEXT, Mirror
from vaultd.index.rows import row_of, unstored
from vaultd.values import dataclass

Value = str | int | float | bool
_FIRST_PLACE = 1 << 30
_TABLE = """
CREATE TABLE IF NOT EXISTS plugin_fields (
    note INTEGER NOT NULL, plugin TEXT NOT NULL, mark TEXT NOT NULL, many INTEGER NOT NULL, PRIMARY KEY (note, plugin)
) STRICT, WITHOUT ROWID
"""


@dataclass(frozen=True, slots=True)
class Fielded:
    """What a plugin says of one note, as the note's text was under a key."""

    path: str
    key: str
    values: Mapping[str, Value]


class Fields:
    """The fields of one plugin's files, which `version` tells apart from earlier ones."""

    def __init__(self, mirror: Mirror, plugin: str, version: str) -> None:
        self._mirror = mirror
        self._plugin = plugin
        self._version = version
        self._place = _FIRST_PLACE + row_of(plugin) % (1 << 20) * 64
        with mirror.writing() as sql:
            sql.execute(_TABLE)

    def missing(self, most: int) -> dict[str, str]:
        """Return some of the notes of whose present text the plugin has said nothing yet, with their keys."""
        rows = self._mirror.rows(
            "SELECT f.path, f.key, p.mark, p.many, n.number FROM files f JOIN names n ON n.path = f.path"
            " LEFT JOIN plugin_fields p ON p.note = n.number AND p.plugin = ?",
            self._plugin,
        )
        there = self._there()
        found: dict[str, str] = {}
        for path, key, mark, many, note in rows:
            if mark != self._mark(str(key)) or many != there.get(int(str(note)), 0):
                found[unstored(str(path))] = str(key)
                if len(found) >= most:
                    break
        return found

    def put(self, said: Iterable[Fielded]) -> None:
        """Take in what the plugin says of notes, in place of what it said of them before."""
        rows, marks = [], []
        for one in said:
            note = row_of(one.path)
            marks.append((note, self._plugin, self._mark(one.key), len(one.values)))
            for place, (name, value) in enumerate(sorted(one.values.items())):
                kind, text, number = _typed(value)
                rows.append((note, self._place + place, plain(name).casefold(), plain(name), 1, -1, kind, text, number))
        with self._mirror.writing() as sql:
            for note, *_ in marks:
                sql.execute(
                    "DELETE FROM properties WHERE note = ? AND place >= ? AND place < ?",
                    (note, self._place, self._place + 64),
                )
            sql.executemany("INSERT INTO properties VALUES (?,?,?,?,?,?,?,?,?)", rows)
            sql.executemany("INSERT OR REPLACE INTO plugin_fields VALUES (?,?,?,?)", marks)

    def _there(self) -> dict[int, int]:
        rows = self._mirror.rows(
            "SELECT note, count(*) FROM properties WHERE place >= ? AND place < ? GROUP BY note",
            self._place,
            self._place + 64,
        )
        return {int(str(note)): int(str(many)) for note, many in rows}

    def _mark(self, key: str) -> str:
        return f"{self._version}:{self._mirror.get(FULLTEXT)}:{key}"


def drop_fields(mirror: Mirror, keep: Iterable[str]) -> None:
    """Forget what plugins said that run no more."""
    kept = {*keep}
    known = mirror.rows("SELECT 1 FROM sqlite_master WHERE name = 'plugin_fields'")
    gone = (
        [str(one) for (one,) in mirror.rows("SELECT DISTINCT plugin FROM plugin_fields") if one not in kept]
        if known
        else []
    )
    for plugin in gone:
        drop_fields_of(mirror, plugin)


def drop_fields_of(mirror: Mirror, plugin: str) -> None:
    """Forget what one plugin said."""
    place = _FIRST_PLACE + row_of(plugin) % (1 << 20) * 64
    with mirror.writing() as sql:
        sql.execute(_TABLE)
        sql.execute("DELETE FROM properties WHERE place >= ? AND place < ?", (place, place + 64))
        sql.execute("DELETE FROM plugin_fields WHERE plugin = ?", (plugin,))


def _typed(value: Value) -> tuple[str, str, float | None]:
    match value:
        case bool():
            return "checkbox", "true" if value else "false", float(value)
        case int() | float():
            return "number", str(value), float(value)
        case str():
            return "text", plain(value), None
