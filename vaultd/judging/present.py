"""The step from HEAD to what is on disk, or to the index of git: what is accepted now, and what is held back."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, tzinfo

from vaultd.history.repository import Repository, head_quick, merge_heads
from vaultd.history.snapshots import Entry, ignored, sparse, tree, tree_after
from vaultd.history.walk import merge_bases
from vaultd.judging.folding import Fold
from vaultd.lifecycle.events import NOTHING_EXPLAINED, Explained
from vaultd.lifecycle.facts import UNREADABLE, Facts
from vaultd.lifecycle.ground import Delta, Ground
from vaultd.lifecycle.merging import disagreeing
from vaultd.lifecycle.places import place_of
from vaultd.lifecycle.states import Standing
from vaultd.lifecycle.step import Change, Step, Verdict, judge
from vaultd.lifecycle.transitions import Clock
from vaultd.values import dataclass, field

NO_HISTORY = "no history: shape rules only"
MARKER_GONE = ".vaultd/vault-id is gone, its history is judged all the same: vaultd init brings it back"


@dataclass(frozen=True, slots=True)
class Present:
    """What is accepted now, and how it was reached."""

    head: str | None
    base: Ground
    """Accepted at HEAD."""
    ground: Ground
    """Accepted now."""
    verdict: Verdict
    changes: tuple[Change, ...]
    """Memory files that differ from HEAD."""
    stored: Mapping[str, Entry] = field(default_factory=dict)
    """What HEAD holds of the memory folder."""
    unrecorded: frozenset[str] = frozenset()
    """Memory files that git ignores or the sparse checkout leaves out: never judged (V112)."""
    notices: tuple[str, ...] = ()
    others: tuple[Ground, ...] = ()
    """In a merge, what is accepted at the other parents."""


def shape_only(files: Mapping[str, Facts], folder: str, clock: Clock) -> Present:
    """Return what files say without a history to compare them with: every one a first sight."""
    changes = tuple(Change(path, None, facts) for path, facts in files.items() if place_of(path, folder) is not None)
    base = Ground(folder)
    verdict = judge(base, Step(changes, clock, NOTHING_EXPLAINED))
    return Present(None, base, _after(base, verdict.delta), verdict, changes, notices=(NO_HISTORY,))


class Presence:
    """Judges the working tree and the index of git against HEAD; keeps what HEAD holds between questions."""

    def __init__(self, repo: Repository, fold: Fold, folder: str, zone: tzinfo) -> None:
        self._repo = repo
        self._fold = fold
        self._folder = folder
        self._zone = zone
        self._stored: tuple[str, dict[str, Entry]] = ("", {})

    def of_tree(
        self,
        keys: Mapping[str, str],
        facts: Callable[[Iterable[str]], Mapping[str, Facts]],
        now: datetime,
        explained: Explained = NOTHING_EXPLAINED,
    ) -> Present | None:
        """Return what is accepted on disk; None before the first commit.

        Args:
            keys: path to blob id of every memory file on disk.
            facts: gives the facts of paths among them.
            now: the moment the files are judged at.
            explained: what live intents tell.
        """
        head = head_quick(self._repo)
        if head is None:
            return None
        stored = self.stored(head)
        changed = [path for path, key in keys.items() if path not in stored or stored[path].oid != key]
        missing = [path for path in stored if path not in keys]
        unrecorded = frozenset(ignored(self._repo, [path for path in changed if path not in stored]))
        left_out = frozenset(sparse(self._repo)) if missing else frozenset()
        judged = [path for path in changed if path not in unrecorded]
        before = self._stored_facts(stored, (*judged, *missing))
        after = facts(judged)
        changes = [Change(path, before.get(path), after.get(path, UNREADABLE)) for path in judged]
        changes += [Change(path, before.get(path), None) for path in missing if path not in left_out]
        return self._verdict_on(head, stored, changes, now, explained, unrecorded | (left_out & set(missing)))

    def of_index(
        self, staged: Iterable[tuple[str, str | None, str | None]], now: datetime, explained: Explained
    ) -> Present | None:
        """Return what would be accepted if the index of git were committed; None before the first commit.

        Args:
            staged: path, blob at HEAD and blob in the index of what differs between the two.
            now: the moment it is judged at.
            explained: what live intents tell.
        """
        head = head_quick(self._repo)
        if head is None:
            return None
        memories = [change for change in staged if place_of(change[0], self._folder) is not None]
        versions = [(path, oid) for path, *both in memories for oid in both if oid is not None]
        with self._fold.blobs.asked(path for path, _ in versions):
            self._fold.at(head)
        facts = self._fold.blobs.facts(versions)
        changes = [
            Change(path, facts[path, old] if old else None, facts[path, new] if new else None)
            for path, old, new in memories
        ]
        return self._verdict_on(head, {}, changes, now, explained, frozenset())

    def of_head(self, now: datetime) -> Present | None:
        """Return what is accepted at HEAD and nothing else; None before the first commit."""
        return self.of_index((), now, NOTHING_EXPLAINED)

    def stored(self, head: str) -> dict[str, Entry]:
        """Return the memory files of a commit."""
        last, known = self._stored
        if last != head:
            found = tree_after(self._repo, known, last, head, self._folder) if last else self._whole(head)
            self._stored = (head, self._memories(found))
        return self._stored[1]

    def _whole(self, head: str) -> dict[str, Entry]:
        return tree(self._repo, head, self._folder)

    def _verdict_on(
        self,
        head: str,
        stored: Mapping[str, Entry],
        changes: list[Change],
        now: datetime,
        explained: Explained,
        unrecorded: frozenset[str],
    ) -> Present:
        folded = self._fold.at(head)
        others = [self._fold.elsewhere(oid) for oid in merge_heads(self._repo)]
        step = Step(changes, Clock(now, self._zone), explained, "", others, self._bases(head, folded.ground, others))
        verdict = judge(folded.ground, step)
        ground = _after(folded.ground, verdict.delta)
        return Present(
            head, folded.ground, ground, verdict, tuple(changes), stored, unrecorded, folded.notices, tuple(others)
        )

    def _bases(self, head: str, ground: Ground, others: list[Ground]) -> list[Mapping[str, Standing]]:
        if not others:
            return []
        ids = {id_ for other in others for id_ in disagreeing(ground, other)}
        grounds = [self._fold.elsewhere(base) for base in merge_bases(self._repo, [head, *merge_heads(self._repo)])]
        return [{id_: s for id_ in ids if (s := base.standings.get(id_)) is not None} for base in grounds]

    def _memories(self, entries: Mapping[str, Entry]) -> dict[str, Entry]:
        return {path: entry for path, entry in entries.items() if place_of(path, self._folder) is not None}

    def _stored_facts(self, entries: Mapping[str, Entry], paths: Iterable[str]) -> dict[str, Facts]:
        versions = [(path, entries[path].oid) for path in paths if path in entries]
        return {path: facts for (path, _), facts in self._fold.blobs.facts(versions).items()}


def _after(ground: Ground, delta: Delta) -> Ground:
    if delta.empty:
        return ground
    after = ground.copy()
    after.replay(delta)
    return after
