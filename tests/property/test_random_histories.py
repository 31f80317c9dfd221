"""Whatever edits, branches and merges a history holds: what is accepted obeys the rules and hangs on nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.vaults import Vault, memory
from vaultd.history.objects import Objects
from vaultd.history.repository import open_repository
from vaultd.index.mirror import open_mirror
from vaultd.judging.folding import Fold, explained_in
from vaultd.lifecycle.events import NOTHING_EXPLAINED
from vaultd.lifecycle.facts import Facts, facts_of
from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.merging import disagreeing
from vaultd.lifecycle.places import place_of
from vaultd.lifecycle.states import Active, Standing, successor_of
from vaultd.lifecycle.step import Change, Step, judge
from vaultd.lifecycle.transitions import Clock
from vaultd.notes.note import parse

IDS = ("M0", "M1", "M2", "M3")
PATHS = tuple(f"memory/{place}.md" for place in ("_global/a", "_global/b", "_global/c", "_global/A", "p/a", "p/d"))
TIMES = ("2025-06-01", "2025-06-01T12:00:00Z", "2025-07-01T12:00:00Z", "2999-01-01", "soon")
EDGES = (*IDS, "a", "p/d", '"[[b]]"', "nobody")
MESSAGES = (
    "notes",
    "notes",
    "notes",
    *(f"x\n\nVaultd-Event: restored\nVaultd-Id: {id_}\n" for id_ in IDS),
    *(f"x\n\nVaultd-Event: deleted\nVaultd-Id: {id_}\n" for id_ in IDS[:2]),
    'Revert "x"',
)
CLOCK = Clock(datetime(2026, 1, 1, tzinfo=UTC), UTC)
Tree = dict[str, str]


@dataclass(frozen=True)
class Made:
    """One commit: parents by their number, the whole tree, the message."""

    parents: tuple[int, ...]
    tree: Tree
    message: str

    def __repr__(self) -> str:
        told = {path: facts(text) for path, text in self.tree.items()}
        files = "; ".join(f"{path[7:-3]}: {f.id} {f.invalid_at} {f.superseded_by}" for path, f in sorted(told.items()))
        return f"{list(self.parents)} {self.message!r} {{{files}}}"


def text_of(path: str, id_: str, at: str = "null", by: str = "null") -> str:
    place = place_of(path, "memory")
    assert place is not None
    return memory(place.name, at=at, by=by, id_=id_, project=place.project)


@cache
def facts(text: str) -> Facts:
    return facts_of(parse(text.encode()))


BEGINNING: Tree = {path: text_of(path, id_) for path, id_ in zip(PATHS, IDS, strict=False) if path != PATHS[3]} | {
    PATHS[5]: text_of(PATHS[5], IDS[3])
}


@st.composite
def edited(draw: st.DrawFn, tree: Tree) -> Tree:
    """Return a tree with one more edit."""
    tree = dict(tree)
    path = draw(st.sampled_from(sorted(tree) or [PATHS[0]]))
    known = facts(tree[path]).id if path in tree else None
    id_ = known or draw(st.sampled_from(IDS))
    match draw(
        st.sampled_from(["end", "end", "end", "clear", "clear", "half", "remove", "move", "copy", "id", "break"])
    ):
        case "end":
            by = draw(st.sampled_from(("null", *EDGES)))
            tree[path] = text_of(path, id_, draw(st.sampled_from(TIMES)), by)
        case "clear":
            tree[path] = text_of(path, id_)
        case "half":
            tree[path] = text_of(path, id_, by=draw(st.sampled_from(EDGES)))
        case "remove":
            tree.pop(path, None)
        case "move":
            tree[draw(st.sampled_from(PATHS))] = tree.pop(path, text_of(path, id_))
        case "copy":
            tree[draw(st.sampled_from(PATHS))] = tree.get(path, text_of(path, id_))
        case "id":
            tree[path] = text_of(path, draw(st.sampled_from(IDS)))
        case "break":
            tree[path] = "---\nid: [\n---\n" if draw(st.booleans()) else "only words\n"
    return tree


@st.composite
def histories(draw: st.DrawFn, longest: int) -> list[Made]:
    """Draw a history: the first commit makes the vault, the later ones go on from any that came before."""
    made = [Made((), dict(BEGINNING), "begin")]
    for number in range(1, draw(st.integers(2, longest))):
        first = draw(st.sampled_from([number - 1, number - 1, *range(number)]))
        parents, tree = (first,), made[first].tree
        if number > 2 and draw(st.integers(0, 2)) == 0:
            second = draw(st.integers(0, number - 1))
            if second != first:
                parents = (first, second)
                tree = draw(merged(tree, made[second].tree))
        for _ in range(draw(st.integers(0, 2))):
            tree = draw(edited(tree))
        made.append(Made(parents, tree, draw(st.sampled_from(MESSAGES))))
    return made


@st.composite
def merged(draw: st.DrawFn, ours: Tree, theirs: Tree) -> Tree:
    """Return ours, theirs, or a mixture of both by file."""
    sides = [draw(st.sampled_from([ours, theirs]))] * 6 if draw(st.booleans()) else []
    tree: Tree = {}
    for number, path in enumerate(PATHS):
        side = sides[number] if sides else draw(st.sampled_from([ours, theirs]))
        if path in side:
            tree[path] = side[path]
    return tree


# The fold, without git ------------------------------------------------------------------------------------------------


def changes_between(before: Tree, after: Tree) -> list[Change]:
    paths = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    return [Change(path, *(facts(tree[path]) if path in tree else None for tree in (before, after))) for path in paths]


def ancestors(made: Sequence[Made], number: int) -> set[int]:
    """Return a commit and all that it descends from."""
    found, waiting = set(), [number]
    while waiting:
        if (one := waiting.pop()) not in found:
            found.add(one)
            waiting += made[one].parents
    return found


def bases_of(made: Sequence[Made], one: int, other: int) -> set[int]:
    common = ancestors(made, one) & ancestors(made, other)
    return {base for base in common if not any(base in ancestors(made, c) - {c} for c in common)}


def step_to(made: Sequence[Made], grounds: Sequence[Ground], number: int, parents: Sequence[int]) -> Ground:
    """Fold one commit on its parents, taken in the given order."""
    ground, others = grounds[parents[0]].copy(), [grounds[parent] for parent in parents[1:]]
    bases = []
    if others:
        ids = {id_ for other in others for id_ in disagreeing(ground, other)}
        known = [grounds[base].standings for base in sorted(bases_of(made, *parents))]
        bases = [{id_: base[id_] for id_ in ids if id_ in base} for base in known]
    changes = changes_between(made[parents[0]].tree, made[number].tree)
    step = Step(changes, CLOCK, explained_in(made[number].message), f"c{number}", others, bases)
    ground.replay(judge(ground, step).delta)
    return ground


def folded(made: Sequence[Made]) -> list[Ground]:
    """Fold a history and, where a test fails, tell it in short."""
    note("\n".join(f"{number}: {commit!r}" for number, commit in enumerate(made)))
    first = Ground("memory")
    first.replay(judge(first, Step(changes_between({}, made[0].tree), CLOCK, NOTHING_EXPLAINED)).delta)
    grounds = [first]
    for number in range(1, len(made)):
        grounds.append(step_to(made, grounds, number, made[number].parents))
    return grounds


def unexplained(made: Made, id_: str) -> bool:
    told = explained_in(made.message)
    return not told.reverts and id_ not in told.restored | told.deleted


def ended(standing: Standing | None) -> bool:
    return standing is not None and not isinstance(standing.state, Active)


quick = settings(max_examples=60, deadline=None)


@quick
@given(histories(10))
def test_at_most_one_active_memory_has_a_name(made: list[Made]):
    for ground in folded(made):
        active = [ground.place(s.path) for s in ground.standings.values() if s.active]
        keys = [place.key for place in active if place is not None]
        assert len(keys) == len(set(keys))


@quick
@given(histories(10))
def test_accepted_edges_form_no_circle(made: list[Made]):
    for ground in folded(made):
        for id_ in ground.standings:
            assert id_ not in successors(ground, id_)


def successors(ground: Ground, id_: str) -> Iterator[str]:
    seen: set[str] = set()
    standing = ground.standings.get(id_)
    while standing is not None and (after := successor_of(standing.state)) and after not in seen:
        seen.add(after)
        yield after
        standing = ground.standings.get(after)


@quick
@given(histories(10))
def test_what_ended_everywhere_does_not_return_without_a_word(made: list[Made]):
    grounds = folded(made)
    for number, commit in enumerate(made[1:], 1):
        for id_ in IDS:
            if all(ended(grounds[parent].standings.get(id_)) for parent in commit.parents) and unexplained(commit, id_):
                assert ended(grounds[number].standings.get(id_))


@quick
@given(histories(10))
def test_what_ended_on_one_side_does_not_return_because_the_other_never_heard_of_it(made: list[Made]):
    grounds = folded(made)
    for number, commit in enumerate(made[1:], 1):
        if len(commit.parents) < 2:
            continue
        for id_ in IDS:
            base = [grounds[one].standings.get(id_) for one in bases_of(made, *commit.parents)]
            sides = [grounds[parent].standings.get(id_) for parent in commit.parents]
            began_active = all(b is not None and isinstance(b.state, Active) and not b.gone for b in base)
            unmoved = any(side in base for side in sides)
            if began_active and unmoved and any(ended(side) for side in sides) and unexplained(commit, id_):
                assert ended(grounds[number].standings.get(id_))


@quick
@given(histories(10))
def test_an_accepted_edge_never_changes_on_a_line(made: list[Made]):
    grounds = folded(made)
    for number, commit in enumerate(made[1:], 1):
        if len(commit.parents) != 1:
            continue
        for id_, standing in grounds[commit.parents[0]].standings.items():
            if (edge := successor_of(standing.state)) and unexplained(commit, id_):
                assert successor_of(grounds[number].standings[id_].state) == edge


@quick
@given(histories(10))
def test_who_merges_whom_makes_no_difference_to_what_has_ended(made: list[Made]):
    grounds = folded(made)
    for number, commit in enumerate(made):
        if len(commit.parents) == 2:
            swapped = step_to(made, grounds, number, commit.parents[::-1])
            # Where two files say one id, it is the first parent's file that has it (V100).
            said = [facts(text).id for text in commit.tree.values()]
            twice = {id_ for id_ in said if said.count(id_) > 1}
            assert _ends(swapped, twice) == _ends(grounds[number], twice)


def _ends(ground: Ground, without: set[str | None]) -> dict[str, object]:
    return {id_: s.state for id_, s in ground.standings.items() if ended(s) and id_ not in without}


@quick
@given(histories(10))
def test_the_indexes_of_a_ground_agree_with_its_standings(made: list[Made]):
    for ground in folded(made):
        rebuilt = Ground(ground.folder)
        for standing in ground.standings.values():
            rebuilt.put(standing)
        assert (ground.at, ground.named, ground.predecessors) == (rebuilt.at, rebuilt.named, rebuilt.predecessors)


# The fold, with git and its cache -------------------------------------------------------------------------------------


def imported(vault: Vault, made: Sequence[Made]) -> list[str]:
    """Write a history into git at once and return its commits."""
    stream: list[str] = []
    for number, commit in enumerate(made):
        files = commit.tree | {".vaultd/vault-id": "01JV\n"}
        stream += [f"commit refs/heads/c{number}", f"mark :{number + 1}"]
        stream += ["committer Ada <ada@example.org> 1767225600 +0000", *_data(commit.message)]
        stream += [f"{'merge' if place else 'from'} :{parent + 1}" for place, parent in enumerate(commit.parents)]
        stream += ["deleteall"]
        for path, text in sorted(files.items()):
            stream += [f"M 100644 inline {path}", *_data(text)]
    vault.root.mkdir()
    vault.git("init", "-q", "-b", "main")
    vault.git("fast-import", "--quiet", stdin="\n".join(stream) + "\n")
    return vault.git("rev-parse", *(f"c{number}" for number in range(len(made)))).split()


def _data(text: str) -> list[str]:
    return [f"data {len(text.encode())}", text]


@settings(max_examples=10, deadline=None)
@given(made=histories(9), order=st.randoms(use_true_random=False))
def test_the_cache_never_changes_an_answer(tmp_path_factory, made: list[Made], order):
    folder = tmp_path_factory.mktemp("history")
    commits = imported(Vault(folder / "vault"), made)
    expected = folded(made)
    repo = open_repository(folder / "vault")
    assert repo is not None
    asked = list(range(len(made)))
    order.shuffle(asked)
    for number in asked[:4]:
        assert _known(_fold(folder, repo, commits[number], cached=True)) == _known(expected[number])
    number = asked[0]
    assert _known(_fold(folder, repo, commits[number], cached=False)) == _known(expected[number])


def _fold(folder: Path, repo, commit: str, *, cached: bool) -> Ground:
    objects = Objects(repo)
    mirror = open_mirror(folder / "index") if cached else None
    try:
        return Fold(repo, objects, mirror, UTC).at(commit).ground
    finally:
        objects.close()
        if mirror is not None:
            mirror.close()


def _known(ground: Ground) -> tuple[object, object]:
    return ground.standings, {id_: (q.files, q.violations) for id_, q in ground.open.items()}
