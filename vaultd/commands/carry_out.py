"""The one road on which a change reaches files and history; nothing else calls `vault.writing` or `commit_paths`.

locks → bytes as assumed → nothing in git's way → result judged → intent → files → commit → intent forgotten.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from vaultd.commands.asking import Asked, Done, other_text
from vaultd.commands.departures import departures, displaced, staged_moves
from vaultd.commands.nested import refuse_nested
from vaultd.commands.placing import Placing, looks_of, missing_folders
from vaultd.commands.recorded import entries_of, facts_of_entries, refuse_set_aside, unrecorded
from vaultd.commands.refusing import rejection, waiting_error
from vaultd.commands.resting import let_editors_rest
from vaultd.commands.riding import arrived, riding
from vaultd.errors import ConflictError, StorageError, VaultdError
from vaultd.history.committing import NOTHING_STAGED, Refused, Staged, commit_paths, obstacle
from vaultd.history.repository import head_quick
from vaultd.history.snapshots import Entry
from vaultd.history.trailers import Told, tell
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Write, changed, digest
from vaultd.lifecycle.events import Event, Explained
from vaultd.lifecycle.facts import Facts, facts_of
from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.places import place_of
from vaultd.lifecycle.states import Standing
from vaultd.lifecycle.step import Change, Step, judge
from vaultd.lifecycle.transitions import Clock, Written, says
from vaultd.notes.note import parse
from vaultd.notes.times import render
from vaultd.values import dataclass
from vaultd.vault import crashing, intents
from vaultd.vault.folders import unmake
from vaultd.vault.locks import hold_paths
from vaultd.vault.looks import Look
from vaultd.vault.reading import read_stable

LOCK_PATIENCE = 10.0
_MANY = 16
MESSAGE_PATIENCE = 60.0
"""Seconds a command waits for somebody who is writing a commit message."""
_NOT_NOW = frozenset(
    {"detached", "merge", "rebase", "cherry-pick", "revert", "bisect", "am", "staged", "message", "busy"}
)
_MENDS = {
    "detached": "git switch BRANCH first",
    "merge": "finish the merge first, or abort it; vaultd record merge resolves what is in conflict among records",
    "staged": "commit or unstage it first: git restore --staged PATH",
    "message": "finish the commit message, then run it again",
    "identity": 'git config user.name "…" and git config user.email "…"',
    "ignored": "take the path out of .gitignore, or keep this memory outside the vault's history",
    "hook": "mend what the hook names, then run it again",
    "signing": "see git config user.signingkey; git config commit.gpgsign false turns signing off",
    "disk": "free space on the disk, then run it again",
    "busy": "another git command is at work; run it again",
    "git": "mend what git says, then run it again",
}


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A changeset about which every question is answered."""

    changeset: Changeset
    writes: tuple[Write, ...]
    carried: Mapping[str, bytes]
    """Files that go into the commit as they are: a successor that HEAD lacks."""
    kept: Mapping[str, bytes | None]
    """Files whose earlier edits get a commit of their own first; None where a person moved one away."""
    left: frozenset[str]
    """Old paths of what a person moved, where the command completes just that."""
    staged: Staged
    """What of all this may be in git's index already."""
    edited: frozenset[str]
    """Files that hold edits which no commit has, other than the one the command completes."""
    events: tuple[Event, ...]
    untracked: frozenset[str]
    """Paths that HEAD does not hold."""
    says: Mapping[str, Facts]
    """What the memories among its files will say."""


