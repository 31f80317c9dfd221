"""Bring notes in from another folder, in one commit; what cannot come in stays where it is, and is named."""

from collections.abc import Callable
from pathlib import Path

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.occupied import occupant
from vaultd.commands.references import accepted_ground
from vaultd.errors import RejectedError, UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import Changeset, Stamp, Write
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.fields import refuse_names
from vaultd.lifecycle.importing import THERE, Arriving, Known, Plan, plan_memories, plan_whole
from vaultd.lifecycle.places import GLOBAL, Place, place_of
from vaultd.lifecycle.violations import Violation
from vaultd.notes.note import parse
from vaultd.values import replace
from vaultd.vault.foreign import Foreign, read_folder


def import_whole(opened: Opened, asked: Asked, source: Path, *, reason: str = "") -> Done:
    """Bring in the `memory/` and `notes/` of another folder, every byte as it is.

    Raises:
        UsageError: the folder has neither.
        RejectedError: nothing of it can come in.
    """
    opened.require_started()
    if not source.is_dir():
        raise UsageError(f"{source} is no folder", "name the folder that holds the notes")
    if not any((source / folder).is_dir() for folder in ("memory", "notes")):
        raise UsageError(f"{source} has no memory/ and no notes/", "--as-memories PROJECT takes plain Markdown")
    files = [one for folder in ("memory", "notes") for one in _read(source, folder)]
    return _import(opened, asked, source, files, lambda readable: _whole(opened, readable), reason)


def import_memories(opened: Opened, asked: Asked, source: Path, project: str, *, reason: str = "") -> Done:
    """Bring in plain Markdown as memories of a project: each gets the keys that every memory has.

    Raises:
        UsageError: no project can have this name.
        RejectedError: nothing of it can come in.
    """
    opened.require_started()
    project = "" if project == GLOBAL else project
    refuse_names(Place(project, "any"))
    stamp = Stamp(asked.now, opened.settings.zone)
    folder = opened.settings.folders.memory

    def plan(readable: list[tuple[str, bytes]]) -> Plan:
        return plan_memories(readable, project, folder, _known(opened), stamp, asked.new_id)

    return _import(opened, asked, source, list(read_folder(source)), plan, reason)


def _read(source: Path, folder: str) -> list[Foreign]:
    if not (source / folder).is_dir():
        return []
    return [replace(one, path=f"{folder}/{one.path}") for one in read_folder(source / folder)]


def _whole(opened: Opened, readable: list[tuple[str, bytes]]) -> Plan:
    return plan_whole(readable, opened.settings.folders, _known(opened))


def _import(
    opened: Opened,
    asked: Asked,
    source: Path,
    files: list[Foreign],
    make_plan: Callable[[list[tuple[str, bytes]]], Plan],
    reason: str,
) -> Done:
    """Carry a plan out; a note that breaks a rule is left behind, so that one bad note stops no other."""
    if not files:
        raise UsageError(f"{source} holds no Markdown", "notes are files that end in .md")
    plan = make_plan([(one.path, one.data) for one in files if not one.wrong])
    plan.left.update({one.path: one.wrong for one in files if one.wrong})
    while plan.arriving:
        try:
            done = carry_out(opened, _changeset(opened, source, plan.arriving, reason), asked)
        except RejectedError as exc:
            broken = {one.path: one for one in exc.violations if isinstance(one, Violation)}
            if not _leave(plan, broken):
                raise
        else:
            return replace(done, notices=(*done.notices, *_notices(opened, plan)))
    if THERE in plan.left.values():
        return Done(None, "", source.resolve().name, notices=_notices(opened, plan))
    told = _notices(opened, plan)
    more = f"; and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
    raise RejectedError(
        f"nothing of it can come in: {'; '.join(told[:_NAMED])}{more}", "mend the notes, then import again"
    )


_NAMED = 10
"""Notes that a refusal names."""


def _leave(plan: Plan, broken: dict[str, Violation]) -> bool:
    """Leave behind what breaks a rule; say whether anything does."""
    bad = [one for one in plan.arriving if one.path in broken]
    plan.left.update({one.source: f"{broken[one.path].code} {broken[one.path].message}" for one in bad})
    plan.arriving = [one for one in plan.arriving if one.path not in broken]
    return bool(bad)


def _changeset(opened: Opened, source: Path, arriving: list[Arriving], reason: str) -> Changeset:
    folders = opened.settings.folders
    events = []
    for one in arriving:
        has_id = place_of(one.path, folders.memory) is not None or one.path.startswith(folders.notes + "/")
        events.append(Event("created", one.id if has_id else "", one.path))
    several = f"{len(arriving)} notes" if len(arriving) > 1 else "a note"
    return Changeset(
        f"note: import {several} from {source.resolve().name}",
        tuple(events),
        tuple(Write(one.path, None, one.data) for one in arriving),
        reason=reason,
    )


def _notices(opened: Opened, plan: Plan) -> tuple[str, ...]:
    """Return what comes in as another thing than it was, and what stays out, and why."""
    folder = opened.settings.folders.memory
    plain = [
        f"{one.path} comes in as a plain note: memories lie in {folder}/PROJECT/NAME.md"
        for one in plan.arriving
        if one.id and one.path.startswith(f"{folder}/") and place_of(one.path, folder) is None
    ]
    moved = [f"{one.source} comes in as {one.path}" for one in plan.arriving if _elsewhere(opened, one)]
    left = [f"left out {path}: {why}" for path, why in sorted(plan.left.items()) if why != THERE]
    there = sum(why == THERE for why in plan.left.values())
    counted = [f"{there} of its notes are there already" if there > 1 else "1 of its notes is there already"]
    return (*plain, *moved, *left, *(counted if there else ()))


def _elsewhere(opened: Opened, one: Arriving) -> bool:
    folders = opened.settings.folders
    top, _, rest = one.source.partition("/")
    return top == "notes" and one.path.startswith(f"{folders.notes}/") and one.path != f"{folders.notes}/{rest}"


def _known(opened: Opened) -> Known:
    def at(path: str) -> bytes | None:
        taken = occupant(opened, path)
        return (opened.read(taken) or b"") if taken is not None else None

    ids = {id_: standing.path for id_, standing in accepted_ground(opened).standings.items()}
    for folder in (opened.settings.folders.memory, opened.settings.folders.notes):
        for file in (opened.root / folder).rglob("*.md"):
            path = file.relative_to(opened.root).as_posix()
            id_ = parse(opened.read(path) or b"").properties.get("id")
            if isinstance(id_, str):
                ids.setdefault(id_, path)
    return Known(at, ids)
