"""Take the last change back: a commit that puts every file where it was before."""

from collections.abc import Callable, Iterator, Mapping

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.recorded import entries_of, unrecorded
from vaultd.commands.references import accepted_ground
from vaultd.commands.riding import STATE
from vaultd.errors import ConflictError, RejectedError, StorageError, UsageError
from vaultd.history import trailers
from vaultd.history.repository import head_quick
from vaultd.history.undoing import changed_by, commit_named, last_of_ours, oid_of
from vaultd.history.walk import Change, Commit, is_ancestor
from vaultd.judging.opened import Opened
from vaultd.judging.records.files import placed_in
from vaultd.lifecycle.changesets import Changeset, Write
from vaultd.lifecycle.events import Event, EventName
from vaultd.lifecycle.facts import facts_of
from vaultd.lifecycle.places import place_of
from vaultd.notes.note import parse
from vaultd.values import replace
from vaultd.vault.folders import above, unmake


def undo(opened: Opened, asked: Asked, *, commit: str = "", reason: str = "") -> Done:
    """Revert the last commit of a command, or the one that is named, if its files are still as it left them.

    Raises:
        UsageError: there is none, or it is no commit of a command.
        ConflictError: a file changed since; the message names it and the commit.
        RejectedError: a rule holds against it by now.
    """
    repo = opened.require_started()
    head = head_quick(repo)
    if head is None:
        raise UsageError("the vault has no commit yet", "vaultd init commits what it makes")
    oid = _named(opened, head, commit) if commit else last_of_ours(repo, head)
    if oid is None:
        raise UsageError("no commit of a command is left to take back", "git log, and git revert, for any other")
    taken = commit_named(repo, oid)
    changes = list(_own_changes(opened, taken))
    if not changes:
        raise UsageError(f"{oid[:10]} changed no file", "git log --stat shows what did")
    writes = _writes(opened, head, taken, changes)
    events = _events(opened, writes)
    _refuse_orphaning(opened, taken, events)
    changeset = Changeset(f'Revert "{taken.subject}"', tuple(events), tuple(writes), reason=reason, undoes=oid)
    done = carry_out(opened, changeset, asked)
    if not asked.dry_run:
        unmake(above(opened.root, (one.path for one in writes if one.after is None)))
    return replace(done, event="reverted", notices=(*done.notices, _told(taken, writes)))


def _told(taken: Commit, writes: list[Write]) -> str:
    files = f", in {len(writes)} files" if len(writes) > 1 else ""
    return f"takes back {taken.oid[:10]} {taken.subject}{files}"


def _named(opened: Opened, head: str, name: str) -> str:
    oid = oid_of(opened.recorded, name)
    if oid is None or not is_ancestor(opened.recorded, oid, head):
        raise UsageError(f"{name!r} is no commit of this branch", "vaultd log lists the commits of commands")
    taken = commit_named(opened.recorded, oid)
    if len(taken.parents) != 1 or not trailers.actor(taken.message):
        raise UsageError(f"{oid[:10]} is no commit of a command", f"git revert {oid[:10]} takes it back")
    return oid


def _own_changes(opened: Opened, commit: Commit) -> Iterator[Change]:
    """Give what the command changed; a memory that a person made, and that only went into the commit, stays."""
    records = f"{opened.settings.folders.records}/"
    told = trailers.told(commit.message)
    carries = bool(told) and told[0].event in {"superseded", "adopted"}
    for change in commit.changes[0]:
        carried = carries and change.before is None and not change.path.startswith(records)
        if not carried and not change.path.startswith(f"{STATE}/"):
            yield change


def _writes(opened: Opened, head: str, taken: Commit, changes: list[Change]) -> list[Write]:
    entries = entries_of(opened, head, [change.path for change in changes])
    for change in changes:
        entry = entries.get(change.path)
        if (entry.oid if entry is not None else None) != change.after:
            raise _changed_since(opened, taken, change.path)
    now = {change.path: opened.read(change.path) for change in changes}
    texts = {path: data for path, data in now.items() if data is not None}
    edited = unrecorded(opened, entries, texts) | (entries.keys() - texts.keys())
    if edited:
        raise ConflictError(
            f"{min(edited)} holds edits that are in no commit", "commit them, or take them back: git diff shows them"
        )
    wanted = [(change.path, change.before) for change in changes if change.before is not None]
    then = {path: data for path, _, data, _ in opened.fold.blobs.versions(wanted)}
    lost = [path for path, _ in wanted if path not in then]
    if lost:
        raise StorageError(f"git no longer has what {lost[0]} held", "git fsck says what else is gone")
    return _with_sources(opened, [Write(change.path, now[change.path], then.get(change.path)) for change in changes])