def carry_out(opened: Opened, changeset: Changeset, asked: Asked) -> Done:
    """Write a changeset and record it in one commit, or change nothing and say why.

    Raises:
        RejectedError: its result would break a rule.
        ConflictError: a file moved on, holds a waiting lifecycle change, or git is in the middle of something.
        StorageError: the disk or git refused; what was written is undone.
    """
    repo = opened.require_started()
    if not asked.dry_run:
        opened.claim()
    touched = {*changeset.paths, *changeset.assumes}
    with contextlib.ExitStack() as stack:
        if not asked.dry_run and opened.places.locks is not None:
            stack.enter_context(hold_paths(opened.places.locks, touched, LOCK_PATIENCE))
        prepared = _prepare(opened, changeset, asked)
        about = (*_recorded_paths(changeset), *prepared.carried, *prepared.kept, *prepared.left)
        wait_for_git(lambda: obstacle(repo, about, untracked=prepared.untracked, staged=prepared.staged))
        if asked.dry_run:
            return _planned(changeset)
        if not asked.at_once and let_editors_rest(opened.root, prepared.edited):
            prepared = _prepare(opened, changeset, asked)
        if prepared.kept:
            _commit_kept(opened, prepared.kept, prepared.staged)
        commit = _write_and_commit(opened, prepared, asked)
    return _done(changeset, commit)


def wait_for_git(find: Callable[[], Refused | None], patience: float = MESSAGE_PATIENCE, pause: float = 0.25) -> None:
    """Return when nothing stands in a commit's way; a message being written is waited for, the rest is refused.

    Raises:
        ConflictError: it may work later.
        StorageError: something must be mended first.
    """
    deadline = time.monotonic() + patience
    while (found := find()) is not None:
        if found.reason != "message" or time.monotonic() > deadline:
            raise refusal(found)
        time.sleep(pause)


def refusal(found: Refused) -> VaultdError:
    """Return the error that says why git would not commit, and what mends it."""
    paths = ": " + ", ".join(found.paths) if found.paths else ""
    message = f"nothing can be committed now ({found.reason}){paths}: {found.detail}"
    hint = _MENDS.get(found.reason, f"finish the {found.reason} first, or abort it")
    return ConflictError(message, hint) if found.reason in _NOT_NOW else StorageError(message, hint)


# Before anything is written --------------------------------------------------------------------------------------------


def _prepare(opened: Opened, changeset: Changeset, asked: Asked) -> _Prepared:
    writes = changed(changeset.writes)
    refuse_nested(opened.root, changeset.paths)
    for one in changeset.writes:
        _expect(opened, one.path, one.before)
    _expect_hash(changeset.writes, changeset.events[0].path, asked.expect_hash)
    assumed = {path: _assumed(opened, path, wanted) for path, wanted in changeset.assumes.items()}
    head = head_quick(opened.recorded)
    if head is None:
        raise ConflictError("the vault has no commit yet", "vaultd init commits what it makes")
    ground = opened.fold.at(head).ground
    recorded = _recorded_paths(changeset)
    there = {one.path: one.before for one in changeset.writes if one.before is not None} | assumed
    there |= displaced(opened, ground, changeset.writes)
    told = [one.path for one in changeset.writes if one.before is not None or one.after is None]
    moves = departures(opened, ground, there, told)
    own = {old for old in moves if ground.at[old] in changeset.completes}
    stored = entries_of(opened, head, [*recorded, *assumed, *moves])
    texts = {one.path: one.before for one in writes if one.before is not None}
    unlike = sorted(unrecorded(opened, stored, texts))
    refuse_set_aside(opened, unlike)
    edited = {path: texts[path] for path in unlike if facts_of(parse(texts[path])).id not in changeset.completes}
    leaving = {one.path for one in writes if one.after is None} - changeset.unrecorded
    kept: dict[str, bytes] = {path: data for path, data in edited.items() if path in stored or path in leaving}
    kept |= {new: there[new] for old, new in moves.items() if old not in own}
    came = {new: old for old, new in moves.items()}
    for path, data in kept.items():
        standing = ground.standings.get(ground.at.get(came.get(path, path), ""))
        if standing is not None:
            refuse_waiting(opened, standing, path, data, asked.now)
    loose = {path: data for path, data in assumed.items() if path not in stored and _in_memory(opened, path)}
    carried = {path: data for path, data in loose.items() if path not in kept}
    arrived = {new: there[new] for new in moves.values()}
    changes = _changes(opened, {**carried, **dict.fromkeys(moves), **arrived}, changeset, stored)
    events = _judge_result(opened, ground, changes, changeset, asked)
    untracked = frozenset({*recorded, *carried} - stored.keys())
    says = {change.path: change.after for change in changes if change.after is not None}
    away = dict.fromkeys(moves.keys() - own)
    staged = {**changeset.staged, **staged_moves(opened, moves, there)}
    return _Prepared(
        changeset, writes, carried, {**kept, **away}, frozenset(own), staged, frozenset(edited), events, untracked, says
    )


