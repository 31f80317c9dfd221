"""How work grows with what it is given: a bound that holds on a machine of any speed."""

import gc
import time
from collections.abc import Callable

TIMES = 8
MOST = 3 * TIMES
"""What grows with its size takes TIMES as long for TIMES as much, what grows with its square TIMES * TIMES."""
_ROUNDS = 3


def assert_linear(make: Callable[[int], Callable[[], object]], small: int) -> None:
    """Hold that `make(size)` gives work whose processor time grows no faster than the size, from `small` on."""
    little = min(_spent(make(small)) for _ in range(_ROUNDS))
    work = make(TIMES * small)
    took: list[float] = []
    while len(took) < _ROUNDS:
        took.append(_spent(work))
        if took[-1] <= MOST * little:
            return
    raise AssertionError(f"{TIMES} times as much takes {min(took) / little:.0f} times as long: {took} s for {little} s")


def _spent(work: Callable[[], object]) -> float:
    gc.disable()  # it looks at everything that the tests before left, now and then
    try:
        began = time.process_time()
        work()
        return time.process_time() - began
    finally:
        gc.enable()
