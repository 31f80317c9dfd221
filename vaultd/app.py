"""An open vault with everything wired: the one thing a surface holds."""

import contextlib
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from vaultd.commands import accept as accepting
from vaultd.commands.recovering import Mended, mend
from vaultd.errors import BrokenIndexError, ConflictError, StorageError, UsageError
from vaultd.history.repository import head_quick
from vaultd.index.catch_up import CaughtUp, catch_up, catch_up_some
from vaultd.index.fulltext import FullText, open_fulltext
from vaultd.index.fulltext_folder import FOLDER
from vaultd.index.garbage import seldom_looked_for
from vaultd.index.linking import Linking
from vaultd.index.mirror import State
from vaultd.judging.checking import check, rejected
from vaultd.judging.external_renames import with_renames
from vaultd.judging.gists import Gist
from vaultd.judging.keeping import keep, kept_at, memories_of, moment
from vaultd.judging.ledger import entries
from vaultd.judging.opened import Opened, open_vault
from vaultd.judging.present import Present
from vaultd.judging.records.presence import keeps_records, outside_index
from vaultd.judging.unchanged import answers_at_once, answers_next_time
from vaultd.judging.weighing import heeds_links, ordered
from vaultd.lifecycle.batches import Batch
from vaultd.lifecycle.facts import dump_facts, facts_of
from vaultd.lifecycle.places import place_of
from vaultd.lifecycle.states import successor_of, word
from vaultd.lifecycle.violations import Violation
from vaultd.notes.note import Note
from vaultd.search.broken_links import link_violations
from vaultd.search.filters import Vault
from vaultd.search.past import as_of
from vaultd.search.properties import declared
from vaultd.search.query import Answer, Question, ask
from vaultd.search.record_lines import Lines, lines_in
from vaultd.values import dataclass, field, replace
from vaultd.vault.locks import hold
from vaultd.vault.reading import Stamp
from vaultd.vault.scanning import Scan

INDEX_PATIENCE = 1.0
"""Seconds a reading verb waits for another process that writes the index, before it answers from what is there."""
STALE = "another process is writing the index: the answer is from before its changes"


@dataclass(frozen=True)
class Overview:
    """The vault at one moment: what is there, what is accepted, what is wrong, what waits for its commit."""

    at: datetime
    notes: Mapping[str, Stamp]
    head: str | None
    memories: Mapping[str, int]
    """How many are active, superseded and archived."""
    violations: tuple[Violation, ...]
    judged: Callable[[], Present]
    """Gives what is accepted; where nothing changed since an earlier judgement, it is found only when asked for."""
    waiting: tuple[Batch, ...] = ()
    notices: tuple[str, ...] = ()
    rejected: Mapping[str, str] = field(default_factory=dict)
    """Path to the rule that keeps its lifecycle edit from being accepted."""

    @cached_property
    def present(self) -> Present:
        """Return what is accepted, and how it was reached."""
        return self.judged()


Progress: TypeAlias = Callable[[int, int], None]
"""Hears how many are done, and of how many."""


def _unheard(_done: int, _all: int) -> None:
    pass


