"""What the tests of growth stand on tells a square from a line."""

from collections.abc import Callable

import pytest

from tests.growth import assert_linear


def test_what_grows_with_its_size_passes() -> None:
    assert_linear(lambda size: lambda: sum(number % 7 for number in range(size)), 20_000)


def test_what_grows_with_its_square_does_not() -> None:
    def work(size: int) -> Callable[[], object]:
        row = list(range(size))
        return lambda: [number in row for number in row]

    with pytest.raises(AssertionError, match=r"8 times as much takes .* times as long"):
        assert_linear(work, 500)
