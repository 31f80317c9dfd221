"""The full text: tantivy, and nothing else that needs it."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import tantivy

from vaultd.errors import BrokenIndexError, ConflictError, StorageError
from vaultd.index.fulltext_folder import (
    FOLDER,
    alone,
    clear_out,
    commit_stamp,
    identity,
    is_empty,
    is_whole,
    mark,
    sweep,
)
from vaultd.index.projection import Projected
from vaultd.index.rows import row_of, stored, unstored
from vaultd.index.tables import DISK_HINT
from vaultd.index.wanted import Term, Wanted, wanted
from vaultd.index.words import literal, pictures, spaced
from vaultd.values import dataclass

_SMALL_HEAP = 15_000_000
_LARGE_HEAP = 100_000_000
_MANY = 500
SOME = "no note holds all of these words; these hold some of them"
_MOST = 20_000
_PATIENCE = 1.0
_PAUSE = 0.02
_FORK_PATIENCE = 1.0
"""Seconds to wait for the writer: from fork to exec, a child of ours has every lock that we have."""
_LONGEST = 100
_TERMS = 64
_PLACES: tuple[tuple[str, float], ...] = (
    ("title", 3.0),
    ("name", 3.0),
    ("description", 2.0),
    ("headings", 1.6),
    ("text", 1.0),
    ("place", 0.8),
)
_WORDS = tuple(name for name, _ in _PLACES)
_CHUNKS = ("literals", "tags")
_FIELDS = {"path": "place", "file": "file", "content": "text"}


@dataclass(frozen=True, slots=True)
class Hit:
    """A note that matches, by the words it was indexed with."""

    path: str
    score: float


@dataclass(frozen=True, slots=True)
class Matches:
    """Every match of one question, best first; paths are looked up when asked for."""

    rows: Sequence[int]
    """`row_of` each match's path."""
    scores: Sequence[float]
    count: int
    """How many notes match; more than `rows` only beyond 20,000."""
    needed: tuple[tuple[str, ...], ...]
    """The runs of words a match was found by."""
    excluded: tuple[tuple[str, ...], ...]
    every: bool
    """True where each match holds all that was needed, False where only some of it."""
    notices: tuple[str, ...]
    path: Callable[[int], str]
    """The path of the match at this place."""


def open_fulltext(folder: Path) -> "FullText":
    """Return the full text of the index in the folder; one that cannot be used is made again (`rebuilt`).

    Raises:
        ConflictError: it has to be made again while another process writes it.
        StorageError: the folder cannot be written.
    """
    place = folder / FOLDER
    try:
        place.mkdir(parents=True, exist_ok=True)
        return _opened_or_made(place)
    except (OSError, ValueError) as exc:
        raise StorageError(f"the full text in {place} cannot be opened: {exc}") from exc


def _opened_or_made(folder: Path) -> "FullText":
    end = time.monotonic() + _PATIENCE
    while True:
        index = _usable(folder)
        if index is not None:
            return FullText(folder, index, rebuilt=False)
        with alone(folder) as free:
            # While somebody writes, files come and go; only without a writer is what is missing lost.
            if free and _usable(folder) is None:
                rebuilt = not is_empty(folder)
                clear_out(folder)
                mark(folder)
                return FullText(folder, _opened(folder), rebuilt=rebuilt)
        if time.monotonic() > end:
            raise _busy()
        time.sleep(_PAUSE)


def _usable(folder: Path) -> tantivy.Index | None:
    if not is_whole(folder):
        return None
    try:
        return _opened(folder)
    except ValueError:
        # So tantivy calls a file cut short, a file gone, a schema of another version.
        return None


