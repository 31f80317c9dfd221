"""History as it happened."""

import subprocess

import pytest

from tests.git_fixtures import scratch
from vaultd.errors import StorageError
from vaultd.history.objects import blob_id
from vaultd.history.repository import open_repository
from vaultd.history.walk import Change, first_adding, is_ancestor, merge_bases, walk


def _id(text: str) -> str:
    return blob_id(text.encode(), "sha1")


def test_a_commit_carries_its_facts(vault):
    oid = vault.commit("subject\n\nbody\n\n  Vaultd-Event: kept\n", at=1_700_000_000, a="x")
    (commit,) = walk(vault.repo, "HEAD")
    assert (commit.oid, commit.parents, commit.time) == (oid, (), 1_700_000_000)
    assert (commit.author, commit.subject) == ("Ada <ada@example.org>", "subject")
    assert commit.message == "subject\n\nbody\n\n  Vaultd-Event: kept"
    assert commit.changes == ((Change("a.md", None, _id("x")),),)


def test_parents_come_before_children(vault):
    oids = [vault.commit(a=str(number)) for number in range(5)]
    assert [commit.oid for commit in walk(vault.repo, "HEAD")] == oids


def test_added_changed_and_deleted(vault):
    vault.commit(a="1", b="1")
    (vault.root / "b.md").unlink()
    vault.commit(a="2", c="1")
    *_, last = walk(vault.repo, "HEAD")
    assert last.changes == (
        (Change("a.md", _id("1"), _id("2")), Change("b.md", _id("1"), None), Change("c.md", None, _id("1"))),
    )


def test_a_rename_is_a_leaving_and_a_coming(vault):
    vault.commit(a="same text\n" * 20)
    vault.git("config", "diff.renames", "copies")
    vault.git("mv", "a.md", "b.md")
    vault.commit()
    *_, last = walk(vault.repo, "HEAD")
    same = _id("same text\n" * 20)
    assert last.changes == ((Change("a.md", same, None), Change("b.md", None, same)),)


def test_a_file_that_becomes_a_symlink_is_absent(vault):
    vault.commit(a="1")
    (vault.root / "a.md").unlink()
    (vault.root / "a.md").symlink_to("b.md")
    vault.commit()
    *_, last = walk(vault.repo, "HEAD")
    assert last.changes == ((Change("a.md", _id("1"), None),),)


def test_a_change_of_mode_is_none(vault):
    vault.commit(a="1")
    (vault.root / "a.md").chmod(0o755)
    vault.commit()
    *_, last = walk(vault.repo, "HEAD")
    assert last.changes == ((),)


def test_a_commit_that_changes_nothing_in_the_vault_is_still_given(below):
    below.commit(a="1")
    (below.top / "elsewhere.md").write_text("x")
    oid = below.commit("with words")
    *_, last = walk(below.repo, "HEAD")
    assert (last.oid, last.message, last.changes) == (oid, "with words", ((),))


def test_paths_are_those_of_the_vault(below):
    (below.top / "elsewhere.md").write_text("x")
    below.commit(**{"memory/a": "1"})
    (commit,) = walk(below.repo, "HEAD")
    assert commit.changes == ((Change("memory/a.md", None, _id("1")),),)


@pytest.mark.parametrize(
    "name", ["new\nline", "tab\there", "latin\udce9", "-n", 'dou"ble', "commit x", ":100644 x", "日本語"]
)
def test_odd_paths_come_by_their_true_names(vault, name):
    vault.commit(**{name: "1"})
    vault.commit(**{name: "2"})
    assert [commit.changes[0][0].path for commit in walk(vault.repo, "HEAD")] == [f"{name}.md"] * 2


def _fork(vault) -> tuple[str, str]:
    vault.commit("base", a="1", b="1")
    vault.git("checkout", "-qb", "other")
    theirs = vault.commit("theirs", a="2")
    vault.git("checkout", "-q", "main")
    return vault.commit("ours", b="2"), theirs


def test_a_merge_is_compared_with_each_parent(vault):
    ours, theirs = _fork(vault)
    vault.git("merge", "-q", "-m", "merge", "other")
    *_, merge = walk(vault.repo, "HEAD")
    assert merge.parents == (ours, theirs)
    assert merge.changes == ((Change("a.md", _id("1"), _id("2")),), (Change("b.md", _id("1"), _id("2")),))


def test_a_merge_that_keeps_ours_differs_from_theirs_only(vault):
    _fork(vault)
    vault.git("merge", "-q", "-s", "ours", "-m", "merge", "other")
    *_, merge = walk(vault.repo, "HEAD")
    assert merge.changes == ((), (Change("a.md", _id("2"), _id("1")), Change("b.md", _id("1"), _id("2"))))


def test_an_octopus_has_one_comparison_a_parent(vault):
    vault.commit("base", a="1")
    for name in ("x", "y", "z"):
        vault.git("checkout", "-q", "-b", name, "main")
        vault.commit(name, **{name: name})
    vault.git("checkout", "-q", "main")
    vault.git("merge", "-q", "-m", "octopus", "x", "y", "z")
    *_, merge = walk(vault.repo, "HEAD")
    assert merge.parents == tuple(vault.git("rev-parse", *"xyz").split())
    assert [sorted(change.path for change in changes) for changes in merge.changes] == [
        ["y.md", "z.md"],
        ["x.md", "z.md"],
        ["x.md", "y.md"],
    ]


