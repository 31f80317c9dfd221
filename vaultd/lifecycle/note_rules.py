"""Rules about one memory or work note: what its fields must say, its times, its tombstone line."""

from collections.abc import Iterator
from datetime import datetime, tzinfo
from shlex import quote

from vaultd.lifecycle.facts import Facts
from vaultd.lifecycle.places import GLOBAL, Place
from vaultd.lifecycle.states import Active, Archived, State, Superseded
from vaultd.lifecycle.violations import Severity, Violation
from vaultd.notes.times import parse_moment, same_moment
from vaultd.values import dataclass

KINDS = (
    "constraint",
    "runbook",
    "protocol",
    "gotcha",
    "decision",
    "refuted",
    "reference",
    "stage",
    "convention",
)
DESCRIPTION_LENGTH = 150
_MEMORY_KEYS = ("kind", "name", "description", "created", "updated", "valid_from")
_WORK_KEYS = ("title", "created", "updated")


@dataclass(frozen=True, slots=True)
class Subject:
    """A note under judgement: its path, what it says, and the zone its times are read in."""

    path: str
    facts: Facts
    zone: tzinfo

    def broken(self, code: str, key: str, message: str, hint: str = "", severity: Severity = "warning") -> Violation:
        """Return a violation at the line of a key."""
        return Violation(code, severity, self.path, self.facts.line(key), message, hint, subject=key)

    def instant(self, key: str) -> datetime | None:
        """Return a time field as an instant, None where it is absent or none."""
        text = getattr(self.facts, key)
        moment = parse_moment(text, self.zone) if isinstance(text, str) else None
        return moment.utc if moment is not None else None


def memory_violations(subject: Subject, place: Place, accepted: State | None) -> Iterator[Violation]:
    """Return what is wrong with a memory's own fields; `accepted` is None where its lifecycle is in question."""
    yield from kind_is_known(subject)
    yield from description_is_a_line(subject)
    yield from required_keys(subject, _MEMORY_KEYS)
    yield from fields_mirror_the_path(subject, place)
    yield from times_parse(subject)
    yield from times_are_in_order(subject)
    if accepted is not None:
        yield from tombstone_agrees(subject, accepted)


def work_note_violations(subject: Subject) -> Iterator[Violation]:
    """Return what is wrong with a work note's own fields."""
    yield from required_keys(subject, _WORK_KEYS)
    yield from times_parse(subject)
    yield from times_are_in_order(subject)


def kind_is_known(subject: Subject) -> Iterator[Violation]:
    """V105: the kind is one of the nine; another is indexed all the same."""
    kind = subject.facts.kind
    if kind is not None and kind not in KINDS:
        yield subject.broken("V105", "kind", f"kind: {kind} is not one of the nine", "one of " + ", ".join(KINDS))


def description_is_a_line(subject: Subject) -> Iterator[Violation]:
    """V105: the description is one line of at most 150 characters: the only text that lists show."""
    text = subject.facts.description
    if text is None:
        return
    if "\n" in text.strip("\n"):
        yield subject.broken("V105", "description", "the description has several lines", "say it in one line")
    elif len(text) > DESCRIPTION_LENGTH:
        yield subject.broken(
            "V105",
            "description",
            f"the description has {len(text)} characters",
            f"say it in {DESCRIPTION_LENGTH}; the body has room for the rest",
        )


def required_keys(subject: Subject, keys: tuple[str, ...]) -> Iterator[Violation]:
    """V105: the keys that every such note has are there; one violation names all that are missing."""
    missing = [key for key in keys if getattr(subject.facts, key) is None]
    if missing:
        names = ", ".join(missing)
        yield subject.broken("V105", "keys", f"missing: {names}", f"vaultd adopt {quote(subject.path)} adds them")


