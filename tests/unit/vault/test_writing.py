"""Writing leaves the old file or the new one, and never loses bytes that somebody else saved."""

import concurrent.futures
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from vaultd.errors import ConflictError, StorageError, UsageError
from vaultd.vault import exchanging, temporaries
from vaultd.vault.reading import read_stable
from vaultd.vault.writing import remove, rename, sweep_temporaries, write

When = Callable[[str, Callable[[], object]], None]
Crashes = Callable[[str, Callable[[], Sequence[str]]], Iterator[Sequence[str]]]


def names(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir())


def test_a_new_note_is_made_with_its_folders(root: Path) -> None:
    write(root, "memory/p/n.md", b"text", None)
    assert (root / "memory/p/n.md").read_bytes() == b"text"
    assert names(root) == ["memory/p/n.md"]


def test_a_new_note_does_not_replace_one_that_is_there(root: Path) -> None:
    (root / "n.md").write_bytes(b"theirs")
    with pytest.raises(ConflictError, match="there already"):
        write(root, "n.md", b"ours", None)
    assert (root / "n.md").read_bytes() == b"theirs"


def test_a_new_note_does_not_replace_one_that_appears_at_the_last_moment(root: Path, when: When) -> None:
    when("write:synced", lambda: (root / "n.md").write_bytes(b"theirs"))
    with pytest.raises(ConflictError, match="there already"):
        write(root, "n.md", b"ours", None)
    assert (root / "n.md").read_bytes() == b"theirs"
    assert names(root) == ["n.md"]


def test_a_new_note_does_not_replace_a_link_that_leads_nowhere(root: Path) -> None:
    (root / "n.md").symlink_to("nowhere.md")
    with pytest.raises(ConflictError):
        write(root, "n.md", b"ours", None)
    assert not (root / "nowhere.md").exists()


def test_a_refused_new_note_leaves_no_folder_behind(root: Path) -> None:
    with pytest.raises(StorageError):
        write(root, "c/d/" + "x" * 300 + ".md", b"ours", None)
    assert not (root / "c").exists()


def test_a_note_that_holds_the_base_is_replaced(root: Path) -> None:
    (root / "n.md").write_bytes(b"old")
    stamp = write(root, "n.md", b"new", b"old")
    assert (root / "n.md").read_bytes() == b"new"
    assert read_stable(root, "n.md").stamp == stamp
    assert names(root) == ["n.md"]


def test_a_note_that_moved_on_is_left(root: Path) -> None:
    (root / "n.md").write_bytes(b"theirs")
    with pytest.raises(ConflictError, match="changed since"):
        write(root, "n.md", b"new", b"old")
    assert (root / "n.md").read_bytes() == b"theirs"


def test_a_longer_note_that_begins_with_the_base_moved_on(root: Path) -> None:
    (root / "n.md").write_bytes(b"old and more")
    with pytest.raises(ConflictError):
        write(root, "n.md", b"new", b"old")


def test_a_note_that_is_gone_is_not_made_again(root: Path) -> None:
    with pytest.raises(ConflictError, match="not there"):
        write(root, "n.md", b"new", b"old")
    assert names(root) == []


def test_equal_bytes_are_not_written(root: Path) -> None:
    (root / "n.md").write_bytes(b"same")
    before = read_stable(root, "n.md").stamp
    write(root, "n.md", b"same", b"same")
    assert read_stable(root, "n.md").stamp == before


def test_the_mode_stays(root: Path) -> None:
    (root / "n.md").write_bytes(b"old")
    (root / "n.md").chmod(0o640)
    write(root, "n.md", b"new", b"old")
    assert (root / "n.md").stat().st_mode & 0o7777 == 0o640


def test_a_private_note_is_private_at_every_moment(root: Path, when: When) -> None:
    (root / "n.md").write_bytes(b"old")
    (root / "n.md").chmod(0o600)
    seen: list[int] = []
    when("write:part", lambda: seen.extend(path.stat().st_mode & 0o077 for path in root.iterdir()))
    write(root, "n.md", b"new", b"old")
    assert seen == [0, 0]


