"""How long a piece of work takes, in wall time and CPU seconds, beside another that does the least it could."""

import resource
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

ROUNDS = 5
Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of one run, or the medians of several; CPU counts this process and the children it waited for."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Figure:
    """One printed line."""

    name: str
    ours: str
    beside: str
    """The floor or peer, and what it took in the same run."""
    ratio: str
    reach: str
    reached: bool | None
    """None where there is nothing to reach: a figure for orientation."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Rounds of ours and of the floor, taken in turns, so that whatever else the machine does hits both."""

    ours: tuple[Took, ...]
    floor: tuple[Took, ...]

    @property
    def wall(self) -> float:
        """Return the median ratio of wall times within a round."""
        return statistics.median(a.wall / b.wall for a, b in zip(self.ours, self.floor, strict=True))

    @property
    def cpu(self) -> float:
        """Return the median ratio of CPU seconds within a round."""
        return statistics.median(a.cpu / max(b.cpu, 1e-6) for a, b in zip(self.ours, self.floor, strict=True))


def took(work: Work) -> Took:
    """Return what running the work once takes."""
    cpu, wall = _cpu(), time.perf_counter()
    work()
    return Took(time.perf_counter() - wall, _cpu() - cpu)


def in_turns(ours: Work, floor: Work, before_ours: Work = lambda: None, rounds: int = ROUNDS) -> Compared:
    """Return rounds of both, the floor first; what comes before ours is not counted."""
    pairs: list[tuple[Took, Took]] = []
    for _ in range(rounds):
        least = took(floor)
        before_ours()
        pairs.append((took(ours), least))
    return Compared(tuple(a for a, _ in pairs), tuple(b for _, b in pairs))


def median(runs: Sequence[Took]) -> Took:
    """Return the medians of several runs."""
    return Took(statistics.median(one.wall for one in runs), statistics.median(one.cpu for one in runs))


def percentile(values: Iterable[float], share: float) -> float:
    """Return the value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


def by_cpu(name: str, beside: str, compared: Compared, reach: float) -> Figure:
    """Return a figure that is held to a ratio of CPU seconds."""
    return _figure(name, beside, compared, f"≤ {reach:g} × CPU", reached=compared.cpu <= reach)


def by_wall(name: str, beside: str, compared: Compared, reach: float) -> Figure:
    """Return a figure that is held to a ratio of wall time."""
    return _figure(name, beside, compared, f"≤ {reach:g} × wall", reached=compared.wall <= reach)


def to_know(name: str, beside: str, compared: Compared) -> Figure:
    """Return a figure that is held to nothing."""
    return _figure(name, beside, compared, "", reached=None)


def _figure(name: str, beside: str, compared: Compared, reach: str, *, reached: bool | None) -> Figure:
    ours, floor = spelled(median(compared.ours)), spelled(median(compared.floor))
    return Figure(name, ours, f"{beside} {floor}", f"{compared.wall:.2f} / {compared.cpu:.2f}", reach, reached)


def spelled(one: Took) -> str:
    """Return a duration as `wall / CPU`."""
    return f"{milliseconds(one.wall)} / {milliseconds(one.cpu)}"


def milliseconds(seconds: float) -> str:
    """Return seconds as milliseconds, with as many digits as mean something."""
    value = seconds * 1000
    return f"{value:.2f} ms" if value < 10 else f"{value:.1f} ms" if value < 100 else f"{value:,.0f} ms"


def _cpu() -> float:
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )
