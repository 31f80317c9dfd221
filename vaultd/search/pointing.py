"""Where in a note stands what was asked of its checkboxes, tags and properties, when no word says it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from vaultd.index.mirror import Mirror
from vaultd.index.wanted import TASKS, Wanted
from vaultd.search.filters import tag_range, task_words, with_status

_AMONG = "note IN (SELECT value FROM json_each(?))"


class Pointed(NamedTuple):
    """A line, counted from 1 in the file, and the words in it that were asked for."""

    line: int
    words: tuple[str, ...] = ()


def pointed(mirror: Mirror, asked: Wanted, tags: Iterable[str], notes: Iterable[int]) -> Mapping[int, Pointed]:
    """Return, by note, the first checkbox that was asked for, else the first tag, else the property."""
    among = json.dumps(list(notes))
    found: dict[int, Pointed] = {}
    for note, place in (
        *_tasks(mirror, asked, among),
        *_tags(mirror, asked, tags, among),
        *_keys(mirror, asked, among),
    ):
        found.setdefault(note, place)
    return found


def _tasks(mirror: Mirror, asked: Wanted, among: str) -> Iterator[tuple[int, Pointed]]:
    for need in asked.needs:
        if need.name in TASKS and not need.excluded:
            words = task_words(need)
            sql = f"SELECT note, line, text FROM tasks WHERE {_AMONG} {with_status(need)} ORDER BY note, line"  # noqa: S608
            for note, line, text in mirror.rows(sql, among):
                if all(word in str(text).casefold() for word in words):
                    yield int(note or 0), Pointed(int(line or 0), tuple(words))


def _tags(mirror: Mirror, asked: Wanted, tags: Iterable[str], among: str) -> Iterator[tuple[int, Pointed]]:
    terms = (term.text for group in asked.alternatives for term in group if term.place == "tag" and not term.excluded)
    for tag in (*terms, *tags):
        folded, within = tag_range(tag)
        sql = f"SELECT note, min(line) FROM tags WHERE {within} AND note IN (SELECT value FROM json_each(?2)) GROUP BY note"  # noqa: S608
        for note, line in mirror.rows(sql, folded, among):
            yield int(note or 0), Pointed(int(line or 0), (folded,))


def _keys(mirror: Mirror, asked: Wanted, among: str) -> Iterator[tuple[int, Pointed]]:
    for need in asked.needs:
        if need.name not in TASKS and not need.excluded:
            sql = f"SELECT note, min(line) FROM properties WHERE {_AMONG} AND folded = ? GROUP BY note"  # noqa: S608
            for note, line in mirror.rows(sql, among, need.name):
                yield int(note or 0), Pointed(int(line or 0))
