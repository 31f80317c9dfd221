"""Short words for the tests of steps: files as what they say, a ground that grows by judging."""

from datetime import UTC, datetime

from vaultd.lifecycle.events import NOTHING_EXPLAINED, Explained
from vaultd.lifecycle.facts import Facts
from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.step import Change, Step, Verdict, judge
from vaultd.lifecycle.transitions import Clock

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CLOCK = Clock(NOW, UTC)
AT = "2025-06-01T12:00:00Z"
LATER = "2025-07-01T12:00:00Z"
Files = dict[str, Facts | None]


def says(id_: str | None, at: str | None = None, by: str | None = None) -> Facts:
    """Return what a file says."""
    return Facts(id=id_, invalid_at=at, superseded_by=by)


def path(name: str) -> str:
    """Return a global memory's path."""
    return f"memory/_global/{name}.md"


class Line:
    """A history without branches: files change, the ground follows."""

    def __init__(self, **files: Facts) -> None:
        self.ground = Ground("memory")
        self.files: Files = {}
        self.verdict = self.step(**files)

    def step(self, explained: Explained = NOTHING_EXPLAINED, commit: str = "", **files: Facts | None) -> Verdict:
        """Judge a change of files, by name, and go on from what was accepted."""
        changes = [Change(path(name), self.files.get(name), facts) for name, facts in files.items()]
        self.verdict = judge(self.ground, Step(changes, CLOCK, explained, commit))
        self.ground.replay(self.verdict.delta)
        self.files |= files
        return self.verdict

    @property
    def codes(self) -> list[str]:
        """The codes that the last step complained with, sorted."""
        return sorted(violation.code for violation in self.verdict.violations)

    @property
    def events(self) -> list[tuple[str, str]]:
        """What the last step saw happen: name and id."""
        return [(event.name, event.id) for event in self.verdict.events]
