"""The fold over history: the accepted lifecycle at any commit, from git, cached by (commit, S) and nothing else.

A deleted index, a fresh clone, a rebase and a daemon that was off for a week are one code path: what is not in the cache
is folded again, and the answer is the same.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from itertools import islice

from vaultd.errors import UsageError
from vaultd.history.following import following
from vaultd.history.objects import Objects
from vaultd.history.repository import Repository, is_shallow
from vaultd.history.snapshots import tree
from vaultd.history.trailers import reverted, told
from vaultd.history.walk import Commit, commit_time, first_adding, is_ancestor, merge_bases, walk
from vaultd.index.mirror import Mirror
from vaultd.judging.blobs import Blobs, Version
from vaultd.judging.marks import CONFIG, MARKER
from vaultd.lifecycle.events import NOTHING_EXPLAINED, Event, Explained, explained_by
from vaultd.lifecycle.facts import Facts
from vaultd.lifecycle.ground import Ground, ground_of
from vaultd.lifecycle.merging import disagreeing
from vaultd.lifecycle.places import place_of
from vaultd.lifecycle.states import Standing
from vaultd.lifecycle.step import Change, Step, judge
from vaultd.lifecycle.storage import (
    FORMAT,
    dump_delta,
    dump_events,
    dump_ground,
    load_delta,
    load_events,
    load_ground,
)
from vaultd.lifecycle.transitions import Clock
from vaultd.settings import Folders, parse_settings
from vaultd.values import dataclass

__all__ = ["CONFIG", "MARKER", "Fold", "Folded", "explained_in"]

_AT_ONCE = 4_096
_NEVER = ""
_SNAPSHOT_EVERY = 64


@dataclass(frozen=True, slots=True)
class Folded:
    """The accepted lifecycle at a commit, and what a reader should know of how it was found."""

    commit: str
    ground: Ground
    notices: tuple[str, ...] = ()


class Fold:
    """Answers what was accepted at a commit; reads git and the cache, writes only the cache."""

    def __init__(self, repo: Repository, objects: Objects, mirror: Mirror | None, zone: tzinfo) -> None:
        self.repo = repo
        self.objects = objects
        self._mirror = mirror
        self._zone = zone
        self.blobs = Blobs(repo, objects, mirror)
        self._last: Folded | None = None
        self._unsaved = 0

    def at(self, head: str) -> Folded:
        """Return what is accepted at a commit."""
        if self._last is None or self._last.commit != head:
            self._last = self._fold(head)
        return self._last

    def elsewhere(self, commit: str) -> Ground:
        """Return what is accepted at a commit beside HEAD: a side of a merge, a merge base."""
        since = self._since_of_last(commit) or (self._get("folded") or _NEVER).partition(" ")[0]
        since = since or self._first_adding(commit)
        return _Run(self, since).upto(commit) if since else self.believed(commit)

    def _fold(self, head: str) -> Folded:
        since = self._since_of_last(head) or self._first_adding(head)
        while since:
            run = _Run(self, since)
            ground = run.upto(head)
            # Whoever adds the marker again, on a branch that came in, may be older than the S assumed.
            if not run.marks or (since := self._first_adding(head)) == run.since:
                self._put("folded", f"{run.since} {head}")
                return Folded(head, ground, self._shallow())
        notice = "no commit of this history made the folder a vault: HEAD is believed as it stands"
        return Folded(head, self.believed(head), (notice,))

    def _first_adding(self, head: str) -> str:
        return first_adding(self.repo, head, MARKER) or _NEVER

    def _since_of_last(self, head: str) -> str:
        """Return S of the commit folded last, where this one descends from it."""
        since, _, last = (self._get("folded") or _NEVER).partition(" ")
        return since if since and (last == head or self.follows(head, last)) else _NEVER

    def follows(self, commit: str, earlier: str) -> bool:
        """Say whether a commit has an earlier one in its history; a parent is seen without starting git."""
        header = (self.objects.read(commit) or b"").partition(b"\n\n")[0]
        return f"parent {earlier}".encode() in header.split(b"\n") or is_ancestor(self.repo, earlier, commit)

    def _shallow(self) -> tuple[str, ...]:
        return ("the clone is shallow: its oldest commits are believed",) if is_shallow(self.repo) else ()

    def eventful(self, head: str) -> frozenset[str]:
        """Return the commits in which something happened, as far as they were folded; others than HEAD's among them."""
        since = self._judged_since(head)
        return frozenset(self._mirror.eventful(self.key(since))) if since and self._mirror is not None else frozenset()

    def happened(self, head: str, commit: str) -> tuple[Event, ...] | None:
        """Return what happened in a commit of HEAD's history, None where it was believed and not judged."""
        since = self._judged_since(head)
        text = self._mirror.fold_events(self.key(since), commit) if since and self._mirror is not None else None
        return load_events(text) if text is not None else None

    def _judged_since(self, head: str) -> str:
        self.at(head)
        since, _, last = (self._get("folded") or _NEVER).partition(" ")
        return since if last == head else _NEVER

    # The cache --------------------------------------------------------------------------------------------------------

    def key(self, since: str) -> str:
        """Return what the cache files a fold under: S, and what its meaning depends on."""
        return f"{since}:{FORMAT}:{self._zone}"

    def last_folded(self, since: str) -> str:
        """Return the commit folded last from this S."""
        told, _, last = (self._get("folded") or _NEVER).partition(" ")
        return last if told == since else _NEVER

    def known(self, key: str, commit: str) -> Ground | None:
        """Return a ground without folding: the last answer, or the nearest snapshot and the steps that followed."""
        if self._last is not None and self._last.commit == commit:
            return self._last.ground.copy()
        if self._mirror is None:
            return None
        if (text := self._mirror.fold_snapshot(key, commit)) is not None:
            return load_ground(text)
        chain = self._mirror.fold_chain(key, commit)
        if not chain:
            return None
        _, parent, first = chain.pop() if chain[-1][1] == _NEVER else ("", chain[-1][1], None)
        start = first if first is not None else self._mirror.fold_snapshot(key, parent)
        if start is None:
            return None
        ground = load_ground(start)
        for _, _, text in reversed(chain):
            ground.replay(load_delta(text))
        return ground

    def save(
        self,
        key: str,
        head: str,
        ground: Ground,
        chains: Mapping[str, tuple[str, str]],
        happened: Mapping[str, str],
        commits: int,
    ) -> None:
        """Keep what a run folded; the whole ground only now and then, since it is large."""
        if self._mirror is None:
            return
        self._mirror.add_folds(key, chains, happened)
        self._unsaved += commits
        if self._unsaved >= _SNAPSHOT_EVERY:
            self._mirror.put_fold_snapshot(key, head, dump_ground(ground))
            self._unsaved = 0

    # What a run needs -------------------------------------------------------------------------------------------------

    def believed(self, commit: str) -> Ground:
        """Return a commit's files as first sights: believed as written."""
        folder = self.folder_at(commit)
        entries = tree(self.repo, commit, folder).values()
        versions = [(entry.path, entry.oid) for entry in entries if place_of(entry.path, folder) is not None]
        facts = self.blobs.facts(versions)
        changes = [Change(path, None, facts[path, oid]) for path, oid in versions]
        ground = Ground(folder)
        clock = self.clock(commit_time(self.repo, commit))
        ground.replay(judge(ground, Step(changes, clock, NOTHING_EXPLAINED)).delta)
        return ground

    def folder_at(self, commit: str) -> str:
        """Return the memory folder that a commit's own config names."""
        return self.folder_in(self.objects.read(f"{commit}:{self.repo.full(CONFIG)}"))

    def folder_in(self, config: bytes | None) -> str:
        """Return the memory folder a config names; one that cannot be read names the usual."""
        try:
            return parse_settings((config or b"").decode("utf-8", "replace")).folders.memory
        except UsageError:
            return Folders().memory

    def clock(self, seconds: int) -> Clock:
        """Return the clock of a commit."""
        return Clock(datetime.fromtimestamp(max(0, seconds), UTC), self._zone)

    def _get(self, name: str) -> str | None:
        return self._mirror.get(name) if self._mirror is not None else None

    def _put(self, name: str, text: str) -> None:
        if self._mirror is not None:
            self._mirror.put(name, text)


