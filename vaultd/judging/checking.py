"""Every violation of a vault at one moment, with the severities its config gives them."""

from collections.abc import Iterator, Mapping
from shlex import quote

from vaultd.judging.gists import Gist
from vaultd.judging.present import Present
from vaultd.judging.weighing import LOCKED, ordered, weigh
from vaultd.lifecycle.note_rules import Subject, beginnings_are_kept
from vaultd.lifecycle.states import successor_of
from vaultd.lifecycle.violations import Violation
from vaultd.settings import Settings
from vaultd.values import dataclass

__all__ = ["LOCKED", "Snapshot", "check", "committed_unaccepted", "ordered", "rejected", "weigh"]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is checked: notes with what is accepted of them, at one moment."""

    present: Present
    gists: Mapping[str, Gist]
    """Every note's gist, by path."""
    emptied: tuple[str, ...] = ()
    """Memory files without a byte, of which HEAD holds some."""


def check(snapshot: Snapshot, settings: Settings) -> list[Violation]:
    """Return every violation of notes, ordered by path, line and code."""
    found = [
        *_lifecycle(snapshot),
        *_unrecorded(snapshot),
        *_emptied(snapshot),
        *_dangling(snapshot),
        *_ids_but_for_case(snapshot),
        *_notes(snapshot),
        *_beginnings(snapshot, settings),
    ]
    return ordered(found, settings)


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
        gist = snapshot.gists.get(path)
        if gist is not None and gist.id is not None:
            yield Violation(
                "V112", "info", path, 1, "git ignores this memory: its lifecycle is not recorded", subject=gist.id
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


def _dangling(snapshot: Snapshot) -> Iterator[Violation]:
    """V103, as a warning: an accepted edge whose successor was deleted since; the chain ends there."""
    standings = snapshot.present.ground.standings
    for standing in standings.values():
        successor = successor_of(standing.state)
        if successor is not None and successor not in standings and not standing.gone:
            yield Violation(
                "V103",
                "warning",
                standing.path,
                1,
                f"its successor {successor} was deleted: nothing says what holds instead",
                f"vaultd log {successor} tells when; vaultd memory restore {standing.id} brings this one back",
                subject=f"{standing.id} dangles",
            )


def _ids_but_for_case(snapshot: Snapshot) -> Iterator[Violation]:
    """V105: two ids are not one and the same to whoever reads them without case, as ULIDs are read."""
    standings = snapshot.present.ground.standings
    if len({id_.upper() for id_ in standings}) == len(standings):
        return
    first: dict[str, str] = {}
    for id_ in sorted(id_ for id_, standing in standings.items() if not standing.gone):
        other = first.setdefault(id_.upper(), id_)  # capitals, as ids are made, sort first
        if other != id_:
            yield Violation(
                "V105",
                "warning",
                standings[id_].path,
                1,
                f"the id {id_} is that of {standings[other].path} but for its case: others may take the two for one",
                f"where one is a copy: vaultd memory delete {quote(id_)} --yes",
                subject=id_,
            )


def _notes(snapshot: Snapshot) -> Iterator[Violation]:
    plain: dict[str, int] = {}
    for path, gist in snapshot.gists.items():
        yield from gist.violations
        if gist.plain:
            folder = path.rsplit("/", 1)[0]
            plain[folder] = plain.get(folder, 0) + 1
    yield from (_plain_notes(folder, count) for folder, count in plain.items())


def _beginnings(snapshot: Snapshot, settings: Settings) -> Iterator[Violation]:
    for change in snapshot.present.changes:
        before, after = change.before, change.after
        if before is not None and after is not None and after.id is not None and before.id == after.id:
            yield from beginnings_are_kept(Subject(change.path, after, settings.zone), before)


def _plain_notes(folder: str, count: int) -> Violation:
    """V105: files without an id below the memory folder are plain notes, told once a folder."""
    files = "1 file has" if count == 1 else f"{count} files have"
    return Violation(
        "V105", "info", folder, 1, f"{files} no id: plain notes, no memories", "vaultd adopt PATH makes one a memory"
    )
