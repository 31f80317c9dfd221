"""Reading gives the bytes of one moment, or says why it cannot."""

import fcntl
import os
import signal
import threading
from pathlib import Path

import pytest

from vaultd.errors import StorageError, UsageError
from vaultd.vault import reading
from vaultd.vault.reading import contained, read_stable


def test_bytes_come_back_as_they_are(root: Path) -> None:
    (root / "n.md").write_bytes(b"\xef\xbb\xbf---\r\na: 1\r\n---\r\n\xff no newline")
    assert read_stable(root, "n.md").data == b"\xef\xbb\xbf---\r\na: 1\r\n---\r\n\xff no newline"


def test_an_empty_note_is_text(root: Path) -> None:
    (root / "n.md").touch()
    assert read_stable(root, "n.md").data == b""


def test_the_stamp_is_the_one_a_walk_sees(root: Path) -> None:
    (root / "n.md").write_bytes(b"text")
    status = (root / "n.md").lstat()
    stamp = read_stable(root, "n.md").stamp
    assert (stamp.mtime_ns, stamp.size, stamp.ino, stamp.ctime_ns) == (
        status.st_mtime_ns,
        4,
        status.st_ino,
        status.st_ctime_ns,
    )


def test_a_large_note_comes_whole(root: Path) -> None:
    data = os.urandom(3_000_000)
    (root / "n.md").write_bytes(data)
    assert read_stable(root, "n.md").data == data


def test_a_name_that_is_not_utf8_travels_as_surrogates(root: Path) -> None:
    (root / "d").mkdir()
    Path(os.fsdecode(os.fsencode(root) + b"/d/bad\xff.md")).write_bytes(b"x")
    assert read_stable(root, "d/bad\udcff.md").data == b"x"


def test_a_missing_note_is_a_file_not_found(root: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_stable(root, "gone.md")


def test_below_a_file_nothing_is_found(root: Path) -> None:
    (root / "n.md").touch()
    with pytest.raises(FileNotFoundError):
        read_stable(root, "n.md/deeper.md")


def test_a_pipe_does_not_block(root: Path) -> None:
    os.mkfifo(root / "y.md")
    with pytest.raises(StorageError, match="not a regular file"):
        read_stable(root, "y.md")


def test_a_folder_is_no_note(root: Path) -> None:
    (root / "d.md").mkdir()
    with pytest.raises(StorageError, match="not a regular file"):
        read_stable(root, "d.md")


def test_a_link_is_no_note(root: Path) -> None:
    (root / "a.md").touch()
    (root / "twin.md").symlink_to("a.md")
    with pytest.raises(StorageError, match="is a link"):
        read_stable(root, "twin.md")


def test_a_file_without_a_byte_on_disk_is_not_available(root: Path) -> None:
    with (root / "n.md").open("wb") as file:
        file.truncate(5000)
    if (root / "n.md").stat().st_blocks:
        pytest.skip("this file system gives an empty file blocks")
    with pytest.raises(StorageError, match="not available"):
        read_stable(root, "n.md")


def test_a_note_that_may_not_be_read_is_named(root: Path, permissions: None) -> None:
    (root / "n.md").touch(mode=0o000)
    with pytest.raises(StorageError, match=r"n\.md cannot be read"):
        read_stable(root, "n.md")


def test_a_half_saved_note_is_never_returned(root: Path) -> None:
    """A writer rewrites in place, over and over; every read is one state of the file, never a mixture of two."""
    versions = {bytes([letter]) * 60_000 for letter in b"abcdef"}
    note = root / "n.md"
    note.write_bytes(b"a" * 60_000)
    stop = threading.Event()

    def save() -> None:
        while not stop.is_set():
            for version in sorted(versions):
                with note.open("wb", buffering=0) as file:
                    file.write(version[:30_000])
                    file.write(version[30_000:])
                stop.wait(0.002)

    saver = threading.Thread(target=save)
    saver.start()
    seen = 0
    torn: list[bytes] = []
    for _ in range(300):
        try:
            data = read_stable(root, "n.md").data
        except StorageError:
            continue
        seen += 1
        # an instant between truncation and the first write is a state of the file; the watch doubts empty notes
        if data and data not in versions and data[:30_000] * 2 not in versions:
            torn.append(data)
    stop.set()
    saver.join()
    assert seen
    assert not torn


def test_a_file_replaced_during_the_read_is_read_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "n.md").write_bytes(b"old")
    real = reading.read_all

    def replaced_meanwhile(fd: int, expected: int) -> bytes:
        data = real(fd, expected)
        if data == b"old":
            (root / "t").write_bytes(b"new")
            (root / "t").replace(root / "n.md")
        return data

    monkeypatch.setattr(reading, "read_all", replaced_meanwhile)
    assert read_stable(root, "n.md").data == b"new"


def test_a_file_that_never_rests_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = root / "n.md"
    note.write_bytes(b"")
    real = reading.read_all

    def growing(fd: int, expected: int) -> bytes:
        data = real(fd, expected)
        note.write_bytes(data + b"x")
        return data

    monkeypatch.setattr(reading, "read_all", growing)
    with pytest.raises(StorageError, match="changes"):
        read_stable(root, "n.md")


@pytest.mark.skipif(not hasattr(fcntl, "F_SETLEASE"), reason="this system has no leases")
def test_a_note_that_another_program_leases_neither_blocks_nor_is_read(root: Path) -> None:
    (root / "n.md").write_bytes(b"text")
    leased = os.open(root / "n.md", os.O_RDWR)
    fcntl.fcntl(leased, fcntl.F_SETSIG, signal.SIGURG)
    fcntl.fcntl(leased, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    with pytest.raises(StorageError, match="locked"):
        read_stable(root, "n.md")
    os.close(leased)
    assert read_stable(root, "n.md").data == b"text"


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x.md", "a/../../x.md", "a//b.md", "./a.md", "a/", "a\0b.md"])
def test_a_path_that_is_spelled_out_of_the_vault_is_refused(root: Path, path: str) -> None:
    with pytest.raises(UsageError):
        contained(root, path)


def test_a_path_through_a_link_out_of_the_vault_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "s.md").write_text("secret")
    (root / "Library").symlink_to("../outside")
    with pytest.raises(UsageError, match="leads out"):
        read_stable(root, "Library/s.md")


def test_a_vault_whose_name_another_begins_with_does_not_contain_it(root: Path, tmp_path: Path) -> None:
    (tmp_path / "vault-two").mkdir()
    (root / "d").symlink_to("../vault-two")
    with pytest.raises(UsageError):
        contained(root, "d/n.md")


def test_a_path_through_a_link_inside_the_vault_is_contained(root: Path) -> None:
    (root / "real").mkdir()
    (root / "d").symlink_to("real")
    assert contained(root, "d/n.md") == root / "d" / "n.md"


@pytest.mark.parametrize("path", [".git/config", "sub/.git/hooks/pre-commit", ".GIT/config"])
def test_git_own_folder_is_refused(root: Path, path: str) -> None:
    with pytest.raises(UsageError, match="git's own"):
        contained(root, path)


def test_git_own_folder_is_refused_through_a_link_too(root: Path) -> None:
    (root / ".git").mkdir()
    (root / "d").symlink_to(".git")
    with pytest.raises(UsageError, match="git's own"):
        contained(root, "d/config")


def test_a_vault_below_a_linked_folder_works(root: Path, tmp_path: Path) -> None:
    (root / "n.md").write_bytes(b"x")
    (tmp_path / "alias").symlink_to("vault")
    assert read_stable(tmp_path / "alias", "n.md").data == b"x"
