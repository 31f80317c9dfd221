"""Links mean what they would in a fresh index, and only those are resolved again that a path concerns."""

import random
from pathlib import Path

import pytest

from tests.unit.index.conftest import Index, Notes, blob_id, later, open_index, stamp_of
from vaultd.index.catch_up import catch_up, catch_up_some
from vaultd.index.linking import Linking
from vaultd.index.rows import unstored
from vaultd.notes.resolution import Names


def meant(index: Index) -> dict[tuple[str, str], str | None]:
    """Return what each link means, by the note it stands in and its target."""
    rows = index.mirror.rows(
        "SELECT s.path, l.target, t.path FROM links l JOIN names s ON s.number = l.note"
        " LEFT JOIN names t ON t.number = l.resolved"
    )
    return {(unstored(source), target): unstored(path) if path else None for source, target, path in rows}


def tables(index: Index) -> dict[str, list]:
    names = ("names", "properties", "links", "headings", "blocks", "tags", "tasks")
    return {name: sorted(index.mirror.rows(f"SELECT * FROM {name}"), key=str) for name in names}


def test_a_link_means_a_note_whatever_order_they_are_read_in(index: Index):
    index.notes.write("a.md", "[[z]] and [[nobody]]")
    index.notes.write("z.md", "[[a|back]]")
    index.catch_up()
    assert meant(index) == {("a.md", "z"): "z.md", ("a.md", "nobody"): None, ("z.md", "a"): "a.md"}


def test_a_new_note_takes_the_links_that_name_it(index: Index):
    index.notes.write("a.md", "[[late]]")
    index.catch_up()
    index.notes.write("sub/late.md", "here")
    index.catch_up()
    assert meant(index)["a.md", "late"] == "sub/late.md"


def test_a_note_that_left_takes_its_links_with_it_and_frees_those_to_it(index: Index):
    index.notes.write("a.md", "[[b]]")
    index.notes.write("b.md", "[[a]] #tag\n- [ ] do\n# head\n")
    index.catch_up()
    index.notes.remove("b.md")
    index.catch_up()
    assert meant(index) == {("a.md", "b"): None}
    assert [rows for name, rows in tables(index).items() if name not in ("names", "links")] == [[], [], [], [], []]


def test_a_link_to_an_attachment_means_it(index: Index):
    index.notes.write("a.md", "![[plan.png]]")
    arguments = (index.mirror, index.fulltext, index.notes.found(), index.notes.read, blob_id)
    catch_up(*arguments, clock_ns=later, others=["img/plan.png"])
    assert meant(index) == {("a.md", "plan.png"): "img/plan.png"}
    catch_up(*arguments, clock_ns=later)
    assert meant(index) == {("a.md", "plan.png"): None}


def test_a_start_with_nothing_changed_resolves_nothing(index: Index):
    index.notes.write("a.md", "[[b]]")
    index.notes.write("b.md", "")
    index.catch_up()
    linking = Linking(index.mirror)
    linking.paths_are(index.notes.found())
    assert linking.settle() == 0


def test_only_links_of_a_touched_key_are_resolved_again(index: Index):
    index.notes.write("a.md", "[[b]] [[c]] [[d]]")
    index.catch_up()
    linking = Linking(index.mirror)
    linking.paths_change(["x/c.md"], [])
    assert linking.settle() == 1
    assert meant(index)["a.md", "c"] == "x/c.md"


def test_what_a_killed_run_left_to_resolve_the_next_one_resolves(index: Index):
    index.notes.write("a.md", "[[b]]")
    index.catch_up()
    Linking(index.mirror).paths_change(["b.md"], [])
    index.notes.write("b.md", "")
    index.catch_up()
    assert meant(index) == {("a.md", "b"): "b.md"}


def test_a_name_two_notes_have_counts_its_rivals_and_a_whole_path_none(index: Index):
    for path, text in {"x/n.md": "", "y/n.md": "", "a.md": "[[n]] [[y/n]] [[none]]"}.items():
        index.notes.write(path, text)
    index.catch_up()
    rivals = dict(index.mirror.rows("SELECT target, rivals FROM links"))
    assert rivals == {"n": 2, "y/n": 1, "none": 0}


@pytest.mark.parametrize("seed", range(6))
def test_any_way_to_the_same_files_gives_the_same_tables(tmp_path: Path, seed: int):
    source = random.Random(seed)
    notes = Notes(tmp_path / "vault")
    notes.root.mkdir()
    index = open_index(tmp_path / "grown", notes)
    linking = Linking(index.mirror)
    paths = [f"{folder}{name}.md" for folder in ("", "p/", "p/q/", "r/") for name in ("a", "B", "é", "a b")]
    targets = ["a", "b", "É", "a b", "p/a", "q/a", "./a", "../a", "none", "", "B.md", "r/é"]
    for _ in range(12):
        changed = source.sample(paths, 4)
        for path in changed:
            if (notes.root / path).exists() and source.random() < 0.4:
                notes.remove(path)
            else:
                text = " ".join(f"[[{target}]]" for target in source.sample(targets, 4))
                notes.write(path, f"---\nup: '[[{source.choice(targets)}]]'\n---\n{text} {source.random()}\n")
        some = {path: stamp_of(notes.root / path) if (notes.root / path).exists() else None for path in changed}
        arguments = (index.mirror, index.fulltext, some, notes.read, blob_id)
        assert not catch_up_some(*arguments, clock_ns=later, linking=linking).rebuilt or index.catch_up()
    fresh = open_index(tmp_path / "fresh", notes)
    fresh.catch_up()
    assert tables(index) == tables(fresh)
    index.close()
    fresh.close()


def test_what_a_link_means_is_asked_once_unless_it_matters_where_it_stands(
    index: Index, monkeypatch: pytest.MonkeyPatch
):
    asked: list[str] = []
    resolve = Names.resolve

    def heard(names: Names, target: str, source: str) -> str | None:
        asked.append(target)
        return resolve(names, target, source)

    monkeypatch.setattr(Names, "resolve", heard)
    for name in ("x/one.md", "y/two.md"):
        index.notes.write(name, "[[nobody]] [[three]] [[two/nobody]] [[./four]] [[#here]] [[twin]]")
    for name in ("three.md", "x/four.md", "x/twin.md", "y/twin.md"):
        index.notes.write(name, "text")
    index.catch_up()
    assert sorted(asked) == ["", "", "./four", "./four", "twin", "twin"]
    assert meant(index)["y/two.md", "twin"] == "y/twin.md"
    assert meant(index)["x/one.md", "./four"] == "x/four.md"
