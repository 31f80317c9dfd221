"""A log hears of long work now and then."""

from vaultd.daemon.milestones import Milestones


def test_of_long_work_every_5_000_are_said_and_the_end():
    said: list[str] = []
    told = Milestones(said.append)
    for _ in range(2):
        for done in (*range(64, 12_000, 64), 12_000):
            told(done, 12_000)
    assert said == 2 * [
        "indexing: 5,056 of 12,000",
        "indexing: 10,112 of 12,000",
        "indexing: 12,000 of 12,000",
    ]


def test_of_short_work_nothing_is_said():
    said: list[str] = []
    Milestones(said.append)(2_000, 2_000)
    assert said == []
