"""After a kill at any moment a changeset is whole or absent, and nobody's edit is touched."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from vaultd.vault.intents import Held, Intent, Step, digest, forget, name_lock, record
from vaultd.vault.recovery import recover
from vaultd.vault.writing import write

Crashes = Callable[[str, Callable[[], Sequence[str]]], Iterator[Sequence[str]]]

BEFORE = {"b.md": b"old" * 3000, "c.md": b"leaves"}
AFTER = {"a/a.md": b"made" * 3000, "b.md": b"new" * 3000}
STEPS = tuple(Step(path, digest(BEFORE.get(path)), digest(AFTER.get(path))) for path in ("a/a.md", "b.md", "c.md"))

CHANGESET = """
    import sys
    from pathlib import Path
    from vaultd.vault import crashing
    from vaultd.vault.intents import *
    from vaultd.vault.writing import remove, write
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])
    before = {"b.md": b"old" * 3000, "c.md": b"leaves"}
    after = {"a/a.md": b"made" * 3000, "b.md": b"new" * 3000}
    steps = tuple(Step(path, digest(before.get(path)), digest(after.get(path))) for path in ("a/a.md", "b.md", "c.md"))
    held = record(folder, Intent("01X", "t", 1, "subject", (("created", "01A"),), steps, "message"), after)
    write(root, "a/a.md", after["a/a.md"], None)
    write(root, "b.md", after["b.md"], before["b.md"])
    remove(root, "c.md", before["c.md"])
    crashing.point("committed")
    forget(held)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "git/vaultd/intents"


def laid_out(root: Path) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for path, data in BEFORE.items():
        (root / path).write_bytes(data)
    return root


