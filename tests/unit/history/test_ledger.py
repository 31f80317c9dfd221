"""What commits tell."""

from datetime import UTC, datetime

import pytest

from tests.git_fixtures import Scratch, scratch
from vaultd.errors import StorageError
from vaultd.history.ledger import Telling, silent, tellings
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


def ids(telling: list[Telling]) -> list[str]:
    return [told.id for one in telling for told in one.told]


def test_tellings_are_newest_first(told):
    found = list(tellings(told.repo))
    assert ids(found) == ["01A", "01B", "01A"]
    assert found[0] == Telling(
        commit=told.head,
        at=datetime.fromtimestamp(1_700_000_300, UTC),
        author="Ada <ada@example.org>",
        subject="memory: supersede a by b",
        told=(
            Told("superseded", "01A", "01B", "person", "it moved"),
            Told("created", "01B", actor="person"),
        ),
        paths=("a.md", "b.md"),
    )
    assert found[-1].paths == ("a.md",)


def test_a_message_that_speaks_of_an_event_and_tells_none_is_given_all_the_same(told):
    assert [one.subject for one in tellings(told.repo) if not one.told] == ["other: Vaultd-Event: nothing"]


def test_since_leaves_out_what_is_older(told):
    assert ids(list(tellings(told.repo, since="@1700000250"))) == ["01A", "01B"]


def test_a_revision_is_where_it_begins(told):
    assert ids(list(tellings(told.repo, "HEAD~1"))) == ["01A"]


def test_silent_commits_are_those_that_speak_of_no_event(told):
    base = told.git("rev-parse", "HEAD~3")
    every = told.git("rev-list", "HEAD").split()
    assert [one.commit for one in silent(told.repo, told.head, every)] == [base]
    assert silent(told.repo, told.head, every, since="@1700000050") == []
    assert silent(told.repo, told.head, []) == []


def test_a_commit_with_the_same_tree_has_no_paths(told):
    told.git("commit", "-q", "--allow-empty", "-m", tell("memory: restore a", [Told("restored", "01A")]))
    first, second, *_ = tellings(told.repo)
    assert (first.told[0].event, first.paths) == ("restored", ())
    assert second.paths == ("a.md", "b.md")


def test_a_merge_that_tells_shows_what_it_brought(told):
    told.git("checkout", "-q", "-b", "other", "HEAD~1")
    told.commit("theirs", c="1")
    told.git("checkout", "-q", "main")
    told.git("merge", "-q", "-m", tell("memory: merge", [Told("written", "01C")]), "other")
    first, *_ = tellings(told.repo)
    assert (first.told[0].id, first.paths) == ("01C", ("c.md",))


def test_odd_paths_come_by_their_true_names(told):
    told.commit(tell("memory: new", [Told("created", "01D")]), **{"new\nline": "x"})
    first, *_ = tellings(told.repo)
    assert first.paths == ("new\nline.md",)


def test_more_than_a_portion(vault):
    for number in range(103):
        vault.git("commit", "-q", "--allow-empty", "-m", tell("s", [Told("written", f"{number}")]))
    assert ids(list(tellings(vault.repo))) == [str(number) for number in reversed(range(103))]


def test_a_branch_without_commits_tells_nothing(vault):
    assert list(tellings(vault.repo)) == []


def test_an_unknown_revision_is_an_error(told):
    with pytest.raises(StorageError):
        list(tellings(told.repo, "nowhere"))