def test_extended_attributes_stay(root: Path) -> None:
    (root / "n.md").write_bytes(b"old")
    try:
        os.setxattr(root / "n.md", "user.tag", b"blue")
    except OSError:
        pytest.skip("this file system keeps no attributes")
    write(root, "n.md", b"new", b"old")
    assert os.getxattr(root / "n.md", "user.tag") == b"blue"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_stays(root: Path) -> None:
    (root / "n.md").write_bytes(b"old")
    os.chown(root / "n.md", 1234, 1235)
    write(root, "n.md", b"new", b"old")
    assert ((root / "n.md").stat().st_uid, (root / "n.md").stat().st_gid) == (1234, 1235)


def test_a_file_with_two_names_is_refused(root: Path) -> None:
    (root / "n.md").write_bytes(b"old")
    os.link(root / "n.md", root / "twin.md")
    with pytest.raises(StorageError, match="hard links") as caught:
        write(root, "n.md", b"new", b"old")
    assert caught.value.hint
    assert (root / "twin.md").read_bytes() == b"old"


def test_a_read_only_note_is_refused(root: Path, permissions: None) -> None:
    (root / "n.md").write_bytes(b"old")
    (root / "n.md").chmod(0o444)
    with pytest.raises(StorageError, match="read-only"):
        write(root, "n.md", b"new", b"old")


def test_a_linked_note_stays_a_link(root: Path) -> None:
    (root / "real").mkdir()
    (root / "real/n.md").write_bytes(b"old")
    (root / "n.md").symlink_to("real/n.md")
    write(root, "n.md", b"new", b"old")
    assert (root / "n.md").is_symlink()
    assert (root / "real/n.md").read_bytes() == b"new"


def test_a_link_out_of_the_vault_is_not_written_through(root: Path, tmp_path: Path) -> None:
    (tmp_path / "s.md").write_bytes(b"old")
    (root / "n.md").symlink_to("../s.md")
    with pytest.raises(UsageError):
        write(root, "n.md", b"new", b"old")
    assert (tmp_path / "s.md").read_bytes() == b"old"


def test_a_pipe_is_refused_without_blocking(root: Path) -> None:
    os.mkfifo(root / "n.md")
    with pytest.raises(StorageError):
        write(root, "n.md", b"new", b"old")


def test_a_folder_of_that_name_is_refused(root: Path) -> None:
    (root / "n.md").mkdir()
    with pytest.raises(StorageError):
        write(root, "n.md", b"new", b"old")


def test_the_longest_name_can_be_written(root: Path) -> None:
    name = "ü" * 126 + ".md"
    write(root, name, b"old", None)
    write(root, name, b"new", b"old")
    assert names(root) == [name]


def test_a_name_that_is_not_utf8_can_be_written(root: Path) -> None:
    write(root, "bad\udcff.md", b"old", None)
    write(root, "bad\udcff.md", b"new", b"old")
    assert [os.fsencode(path.name) for path in root.iterdir()] == [b"bad\xff.md"]


def save_in_place(file: Path, text: bytes) -> None:
    file.write_bytes(text)


def save_atomically(file: Path, text: bytes) -> None:
    (file.parent / "editor.tmp").write_bytes(text)
    (file.parent / "editor.tmp").replace(file)


@pytest.mark.parametrize("save", [save_in_place, save_atomically])
def test_a_save_at_the_last_moment_is_put_back(root: Path, when: When, save: Callable[[Path, bytes], None]) -> None:
    (root / "n.md").write_bytes(b"old")
    when("write:synced", lambda: save(root / "n.md", b"typed just now"))
    with pytest.raises(ConflictError, match="changed since"):
        write(root, "n.md", b"new", b"old")
    assert (root / "n.md").read_bytes() == b"typed just now"
    assert names(root) == ["n.md"]


def test_a_save_that_equals_ours_is_no_conflict(root: Path, when: When) -> None:
    (root / "n.md").write_bytes(b"old")
    when("write:synced", lambda: save_atomically(root / "n.md", b"new"))
    write(root, "n.md", b"new", b"old")
    assert (root / "n.md").read_bytes() == b"new"
    assert names(root) == ["n.md"]