def test_what_is_excluded_is_not_given(vault):
    first = vault.commit(a="1")
    rest = [vault.commit(a="2"), vault.commit(a="3")]
    assert [commit.oid for commit in walk(vault.repo, "HEAD", [first])] == rest
    assert list(walk(vault.repo, "HEAD", [rest[-1]])) == []


def test_a_shallow_clone_begins_with_everything(vault, tmp_path):
    vault.commit(a="1", b="1")
    vault.commit(a="2")
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{vault.top}", tmp_path / "clone"], check=True)
    clone = open_repository(tmp_path / "clone")
    assert clone is not None
    (commit,) = walk(clone, "HEAD")
    assert commit.parents == ()
    assert commit.changes == ((Change("a.md", None, _id("2")), Change("b.md", None, _id("1"))),)


def test_a_sha_256_repository_is_walked(tmp_path):
    made = scratch(tmp_path / "r", "", "--object-format=sha256")
    oid = made.commit(a="x")
    (commit,) = walk(made.repo, "HEAD")
    assert (commit.oid, commit.changes) == (oid, ((Change("a.md", None, blob_id(b"x", "sha256")),),))


def test_settings_of_the_user_change_nothing(vault):
    _fork(vault)
    vault.git("merge", "-q", "-m", "merge", "other")
    plain = list(walk(vault.repo, "HEAD"))
    for name, value in {
        "log.showRoot": "false",
        "log.decorate": "full",
        "log.showSignature": "true",
        "log.diffMerges": "off",
        "log.date": "relative",
        "diff.renames": "copies",
        "diff.noprefix": "true",
        "color.ui": "always",
        "core.abbrev": "7",
        "format.pretty": "oneline",
        "core.quotePath": "true",
        "i18n.logOutputEncoding": "ISO-8859-1",
        "diff.relative": "true",
        "log.follow": "true",
    }.items():
        vault.git("config", name, value)
    assert list(walk(vault.repo, "HEAD")) == plain


def test_a_message_in_another_encoding_is_given_in_unicode(vault):
    vault.write("a.md", "x")
    vault.git("add", "-A")
    vault.git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "-F", "-", stdin="grün".encode("iso-8859-1"))
    (commit,) = walk(vault.repo, "HEAD")
    assert commit.message == "grün"


def test_a_commit_without_a_message(vault):
    vault.write("a.md", "x")
    vault.git("add", "-A")
    vault.git("commit", "-q", "--allow-empty-message", "-m", "")
    (commit,) = walk(vault.repo, "HEAD")
    assert (commit.subject, commit.changes) == ("", ((Change("a.md", None, _id("x")),),))


def test_an_unknown_commit_is_an_error(vault):
    vault.commit(a="x")
    with pytest.raises(StorageError):
        list(walk(vault.repo, "f" * 40))


def test_a_walk_can_be_given_up(vault):
    for number in range(3):
        vault.commit(a=str(number))
    walking = walk(vault.repo, "HEAD")
    next(walking)
    walking.close()
    assert len(list(walk(vault.repo, "HEAD"))) == 3


def test_the_commit_that_adds_a_path(below):
    below.commit(a="x")
    adding = below.commit(**{".vaultd/vault-id": "x"})
    below.commit(a="y")
    assert first_adding(below.repo, "HEAD", ".vaultd/vault-id.md") == adding
    assert first_adding(below.repo, "HEAD", "nowhere.md") is None


def test_of_two_that_add_a_path_the_older_counts_and_a_merge_adds_nothing(vault):
    vault.commit("base", at=1000)
    vault.git("checkout", "-qb", "other")
    older = vault.commit("older", at=2000, v="1")
    vault.git("checkout", "-q", "main")
    vault.commit("younger", at=3000, v="1")
    vault.git("merge", "-q", "-m", "merge", "other", GIT_COMMITTER_DATE="@1500 +0000")
    assert first_adding(vault.repo, "HEAD", "v.md") == older


def test_merge_bases(vault):
    ours, theirs = _fork(vault)
    assert merge_bases(vault.repo, [ours, theirs]) == [vault.git("rev-parse", "main~1")]
    assert merge_bases(vault.repo, [ours]) == [ours]


def test_histories_that_never_met_have_no_merge_base(vault):
    ours = vault.commit(a="1")
    vault.git("checkout", "-q", "--orphan", "other")
    assert merge_bases(vault.repo, [ours, vault.commit(a="2")]) == []


def test_ancestors(vault):
    first, second = vault.commit(a="1"), vault.commit(a="2")
    assert is_ancestor(vault.repo, first, second)
    assert is_ancestor(vault.repo, first, first)
    assert not is_ancestor(vault.repo, second, first)
    assert not is_ancestor(vault.repo, "f" * 40, first)
