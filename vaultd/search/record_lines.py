"""Events that are kept as lines, found by reading them: a line is no note, so no index holds it, and none can be stale."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from vaultd.index.mirror import Mirror
from vaultd.index.rows import stored, unstored
from vaultd.index.words import folded
from vaultd.lifecycle.records.envelope import lines_of, record_text
from vaultd.lifecycle.records.values import Record
from vaultd.search.conditions import moment_span
from vaultd.search.excerpts import Excerpt, Holds
from vaultd.search.record_limits import RecordLimits
from vaultd.values import dataclass, replace

_ESCAPES = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")
OF_LINES = "SELECT path FROM names WHERE path >= ? AND path < ? AND path LIKE '%.jsonl' ORDER BY path"
"""Its last condition is that of an index: reading every name would take a sixth of a search."""
_USUAL = 60.0
"""Words of an event of usual length."""


@dataclass(frozen=True, slots=True)
class Line:
    """An event that answers, and where it stands."""

    path: str
    line: int
    record: Record
    excerpt: Excerpt
    found: int
    """How often it holds what was asked for."""
    corrected: bool
    rejected: str = ""
    """The rule that an edit of it breaks."""

    @property
    def moment(self) -> float:
        """Return when it was written down, in seconds since 1970."""
        span = moment_span(self.record.created)
        return span[0] if span is not None else 0.0


@dataclass(frozen=True, slots=True)
class Lines:
    """The files of lines of a vault, as a search goes through them."""

    paths: Sequence[str]
    read: Callable[[str], bytes | None]
    corrected: frozenset[str]
    """Ids that a record with a file of its own corrects."""
    known: Callable[[Record], bool] = lambda _record: True
    """Whether a record was there at the time that is asked about."""
    marked: Callable[[str, Record], str] = lambda _path, _record: ""
    """Which rule an edit of a record in a file breaks."""

    def matching(self, holds: Holds, limits: RecordLimits, fits: Callable[[str], bool], *, every: bool) -> list[Line]:
        """Return the events that hold what was asked for; those that were corrected only with `every`."""
        files = {path: data for path in self.paths if (data := self.read(path)) is not None}
        corrected = self.corrected | frozenset(self._corrections(files))
        return [
            replace(line, rejected=self.marked(path, line.record))
            for path, data in files.items()
            if fits(path)
            for line in _in_file(path, data, holds, corrected)
            if limits.allow(line.record) and self.known(line.record) and (every or not line.corrected)
        ]

    def _corrections(self, files: Mapping[str, bytes]) -> Iterator[str]:
        for data in files.values():
            if b'"corrects"' in data:
                lines = (line for line in data.split(b"\n") if b'"corrects"' in line)
                for _, one in lines_of(b"\n".join(lines)):
                    if isinstance(one, Record) and one.corrects is not None and self.known(one):
                        yield one.corrects


def lines_in(mirror: Mirror, read: Callable[[str], bytes | None], records: str) -> Lines:
    """Return the lines below the folder of records."""
    rows = mirror.rows(OF_LINES, stored(records + "/"), stored(records + "0"))
    corrects = mirror.rows("SELECT text FROM properties WHERE folded = 'corrects'") if rows else ()
    return Lines([unstored(str(path)) for (path,) in rows], read, frozenset(str(text) for (text,) in corrects))


def scored(lines: Sequence[Line], everything: int) -> list[tuple[float, Line]]:
    """Return lines with what they weigh, as the full text weighs a note: rare words more, and among few others more."""
    rarity = math.log(1 + (everything + 0.5) / (len(lines) + 0.5))
    return [(round(rarity * _weight(line), 4), line) for line in lines]


def _weight(line: Line) -> float:
    length = len(line.record.text.split()) / _USUAL
    return line.found * 2.2 / (line.found + 1.2 * (0.25 + 0.75 * length))


def _in_file(path: str, data: bytes, holds: Holds, corrected: frozenset[str]) -> Iterator[Line]:
    """Give the events of one file that answer: lines are told apart by their bytes, and only likely ones are parsed."""
    text = data.decode("utf-8", "replace")
    plain = folded(_ESCAPES.sub(" ", text) if "\\" in text else text)
    raw = data.split(b"\n")
    for number in holds.likely_lines(plain, path.lower()):
        for _, record in lines_of(raw[number]):
            if isinstance(record, Record):
                note = record_text(record)
                excerpt = holds.excerpt(path, note)
                if excerpt is not None:
                    shown = Excerpt(number + 1, excerpt.text, excerpt.highlights)
                    yield Line(path, number + 1, record, shown, holds.count(note), record.id in corrected)