def _with_sources(opened: Opened, writes: list[Write]) -> list[Write]:
    """Say which file comes back from which path, so that it keeps its mode: by its bytes, its id, its name."""
    keys: tuple[Callable[[str, bytes | None], object], ...] = (
        lambda _, data: data,
        lambda path, data: _id(opened, path, data),
        lambda path, _: path.rpartition("/")[2],
    )
    found: dict[str, str] = {}
    for key in keys:
        places: dict[object, list[str]] = {}
        for one in writes:
            if one.before is not None:
                places.setdefault(key(one.path, one.before), []).append(one.path)
        for one in writes:
            wanted = key(one.path, one.after) if one.after is not None else None
            there = places.get(wanted, []) if wanted else []
            if one.path in there or len(there) == 1:
                found.setdefault(one.path, one.path if one.path in there else there[0])
    leaving = [one.path for one in writes if one.after is None]
    arriving = [one.path for one in writes if one.before is None]
    if len(leaving) == len(arriving) == 1:
        found.setdefault(arriving[0], leaving[0])
    return [replace(one, source=found.get(one.path, "")) for one in writes]


def _refuse_orphaning(opened: Opened, taken: Commit, events: list[Event]) -> None:
    """Refuse to take a memory away that has replaced another since: nothing would say what holds instead (V111)."""
    ground = accepted_ground(opened)
    own = {event.id for event in events}
    for event in events:
        replaced = ground.predecessors.get(event.id, frozenset()) - own if event.name == "deleted" else frozenset()
        if replaced:
            before = ground.standings[min(replaced)]
            raise RejectedError(
                f"V111 {event.path}: it replaced {before.path} since {taken.oid[:10]} {taken.subject!r}",
                f"vaultd memory restore {before.id} first; or vaultd memory delete {event.id} --yes, if it is to go",
            )


def _changed_since(opened: Opened, taken: Commit, path: str) -> ConflictError:
    later = changed_by(opened.recorded, taken.oid, path)
    short = taken.oid[:10]
    return ConflictError(
        f"{path} changed since {short} {taken.subject!r}" + (f", in {later}" if later else ""),
        f"take that back first, or mend the file by hand: git show {short}",
    )


def _events(opened: Opened, writes: list[Write]) -> list[Event]:
    """Tell what an undo does to each note, in the words that let every reader of history accept it."""
    now = {id_: one.path for one in writes if (id_ := _id(opened, one.path, one.before))}
    then = {id_: one.path for one in writes if (id_ := _id(opened, one.path, one.after))}
    texts = {one.path: one for one in writes}
    events = [
        Event(_event(texts, now.get(id_), then.get(id_)), id_, then.get(id_) or now[id_]) for id_ in {**then, **now}
    ]
    recorded = dict(_records(opened, writes))
    events += [Event("reverted", id_, path) for id_, path in recorded.items()]
    told = {*now.values(), *then.values(), *recorded.values()}
    plain = [Event("reverted", "", one.path) for one in writes if one.path not in told]
    return sorted([*events, *plain], key=lambda event: (event.name == "deleted", event.id == "", event.path))


def _records(opened: Opened, writes: list[Write]) -> Iterator[tuple[str, str]]:
    """Give the records that an undo brings, takes or changes: their ids, and where they lie or lay."""
    folders = opened.settings.folders
    inside = [one for one in writes if one.path.startswith((f"{folders.records}/", f"{folders.review}/"))]
    before = {one.record.id: one for write in inside for one in placed_in(write.path, write.before or b"")}
    after = {one.record.id: one for write in inside for one in placed_in(write.path, write.after or b"")}
    for id_ in {**before, **after}:
        was, will = before.get(id_), after.get(id_)
        there = will or was
        if there is not None and (was is None or will is None or was.record != will.record):
            yield id_, there.path


def _event(texts: Mapping[str, Write], now: str | None, then: str | None) -> EventName:
    if then is None:
        return "deleted"
    if now is not None and _ended(texts[now].before) and not _ended(texts[then].after):
        return "restored"
    return "reverted"


def _ended(data: bytes | None) -> bool:
    return data is not None and facts_of(parse(data)).invalid_at is not None


def _id(opened: Opened, path: str, data: bytes | None) -> str:
    """Return the id of a memory or work note."""
    folders = opened.settings.folders
    if data is None or not (place_of(path, folders.memory) or path.startswith(folders.notes + "/")):
        return ""
    return facts_of(parse(data)).id or ""