def _recorded_paths(changeset: Changeset) -> tuple[str, ...]:
    return tuple(path for path in changeset.paths if path not in changeset.unrecorded)


def _expect(opened: Opened, path: str, before: bytes | None) -> None:
    try:
        now: bytes | None = read_stable(opened.root, path).data
    except FileNotFoundError:
        now = None
    if now != before:
        raise ConflictError(f"{path} changed while the command was at work", "run it again")


def _expect_hash(writes: Sequence[Write], lead: str, wanted: str) -> None:
    """Refuse where the caller read another text of the file that the command is about.

    Of a memory that is being made there is none, so the hash is that of the memory it replaces.
    """
    if not wanted:
        return
    there = [one for one in writes if one.before is not None]
    about = next((one for one in there if one.path == lead), there[0] if there else None)
    if about is None or about.before is None:
        raise ConflictError(f"{lead} is not there yet, so it has no hash", "leave --expect-hash out")
    if digest(about.before) != wanted:
        raise other_text(about.path, digest(about.before))


def _assumed(opened: Opened, path: str, wanted: str) -> bytes:
    try:
        data = read_stable(opened.root, path).data
    except FileNotFoundError:
        data = b""
    if digest(data) != wanted:
        raise ConflictError(f"{path} changed while the command was at work", "run it again")
    return data


def _in_memory(opened: Opened, path: str) -> bool:
    return place_of(path, opened.settings.folders.memory) is not None


def refuse_waiting(opened: Opened, standing: Standing, path: str, data: bytes, now: datetime) -> None:
    """Refuse a file whose own lifecycle edit is not committed.

    Raises:
        ConflictError: it says something else than what is accepted.
    """
    facts = facts_of(parse(data))
    clock = Clock(now, opened.settings.zone)
    if facts.id != standing.id or not says(standing.state, Written(standing.id, path, facts), _Nobody(), clock):
        raise waiting_error(opened, path, standing.id, now)


class _Nobody:
    """Neighbours of a memory that is compared with nothing but its own past."""

    def resolve(self, text: str, path: str) -> tuple[str, ...]:
        del text, path
        return ()

    def may_succeed(self, id_: str) -> bool:
        del id_
        return False


def _changes(
    opened: Opened, beside: Mapping[str, bytes | None], changeset: Changeset, stored: Mapping[str, Entry]
) -> list[Change]:
    """Return what the files of memories say at HEAD, and what they will say."""
    memories = [one for one in changeset.writes if _in_memory(opened, one.path)]
    results = {**beside, **{one.path: one.after for one in memories}}
    there = {path: stored[path] for path in results if path in stored}
    before = facts_of_entries(opened, there, {one.path: one.before for one in memories})
    return [
        Change(path, before.get(path), facts_of(parse(after)) if after is not None else None)
        for path, after in results.items()
    ]


