"""What git takes for a time."""

from datetime import UTC, datetime

from tests.vaults import Vault
from vaultd.history.recent import is_time
from vaultd.history.repository import open_repository

TIMES = ["2025-06-01", "2025-06-01T12:00:00Z", "2 weeks ago", "yesterday", "last friday", "now", "5 seconds ago"]
NONE = ["garbage", "2025-13-01", "2025-02-30T12:00:00Z", "", "soon"]


def test_what_git_cannot_read_is_no_time(vault: Vault):
    repo = open_repository(vault.root)
    assert repo is not None
    assert [text for text in [*TIMES, *NONE] if is_time(repo, text, datetime.now(UTC))] == TIMES
