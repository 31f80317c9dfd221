"""The ledger."""

from datetime import UTC, datetime

import pytest

from tests.git_fixtures import Scratch, scratch
from vaultd.errors import StorageError
from vaultd.history.ledger import LedgerEntry, entries
from vaultd.history.trailers import Told, tell


@pytest.fixture(params=["sha1", "sha256"])
def told(tmp_path, request) -> Scratch:
    """A vault below the top whose history tells two things between commits that tell nothing."""
    made = scratch(tmp_path / "r", "sub", f"--object-format={request.param}")
    made.commit("base", at=1_700_000_000, a="1")
    made.commit(tell("memory: new a", [Told("created", "01A", actor="agent")]), at=1_700_000_100, a="2")
    made.commit("other: Vaultd-Event: nothing", at=1_700_000_200, b="1")
    two = [Told("superseded", "01A", "01B", "person", "it moved"), Told("created", "01B", actor="person")]
    made.top.joinpath("outside.md").write_text("x")
    made.commit(tell("memory: supersede a by b", two), at=1_700_000_300, a="3", b="2")
    return made


def test_entries_are_newest_first(told):
    found = list(entries(told.repo))
    assert [(entry.event, entry.id) for entry in found] == [
        ("superseded", "01A"),
        ("created", "01B"),
        ("created", "01A"),
    ]
    assert found[0] == LedgerEntry(
        commit=told.head,
        at=datetime.fromtimestamp(1_700_000_300, UTC),
        author="Ada <ada@example.org>",
        actor="person",
        event="superseded",
        id="01A",
        successor="01B",
        reason="it moved",
        subject="memory: supersede a by b",
        paths=("a.md", "b.md"),
    )
    assert found[2].paths == ("a.md",)


def test_a_limit_counts_entries(told):
    assert [entry.id for entry in entries(told.repo, limit=1)] == ["01A"]


def test_since_leaves_out_what_is_older(told):
    assert len(list(entries(told.repo, since="@1700000200"))) == 2


def test_a_revision_is_where_it_begins(told):
    assert [entry.id for entry in entries(told.repo, "HEAD~1")] == ["01A"]


def test_a_commit_with_the_same_tree_has_no_paths(told):
    told.git("commit", "-q", "--allow-empty", "-m", tell("memory: restore a", [Told("restored", "01A")]))
    first, second, *_ = entries(told.repo)
    assert (first.event, first.paths) == ("restored", ())
    assert second.paths == ("a.md", "b.md")


def test_a_merge_that_tells_shows_what_it_brought(told):
    told.git("checkout", "-q", "-b", "other", "HEAD~1")
    told.commit("theirs", c="1")
    told.git("checkout", "-q", "main")
    told.git("merge", "-q", "-m", tell("memory: merge", [Told("written", "01C")]), "other")
    first, *_ = entries(told.repo)
    assert (first.id, first.paths) == ("01C", ("c.md",))


def test_odd_paths_come_by_their_true_names(told):
    told.commit(tell("memory: new", [Told("created", "01D")]), **{"new\nline": "x"})
    first, *_ = entries(told.repo)
    assert first.paths == ("new\nline.md",)


def test_more_than_a_portion(vault):
    for number in range(103):
        vault.git("commit", "-q", "--allow-empty", "-m", tell("s", [Told("written", f"{number}")]))
    assert [entry.id for entry in entries(vault.repo)] == [str(number) for number in reversed(range(103))]


def test_a_branch_without_commits_tells_nothing(vault):
    assert list(entries(vault.repo)) == []


def test_an_unknown_revision_is_an_error(told):
    with pytest.raises(StorageError):
        list(entries(told.repo, "nowhere"))
