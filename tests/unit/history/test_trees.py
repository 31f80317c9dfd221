"""What writing trees leaves behind."""

import os

from tests.git_fixtures import Scratch
from vaultd.history.trees import sweep_trees


def test_only_the_folders_of_killed_commits_are_swept(vault: Scratch) -> None:
    repo = vault.repo
    folder = repo.git_dir / "vaultd"
    for name in ("trees-dead", "trees-live", "locks"):
        (folder / name).mkdir(parents=True)
        (folder / name / "file").write_text("x")
    for name in ("trees-dead", "locks"):
        os.utime(folder / name, (1_000, 1_000))
    sweep_trees(repo, (folder / "trees-live").stat().st_mtime)
    assert {place.name for place in folder.iterdir()} == {"trees-live", "locks"}