class FullText:
    """The open full text; searching is safe from any thread, writing from one."""

    def __init__(self, folder: Path, index: tantivy.Index, *, rebuilt: bool) -> None:
        self.rebuilt = rebuilt
        self._folder = folder
        self._index = index
        self._writer: tantivy.IndexWriter | None = None
        self._large = False
        self._letting_go = threading.Lock()
        self._unsaved = False
        """Whether something was written since the last commit."""
        self._words = _analyzer(tantivy.Tokenizer.simple())
        self._chunks = _analyzer(tantivy.Tokenizer.whitespace())
        self._seen = commit_stamp(self._folder)
        self._searcher = index.searcher()

    def identity(self) -> str:
        """Return the name this full text got when it was made; another one is another full text."""
        return identity(self._folder)

    # writing

    def begin(self, expected: int) -> None:
        """Become the one writer, for about so many documents.

        Raises:
            ConflictError: another process is the writer.
        """
        large = expected > _MANY
        if large and not self._large:
            self.release()
        if self._writer is None:
            self._writer = self._writer_once_free(_LARGE_HEAP if large else _SMALL_HEAP)
            self._large = large
            with _translated():
                sweep(self._folder)

    @property
    def writes(self) -> bool:
        """Whether we are the one writer."""
        return self._writer is not None

    def _writer_once_free(self, heap: int) -> tantivy.IndexWriter:
        """Return the writer; a program that another thread is just starting holds our own last lock for a moment."""
        end = time.monotonic() + _FORK_PATIENCE
        while True:
            try:
                with _translated():
                    return self._index.writer(heap, 1)
            except ConflictError:
                if time.monotonic() > end:
                    raise
                time.sleep(_PAUSE)

    def upsert(self, documents: Iterable[tuple[str, Projected]]) -> None:
        """Put each document in the place of the one its path had."""
        self.add(self._alone(documents))

    def _alone(self, documents: Iterable[tuple[str, Projected]]) -> Iterator[tuple[str, Projected]]:
        for path, projected in documents:
            self._writing().delete_documents_by_term("path", stored(path))
            yield path, projected

    def add(self, documents: Iterable[tuple[str, Projected]]) -> None:
        """Put in documents of paths that have none yet: nothing is looked for that they would replace."""
        writer = self._writing()
        self._unsaved = True
        with _translated():
            for path, projected in documents:
                writer.add_document(_document(stored(path), row_of(path), projected))

    def delete(self, paths: Iterable[str]) -> None:
        """Take these paths' documents out."""
        writer = self._writing()
        self._unsaved = True
        with _translated():
            for path in paths:
                writer.delete_documents_by_term("path", stored(path))

    def commit(self) -> None:
        """Make what was written durable and searchable."""
        with _translated():
            self._writing().commit()
        self._unsaved = False
        self.refresh()

    def release(self) -> None:
        """Let other processes write; what was not committed is dropped.

        Every few commits tantivy merges what they wrote: this waits for it, while an open writer goes on meanwhile.
        """
        with self._letting_go:
            writer, self._writer, self._large = self._writer, None, False
            if writer is not None:
                with _translated():
                    if self._unsaved:
                        # Not without need: it stops merges that the last commit began, and segments would pile up.
                        writer.rollback()
                    writer.wait_merging_threads()
                self._unsaved = False

    def clear(self) -> None:
        """Take everything out and become another full text."""
        self.begin(_MANY)
        self._unsaved = True
        with _translated():
            mark(self._folder)
            self._writing().delete_all_documents()
        self.commit()

    def close(self) -> None:
        """Stop writing."""
        self.release()

    # searching

    def count(self) -> int:
        """Return how many documents there are."""
        self.refresh()
        return int(self._searcher.num_docs)

    def refresh(self) -> None:
        """See what was committed since, here or by another process."""
        stamp = commit_stamp(self._folder)
        if stamp != self._seen:
            with _translated():
                self._index.reload()
                self._searcher = self._index.searcher()
            self._seen = stamp

    def search(self, query: str, limit: int = 20) -> list[Hit]:
        """Return the best matches of a question as a person types it."""
        matches = self.matches(query)
        return [Hit(matches.path(place), score) for place, score in enumerate(matches.scores[:limit])]

    def matches(self, query: str | Wanted) -> Matches:
        """Return every match of a question as a person types it: first what holds all of it, else what holds some."""
        self.refresh()
        asked = wanted(query) if isinstance(query, str) else query
        strict = self._run(asked, every=True)
        if strict.count or not strict.needed:
            return strict
        loose = self._run(asked, every=False)
        if not loose.count:
            return strict
        return loose

    def words(self, text: str) -> list[str]:
        """Return the words of a text, exactly as they are indexed."""
        return self._words.analyze(spaced(text))

    def _run(self, asked: Wanted, *, every: bool) -> Matches:
        build = _Build(self._index.schema, self._words, self._chunks, every=every)
        query = build.question(asked)
        notices = (*asked.notices, *build.notices)
        if query is None:
            return Matches((), (), 0, (), (), every, notices, str)
        with _translated():
            searcher = self._searcher
            found = searcher.search(query, _MOST)
            hits = found.hits
            scores, addresses = zip(*hits, strict=True) if hits else ((), ())
            # Every document has a row, and it is a whole number; tantivy's stub cannot know.
            rows = cast(list[int], searcher.fast_field_values("row", list(addresses)))

        def path(place: int) -> str:
            return unstored(str(searcher.doc(addresses[place]).get_first("path")))

        if not every:
            notices = (*notices, SOME)
        count = int(found.count)  # type: ignore[attr-defined]  # tantivy's stub forgets it
        needed, excluded = tuple(build.needed), tuple(build.excluded)
        return Matches(rows, scores, count, needed, excluded, build.every, notices, path)

    def _writing(self) -> tantivy.IndexWriter:
        if self._writer is None:
            raise BrokenIndexError("the full text is not being written")
        return self._writer