def test_a_save_over_ours_right_after_the_swap_stays(root: Path, when: When) -> None:
    (root / "n.md").write_bytes(b"old")
    when("write:exchanged", lambda: save_atomically(root / "n.md", b"typed after"))
    write(root, "n.md", b"new", b"old")
    assert (root / "n.md").read_bytes() == b"typed after"
    assert names(root) == ["n.md"]


def test_of_two_saves_around_the_swap_both_are_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "n.md").write_bytes(b"old")
    real, saves = exchanging.exchange, [b"first save", b"second save"]

    def saved_before_each_swap(one: Path, other: Path) -> bool:
        if saves:
            save_atomically(root / "n.md", saves.pop(0))
        return real(one, other)

    monkeypatch.setattr(exchanging, "exchange", saved_before_each_swap)
    with pytest.raises(ConflictError, match=r"saved twice .* \.n\.md\.vaultd-tmp-"):
        write(root, "n.md", b"new", b"old")
    kept, note = (root / name for name in names(root))
    assert (kept.read_bytes(), note.read_bytes()) == (b"first save", b"second save")


def test_a_note_deleted_at_the_last_moment_stays_deleted(root: Path, when: When) -> None:
    (root / "n.md").write_bytes(b"old")
    when("write:synced", (root / "n.md").unlink)
    with pytest.raises(ConflictError, match="not there"):
        write(root, "n.md", b"new", b"old")
    assert names(root) == []


def test_a_note_replaced_by_a_folder_at_the_last_moment_is_put_back(root: Path, when: When) -> None:
    (root / "n.md").write_bytes(b"old")
    when("write:synced", lambda: (root / "n.md").unlink() or (root / "n.md").mkdir())
    with pytest.raises(ConflictError):
        write(root, "n.md", b"new", b"old")
    assert (root / "n.md").is_dir()
    assert names(root) == []


needs_leases = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open for writing")


@needs_leases
def test_a_note_that_a_program_holds_open_for_writing_is_left(root: Path) -> None:
    (root / "n.md").write_bytes(b"old")
    with (root / "n.md").open("r+b"), pytest.raises(ConflictError, match="open for writing"):
        write(root, "n.md", b"new", b"old")
    assert (root / "n.md").read_bytes() == b"old"


@needs_leases
def test_a_program_that_opened_the_note_before_the_swap_does_not_lose_its_save(root: Path, when: When) -> None:
    (root / "n.md").write_bytes(b"old")
    opened: list[int] = []
    when("write:synced", lambda: opened.append(os.open(root / "n.md", os.O_WRONLY)))
    with pytest.raises(ConflictError):
        write(root, "n.md", b"new", b"old")
    os.write(opened[0], b"typed into the file that was open")
    os.close(opened[0])
    assert (root / "n.md").read_bytes() == b"typed into the file that was open"


def test_a_program_that_only_reads_the_note_does_not_matter(root: Path) -> None:
    (root / "n.md").write_bytes(b"old")
    with (root / "n.md").open("rb"):
        write(root, "n.md", b"new", b"old")
    assert (root / "n.md").read_bytes() == b"new"