def _judge_result(
    opened: Opened, ground: Ground, changes: Sequence[Change], changeset: Changeset, asked: Asked
) -> tuple[Event, ...]:
    explained = Explained(
        restored=frozenset(event.id for event in changeset.events if event.name == "restored"),
        deleted=frozenset(event.id for event in changeset.events if event.name == "deleted"),
        reverts=bool(changeset.undoes),
    )
    verdict = judge(ground, Step(changes, Clock(asked.now, opened.settings.zone), explained))
    ids = _ids(changes) | {event.id for event in changeset.events if event.id}
    broken = [violation for violation in verdict.violations if violation.subject in ids]
    if broken:
        raise rejection(*broken)
    told = {event.id for event in changeset.events}
    beside = [event for event in verdict.events if event.id not in told and event.name == "created"]
    return (*changeset.events, *beside)


def _ids(changes: Iterable[Change]) -> set[str]:
    return {facts.id for change in changes for facts in (change.before, change.after) if facts and facts.id}


def put_back(opened: Opened, writes: Sequence[Write], asked: Asked) -> None:
    """Write files whose result is what HEAD accepts already: there is nothing to record.

    Raises:
        ConflictError: a file moved on.
        StorageError: the disk refused.
    """
    if not asked.dry_run:
        opened.claim()
    with contextlib.ExitStack() as stack:
        if not asked.dry_run and opened.places.locks is not None:
            stack.enter_context(hold_paths(opened.places.locks, [one.path for one in writes], LOCK_PATIENCE))
        for one in writes:
            _expect(opened, one.path, one.before)
        _expect_hash(writes, writes[0].path, asked.expect_hash)
        if asked.dry_run:
            return
        moved = changed(writes)
        held = _unrecorded(opened, moved, asked)
        placing = Placing(opened)
        absent = missing_folders(opened, (one.path for one in moved if one.after is not None))
        with _all_or_nothing(placing, held, absent):
            placing.put(moved)
        _forget(held)


# Writing ---------------------------------------------------------------------------------------------------------------


def _commit_kept(opened: Opened, kept: Mapping[str, bytes | None], staged: Staged) -> None:
    """Give edits that were there before the command a commit of their own: no agent is credited with a person's prose."""
    ids = {path: facts_of(parse(data)).id or "" for path, data in kept.items() if data is not None}
    names = ", ".join(sorted(path.rsplit("/", 1)[-1].removesuffix(".md") for path in ids))
    told = [Told("kept", id_, actor="unknown") for id_ in ids.values() if id_]
    staged = {path: blob for path, blob in staged.items() if path in kept}
    record(opened, kept, tell(f"note: keep edits of {names}", told), staged)


def _write_and_commit(opened: Opened, prepared: _Prepared, asked: Asked) -> str:
    changeset = prepared.changeset
    body = f"This reverts commit {changeset.undoes}." if changeset.undoes else ""
    message = tell(changeset.subject, told_of(prepared.events, asked.actor, changeset.reason), body)
    contents = {one.path: one.after for one in prepared.writes if one.after is not None}
    looks = looks_of(opened, prepared.writes)
    held = _intent(opened, prepared, asked, message, contents, looks)
    absent = missing_folders(opened, contents)
    placing = Placing(opened, looks)
    with _all_or_nothing(placing, held, absent):
        placing.put(prepared.writes)
        crashing.point("files written")
        after = {one.path: one.after for one in changeset.writes}
        files = {path: after[path] for path in _recorded_paths(changeset)} | dict.fromkeys(prepared.left)
        commit = record(opened, files | dict(prepared.carried), message, prepared.staged)
    placing.put_again()
    _learn(opened, prepared, contents)
    _forget(held)
    return commit


@contextlib.contextmanager
def _all_or_nothing(placing: Placing, held: intents.Held | None, absent: list[Path]) -> Iterator[None]:
    """Take back what stands, and let go of the intent, where the block is refused; it names what the disk kept."""
    try:
        yield
    except VaultdError as exc:
        placing.take_back()
        _forget(held)
        placing.take_back()  # on a full disk the intent took the room that the old text needs
        unmake(absent)
        stuck = placing.stuck(exc)
        if stuck is not None:
            raise stuck from exc
        raise


