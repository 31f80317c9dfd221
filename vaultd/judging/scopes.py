"""What `check` looks at: the working tree, what is staged, HEAD, or a stretch of history."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from shlex import quote

from vaultd.history.repository import head_quick, merge_heads
from vaultd.history.snapshots import Entry, StagedChange, staged, tree
from vaultd.history.walk import resolved, walk
from vaultd.judging.checking import Snapshot, check, committed_unaccepted, weigh
from vaultd.judging.gists import gist_of
from vaultd.judging.opened import Opened
from vaultd.judging.present import NO_HISTORY, Present, shape_only
from vaultd.judging.records.presence import CATALOG, keeps_records
from vaultd.lifecycle.facts import Facts
from vaultd.lifecycle.note_rules import format_violations
from vaultd.lifecycle.transitions import Clock
from vaultd.lifecycle.violations import Violation
from vaultd.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found, and how many notes it looked at."""

    violations: tuple[Violation, ...]
    notes: int
    notices: tuple[str, ...] = ()


def check_staged(opened: Opened, now: datetime, head: str, changes: Sequence[StagedChange]) -> Checked:
    """Return the violations that committing the index of git would introduce, given what is staged; no file is read.

    What was wrong at a parent already is not this commit's fault, so that one old error never blocks a backup.
    """
    if not merge_heads(opened.recorded) and not any(
        _below(change[0], opened.settings.folders.memory) for change in changes
    ):
        return _plain_notes(opened, head, changes)
    present = opened.presence.of_index(changes, now, opened.explained())
    if present is None:
        return Checked((), 0, (NO_HISTORY,))
    known = {violation.identity for violation in _at_parents(present)}
    notes = [change for change in changes if _is_markdown(change)]
    found = [
        *(_with_unstaged(v, opened) for v in present.verdict.violations),
        *_format_changes(opened, notes),
        *_staged_records(opened, head, changes),
    ]
    weighed = (weighed for v in found if v.identity not in known and (weighed := weigh(v, opened.settings)))
    return Checked(_sorted(weighed), len(notes), present.notices)


def _plain_notes(opened: Opened, head: str, changes: Sequence[StagedChange]) -> Checked:
    """Return what is wrong where no memory is staged, so that what is accepted need not be known."""
    notes = [change for change in changes if _is_markdown(change)]
    found = [*_format_changes(opened, notes), *_staged_records(opened, head, changes)]
    weighed = (weighed for v in found if (weighed := weigh(v, opened.settings)))
    return Checked(_sorted(weighed), len(notes))


def _below(path: str, folder: str) -> bool:
    return path.startswith(folder + "/")


def _is_markdown(change: StagedChange) -> bool:
    return change[0].endswith(".md")


def check_head(opened: Opened, now: datetime) -> Checked:
    """Return every violation of what HEAD holds, the changes it should not hold among them."""
    repo = opened.recorded
    head = head_quick(repo)
    present = opened.presence.of_head(now) if head is not None else None
    if head is None or present is None:
        return Checked((), 0, (NO_HISTORY,))
    entries = {path: entry for path, entry in tree(repo, head).items() if _is_note(path)}
    facts = _stored(opened, entries)
    gists = {
        path: gist_of(path, entries[path].oid, fact, present.ground, opened.settings) for path, fact in facts.items()
    }
    found = [*check(Snapshot(present, gists), opened.settings), *_breaches(opened, head), *_standing(opened, head)]
    return Checked(_sorted(found), len(facts), present.notices)


def check_history(opened: Opened, ranges: Sequence[str]) -> Checked:
    """Return the lifecycle changes that commits hold and that are not accepted: V109, each naming its commit.

    Args:
        opened: the vault.
        ranges: revisions as `git log` takes them (`A..B`, `B`); none means all of HEAD's history.
    """
    repo = opened.recorded
    found: list[Violation] = []
    seen: set[str] = set()
    notices: tuple[str, ...] = ()
    for new, excluded in [resolved(repo, text) for text in ranges] or [(head_quick(repo), [])]:
        if new is None:
            continue
        folded = opened.fold.at(new)
        notices = folded.notices
        within = {commit.oid for commit in walk(repo, new, excluded)} if excluded else None
        found += [
            committed_unaccepted(question.violations[0], question.commit)
            for question in folded.ground.open.values()
            if question.commit and question.violations and (within is None or question.commit in within)
        ]
        found += _breaches(opened, new, frozenset(within) if within is not None else None)
        found += _standing(opened, new, excluded)
        seen.add(new)
    return Checked(_sorted(found), len(seen), notices)


