"""Real repositories for the tests of history."""

from tests.git_fixtures import _only_the_repository_configures_git, below, vault

__all__ = ["_only_the_repository_configures_git", "below", "vault"]