def fields_mirror_the_path(subject: Subject, place: Place) -> Iterator[Violation]:
    """V105: `name` and `project` say what the path says; the path decides."""
    facts = subject.facts
    if facts.name is not None and facts.name != place.name:
        yield subject.broken(
            "V105", "name", f"name: {facts.name}, but the file is {place.name}.md", f"write name: {place.name}"
        )
    project = "" if facts.project in (None, GLOBAL) else facts.project
    if project != place.project and not (facts.project is None and facts.name is None):
        told = f"project: {facts.project}" if facts.project is not None else "no project"
        mend = f"write project: {place.project}" if place.project else "remove the project key"
        yield subject.broken("V105", "project", f"{told}, but the folder is {place.project or GLOBAL}", mend)


def times_parse(subject: Subject) -> Iterator[Violation]:
    """V106: times are RFC 3339; one without a zone is read in the vault's."""
    for key in ("created", "updated", "valid_from", "invalid_at"):
        text = getattr(subject.facts, key)
        if text is None:
            continue
        moment = parse_moment(text, subject.zone)
        if moment is None:
            if key != "invalid_at":  # the lifecycle time is judged where it is accepted
                yield subject.broken("V106", key, f"{key}: {text} is not a time", "write it as 2026-11-30T18:00:00Z")
        elif not moment.zoned:
            yield subject.broken(
                "V106", key, f"{key}: {text} has no zone and is read in {subject.zone}", "add Z, or an offset"
            )


def times_are_in_order(subject: Subject) -> Iterator[Violation]:
    """V106: `created` is not after `updated`, nor `valid_from` after `invalid_at`."""
    for first, second in (("created", "updated"), ("valid_from", "invalid_at")):
        one, two = subject.instant(first), subject.instant(second)
        if one is not None and two is not None and one > two:
            yield subject.broken("V106", second, f"{second} lies before {first}", "one of the two is mistyped")


def tombstone_agrees(subject: Subject, accepted: State) -> Iterator[Violation]:
    """V108: the last line of an ended memory is its tombstone line, agreeing by id and kind; active ones carry none."""
    found = subject.facts.tombstone
    adopt = f"vaultd adopt {quote(subject.path)} writes it"
    match accepted:
        case Active() if found is not None:
            yield _at(subject, found.line, "an active memory ends with a tombstone line", "remove that line")
        case Archived() if found is None:
            yield _at(subject, 1, "archived, without a tombstone line", adopt)
        case Archived() if found is not None and found.successor is not None:
            yield _at(subject, found.line, "archived, but its tombstone line names a successor", "mend the line")
        case Superseded() if found is None:
            yield _at(subject, 1, "superseded, without a tombstone line", adopt)
        case Superseded(by=by) if found is not None and found.successor != by:
            yield _at(
                subject, found.line, f"superseded by {by}, but its tombstone line says otherwise", "mend the line"
            )
        case _:
            return


def beginnings_are_kept(subject: Subject, before: Facts) -> Iterator[Violation]:
    """V110: `valid_from` and `created` are written once; compared by value with the committed version."""
    for key in ("created", "valid_from"):
        old, new = getattr(before, key), getattr(subject.facts, key)
        if old is not None and old != new and (new is None or not same_moment(old, new, subject.zone)):
            yield subject.broken("V110", key, f"{key} was {old}", f"write {key}: {old}")


def format_violations(path: str, facts: Facts) -> Iterator[Violation]:
    """Return the V2xx findings of a note as violations at its path, at their own severity."""
    for finding in facts.findings:
        yield Violation(
            finding.code,
            FORMAT_SEVERITY.get(finding.code, "error"),
            path,
            finding.line,
            finding.message,
            finding.hint,
            finding.column,
            finding.subject,
        )


FORMAT_SEVERITY: dict[str, Severity] = {
    "V202": "info",
    "V211": "warning",
    "V212": "warning",
    "V214": "warning",
    "V215": "info",
}


def _at(subject: Subject, line: int, message: str, hint: str) -> Violation:
    return Violation("V108", "warning", subject.path, line, message, hint, subject="tombstone")