def _learn(opened: Opened, prepared: _Prepared, contents: Mapping[str, bytes]) -> None:
    """Spare the next fold from asking git for many texts that were at hand."""
    told = {(path, opened.blob_id(contents[path])): says for path, says in prepared.says.items() if path in contents}
    if len(told) >= _MANY:
        with contextlib.suppress(VaultdError):  # the commit stands; what is not kept is read again
            opened.fold.blobs.learn(told)


def record(opened: Opened, files: Mapping[str, bytes | None], message: str, staged: Staged = NOTHING_STAGED) -> str:
    """Commit exactly these files and return the commit.

    Raises:
        ConflictError: git is in the middle of something.
        StorageError: git refused.
    """
    riders = riding(opened, files)
    made = commit_paths(
        opened.recorded,
        {**riders, **files},
        message,
        hooks=opened.settings.commit_hooks,
        point=crashing.point,
        objects=opened.objects,
        staged=staged,
    )
    if isinstance(made, Refused):
        raise refusal(made)
    arrived(opened, riders)
    return made


def told_of(events: Iterable[Event], actor: str, reason: str = "") -> list[Told]:
    """Return events as a commit message tells them; of notes without an id only who, and why."""
    told = [Told(event.name, event.id, event.successor, actor, reason) for event in events if event.id]
    return told or [Told("", "", actor=actor, reason=reason)]


def _intent(
    opened: Opened,
    prepared: _Prepared,
    asked: Asked,
    message: str,
    contents: Mapping[str, bytes],
    looks: Mapping[str, Look],
) -> intents.Held | None:
    if opened.places.intents is None or not prepared.writes:
        return None
    intent = intents.Intent(
        id=asked.new_id(),
        at=render(asked.now),
        pid=os.getpid(),
        subject=prepared.changeset.subject,
        events=tuple((event.name, event.id) for event in prepared.events if event.id),
        steps=_steps(prepared.writes),
        message=message,
        unrecorded=tuple(sorted(prepared.changeset.unrecorded)),
        looks={one.path: looks[one.source] for one in prepared.writes if one.source in looks},
    )
    return intents.record(opened.places.intents, intent, contents)


def _unrecorded(opened: Opened, writes: Sequence[Write], asked: Asked) -> intents.Held | None:
    """Keep what is about to be written and will stand in no commit: a kill between leaves the old text beside the new."""
    if opened.places.intents is None or not writes:
        return None
    paths = tuple(sorted(one.path for one in writes))
    subject = f"put back {', '.join(paths)}"
    asked_at = (asked.new_id(), render(asked.now), os.getpid())
    intent = intents.Intent(*asked_at, subject, events=(), steps=_steps(writes), message="", unrecorded=paths)
    contents = {one.path: one.after for one in writes if one.after is not None}
    return intents.record(opened.places.intents, intent, contents)


def _steps(writes: Iterable[Write]) -> tuple[intents.Step, ...]:
    return tuple(intents.Step(one.path, intents.digest(one.before), intents.digest(one.after)) for one in writes)


def _forget(held: intents.Held | None) -> None:
    if held is not None:
        intents.forget(held)


def _planned(changeset: Changeset) -> Done:
    lines = [f"{_doing(one)} {one.path}" for one in changed(changeset.writes)]
    lead = changeset.events[0]
    return Done(lead.name, lead.id, lead.path, paths=changeset.paths, plan=(*lines, f"commit: {changeset.subject}"))


def _doing(one: Write) -> str:
    if one.before is None:
        return "create"
    return "remove" if one.after is None else "write"


def _done(changeset: Changeset, commit: str) -> Done:
    lead = changeset.events[0]
    after = next((one.after for one in changeset.writes if one.path == lead.path), None)
    return Done(
        lead.name,
        lead.id,
        lead.path,
        digest(after) if after is not None else "",
        commit,
        changeset.paths,
    )