def content(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def abandoned(folder: Path, steps: tuple[Step, ...] = STEPS, contents: dict[str, bytes] = AFTER) -> Intent:
    held = record(folder, Intent("01X", "t", 1, "subject", (), steps, "message"), contents)
    os.close(held.fd)
    return held.intent


def test_killed_at_any_point_a_changeset_is_finished_or_dropped_whole(tmp_path: Path, every_crash: Crashes) -> None:
    made: list[Path] = []

    def fresh() -> list[str]:
        made.append(tmp_path / str(len(made)))
        return [str(laid_out(made[-1] / "vault")), str(made[-1] / "intents")]

    outcomes = set()
    for root_name, folder_name in every_crash(CHANGESET, fresh):
        root, folder = Path(root_name), Path(folder_name)
        found = recover(root, folder)
        outcome = found[0].outcome if found else "none"
        if outcome == "finished":
            assert content(root) == AFTER
            assert isinstance(found[0].held, Held)
            forget(found[0].held)
        else:
            assert content(root) in (BEFORE, AFTER)
        assert list(folder.iterdir()) == []
        outcomes.add(outcome)
    assert outcomes == {"none", "dropped", "finished"}


def test_killed_during_recovery_the_next_one_ends_the_same(tmp_path: Path, every_crash: Crashes, folder: Path) -> None:
    code = """
        import sys
        from pathlib import Path
        from vaultd.vault.recovery import recover
        recover(Path(sys.argv[1]), Path(sys.argv[2]))
    """
    made: list[Path] = []

    def fresh() -> list[str]:
        made.append(tmp_path / str(len(made)))
        root = laid_out(made[-1] / "vault")
        abandoned(made[-1] / "intents")
        write(root, "a/a.md", AFTER["a/a.md"], None)
        return [str(root), str(made[-1] / "intents")]

    for root, folder_name in every_crash(code, fresh):
        (found,) = recover(Path(root), Path(folder_name))
        assert found.outcome == "finished"
        assert content(Path(root)) == AFTER


def test_a_finished_intent_stays_until_the_caller_forgets_it(root: Path, folder: Path) -> None:
    laid_out(root)
    intent = abandoned(folder)
    (root / "b.md").write_bytes(AFTER["b.md"])
    (first,) = recover(root, folder)
    assert (first.outcome, first.intent) == ("finished", intent)
    assert first.held is not None
    os.close(first.held.fd)
    (again,) = recover(root, folder)
    assert again.outcome == "finished"


def test_an_edit_since_the_kill_is_reported_and_nothing_is_written(root: Path, folder: Path) -> None:
    laid_out(root)
    abandoned(folder)
    (root / "b.md").write_bytes(b"a person went on writing")
    write(root, "a/a.md", AFTER["a/a.md"], None)
    before = content(root)
    (found,) = recover(root, folder)
    assert found.outcome == "reported"
    assert "b.md holds neither" in found.notes[0]
    assert content(root) == before


def test_what_was_reported_is_kept_and_not_reported_again(root: Path, folder: Path) -> None:
    laid_out(root)
    abandoned(folder)
    (root / "b.md").write_bytes(b"a person went on writing")
    recover(root, folder)
    assert recover(root, folder) == []
    kept = {path.read_bytes() for path in (folder / "set-aside").rglob("*") if path.is_file()}
    assert set(AFTER.values()) <= kept


def test_a_live_writer_is_left_alone(root: Path, folder: Path) -> None:
    laid_out(root)
    record(folder, Intent("01X", "t", 1, "s", (), STEPS, "m"), AFTER)
    (root / "b.md").write_bytes(AFTER["b.md"])
    assert recover(root, folder) == []


def test_a_file_that_only_had_to_stay_as_it_is_does_not_count_as_begun(root: Path, folder: Path) -> None:
    laid_out(root)
    same = Step("b.md", digest(BEFORE["b.md"]), digest(BEFORE["b.md"]))
    abandoned(folder, (*STEPS[:1], same), {**AFTER, "b.md": BEFORE["b.md"]})
    assert [found.outcome for found in recover(root, folder)] == ["dropped"]
    assert content(root) == BEFORE


def test_a_save_that_a_killed_swap_displaced_is_kept_and_reported(
    root: Path, folder: Path, python: Callable[..., int]
) -> None:
    """The editor's text lies under the temporary name when the process dies; it is nowhere else."""
    laid_out(root)
    code = """
        import sys
        from pathlib import Path
        from vaultd.vault import crashing
        from vaultd.vault.intents import *
        from vaultd.vault.writing import write
        root, folder, real = Path(sys.argv[1]), Path(sys.argv[2]), crashing.point
        def point(name):
            if name == "write:synced":
                (root / "e").write_bytes(b"typed just now")
                (root / "e").replace(root / "b.md")
            real(name)
        crashing.point = point
        new, old = b"new" * 3000, b"old" * 3000
        record(folder, Intent("01X", "t", 1, "s", (), (Step("b.md", digest(old), digest(new)),), "m"), {"b.md": new})
        write(root, "b.md", new, old)
    """
    assert python(code, str(root), str(folder), at="write:exchanged") != 0
    (found,) = recover(root, folder)
    assert found.outcome == "reported"
    (kept,) = (path for path in root.iterdir() if path.name.startswith("."))
    assert kept.read_bytes() == b"typed just now"
    assert kept.name in found.notes[0]


def test_the_lock_a_killed_run_named_is_removed(root: Path, folder: Path, tmp_path: Path) -> None:
    laid_out(root)
    (tmp_path / "index.lock").touch()
    held = record(folder, Intent("01X", "t", 1, "s", (), STEPS, "m"), AFTER)
    name_lock(held, str(tmp_path / "index.lock"))
    os.close(held.fd)
    recover(root, folder)
    assert not (tmp_path / "index.lock").exists()


def test_a_lock_no_intent_names_stays(root: Path, folder: Path, tmp_path: Path) -> None:
    laid_out(root)
    (tmp_path / "index.lock").touch()
    abandoned(folder)
    recover(root, folder)
    assert (tmp_path / "index.lock").exists()


def test_an_intent_without_its_bytes_is_reported(root: Path, folder: Path) -> None:
    laid_out(root)
    abandoned(folder)
    for file in (folder / "01X.after").iterdir():
        file.unlink()
    (found,) = recover(root, folder)
    assert found.outcome == "reported"


def test_a_path_that_leaves_the_vault_is_reported_and_not_written(root: Path, folder: Path, tmp_path: Path) -> None:
    abandoned(folder, (Step("../x.md", None, digest(b"n")),), {"../x.md": b"n"})
    (found,) = recover(root, folder)
    assert found.outcome == "reported"
    assert not (tmp_path / "x.md").exists()


def test_without_intents_there_is_nothing_to_do(root: Path, folder: Path) -> None:
    assert recover(root, folder) == []
    assert not folder.exists()
