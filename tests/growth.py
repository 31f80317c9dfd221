"""How work grows with what it is given: a bound that holds on a machine of any speed."""

import gc
import time
from collections.abc import Callable

TIMES = 8
MOST = 3 * TIMES
"""What grows with its size takes TIMES as long for TIMES as much, what grows with its square TIMES * TIMES."""
_ROUNDS = 5
_BEFORE = 3


def assert_linear(make: Callable[[int], Callable[[], object]], small: int) -> None:
    """Hold that `make(size)` gives work whose processor time grows no faster than the size, from `small` on.

    Both sizes are worked through in turns, and compared with what was spent a moment before: a machine may change its
    speed, and what slows it down only adds.
    """
    little, large = make(small), make(TIMES * small)
    took: list[float] = []
    while len(took) < _ROUNDS:
        least = min(_spent(little) for _ in range(_BEFORE))
        took.append(_spent(large) / least)
        if took[-1] <= MOST:
            return
    raise AssertionError(f"{TIMES} times as much takes {min(took):.0f} times as long, if not {took}")


def _spent(work: Callable[[], object]) -> float:
    """Return the seconds of processor time of this thread: others may go on from the tests before."""
    gc.disable()  # it looks at everything that the tests before left, now and then
    try:
        began = time.thread_time()
        work()
        return time.thread_time() - began
    finally:
        gc.enable()
