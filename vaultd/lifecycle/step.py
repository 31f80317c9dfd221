"""One step of the fold: from the accepted lifecycle of a commit's parents to that of the files it holds.

The working tree, the index of git and every commit are judged by this one function, so that no road into the vault is
softer than another.
"""

from collections.abc import Iterable, Mapping, Sequence

from vaultd.lifecycle.events import Event, EventName, Explained
from vaultd.lifecycle.facts import ABSENT, Facts
from vaultd.lifecycle.ground import Delta, Ground, Open
from vaultd.lifecycle.merging import disagreeing, held_of, priors_of
from vaultd.lifecycle.naming import deny_names
from vaultd.lifecycle.resolving import Resolver
from vaultd.lifecycle.states import Active, Archived, Standing, State, Superseded
from vaultd.lifecycle.transitions import (
    Clock,
    Written,
    first_state,
    left_violation,
    put_back,
    says,
    time_problems,
    transition,
    way_back,
)
from vaultd.lifecycle.violations import Violation
from vaultd.notes.names import conflict_original
from vaultd.values import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Change:
    """One file below the memory folder that differs from the first parent: None where there is none."""

    path: str
    before: Facts | None
    after: Facts | None


@dataclass(frozen=True, slots=True)
class Step:
    """What is judged: the files that changed, and what is known of how and when."""

    changes: Sequence[Change]
    clock: Clock
    explained: Explained
    commit: str = ""
    """The commit that holds the files; empty for the working tree, the index, and what is believed."""
    others: Sequence[Ground] = ()
    """In a merge, the grounds of the other parents."""
    bases: Sequence[Mapping[str, Standing]] = ()
    """In a merge, for each merge base the standings of the ids that parents disagree on."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a step accepted and what it held back."""

    delta: Delta
    events: tuple[Event, ...]
    violations: tuple[Violation, ...]
    """Every error of the memories that the step looked at, accepted or not."""


@dataclass(slots=True)
class _Case:
    """One memory under judgement."""

    id: str
    files: tuple[tuple[str, Facts], ...]
    owner: Written | None
    priors: tuple[Standing, ...]
    held: Standing | None
    after: Standing | None = None
    event: EventName | None = None
    violations: list[Violation] = field(default_factory=list)

    @property
    def fresh(self) -> bool:
        return not self.priors


def judge(ground: Ground, step: Step) -> Verdict:
    """Return what a step changes on the ground of the first parent, which stays as it is."""
    return _Judgement(ground, step).verdict()