class _Build:
    """Builds tantivy's form of one question, and notes by which words it looks."""

    def __init__(
        self, schema: tantivy.Schema, words: tantivy.TextAnalyzer, chunks: tantivy.TextAnalyzer, *, every: bool
    ) -> None:
        self.needed: list[tuple[str, ...]] = []
        self.excluded: list[tuple[str, ...]] = []
        self.notices: list[str] = []
        self._schema = schema
        self._words = words
        self._chunks = chunks
        self._every = every
        self.every = every
        """True where a match holds all of `needed`."""

    def question(self, asked: Wanted) -> tantivy.Query | None:
        self.every = self._every and len(asked.alternatives) == 1
        groups = [query for group in asked.alternatives if (query := self._group(group[:_TERMS])) is not None]
        if any(len(group) > _TERMS for group in asked.alternatives):
            self.notices.append(f"only the first {_TERMS} words were searched")
        if not groups:
            self.notices.append("there is no word to look for")
            return None
        return groups[0] if len(groups) == 1 else _any_of(groups)

    def _group(self, terms: tuple[Term, ...]) -> tantivy.Query | None:
        needed = [query for term in terms if not term.excluded for query in self._needed(term)]
        excluded = [query for term in terms if term.excluded for query in self._queries(term, self.excluded)]
        if not needed:
            if excluded:
                self.notices.append("what to leave out was given, but no word to look for")
            return None
        occur = tantivy.Occur.Must if self._every else tantivy.Occur.Should
        clauses = [(occur, query) for query in needed]
        if not self._every:
            clauses = [(tantivy.Occur.Must, _any_of(needed))]
        clauses += [(tantivy.Occur.Should, query) for query in self._nearness(terms)]
        clauses += [(tantivy.Occur.MustNot, query) for query in excluded]
        return tantivy.Query.boolean_query(clauses)

    def _needed(self, term: Term) -> list[tantivy.Query]:
        queries = self._queries(term, self.needed)
        if not queries and term.text.strip():
            why = "is too long for a word" if any(map(str.isalnum, term.text)) else "has no word in it"
            self.notices.append(f"{term.text[:40]} {why} and was left out")
        return queries

    def _queries(self, term: Term, told: list[tuple[str, ...]]) -> list[tantivy.Query]:
        match term.place:
            case "tag":
                tags = self._chunks.analyze(term.text.strip("#/"))
                return [self._one("tags", tag) for tag in tags[:1]]
            case "path" | "file" | "content":
                words = self._words.analyze(spaced(term.text))
                if term.place == "content" and words and not term.excluded:
                    told.append(tuple(words))  # of what is left out a file's name may hold the words all the same
                return [self._run(_FIELDS[term.place], words)] if words else []
            case "":
                return self._plain(term, told)

    def _plain(self, term: Term, told: list[tuple[str, ...]]) -> list[tantivy.Query]:
        words = self._words.analyze(spaced(term.text))
        if not words:
            shown = pictures(term.text)
            told.extend((picture,) for picture in shown)
            return [self._one("literals", picture) for picture in shown]
        if term.fuzzy and len(words) == 1:
            told.append((words[0] + "~",))
            return [self._like(words[0])]
        if not self._every and not term.excluded:
            told.extend((word,) for word in words)
            return [self._anywhere([word]) for word in words]
        if term.prefix and len(words) == 1:
            told.append((words[0] + "*",))
            return [self._starting(words[0])]
        told.append(tuple(words))
        found = self._anywhere(words)
        spelled = self._chunks.analyze(literal(term.text))
        if not spelled:
            return [found]
        exact = tantivy.Query.boost_query(self._one("literals", spelled[0]), 4.0)
        return [tantivy.Query.boolean_query([(tantivy.Occur.Must, found), (tantivy.Occur.Should, exact)])]

    def _nearness(self, terms: tuple[Term, ...]) -> list[tantivy.Query]:
        plain = " ".join(term.text for term in terms if not term.excluded and not term.place)
        words = self._words.analyze(spaced(plain))
        if len(words) < 2 or len(terms) < 2:
            return []
        return [tantivy.Query.boost_query(self._run("text", words, slop=len(words)), 2.0)]

    def _anywhere(self, words: list[str]) -> tantivy.Query:
        queries = [tantivy.Query.boost_query(self._run(name, words), boost) for name, boost in _PLACES]
        if len(words) == 1:
            queries += [self._one("literals", words[0]), self._one("tags", words[0])]
        return tantivy.Query.disjunction_max_query(queries, 0.1)

    def _starting(self, word: str) -> tantivy.Query:
        return tantivy.Query.disjunction_max_query(
            [
                tantivy.Query.boost_query(tantivy.Query.regex_query(self._schema, name, word + ".*"), boost)
                for name, boost in _PLACES
            ]
        )

    def _like(self, word: str) -> tantivy.Query:
        """Return a query for the word and those one typo away; the word as it is typed comes first."""
        near = [
            tantivy.Query.boost_query(tantivy.Query.fuzzy_term_query(self._schema, name, word), boost)
            for name, boost in _PLACES
        ]
        exact = tantivy.Query.boost_query(self._anywhere([word]), 4.0)
        loose = tantivy.Query.disjunction_max_query(near, 0.1)
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, loose), (tantivy.Occur.Should, exact)])

    def _run(self, name: str, words: list[str], slop: int = 0) -> tantivy.Query:
        if len(words) == 1:
            return self._one(name, words[0])
        return tantivy.Query.phrase_query(self._schema, name, [*words], slop)

    def _one(self, name: str, word: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, name, word)


