"""Trees made here are the trees git makes, and a commit read here says what git prints of it."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.git_fixtures import Scratch, scratch
from vaultd.history.following import following
from vaultd.history.objects import Objects
from vaultd.history.trees import Item, Trees
from vaultd.history.walk import walk

# Names that sort differently as files and as folders, and names git would quote.
NAMES = st.sampled_from(["a", "a.md", "a-b", "a0", "b", "B", "é", "z z", "n\nl", "l\udce9"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Scratch:
    made = scratch(tmp_path_factory.mktemp("trees") / "r")
    subprocess.run(["git", "hash-object", "-w", "--stdin"], cwd=made.top, input=b"", check=True, capture_output=True)
    return made


def _by_git(place: Scratch, index: Path, present: list[str], removed: list[str]) -> str:
    env = {"GIT_INDEX_FILE": str(index)}
    lines = [f"100644 {BLOB}\t{path}" for path in present] + [f"0 {'0' * 40}\t{path}" for path in removed]
    data = b"".join(line.encode("utf-8", "surrogateescape") + b"\0" for line in lines)
    place.git("update-index", "-z", "--index-info", stdin=data, **env)
    return place.git("write-tree", **env)


@settings(max_examples=60, deadline=None)
@given(before=st.sets(PATHS, max_size=8), added=st.sets(PATHS, max_size=4), removed=st.sets(PATHS, max_size=4))
def test_a_changed_tree_is_the_one_git_writes(place, before, added, removed):
    index = place.top / ".git" / "scratch-index"
    index.unlink(missing_ok=True)
    first = _by_git(place, index, sorted(before), [])
    removed = removed - added
    # A path that is also a folder of another one cannot be there beside it; git and we differ in which of them wins.
    final = {path for path in before | added if path not in removed}
    if any(other.startswith(f"{path}/") for path in final for other in final | removed):
        return
    expected = _by_git(place, index, sorted(added), sorted(removed))
    commit = place.git("commit-tree", first, "-m", "x")
    changes: dict[str, Item | None] = {**dict.fromkeys(removed), **dict.fromkeys(added, Item("100644", BLOB))}
    with Objects(place.repo) as objects:
        assert Trees(place.repo, objects).with_changes(commit, changes) == expected


KINDS = st.sampled_from(["100644", "100755", "120000", "160000"])
WORDS = st.lists(st.sampled_from(["a", " ", "\n", "\t", "é", "\r", "Vaultd-Id: x", "    ", "\x0c"]), max_size=8).map(
    "".join
)


def _commit(place: Scratch, items: dict[str, str], message: str, *parents: str) -> str:
    index = place.top / ".git" / "scratch-index"
    index.unlink(missing_ok=True)
    other = place.git("rev-parse", "HEAD")
    lines = [f"{mode} {other if mode == '160000' else BLOB}\t{path}" for path, mode in items.items()]
    data = b"".join(line.encode("utf-8", "surrogateescape") + b"\0" for line in lines)
    env = {"GIT_INDEX_FILE": str(index)}
    place.git("update-index", "-z", "--add", "--index-info", stdin=data, **env)
    tree = place.git("write-tree", **env)
    above = [word for parent in parents for word in ("-p", parent)]
    return place.git("commit-tree", tree, *above, stdin=message.encode())


@settings(max_examples=60, deadline=None)
@given(before=st.dictionaries(PATHS, KINDS, max_size=8), after=st.dictionaries(PATHS, KINDS, max_size=8), message=WORDS)
def test_the_commit_behind_a_known_one_is_what_git_prints(place, before, after, message):
    place.commit("begin", x="")
    parent = _commit(place, before, "parent")
    oid = _commit(place, after, message, parent)
    (printed,) = walk(place.repo, oid, [parent])
    with Objects(place.repo) as objects:
        assert following(place.repo, objects, oid, parent) == printed
        assert following(place.repo, objects, parent, oid) is None
