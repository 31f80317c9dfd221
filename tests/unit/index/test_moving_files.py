"""What the index saw get another name."""

from pathlib import Path

import pytest

from vaultd.index.mirror import Mirror, open_mirror
from vaultd.index.moving_files import moves_seen, remember_moves

A, B = (7, 10, 1_000), (8, 10, 1_000)


@pytest.fixture
def mirror(tmp_path: Path) -> Mirror:
    return open_mirror(tmp_path / "index")


def known(file: tuple[int, int, int]) -> tuple[int, int, int, int, str]:
    ino, size, mtime_ns = file
    return mtime_ns, size, ino, 0, "key"


def test_a_file_that_moved_again_is_where_it_went_last(mirror: Mirror):
    remember_moves(mirror, {"a.md": known(A)}, {"b.md": A, "c.md": B})
    remember_moves(mirror, {"b.md": known(A)}, {"caf\udce9.md": A})
    assert moves_seen(mirror) == {"a.md": "caf\udce9.md", "b.md": "caf\udce9.md"}
    remember_moves(mirror, {"caf\udce9.md": known(A)}, {"a.md": A})
    assert moves_seen(mirror) == {"b.md": "a.md", "caf\udce9.md": "a.md"}


@pytest.mark.parametrize(
    ("gone", "came"),
    [
        ({"a.md": A}, {"b.md": (7, 10, 1_001)}),  # the number of a file that left, given to the next one
        ({"a.md": A}, {"b.md": (7, 11, 1_000)}),
        ({"a.md": A, "link.md": A}, {"b.md": A}),
        ({"a.md": A}, {"b.md": A, "link.md": A}),
        ({"a.md": (0, 10, 1_000)}, {"b.md": (0, 10, 1_000)}),  # a file system without inode numbers
    ],
)
def test_what_may_be_another_file_is_not_remembered(mirror: Mirror, gone: dict, came: dict):
    remember_moves(mirror, {path: known(file) for path, file in gone.items()}, came)
    assert moves_seen(mirror) == {}