@pytest.fixture
def no_swapping(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system without the two renames."""
    monkeypatch.setattr(exchanging, "_rename", None)


def test_without_swapping_the_note_is_still_replaced(root: Path, no_swapping: None) -> None:
    write(root, "n.md", b"old", None)
    write(root, "n.md", b"new", b"old")
    assert (root / "n.md").read_bytes() == b"new"
    assert names(root) == ["n.md"]


def test_without_swapping_a_save_before_the_rename_is_seen(root: Path, no_swapping: None, when: When) -> None:
    (root / "n.md").write_bytes(b"old")
    when("write:synced", lambda: save_atomically(root / "n.md", b"typed"))
    with pytest.raises(ConflictError):
        write(root, "n.md", b"new", b"old")
    assert (root / "n.md").read_bytes() == b"typed"
    assert names(root) == ["n.md"]


def test_without_swapping_a_new_note_replaces_nothing(root: Path, no_swapping: None, when: When) -> None:
    when("write:synced", lambda: (root / "n.md").write_bytes(b"theirs"))
    with pytest.raises(ConflictError):
        write(root, "n.md", b"ours", None)
    assert (root / "n.md").read_bytes() == b"theirs"


@pytest.fixture
def small_disk() -> Iterator[int]:
    """No file may grow beyond 64 KB: the system refuses the write as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, hard))
    yield 65_536
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_changes_nothing(root: Path, small_disk: int) -> None:
    (root / "n.md").write_bytes(b"old")
    with pytest.raises(StorageError, match="cannot be written") as caught:
        write(root, "n.md", b"x" * small_disk * 2, b"old")
    assert "free some space" in caught.value.hint
    assert (root / "n.md").read_bytes() == b"old"
    assert names(root) == ["n.md"]


def test_a_full_disk_leaves_no_half_of_a_new_note(root: Path, small_disk: int) -> None:
    with pytest.raises(StorageError):
        write(root, "a/n.md", b"x" * small_disk * 2, None)
    assert list(root.iterdir()) == []


def test_a_disk_that_fails_to_sync_changes_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "n.md").write_bytes(b"old")

    def failing(_fd: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(StorageError, match="Input/output"):
        write(root, "n.md", b"new", b"old")
    assert (root / "n.md").read_bytes() == b"old"
    assert names(root) == ["n.md"]


def test_removing_takes_the_note_away(root: Path) -> None:
    (root / "n.md").write_bytes(b"old")
    remove(root, "n.md", b"old")
    assert names(root) == []


def test_removing_a_note_that_moved_on_leaves_it(root: Path) -> None:
    (root / "n.md").write_bytes(b"theirs")
    with pytest.raises(ConflictError):
        remove(root, "n.md", b"old")
    assert names(root) == ["n.md"]


def test_removing_a_note_that_is_gone_is_a_conflict(root: Path) -> None:
    with pytest.raises(ConflictError, match="not there"):
        remove(root, "n.md", b"old")


def test_a_save_while_a_note_is_removed_brings_it_back(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "n.md").write_bytes(b"old")
    real = exchanging.move_new

    def saved_before(old: Path, new: Path) -> None:
        if old.name == "n.md":
            save_atomically(old, b"typed")
        real(old, new)

    monkeypatch.setattr(exchanging, "move_new", saved_before)
    with pytest.raises(ConflictError):
        remove(root, "n.md", b"old")
    assert (root / "n.md").read_bytes() == b"typed"
    assert names(root) == ["n.md"]


def test_a_note_made_anew_while_the_old_one_is_removed_stays(root: Path, when: When) -> None:
    (root / "n.md").write_bytes(b"old")
    when("remove:aside", lambda: (root / "n.md").write_bytes(b"made anew"))
    remove(root, "n.md", b"old")
    assert (root / "n.md").read_bytes() == b"made anew"
    assert names(root) == ["n.md"]


def test_renaming_keeps_bytes_and_makes_folders(root: Path) -> None:
    (root / "n.md").write_bytes(b"old")
    rename(root, "n.md", "a/b/m.md", b"old")
    assert (root / "a/b/m.md").read_bytes() == b"old"
    assert names(root) == ["a/b/m.md"]


def test_renaming_only_the_case_works(root: Path) -> None:
    (root / "Note.md").write_bytes(b"old")
    rename(root, "Note.md", "note.md", b"old")
    assert [path.name for path in root.iterdir()] == ["note.md"]


def test_renaming_replaces_nothing(root: Path) -> None:
    (root / "n.md").write_bytes(b"old")
    (root / "m.md").write_bytes(b"theirs")
    with pytest.raises(ConflictError, match=r"m\.md is there already"):
        rename(root, "n.md", "m.md", b"old")
    assert (root / "m.md").read_bytes() == b"theirs"
    assert (root / "n.md").read_bytes() == b"old"


def test_renaming_a_note_that_moved_on_leaves_it(root: Path) -> None:
    (root / "n.md").write_bytes(b"theirs")
    with pytest.raises(ConflictError):
        rename(root, "n.md", "deep/m.md", b"old")
    assert [path.name for path in root.iterdir()] == ["n.md"]


def test_a_save_while_a_note_is_renamed_undoes_the_rename(root: Path, when: When) -> None:
    (root / "n.md").write_bytes(b"old")
    when("rename:moved", lambda: save_in_place(root / "d/m.md", b"typed"))
    with pytest.raises(ConflictError):
        rename(root, "n.md", "d/m.md", b"old")
    assert (root / "n.md").read_bytes() == b"typed"
    assert [path.name for path in root.iterdir()] == ["n.md"]


def test_renaming_a_missing_note_names_it_by_its_path_in_the_vault(root: Path) -> None:
    with pytest.raises(ConflictError) as caught:
        rename(root, "a/n.md", "a/m.md", b"old")
    assert str(root) not in caught.value.message


APPENDER = """
    import sys
    from pathlib import Path
    from vaultd.errors import ConflictError, StorageError
    from vaultd.vault.reading import read_stable
    from vaultd.vault.writing import write
    root, name = Path(sys.argv[1]), sys.argv[2]
    for number in range(25):
        while True:
            try:
                base = read_stable(root, "n.md").data
                write(root, "n.md", base + f"{name}{number}\\n".encode(), base)
                break
            except (ConflictError, StorageError, FileNotFoundError):
                pass
"""


def test_a_hundred_appenders_in_four_processes_lose_nothing(root: Path, python: Callable[..., int]) -> None:
    (root / "n.md").write_bytes(b"")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda name: python(APPENDER, str(root), name), "abcd")) == [0] * 4
    lines = (root / "n.md").read_text().splitlines()
    assert sorted(lines) == sorted(f"{name}{number}" for name in "abcd" for number in range(25))
    assert names(root) == ["n.md"]