class _Judgement:
    def __init__(self, ground: Ground, step: Step) -> None:
        self.ground = ground
        self.step = step
        self.cases: dict[str, _Case] = {}
        self.resolver = Resolver(ground, [(change.path, change.after) for change in step.changes])
        self.changed = {change.path: change.after for change in step.changes}
        self.claims: dict[str, dict[str, Facts]] = {}
        self.parents = (ground, *step.others)

    # What the step looks at -------------------------------------------------------------------------------------------

    def candidates(self) -> set[str]:
        """Return the ids whose files changed, whose question is open, or on which parents disagree."""
        ids = set(self.ground.open)
        for other in self.step.others:
            ids.update(other.open)
            ids.update(disagreeing(self.ground, other))
        for change in self.step.changes:
            for facts in (change.before, change.after):
                if facts is not None and facts.id is not None:
                    ids.add(facts.id)
            standing_here = self.ground.at.get(change.path)
            if standing_here is not None:
                ids.add(standing_here)
        return ids

    def files_of(self, id_: str) -> dict[str, Facts]:
        """Return the files that claim an id after the step, as far as the ground and the changes tell."""
        files = dict(question.files) if (question := self.ground.open.get(id_)) else {}
        return {path: facts for path, facts in files.items() if path not in self.changed} | self.claims.get(id_, {})

    def open_cases(self) -> None:
        for change in self.step.changes:
            if change.after is not None and change.after.id is not None and self.ground.place(change.path):
                self.claims.setdefault(change.after.id, {})[change.path] = change.after
        for id_ in sorted(self.candidates()):
            files = self.files_of(id_)
            standing = self.ground.standings.get(id_)
            if standing is not None and not standing.gone and standing.path not in self.changed:
                if not files and not self.step.others and id_ not in self.ground.open:
                    continue  # its file did not change and nothing else claims it
                if id_ not in self.ground.open:
                    files.setdefault(standing.path, _as_accepted(standing))
            priors = priors_of(id_, self.parents, self.step.bases)
            self.cases[id_] = _Case(id_, tuple(sorted(files.items())), self.owner(id_, files), priors, held_of(priors))

    def owner(self, id_: str, files: Mapping[str, Facts]) -> Written | None:
        """V100: an id stands in one file: the path that had it at a parent, else the one seen first, else the smaller.

        The first parent's comes before another's, a conflict copy last.
        """
        if not files:
            return None
        seen = dict(question.files) if (question := self.ground.open.get(id_)) else {}
        had = (standing.path for parent in self.parents if (standing := parent.standings.get(id_)) is not None)
        path = next((path for path in had if path in files), None) or min(
            files, key=lambda p: (conflict_original(p.rsplit("/", 1)[-1]) is not None, p not in seen, p)
        )
        return Written(id_, path, files[path])

    # Judging ----------------------------------------------------------------------------------------------------------

    def verdict(self) -> Verdict:
        self.open_cases()
        denied: dict[str, Violation] = {}
        while True:
            for case in self.cases.values():
                self.decide(case, denied.get(case.id))
            # Again: whether a successor may succeed can hang on a case that was decided later.
            for case in self.cases.values():
                if case.owner is not None and case.owner.facts.superseded_by is not None:
                    self.decide(case, denied.get(case.id))
            fresh = deny_names(self.parents, {case.id: case.after for case in self.cases.values()}) | self.loops()
            fresh = {id_: violation for id_, violation in fresh.items() if id_ not in denied}
            if not fresh:
                break
            denied |= fresh
        return self.collect()

    def decide(self, case: _Case, denial: Violation | None) -> None:
        case.violations = [*self.copies(case)]
        case.after, case.event = case.held, None
        if denial is not None:
            case.violations.append(denial)
            self.decide_denied(case, denial)
        elif case.owner is None:
            self.decide_absent(case)
        elif case.fresh:
            self.decide_first_sight(case, case.owner)
        else:
            self.decide_change(case, case.owner)

    def decide_denied(self, case: _Case, denial: Violation) -> None:
        """Keep what was accepted; a memory never seen before stays without a standing, its end without an edge."""
        if case.held is not None and case.held.active and denial.code == "V101" and self.step.others:
            case.after = None  # each parent had one under this name, and only one can keep it
        if case.held is not None and isinstance(case.held.state, Superseded) and denial.code == "V103":
            case.after = replace(case.held, state=Archived(case.held.state.at))  # it ended; the edge closes a circle
        if case.held is None and case.owner is not None and case.owner.facts.invalid_at is not None:
            case.after = Standing(case.id, case.owner.path, Archived(case.owner.facts.invalid_at))

    def copies(self, case: _Case) -> Iterable[Violation]:
        for path, facts in case.files:
            if case.owner is not None and path != case.owner.path:
                yield Violation(
                    "V100",
                    "error",
                    path,
                    facts.line("id"),
                    f"the id {case.id} stands in {case.owner.path} already",
                    "delete one of the two files, or remove the id from the copy",
                    subject=case.id,
                )

    def decide_first_sight(self, case: _Case, written: Written) -> None:
        state, problems = first_state(written, self, self.step.clock)
        case.violations += problems
        if not self.displaces(written):
            case.after = Standing(case.id, written.path, state)
            case.event = "created"

    def displaces(self, written: Written) -> bool:
        """Return whether a file seen for the first time took the place of a memory that is nowhere else (V107)."""
        before = {parent.at.get(written.path) for parent in self.parents}
        return written.id not in before and any(id_ is not None and self.is_nowhere(id_) for id_ in before)

    def is_nowhere(self, id_: str) -> bool:
        """Return whether a memory that should be there has no file, and nothing explains it."""
        case = self.cases.get(id_)
        if case is None or case.owner is not None or case.held is None or case.held.gone:
            return False
        return not self.explained_leaving(case)

    def explained_leaving(self, case: _Case) -> bool:
        return case.id in self.step.explained.deleted or self.steps_back(case, None) is not None

    def decide_absent(self, case: _Case) -> None:
        """A leaving, a return that did not happen, or a file that no longer says which memory it is."""
        held = case.held
        if held is None or held.gone:
            return
        if self.explained_leaving(case):
            case.after, case.event = None, "deleted"
            return
        question = self.ground.open.get(case.id)
        if held.path not in self.changed and question is not None and not question.files:
            case.violations += question.violations  # as it was left: nothing was mended since
            return
        if self.is_unreadable(case.id):
            return  # says nothing: the accepted values hold, and the format rule speaks
        intruder = next((prior for prior in case.priors if self.intruded(prior.path)), None)
        if intruder is not None:
            case.violations.append(_id_changed(intruder, self.changed[intruder.path] or ABSENT))
        elif not isinstance(held.state, Active) or case.id in self.ground.predecessors:
            case.violations.append(left_violation(held, "its file is not there any more"))
        else:
            case.after, case.event = replace(held, gone=True, previous=held.state), "deleted"

    def is_unreadable(self, id_: str) -> bool:
        """Return whether a file that had the id at a parent is there, and cannot be read."""
        had = (standing.path for parent in self.parents if (standing := parent.standings.get(id_)) is not None)
        return any((here := self.changed.get(path)) is not None and not here.readable for path in had)

    def intruded(self, path: str) -> bool:
        """Return whether a file says another id than it said at any parent."""
        here = self.changed.get(path)
        return here is not None and all(parent.at.get(path) != here.id for parent in self.parents)

    def decide_change(self, case: _Case, written: Written) -> None:
        for prior in case.priors:
            if says(prior.state, written, self, self.step.clock):
                self.keep(case, prior, written)
                return
        if case.id in self.step.explained.restored and says(Active(), written, self, self.step.clock):
            self.accept(case, Active(), written)
            return
        problems: list[Violation] = []
        for state in self.starting_states(case):
            after, found = transition(state, written, self, self.step.clock)
            if after is not None:
                self.accept(case, after, written)
                return
            problems = problems or found
        back = self.steps_back(case, written)
        if back is not None:
            self.accept(case, back, written)
            return
        case.violations += problems
        if case.held is not None and written.path != case.held.path:
            case.after = case.held.moved(written.path)

    def starting_states(self, case: _Case) -> list[State]:
        states = [prior.state for prior in case.priors]
        if case.id in self.step.explained.restored:
            states.append(Active())
        return states

    def keep(self, case: _Case, standing: Standing, written: Written) -> None:
        """The values are accepted ones; the path, or the spelling of an edge, may be new."""
        moved = standing.moved(written.path)
        if isinstance(moved.state, Superseded) and moved.state.text != written.facts.superseded_by:
            moved = replace(moved, state=replace(moved.state, text=written.facts.superseded_by or ""))
        case.after = moved
        if not isinstance(moved.state, Active):
            case.violations += time_problems(written, self.step.clock)  # a first sight is believed, not excused
        if standing.gone:
            case.event = "created"
        elif standing.path != written.path:
            case.event = self.moving(standing.path, written.path)

    def moving(self, old: str, new: str) -> EventName:
        before, after = self.ground.place(old), self.ground.place(new)
        return "moved" if before and after and before.project != after.project else "renamed"

    def accept(self, case: _Case, state: State, written: Written) -> None:
        before = case.held.state if case.held is not None else None
        case.after = Standing(case.id, written.path, state, previous=before)
        match state:
            case Active():
                case.event = "restored"
            case Archived():
                case.event = "archived"
            case Superseded():
                case.event = "superseded" if not isinstance(before, Superseded) else "written"

    def steps_back(self, case: _Case, written: Written | None) -> State | None:
        """Return the state before the last accepted change, where a revert puts back just that."""
        if not self.step.explained.reverts or case.held is None:
            return None
        if written is None:
            return case.held.state if case.held.previous is None else None
        previous = case.held.previous
        return previous if previous is not None and says(previous, written, self, self.step.clock) else None

    # What transitions ask ---------------------------------------------------------------------------------------------

    def resolve(self, text: str, path: str) -> tuple[str, ...]:
        """Return the ids an edge may mean."""
        return self.resolver.resolve(text, path)

    def may_succeed(self, id_: str) -> bool:
        """Return whether a memory is there and was active at a parent, or is new in this change and not denied."""
        standings = [s for parent in self.parents if (s := parent.standings.get(id_)) is not None]
        case = self.cases.get(id_)
        if case is not None and (case.owner is None or case.after is None):
            return False
        if not standings:
            return case is not None
        if any(standing.active for standing in standings):
            return True
        if all(standing.gone for standing in standings):
            return case is not None and case.owner is not None and case.owner.facts.invalid_at is None
        return case is not None and case.after is not None and case.after.active

    # The outcome ------------------------------------------------------------------------------------------------------

    def loops(self) -> dict[str, Violation]:
        """V103: following successors never comes back."""
        found: dict[str, Violation] = {}
        for case in self.cases.values():
            if case.after is None or not isinstance(case.after.state, Superseded) or self.known(case.after):
                continue
            seen = [case.id]
            successor: str | None = case.after.state.by
            while successor is not None and successor not in seen:
                seen.append(successor)
                successor = self.successor_after(successor)
            if successor == case.id and case.owner is not None:
                found[case.id] = case.owner.broken(
                    "V103",
                    "superseded_by",
                    "supersession runs in a circle: " + " → ".join([*seen, case.id]),
                    self.way_out(case, case.owner),
                )
        if not self.step.others or not found:
            return found
        last = max(found, key=self.lateness)  # where sides meet, the others did nothing wrong
        return {last: found[last]}

    def way_out(self, case: _Case, written: Written) -> str:
        """Return what mends a circle; a memory that ended on its own side of a merge stays ended without its edge."""
        decide = "decide which memory is the latest: "
        if case.held is None or isinstance(case.held.state, Active):
            return f"{decide}{put_back(written.path)} mends it"
        return decide + way_back(written)

    def known(self, standing: Standing) -> bool:
        """Return whether every parent holds just this standing."""
        return all(parent.standings.get(standing.id) == standing for parent in self.parents)

    def lateness(self, id_: str) -> tuple[bool, str, str]:
        """Return what orders edges of a circle: the last is one that no parent holds, else the one stamped last."""
        case = self.cases[id_]
        state = case.after.state if case.after is not None else None
        at = state.at if isinstance(state, Superseded) else ""
        return (all(prior.state != state for prior in case.priors), at, id_)

    def successor_after(self, id_: str) -> str | None:
        case = self.cases.get(id_)
        standing = case.after if case is not None else self.ground.standings.get(id_)
        return standing.state.by if standing is not None and isinstance(standing.state, Superseded) else None

    def collect(self) -> Verdict:
        standings: dict[str, Standing | None] = {}
        questions: dict[str, Open | None] = {}
        events: list[Event] = []
        violations: list[Violation] = []
        for case in self.cases.values():
            violations += case.violations
            if case.after != self.ground.standings.get(case.id):
                standings[case.id] = case.after
            question = self.question(case)
            if question != self.ground.open.get(case.id):
                questions[case.id] = question
            if case.event is not None:
                successor = case.after.state.by if case.after and isinstance(case.after.state, Superseded) else ""
                path = case.owner.path if case.owner else case.held.path if case.held else ""
                events.append(Event(case.event, case.id, path, successor))
        return Verdict(Delta(standings, questions), tuple(events), tuple(violations))

    def question(self, case: _Case) -> Open | None:
        """Return the open question a memory leaves behind, None where its file says what is accepted."""
        if len(case.files) <= 1 and not case.violations and self.says_accepted(case):
            return None
        known = (question for parent in self.parents if (question := parent.open.get(case.id)) is not None)
        before = next(known, None)
        blamed = (
            before.commit if before is not None and _values(before.files) == _values(case.files) else self.step.commit
        )
        return Open(case.id, case.files, tuple(case.violations), blamed)

    def says_accepted(self, case: _Case) -> bool:
        if case.owner is None:
            return case.after is None or case.after.gone
        return case.after is not None and says(case.after.state, case.owner, self, self.step.clock)


def _values(files: tuple[tuple[str, Facts], ...]) -> list[tuple[str, str | None, str | None]]:
    return [(path, facts.invalid_at, facts.superseded_by) for path, facts in files]


def _as_accepted(standing: Standing) -> Facts:
    """Return facts that say just what is accepted: the file is known not to have changed since."""
    match standing.state:
        case Active():
            return Facts(id=standing.id)
        case Archived(at):
            return Facts(id=standing.id, invalid_at=at)
        case Superseded(at, _, text):
            return Facts(id=standing.id, invalid_at=at, superseded_by=text)


def _id_changed(standing: Standing, here: Facts) -> Violation:
    """V107: the id at a path changed and the old id is nowhere else."""
    now = f"is now {here.id}" if here.id is not None else "is gone"
    return Violation(
        "V107",
        "error",
        standing.path,
        here.line("id"),
        f"the id here was {standing.id} and {now}",
        f"write id: {standing.id} again; a new memory needs a file of its own",
        subject=standing.id,
    )