class _Run:
    """One walk from what the cache knows to a commit."""

    def __init__(self, fold: Fold, since: str) -> None:
        self.fold = fold
        self.since = since
        self.key = fold.key(since)
        self.marks = False
        """The walk met a commit that adds the marker."""
        self.live: dict[str, Ground] = {}
        self.waiting: Counter[str] = Counter()
        self.chains: dict[str, tuple[str, str]] = {}
        self.happened: dict[str, str] = {}

    def upto(self, head: str) -> Ground:
        """Return the ground of a commit, folding what the cache does not know."""
        if (ground := self.fold.known(self.key, head)) is not None:
            return ground
        commits = self.beyond(self.fold.last_folded(self.since), head)
        if not all(self.begin(parent) for parent in _outside(commits)):
            self.live.clear()
            commits = list(walk(self.fold.repo, head, [self.since]))
            for parent in _outside(commits):
                self.live[parent] = self.believed(parent)
        if not commits:
            self.live[head] = self.believed(head)
        self.waiting.update(parent for commit in commits for parent in commit.parents)
        remaining = iter(commits)
        while batch := list(islice(remaining, _AT_ONCE)):
            self.advance(batch)
        self.fold.save(self.key, head, self.live[head], self.chains, self.happened, len(commits))
        return self.live[head]

    def beyond(self, last: str, head: str) -> list[Commit]:
        """Return the commits behind the one folded last, or behind S where HEAD does not go on from that one."""
        if last and (one := following(self.fold.repo, self.fold.objects, head, last)) is not None:
            return [one]
        known = [last] if last and self.fold.follows(head, last) else []
        return list(walk(self.fold.repo, head, [self.since, *known]))

    def begin(self, parent: str) -> bool:
        """Make the ground of a commit outside the walk; False where only a walk from S can give it."""
        ground = self.fold.known(self.key, parent)
        if ground is None:
            if parent != self.since and not is_ancestor(self.fold.repo, parent, self.since):
                return False
            ground = self.believed(parent)
        self.live[parent] = ground
        return True

    def believed(self, commit: str) -> Ground:
        ground = self.fold.believed(commit)
        self.chains[commit] = (_NEVER, dump_ground(ground))
        return ground

    def advance(self, batch: Sequence[Commit]) -> None:
        versions = list(self.versions(batch))
        # A version that a later commit replaced is judged now and hardly ever looked at again.
        facts = self.fold.blobs.facts(versions, {oid for _, oid in versions} - set(dict(versions).values()))
        for commit in batch:
            self.fold_one(commit, facts)

    def versions(self, batch: Sequence[Commit]) -> Iterator[Version]:
        memories = tuple(f"{folder}/" for folder in self.folders(batch))
        for commit in batch:
            for change in commit.changes[0]:
                if change.path.endswith(".md") and change.path.startswith(memories):
                    for oid in (change.before, change.after):
                        if oid is not None:
                            yield change.path, oid

    def folders(self, batch: Iterable[Commit]) -> set[str]:
        """Return what the folder of memories is called at any of these commits."""
        before = {ground.folder for ground in self.live.values()}
        return before | {self.folder_of(commit, Folders().memory) for commit in batch}

    def fold_one(self, commit: Commit, facts: Mapping[tuple[str, str], Facts]) -> None:
        self.marks |= any(change.path == MARKER and change.before is None for change in commit.changes[0])
        first = commit.parents[0] if commit.parents else ""
        ground = self.take(first) if first else Ground(Folders().memory)
        others = [self.take(parent) for parent in commit.parents[1:]]
        folder = self.folder_of(commit, ground.folder)
        whole = not first or folder != ground.folder
        if folder != ground.folder:
            ground = ground_of(folder, ground.standings.values(), ground.open.values())
            changes = self.whole_tree(commit.oid, ground)
        else:
            changes = _changes(commit, folder, facts)
        step = Step(
            changes,
            self.fold.clock(commit.time),
            explained_in(commit.message),
            commit.oid,
            others,
            self.bases(commit.parents, ground, others) if others else (),
        )
        verdict = judge(ground, step) if changes or others or ground.open else None
        delta = verdict.delta if verdict is not None else None
        if delta is not None:
            ground.replay(delta)
        if verdict is not None and verdict.events:
            self.happened[commit.oid] = dump_events(verdict.events)
        self.chains[commit.oid] = (
            (_NEVER, dump_ground(ground)) if whole else (first, dump_delta(delta) if delta is not None else _NOTHING)
        )
        self.live[commit.oid] = ground

    def take(self, parent: str) -> Ground:
        """Return a parent's ground to change: the last child gets it as it is, the others a copy."""
        self.waiting[parent] -= 1
        if self.waiting[parent] > 0:
            return self.live[parent].copy()
        return self.live.pop(parent)

    def folder_of(self, commit: Commit, before: str) -> str:
        changed = [change for change in commit.changes[0] if change.path == CONFIG]
        if not changed:
            return before
        oid = changed[0].after
        return self.fold.folder_in(self.fold.objects.read(oid) if oid is not None else None)

    def whole_tree(self, commit: str, ground: Ground) -> list[Change]:
        """Return every memory file as changed: the folder has another name from this commit on."""
        entries = [entry for entry in tree(self.fold.repo, commit, ground.folder).values() if ground.place(entry.path)]
        facts = self.fold.blobs.facts((entry.path, entry.oid) for entry in entries)
        changes = [Change(entry.path, None, facts[entry.path, entry.oid]) for entry in entries]
        here = {entry.path for entry in entries}
        return changes + [Change(path, Facts(id=id_), None) for path, id_ in ground.at.items() if path not in here]

    def bases(self, parents: Sequence[str], ground: Ground, others: Sequence[Ground]) -> list[Mapping[str, Standing]]:
        """Return, for each merge base, the standings of the ids on which parents disagree."""
        ids = {id_ for other in others for id_ in disagreeing(ground, other)}
        if not ids:
            return []
        return [self.standings_at(base, ids) for base in merge_bases(self.fold.repo, parents)]

    def standings_at(self, commit: str, ids: Iterable[str]) -> dict[str, Standing]:
        """Return what was accepted of some memories at an earlier commit, by going back over the first parents."""
        wanted, found = set(ids), dict[str, Standing]()
        if commit in self.live:
            return {id_: s for id_ in wanted if (s := self.live[commit].standings.get(id_)) is not None}
        while wanted:
            known = self.chains.get(commit)
            if known is None:
                earlier = self.fold.known(self.key, commit) or self.fold.believed(commit)
                return found | {id_: s for id_ in wanted if (s := earlier.standings.get(id_)) is not None}
            parent, text = known
            standings = load_ground(text).standings if parent == _NEVER else load_delta(text).standings
            for id_ in wanted & standings.keys():
                if (standing := standings[id_]) is not None:
                    found[id_] = standing
            wanted -= standings.keys()
            if parent == _NEVER:
                return found
            commit = parent
        return found


_NOTHING = "[{},{}]"


def explained_in(message: str) -> Explained:
    """Return what a commit message explains."""
    reverts = reverted(message)
    if not reverts and "aultd-" not in message:
        return NOTHING_EXPLAINED
    return explained_by([(thing.event, thing.id) for thing in told(message)], reverts=reverts)


def _changes(commit: Commit, folder: str, facts: Mapping[tuple[str, str], Facts]) -> list[Change]:
    prefix = folder + "/"
    return [
        Change(
            change.path,
            facts[change.path, change.before] if change.before is not None else None,
            facts[change.path, change.after] if change.after is not None else None,
        )
        for change in commit.changes[0]
        if change.path.startswith(prefix) and place_of(change.path, folder) is not None
    ]


def _outside(commits: Sequence[Commit]) -> set[str]:
    return {parent for commit in commits for parent in commit.parents} - {commit.oid for commit in commits}