class App:
    """What surfaces call; reading verbs write nothing but the index."""

    def __init__(self, opened: Opened, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.opened = opened
        self.clock = clock
        self.catching: CaughtUp | None = None
        self.progress: Progress | None = None
        """Hears how much of the index is made, where whoever asks for it says nothing else."""
        self._last_told: tuple[str, str | None] = ("", None)

    @cached_property
    def fulltext(self) -> FullText:
        """Return the full-text half of the index."""
        return open_fulltext(self.opened.places.index)

    def close(self) -> None:
        """Let go of everything that was opened."""
        try:
            if "fulltext" in self.__dict__:
                self.__dict__.pop("fulltext").close()
        finally:
            self.__dict__.pop("linking", None)
            self.opened.close()

    def last_told(self, head: str) -> str | None:
        """Return the latest commit of HEAD's history in which something happened; found once for each HEAD."""
        if self._last_told[0] != head:
            latest = next(entries(self.opened, limit=1), None)
            self._last_told = head, latest.commit if latest is not None else None
        return self._last_told[1]

    # The index --------------------------------------------------------------------------------------------------------

    def catch_up(
        self,
        found: Scan,
        progress: Progress | None = None,
        doubted: Collection[str] = (),
    ) -> CaughtUp:
        """Bring the index to what was found on disk, but for notes in doubt: what is known of those stays.

        `rest` lets other processes write it afterwards.

        Raises:
            ConflictError: another process is writing it.
        """
        opened = self.opened
        self.catching = catch_up(
            opened.mirror,
            self.fulltext,
            found.notes,
            opened.read,
            opened.blob_id,
            progress or self.progress or _unheard,
            describe=describe,
            linking=self.linking,
            others=found.others,
            doubted=doubted,
        )
        return self.catching

    def catch_up_some(
        self,
        found: Scan,
        paths: Iterable[str],
        progress: Progress | None = None,
    ) -> CaughtUp:
        """Bring a few paths of what was found on disk to the index; all of it where the index is not whole.

        `rest` lets other processes write it afterwards.

        Raises:
            ConflictError: another process is writing it.
        """
        opened = self.opened
        some = {path: found.notes.get(path) for path in paths}
        caught = catch_up_some(
            opened.mirror, self.fulltext, some, opened.read, opened.blob_id, describe=describe, linking=self.linking
        )
        if caught.rebuilt:
            return self.catch_up(found, progress)
        self.catching = caught
        return caught

    @property
    def writes_index(self) -> bool:
        """Whether other processes cannot write the full text, because we may."""
        return "fulltext" in self.__dict__ and self.fulltext.writes

    def rest(self) -> None:
        """Let other processes write the full text, once it is merged."""
        if "fulltext" in self.__dict__:
            self.fulltext.release()

    @cached_property
    def linking(self) -> Linking:
        """Return what resolves links, with the vault's paths in memory."""
        return Linking(self.opened.mirror)

    @contextlib.contextmanager
    def writing_index(self, wait: float = INDEX_PATIENCE) -> Iterator[None]:
        """Hold the index against other writers.

        Raises:
            ConflictError: another process holds it for longer.
        """
        index = self.opened.places.index
        try:
            index.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as exc:
            raise StorageError(f"{index} cannot be made: {exc.strerror}", "let XDG_STATE_HOME name a folder") from exc
        with hold(self.opened.places.index / "writer.lock", wait):
            yield

    def look(self, progress: Progress | None = None) -> Overview:
        """Catch up with the disk, judge what is there, and say what was found."""
        with seldom_looked_for():
            found = self.opened.scan()
            notices: tuple[str, ...] = ()
            opened = self.opened
            if answers_at_once(opened.mirror, opened.places.index / FOLDER, found):
                self.catching = CaughtUp((), (), (), opened.mirror.generation(), rebuilt=False)
            else:
                try:
                    with self.writing_index():
                        caught = self.catch_up(found, progress)
                        self.rest()
                        if not (caught.changed or caught.removed or caught.unreadable):
                            answers_next_time(opened.mirror, found)
                except ConflictError:
                    notices = (STALE,)
            return self.judge(found, notices)

    def judge(self, found: Scan, notices: tuple[str, ...] = ()) -> Overview:
        """Judge indexed notes against history, and let search know what is accepted."""
        opened = self.opened
        unreadable = self.catching.unreadable if self.catching is not None else ()
        problems = (*found.problems, *(_unreadable(path) for path in unreadable))
        if heeds_links(opened.settings):
            problems = (*problems, *link_violations(opened.mirror))
        at = moment(opened)
        if at and keeps_records(opened):
            at = f"{at} {outside_index(opened, found.others)}"
        if (kept := kept_at(opened, at)) is not None:
            violations = tuple(ordered((*kept.violations, *problems), opened.settings))
            return Overview(self.clock(), found.notes, kept.head, kept.memories, violations, self._present, (), notices)
        keys = opened.keys()
        present = self._present(keys)
        snapshot = opened.snapshot(keys, present)
        of_records, states = _of_records(opened, found)
        own = _with_records(opened, check(snapshot, opened.settings), of_records)
        held = rejected(present)
        with contextlib.suppress(ConflictError):
            opened.mirror.set_states({**self._states(snapshot.gists, present, held), **states})
            keep(opened, at, present, own)
        now = self.clock()
        violations = tuple(ordered((*own, *problems), opened.settings))
        waiting = tuple(accepting.waiting_batches(opened, present, now))
        told = (*notices, *present.notices)
        counts = memories_of(present)
        return Overview(now, found.notes, present.head, counts, violations, lambda: present, waiting, told, held)

    def judged_links(self, seen: Overview) -> tuple[Violation, ...]:
        """Return everything that is wrong, links among it: they accept nothing, so they are judged when asked for."""
        links = with_renames(self.opened, link_violations(self.opened.mirror))
        return tuple(ordered((*seen.violations, *links), self.opened.settings))

    def _present(self, keys: Mapping[str, str] | None = None) -> Present:
        opened = self.opened
        indexed = opened.keys() if keys is None else keys
        present = opened.present(indexed, self.clock())
        if opened.judged and present.head != head_quick(opened.recorded):
            return opened.present(indexed, self.clock())
        return present

    def warm(self) -> None:
        """Learn what every note comes to, so that the first change after a start that judged nothing costs no more."""
        self.opened.gists.at(self.opened.keys(), self._present().ground)

    def rebuild(self, progress: Progress | None = None) -> Overview:
        """Throw the index away and make it again from files and git.

        Raises:
            ConflictError: another process holds it.
        """
        with self.writing_index():
            self._let_go()
            for part in self.opened.places.index.glob("*"):
                if part.name != "writer.lock":
                    shutil.rmtree(part, ignore_errors=True) if part.is_dir() else part.unlink(missing_ok=True)
        return self.look(progress)

    def index_is_gone(self) -> bool:
        """Tell whether somebody took away files of the index that are open here."""
        return self.opened.mirror_is_gone() or ("fulltext" in self.__dict__ and not self.fulltext.identity())

    def renew(self, progress: Progress | None = None) -> Overview:
        """Open the index again, and make what is not there any more."""
        self._let_go()
        return self.look(progress)

    def forget_lost(self) -> None:
        """Have an index that is gone opened again when it is asked for; whoever still reads the old one may end."""
        if self.index_is_gone():
            for part in ("fulltext", "linking"):
                self.__dict__.pop(part, None)
            self.opened.forget_index()

    def _let_go(self) -> None:
        """Close what is open of an index that is gone or will be: what was not saved of it is no loss."""
        with contextlib.suppress(BrokenIndexError, StorageError):
            self.close()

    def _states(self, gists: Mapping[str, Gist], present: Present, held: Mapping[str, str]) -> dict[str, State]:
        folders = self.opened.settings.folders
        states: dict[str, State] = {}
        for path, gist in gists.items():
            if gist.id is None and path not in held:
                continue
            place = place_of(path, folders.memory)
            if place is not None:
                states[path] = _memory_state(path, gist, present, held, place.project)
            elif path.startswith(folders.notes + "/"):
                states[path] = State(id=gist.id or "", type="work", project=gist.project)
        return states

    # Asking -----------------------------------------------------------------------------------------------------------

    def search(self, question: Question) -> Answer:
        """Return what the vault says, from the index as it is."""
        opened = self.opened
        folders = opened.settings.folders
        vault = Vault(folders.records, folders.review, self.types())
        then = as_of(opened, question.as_of) if question.as_of is not None else None
        lines = _marked(opened, lines_in(opened.mirror, opened.read, folders.records))
        if then is not None:
            lines = replace(lines, known=then.known, corrected=then.corrected)
        return ask(opened.mirror, self.fulltext, question, opened.read, vault=vault, then=then, lines=lines)

    def types(self) -> dict[str, str]:
        """Return the types that Obsidian has on record for properties, by folded name."""
        try:
            return declared((self.opened.root / ".obsidian" / "types.json").read_bytes())
        except OSError:
            return {}

    # Recording --------------------------------------------------------------------------------------------------------

    def mend(self) -> list[Mended]:
        """Finish or undo what a killed command left."""
        self.opened.claim()
        return mend(self.opened)

    def accept(
        self,
        overview: Overview,
        ready: list[Batch],
        announce: Callable[[accepting.Accepted], None] = lambda _made: None,
        *,
        meant: bool = False,
    ) -> tuple[list[accepting.Accepted], list[accepting.Pending]]:
        """Commit accepted hand edits; `meant`: a person said that what is gone is meant to be."""
        return accepting.accept(self.opened, overview.present, ready, announce=announce, meant=meant)


def describe(blob: str, note: Note) -> Iterator[tuple[str, str]]:
    """Give what the index keeps of a note, by its blob: its facts, and the record that it is."""
    yield blob, dump_facts(facts_of(note))
    if "collection" in note.properties and "id" in note.properties:
        from vaultd.judging.records.survey import kept  # noqa: PLC0415  -- most vaults hold no record
        from vaultd.lifecycle.records.envelope import read_record  # noqa: PLC0415
        from vaultd.lifecycle.records.values import Record  # noqa: PLC0415

        if isinstance(record := read_record(note), Record):
            yield kept(blob, record)


def open_app(start: Path) -> App:
    """Return the vault that a folder lies in.

    Raises:
        UsageError: it lies in none, or the vault's config is broken.
    """
    return App(open_vault(start))


def require_vault(app: App) -> None:
    """Refuse a folder that `init` did not make a vault.

    Raises:
        UsageError: it is none.
    """
    if not app.opened.started:
        raise UsageError(f"{app.opened.root} is no vault yet", "vaultd init shows what it adds, and asks")


def _memory_state(path: str, gist: Gist, present: Present, held: Mapping[str, str], project: str) -> State:
    standing = present.ground.standings.get(gist.id or present.ground.at.get(path, ""))
    code = held.get(path, "")
    if standing is None or standing.path != path:
        return State(id="", kind=gist.kind, project=project, type="memory" if gist.id else "note", rejected=code)
    return State(
        state=word(standing.state),
        id=standing.id,
        kind=gist.kind,
        project=project,
        type="memory",
        superseded_by=successor_of(standing.state) or "",
        rejected=code,
    )


def _marked(opened: Opened, lines: Lines) -> Lines:
    """Return lines with what says of each whether somebody edited it."""
    if not lines.paths:
        return lines
    from vaultd.judging.records.accepted import line_marks  # noqa: PLC0415  -- most vaults hold no record

    return replace(lines, marked=line_marks(opened))


def _of_records(opened: Opened, found: Scan) -> tuple[Iterable[Violation], Mapping[str, State]]:
    if not keeps_records(opened):
        return (), {}
    from vaultd.judging.records.checking import judge_records  # noqa: PLC0415  -- most vaults hold no record

    judged = judge_records(opened, found.others)
    return judged.violations, judged.states


def _with_records(opened: Opened, notes: list[Violation], records: Iterable[Violation]) -> list[Violation]:
    if not keeps_records(opened):
        return notes
    from vaultd.judging.records.conflicts import in_between  # noqa: PLC0415  -- most vaults hold no record

    return in_between(opened, (*notes, *records))


def _unreadable(path: str) -> Violation:
    return Violation("V224", "warning", path, 1, "the file cannot be read", "check its permissions", subject=path)