MARKER = """
    import sys
    from pathlib import Path
    from vaultd.errors import ConflictError, StorageError
    from vaultd.vault.reading import read_stable
    from vaultd.vault.writing import write
    root = Path(sys.argv[1])
    while not (root / "stop").exists():
        try:
            base = read_stable(root, "n.md").data
            write(root, "n.md", base + b"+", base)
        except (ConflictError, StorageError, FileNotFoundError):
            pass
"""


@pytest.mark.parametrize("save", [save_in_place, save_atomically])
def test_an_editor_that_saves_while_we_write_without_pause_loses_no_save(
    root: Path, python: Callable[..., int], save: Callable[[Path, bytes], None]
) -> None:
    """Each save must be found again with our mark behind it; a lost one would never be."""
    note = root / "n.md"
    note.write_bytes(b"start")
    lost = []
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        ours = pool.submit(python, MARKER, str(root))
        for number in range(150):
            text = b"save %d:" % number
            save(note, text)
            deadline = time.monotonic() + 60
            while not note.read_bytes().startswith(text + b"+"):
                if time.monotonic() > deadline:
                    lost.append(number)
                    break
        (root / "stop").touch()
        assert ours.result() == 0
    assert lost == []
    assert names(root) == ["n.md", "stop"]


WRITER = """
    import sys
    from pathlib import Path
    from vaultd.vault.writing import write
    write(Path(sys.argv[1]), "d/n.md", b"new" * 5000, b"old" * 5000)
"""


def test_killed_at_any_point_the_note_is_old_or_new(tmp_path: Path, every_crash: Crashes) -> None:
    made: list[Path] = []

    def fresh() -> list[str]:
        made.append(tmp_path / str(len(made)))
        (made[-1] / "d").mkdir(parents=True)
        (made[-1] / "d/n.md").write_bytes(b"old" * 5000)
        return [str(made[-1])]

    found = {(Path(root) / "d/n.md").read_bytes() for (root,) in every_crash(WRITER, fresh)}
    assert found == {b"old" * 5000, b"new" * 5000}