def only(checked: Checked, paths: Iterable[str]) -> Checked:
    """Return the part of a check that lies at or below some paths."""
    wanted = [path.rstrip("/") for path in paths]
    if not wanted or "." in wanted:
        return checked
    kept = tuple(v for v in checked.violations if any(v.path == w or v.path.startswith(w + "/") for w in wanted))
    return replace(checked, violations=kept)


def _staged_records(opened: Opened, head: str, changes: Sequence[StagedChange]) -> list[Violation]:
    folders = opened.settings.folders
    tops = (folders.records + "/", folders.review + "/", CATALOG)
    if not any(change[0].startswith(tops) for change in changes):
        return []
    from vaultd.judging.records.staged import check_staged_records  # noqa: PLC0415  -- most commits hold no record

    return check_staged_records(opened, head, changes)


def _breaches(opened: Opened, head: str, within: frozenset[str] | None = None) -> list[Violation]:
    if not keeps_records(opened):
        return []
    from vaultd.judging.records.checking import committed_breaches  # noqa: PLC0415  -- most vaults hold no record

    return committed_breaches(opened, head, within)


def _standing(opened: Opened, head: str, excluded: Sequence[str] = ()) -> list[Violation]:
    if not keeps_records(opened):
        return []
    from vaultd.judging.records.staged import standing_at  # noqa: PLC0415  -- most vaults hold no record

    return standing_at(opened, head, excluded)


def check_first_commit(opened: Opened, now: datetime) -> Checked:
    """Return the violations that the first commit of a repository would introduce."""
    facts = _stored(opened, {path: entry for path, entry in staged(opened.recorded).items() if _is_note(path)})
    present = shape_only(facts, opened.settings.folders.memory, Clock(now, opened.settings.zone))
    found = [*present.verdict.violations, *(v for path, fact in facts.items() for v in format_violations(path, fact))]
    weighed = (weighed for v in found if (weighed := weigh(v, opened.settings)) is not None)
    return Checked(_sorted(weighed), len(facts), present.notices)


def _at_parents(present: Present) -> Iterator[Violation]:
    for ground in (present.base, *present.others):
        for question in ground.open.values():
            yield from question.violations


def _format_changes(opened: Opened, changes: Sequence[StagedChange]) -> Iterator[Violation]:
    """Return the V2xx findings that a staged version has and its versions at the parents had not."""
    sides = [tree(opened.recorded, oid) for oid in merge_heads(opened.recorded)] if changes else []
    earlier = {
        path: [old, *(side[path].oid for side in sides if path in side)]
        for path, old, new in changes
        if new is not None
    }
    versions = [(path, oid) for path, _, new in changes if new for oid in (new, *earlier[path]) if oid is not None]
    facts = opened.fold.blobs.facts(versions)
    for path, _, new in changes:
        if new is None:
            continue
        before = {(f.code, f.subject) for old in earlier[path] if old is not None for f in facts[path, old].findings}
        for violation in format_violations(path, facts[path, new]):
            if (violation.code, violation.subject) not in before:
                yield violation


def _with_unstaged(violation: Violation, opened: Opened) -> Violation:
    """Say so where the missing successor exists and was only not staged."""
    if violation.code != "V103" or not violation.message.startswith("no memory is "):
        return violation
    wanted = violation.message.removeprefix("no memory is ").strip("'\"")
    folder = opened.root / opened.settings.folders.memory
    for file in folder.glob("*/*.md"):
        path = file.relative_to(opened.root).as_posix()
        data = opened.read(path)
        if (
            data is not None
            and (wanted.encode() in data[:2048] or file.stem == wanted.strip("[]"))
            and path != violation.path
        ):
            return replace(
                violation, message=f"{violation.message} (exists but is not staged)", hint=f"git add {quote(path)}"
            )
    return violation


def _stored(opened: Opened, entries: Mapping[str, Entry]) -> dict[str, Facts]:
    versions = [(path, entry.oid) for path, entry in entries.items()]
    return {path: facts for (path, _), facts in opened.fold.blobs.facts(versions).items()}


def _is_note(path: str) -> bool:
    return path.endswith(".md") and not any(part.startswith(".") for part in path.split("/"))


def _sorted(violations: Iterable[Violation]) -> tuple[Violation, ...]:
    unique = {violation.identity: violation for violation in violations}
    return tuple(sorted(unique.values(), key=lambda v: (v.path, v.line, v.code, v.subject)))