def _any_of(queries: list[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])


def _document(key: str, row: int, projected: Projected) -> tantivy.Document:
    return tantivy.Document(
        path=key,
        row=row,
        title=spaced(projected.title),
        name=projected.name,
        description=projected.description,
        headings=projected.headings,
        text=projected.text,
        place=projected.place,
        file=projected.file,
        literals=projected.literals,
        tags=" ".join(projected.tags),
    )


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("path", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("row", fast=True)
    for name in (*_WORDS, "file"):
        builder.add_text_field(name, tokenizer_name="words")
    for name in _CHUNKS:
        builder.add_text_field(name, tokenizer_name="chunks", index_option="freq")
    return builder.build()


def _analyzer(tokenizer: tantivy.Tokenizer) -> tantivy.TextAnalyzer:
    return (
        tantivy.TextAnalyzerBuilder(tokenizer)
        .filter(tantivy.Filter.remove_long(_LONGEST))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .build()
    )


def _opened(folder: Path) -> tantivy.Index:
    """Return the index with its tokenizers, which tantivy forgets whenever it is opened."""
    index = tantivy.Index(_schema(), str(folder))
    index.register_tokenizer("words", _analyzer(tantivy.Tokenizer.simple()))
    index.register_tokenizer("chunks", _analyzer(tantivy.Tokenizer.whitespace()))
    # Reloading by hand: the automatic way polls the disk twice a second for ever.
    index.config_reader("manual")
    index.reload()
    return index


def _busy() -> ConflictError:
    return ConflictError("another process is writing the index", "try again")


@contextmanager
def _translated() -> Iterator[None]:
    """Turn tantivy's errors, all of them ValueError, and those of a folder that somebody takes away, into ours."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as exc:
        raise BrokenIndexError(f"the full text is gone: {exc}") from exc
    except ValueError as exc:
        if "LockBusy" in str(exc):
            raise _busy() from exc
        if "No space left" in str(exc) or "Read-only file system" in str(exc) or "Permission denied" in str(exc):
            raise StorageError(f"the full text cannot be written: {exc}", DISK_HINT) from exc
        raise BrokenIndexError(f"the full text cannot be used: {exc}") from exc
