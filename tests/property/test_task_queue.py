"""The queue against a model of it: whatever agents do, a task is held by one, and ready is what the words say."""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from vaultd.errors import VaultdError
from vaultd.state.sessions import Acting, Beginning
from vaultd.state.sidecar import open_sidecar
from vaultd.state.tasks import STATUSES, Patch, Wish

AGENTS = st.sampled_from(["ada", "bob", "eve"])
PLACES = st.integers(0, 5)


class Queue(RuleBasedStateMachine):
    """Agents who add, claim, release, close and open tasks, and time that goes by."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.now = datetime(2026, 11, 30, tzinfo=UTC)
        self.sidecar = open_sidecar(Path(self.folder.name), lambda: self.now)
        self.sessions = {
            name: self.sidecar.sessions.start(Beginning(name=name))[0].id for name in ("ada", "bob", "eve")
        }
        self.status: list[str] = []
        self.ids: list[str] = []
        self.needs: list[set[int]] = []
        self.held: dict[int, tuple[str, datetime]] = {}

    def teardown(self) -> None:
        self.sidecar.close()
        self.folder.cleanup()

    def place(self, wanted: int) -> int:
        return wanted % len(self.ids)

    def holder(self, task: int) -> str:
        name, end = self.held.get(task, ("", self.now))
        return name if end > self.now and self.status[task] == "in_progress" else ""

    def waits(self, task: int) -> bool:
        return any(self.status[other] in ("open", "in_progress") for other in self.needs[task])

    def reaches(self, start: int, goal: int) -> bool:
        return start == goal or any(self.reaches(other, goal) for other in self.needs[start])

    def works(self, act: object) -> bool:
        try:
            act()  # type: ignore[operator]
        except VaultdError:
            return False
        return True

    @precondition(lambda self: len(self.ids) < 6)
    @rule(needs=st.sets(PLACES, max_size=2))
    def add(self, needs: set[int]) -> None:
        wanted = {one for one in needs if one < len(self.ids)}
        wish = Wish(f"task {len(self.ids)}", depends_on=tuple(self.ids[one] for one in wanted))
        self.ids.append(self.sidecar.tasks.add(wish).id)
        self.status.append("open")
        self.needs.append(wanted)

    @precondition(lambda self: self.ids)
    @rule(agent=AGENTS, wanted=PLACES, lease=st.integers(1, 100))
    def claim(self, agent: str, wanted: int, lease: int) -> None:
        task = self.place(wanted)
        free = self.status[task] == "open" and not self.waits(task)
        up = self.status[task] == "in_progress" and self.holder(task) in ("", agent)
        won = self.works(lambda: self.sidecar.tasks.claim(self.ids[task], self.sessions[agent], lease))
        assert won == (free or up)
        if won:
            self.status[task] = "in_progress"
            self.held[task] = (agent, self.now + timedelta(seconds=lease))

    @precondition(lambda self: self.ids)
    @rule(agent=AGENTS, wanted=PLACES, status=st.sampled_from(STATUSES))
    def update(self, agent: str, wanted: int, status: str) -> None:
        task = self.place(wanted)
        allowed = self.holder(task) in ("", agent)
        patch = Patch(status=status)
        assert self.works(lambda: self.sidecar.tasks.update(self.ids[task], patch, self.sessions[agent])) == allowed
        if allowed:
            self.status[task] = status
            if status != "in_progress":
                self.held.pop(task, None)

    @precondition(lambda self: self.ids)
    @rule(one=PLACES, other=PLACES)
    def depend(self, one: int, other: int) -> None:
        task, needed = self.place(one), self.place(other)
        allowed = not self.holder(task) and not self.reaches(needed, task)
        patch = Patch(add_depends_on=(self.ids[needed],))
        assert self.works(lambda: self.sidecar.tasks.update(self.ids[task], patch)) == allowed
        if allowed:
            self.needs[task].add(needed)

    @rule(agent=AGENTS)
    def end_and_start(self, agent: str) -> None:
        self.sidecar.sessions.end(Acting(session=agent), "")
        self.sidecar.sessions.start(Beginning(name=agent))
        for task, (name, _) in list(self.held.items()):
            if name == agent and self.status[task] == "in_progress":
                self.status[task] = "open"
                del self.held[task]

    @rule(seconds=st.integers(1, 60))
    def time_goes_by(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)
        for name in self.sessions:
            self.sidecar.sessions.start(Beginning(name=name))

    @invariant()
    def ready_is_what_the_words_say(self) -> None:
        ready = {one.task.id for one in self.sidecar.tasks.ready()[0]}
        assert ready == {
            self.ids[task]
            for task, status in enumerate(self.status)
            if (status == "open" and not self.waits(task)) or (status == "in_progress" and not self.holder(task))
        }


TestQueue = Queue.TestCase
TestQueue.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