CREATOR = """
    import sys
    from pathlib import Path
    from vaultd.vault.writing import write
    write(Path(sys.argv[1]), "d/n.md", b"new" * 5000, None)
"""


def test_killed_at_any_point_a_new_note_is_whole_or_absent(tmp_path: Path, every_crash: Crashes) -> None:
    made: list[Path] = []

    def fresh() -> list[str]:
        made.append(tmp_path / str(len(made)))
        made[-1].mkdir()
        return [str(made[-1])]

    found = set()
    for (root,) in every_crash(CREATOR, fresh):
        note = Path(root) / "d/n.md"
        found.add(note.read_bytes() if note.exists() else None)
    assert found == {None, b"new" * 5000}


REMOVER = """
    import sys
    from pathlib import Path
    from vaultd.vault.writing import remove
    remove(Path(sys.argv[1]), "n.md", b"old")
"""


def test_killed_at_any_point_a_removed_note_is_whole_or_gone(tmp_path: Path, every_crash: Crashes) -> None:
    made: list[Path] = []

    def fresh() -> list[str]:
        made.append(tmp_path / str(len(made)))
        made[-1].mkdir()
        (made[-1] / "n.md").write_bytes(b"old")
        return [str(made[-1])]

    for (root,) in every_crash(REMOVER, fresh):
        sweep_temporaries(Path(root))
        assert names(Path(root)) in ([], ["n.md"])


def test_the_temporary_of_a_killed_write_goes_once_its_bytes_are_known(root: Path, python: Callable[..., int]) -> None:
    (root / "d").mkdir()
    (root / "d/n.md").write_bytes(b"old" * 5000)
    assert python(WRITER, str(root), at="write:exchanged") != 0
    (leftover,) = (name for name in names(root) if name != "d/n.md")
    assert sweep_temporaries(root) == [leftover]
    assert sweep_temporaries(root, lambda path, data: path == "d/n.md" and data == b"old" * 5000) == []
    assert names(root) == ["d/n.md"]


def test_the_temporary_of_a_live_writer_stays(root: Path, when: When) -> None:
    (root / "n.md").write_bytes(b"old")
    swept: list[list[str]] = []
    when("write:synced", lambda: swept.append(sweep_temporaries(root, lambda _path, _data: True)))
    write(root, "n.md", b"new", b"old")
    assert swept == [[]]
    assert (root / "n.md").read_bytes() == b"new"


def test_a_number_that_another_process_has_now_keeps_no_temporary(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(temporaries, "_UNLOCKED_FOR", 60.0)
    left = root / f".n.md.vaultd-tmp-{os.getppid()}"
    left.touch()
    sweep_temporaries(root)
    assert names(root) == [left.name]  # its writer may be about to lock it
    os.utime(left, (time.time() - 61, time.time() - 61))
    sweep_temporaries(root)
    assert names(root) == []


def test_a_note_that_a_killed_removal_left_aside_returns(root: Path, python: Callable[..., int]) -> None:
    (root / "n.md").write_bytes(b"old")
    assert python(REMOVER, str(root), at="remove:aside") != 0
    assert not (root / "n.md").exists()
    assert sweep_temporaries(root) == []
    assert names(root) == ["n.md"]


def test_other_programs_dot_files_are_not_swept(root: Path) -> None:
    (root / ".n.md.swp").touch()
    (root / ".n.md.vaultd-tmp-x").touch()
    assert sweep_temporaries(root) == []
    assert names(root) == [".n.md.swp", ".n.md.vaultd-tmp-x"]


def test_git_add_during_a_write_never_takes_a_temporary(root: Path, when: When) -> None:
    """The dot file can be seen by `git add -A`, so its life is as short as one write; afterwards git sees the note only."""
    subprocess.run(["git", "init", "-q", root], check=True)
    write(root, "n.md", b"old", None)
    write(root, "n.md", b"new", b"old")
    said = subprocess.run(
        ["git", "-C", root, "status", "--porcelain"], check=True, capture_output=True, text=True
    ).stdout
    assert said == "?? n.md\n"
