"""Python looks for garbage seldom while an index is made, and as before afterwards."""

import gc

import pytest

from vaultd.index.garbage import seldom_looked_for


def test_garbage_is_looked_for_seldom_and_then_as_before():
    before = gc.get_threshold()
    with seldom_looked_for():
        assert gc.get_threshold()[0] >= 100_000
    assert gc.get_threshold() == before


def test_an_error_leaves_it_as_before():
    before = gc.get_threshold()
    with pytest.raises(KeyError), seldom_looked_for():
        raise KeyError
    assert gc.get_threshold() == before


def test_the_last_of_two_that_overlap_leaves_it_as_before():
    before = gc.get_threshold()
    one, two = seldom_looked_for(), seldom_looked_for()
    one.__enter__()
    two.__enter__()
    one.__exit__(None, None, None)
    assert gc.get_threshold()[0] >= 100_000
    two.__exit__(None, None, None)
    assert gc.get_threshold() == before


def test_who_looks_more_seldom_still_goes_on_so():
    before = gc.get_threshold()
    try:
        gc.set_threshold(500_000, 7, 7)
        with seldom_looked_for():
            assert gc.get_threshold() == (500_000, 7, 7)
    finally:
        gc.set_threshold(*before)
