"""Every violation of a vault at one moment, with the severities its config gives them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from shlex import quote

from vaultd.judging.present import Present
from vaultd.lifecycle.facts import Facts
from vaultd.lifecycle.note_rules import (
    Subject,
    beginnings_are_kept,
    format_violations,
    memory_violations,
    work_note_violations,
)
from vaultd.lifecycle.places import place_of
from vaultd.lifecycle.rule_book import RULES
from vaultd.lifecycle.states import State
from vaultd.lifecycle.violations import Severity, Violation
from vaultd.settings import Settings

LOCKED = frozenset(rule.code for rule in RULES if rule.locked)
_ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is checked: notes with what is accepted of them, at one moment."""

    present: Present
    facts: Mapping[str, Facts]
    """Every note's facts, by path."""
    problems: tuple[Violation, ...]
    """What the directory itself has wrong (V220–V227)."""
    committed: Callable[[Iterable[str]], Mapping[str, Facts]]
    """Gives the facts that HEAD holds of paths."""
    emptied: tuple[str, ...] = ()
    """Memory files without a byte, of which HEAD holds some."""


def check(snapshot: Snapshot, settings: Settings) -> list[Violation]:
    """Return every violation, ordered by path, line and code."""
    found = [
        *_lifecycle(snapshot),
        *_unrecorded(snapshot),
        *_emptied(snapshot),
        *_notes(snapshot, settings),
        *snapshot.problems,
    ]
    weighed = (weighed for violation in found if (weighed := weigh(violation, settings)) is not None)
    unique = {violation.identity: violation for violation in weighed}
    return sorted(unique.values(), key=lambda v: (v.path, v.line, _ORDER[v.severity], v.code, v.subject))


def weigh(violation: Violation, settings: Settings) -> Violation | None:
    """Return a violation at the severity that holds where it stands, None where it is switched off."""
    if violation.code in LOCKED:
        return violation
    severity: str = violation.severity
    if violation.code.startswith("V2") and severity == "error" and not _managed(violation.path, settings):
        severity = "warning"
    severity = settings.severity.get(violation.code, severity)
    for folder in sorted(settings.folder_severity, key=len):
        if violation.path.startswith(folder + "/"):
            severity = settings.folder_severity[folder].get(violation.code, severity)
    match severity:
        case "error" | "warning" | "info":
            return violation if severity == violation.severity else replace(violation, severity=severity)
        case _:
            return None


def rejected(present: Present) -> dict[str, str]:
    """Return, by path, the code of the rule that keeps a memory's written values from being accepted."""
    codes: dict[str, str] = {}
    for question in present.ground.open.values():
        for violation in question.violations:
            codes.setdefault(violation.path, violation.code)
    return codes


def _lifecycle(snapshot: Snapshot) -> Iterator[Violation]:
    yield from snapshot.present.verdict.violations
    for question in snapshot.present.base.open.values():
        if question.commit and question.violations:
            yield committed_unaccepted(question.violations[0], question.commit)


def committed_unaccepted(violation: Violation, commit: str) -> Violation:
    """V109: HEAD holds a lifecycle change that was not accepted."""
    return Violation(
        "V109",
        "error",
        violation.path,
        violation.line,
        f"commit {commit[:10]} holds a lifecycle change that is not accepted ({violation.code}: {violation.message})",
        f"vaultd revert {quote(violation.path)}",
        subject=violation.subject,
    )


def _unrecorded(snapshot: Snapshot) -> Iterator[Violation]:
    """V112: a memory that git does not record is not judged."""
    for path in snapshot.present.unrecorded:
        facts = snapshot.facts.get(path)
        if facts is not None and facts.id is not None:
            yield Violation(
                "V112", "info", path, 1, "git ignores this memory: its lifecycle is not recorded", subject=facts.id
            )


def _emptied(snapshot: Snapshot) -> Iterator[Violation]:
    """V226: a memory's file is empty, and HEAD's is not."""
    for path in snapshot.emptied:
        yield Violation(
            "V226",
            "warning",
            path,
            1,
            "the file is empty; HEAD holds its text",
            f"git restore {quote(path)}",
            subject=path,
        )


def _notes(snapshot: Snapshot, settings: Settings) -> Iterator[Violation]:
    zone, folders = settings.zone, settings.folders
    states = {s.path: s.state for s in snapshot.present.ground.standings.values() if not s.gone}
    changed = {change.path for change in snapshot.present.changes}
    before = snapshot.committed(changed & snapshot.facts.keys()) if snapshot.present.head is not None else {}
    plain: dict[str, int] = {}
    for path, facts in snapshot.facts.items():
        yield from format_violations(path, facts)
        place = place_of(path, folders.memory)
        if place is not None and facts.id is not None:
            subject = Subject(path, facts, zone)
            yield from memory_violations(subject, place, _settled(path, facts, snapshot, states))
            if path in before and before[path].id == facts.id:
                yield from beginnings_are_kept(subject, before[path])
        elif path.startswith(folders.notes + "/") and facts.id is not None:
            yield from work_note_violations(Subject(path, facts, zone))
        elif place is not None and facts.readable:
            folder = path.rsplit("/", 1)[0]
            plain[folder] = plain.get(folder, 0) + 1
    yield from (_plain_notes(folder, count) for folder, count in plain.items())


def _settled(path: str, facts: Facts, snapshot: Snapshot, states: Mapping[str, State]) -> State | None:
    """Return the accepted state where the file says just that; None where its lifecycle is in question."""
    return states.get(path) if facts.id is not None and facts.id not in snapshot.present.ground.open else None


def _plain_notes(folder: str, count: int) -> Violation:
    """V105: files without an id below the memory folder are plain notes, told once a folder."""
    files = "1 file has" if count == 1 else f"{count} files have"
    return Violation(
        "V105", "info", folder, 1, f"{files} no id: plain notes, no memories", "vaultd adopt PATH makes one a memory"
    )


def _managed(path: str, settings: Settings) -> bool:
    return any(path.startswith(folder + "/") for folder in settings.folders.managed())
