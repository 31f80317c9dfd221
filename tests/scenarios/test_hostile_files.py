"""One bad file costs one violation, in bounded time, and nothing else."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.vaults import Vault, memory, with_memories

BOUND = 60.0
"""Seconds in which a look at a small vault with one hostile file ends on any machine; it takes 0.2, and one that does not
end in proportion to the file takes hours."""
BAD = "memory/_global/bad.md"


@pytest.fixture
def pair(vault: Vault) -> Vault:
    return with_memories(vault, "old", "new")


def unparsable(file: Path) -> None:
    file.write_text(memory("bad").replace("kind: decision", "kind: [decision"))


def unclosed(file: Path) -> None:
    file.write_text(memory("bad").replace("\n---\n\nThe", "\n\nThe"))


def a_pipe(file: Path) -> None:
    os.mkfifo(file)


def a_socket(file: Path) -> None:
    # A socket's path may have 100 bytes, and a test's folder has more.
    here = Path.cwd()
    os.chdir(file.parent)
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.bind(file.name)
    finally:
        os.chdir(here)


def a_folder(file: Path) -> None:
    file.mkdir()


def a_link_outside(file: Path) -> None:
    file.symlink_to("/etc/hostname")


def a_link_to_nowhere(file: Path) -> None:
    file.symlink_to("nowhere.md")


def a_link_to_itself(file: Path) -> None:
    file.symlink_to(file.name)


def no_utf8(file: Path) -> None:
    file.write_bytes(memory("bad").encode() + b"caf\xe9 \xff\xfe\n")


def utf16(file: Path) -> None:
    file.write_bytes(memory("bad").encode("utf-16"))


def binary(file: Path) -> None:
    file.write_bytes(bytes(range(256)) * 40)


def twenty_megabytes(file: Path) -> None:
    file.write_bytes(memory("bad").encode() + b"word " * 4_000_000)


def one_long_line(file: Path) -> None:
    file.write_bytes(memory("bad").encode() + b"a" * 1_900_000)


def laughs(file: Path) -> None:
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 9) + "]" for n in range(1, 12)]
    file.write_text(memory("bad").replace("kind: decision", "\n".join(["kind: decision", *lines])))


def brackets(file: Path) -> None:
    file.write_text(memory("bad").replace("kind: decision", "kind: decision\ndeep: " + "[" * 10_000))


def braces(file: Path) -> None:
    deep = "{a: " * 10_000 + "1" + "}" * 10_000
    file.write_text(memory("bad").replace("kind: decision", f"kind: decision\ndeep: {deep}"))


def steps(file: Path) -> None:
    deep = "\n".join(" " * n + "- " for n in range(1_500))
    file.write_text(memory("bad").replace("kind: decision", f"kind: decision\ndeep:\n{deep}"))


def quotes(file: Path) -> None:
    file.write_text(memory("bad") + "> " * 50_000 + "deep\n")


def many_links(file: Path) -> None:
    file.write_text(memory("bad") + "[[" * 200_000 + "\n")


def many_stars(file: Path) -> None:
    file.write_text(memory("bad") + "*_`" * 100_000 + "\n")


def many_keys(file: Path) -> None:
    keys = "\n".join(f"key{n}: {n}" for n in range(20_000))
    file.write_text(memory("bad").replace("kind: decision", f"kind: decision\n{keys}"))


def conflict_markers(file: Path) -> None:
    text = memory("bad").replace(
        "invalid_at: null", "<<<<<<< HEAD\ninvalid_at: null\n=======\ninvalid_at: x\n>>>>>>> s"
    )
    file.write_text(text)


def half_a_character(file: Path) -> None:
    file.write_text(memory("bad").replace("description: About bad.", 'description: "half \\ud83d"\nodd: "\\udc00"'))


def nul(file: Path) -> None:
    file.write_bytes(memory("bad").encode() + b"a\0b\n")


HOSTILE = [
    (unparsable, {"V205"}),
    (unclosed, {"V201"}),
    (a_pipe, {"V227"}),
    (a_socket, {"V227"}),
    (a_folder, {"V227"}),
    (a_link_outside, {"V223"}),
    (a_link_to_nowhere, {"V227"}),
    (a_link_to_itself, {"V227"}),
    (no_utf8, {"V209"}),
    (utf16, {"V209"}),
    (binary, {"V209"}),
    (twenty_megabytes, {"V225"}),
    (one_long_line, set()),
    (laughs, {"V205"}),
    (brackets, {"V205"}),
    (braces, {"V205"}),
    (steps, {"V205"}),
    (quotes, set()),
    (many_links, set()),
    (many_stars, set()),
    (many_keys, set()),
    (conflict_markers, {"V210"}),
    (half_a_character, {"V205"}),
    (nul, set()),
]
hostile = pytest.mark.parametrize(("make", "codes"), HOSTILE, ids=[make.__name__ for make, _ in HOSTILE])


def codes_of(vault: Vault) -> set[str]:
    rows = vault.run("check", "--json").json["violations"]
    told = {(row["path"], row["code"]) for row in rows} - {("memory/_global", "V105")}  # a file without id may be meant
    assert {path for path, _ in told} <= {BAD}
    return {code for _, code in told}


@hostile
def test_one_bad_file_is_one_violation_in_bounded_time(pair: Vault, make: Callable[[Path], None], codes: set[str]):
    make(pair.root / BAD)
    began = time.monotonic()
    found = codes_of(pair)
    assert time.monotonic() - began < BOUND
    assert found == codes


@pytest.mark.parametrize("make", [make for make, _ in HOSTILE if make is not twenty_megabytes])
def test_one_bad_file_stops_nothing_else(pair: Vault, make: Callable[[Path], None]):
    make(pair.root / BAD)
    pair.stamp("old", by="new")
    assert pair.does("search", "text of old", "--all", "--json").json["total"] >= 1
    pair.does("up", "--once")
    assert pair.accepted["old"] == "superseded by new"
    pair.does("memory", "archive", "new")
    assert (pair.root / BAD).is_symlink() or (pair.root / BAD).exists()


def test_an_unreadable_file_is_one_warning(pair: Vault):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    file = pair.write(BAD, memory("bad"))
    file.chmod(0)
    try:
        assert codes_of(pair) == {"V224"}
    finally:
        file.chmod(0o600)


def test_a_memory_that_turns_into_a_pipe_keeps_what_was_accepted(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    pair.file("old").unlink()
    os.mkfifo(pair.file("old"))
    assert pair.accepted["old"] == "superseded by new"
    assert pair.run("memory", "archive", "old").code in {3, 4, 5, 6}


def test_a_known_memory_that_can_no_longer_be_read_keeps_what_was_accepted(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    for make in (unparsable, no_utf8, binary, brackets):
        make(pair.file("old"))
        assert pair.accepted["old"] == "superseded by new"
    pair.does("up", "--once")
    assert pair.log[0] == "memory: supersede old by new"


def test_a_file_that_grows_too_large_keeps_what_was_accepted(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    pair.write("memory/_global/old.md", pair.read("old") + "word " * 500_000)
    assert pair.accepted["old"] == "superseded by new"


def test_a_folder_that_links_into_itself_ends_the_walk(pair: Vault):
    (pair.root / "loop").symlink_to(pair.root)
    began = time.monotonic()
    assert pair.run("check").code == 0
    assert time.monotonic() - began < BOUND


@pytest.mark.parametrize("name", [b"caf\xe9.md", b"line\nbreak.md", b"tab\t.md", b"  .md", b"-rf.md"])
def test_an_odd_name_breaks_nothing(pair: Vault, name: bytes):
    with open(os.fsencode(pair.root) + b"/memory/_global/" + name, "wb") as file:  # noqa: PTH123  -- no text
        file.write(memory("odd").encode())
    assert pair.run("check").code in {0, 1}
    assert pair.run("check", "--json").code in {0, 1}
    assert pair.run("status").code == 0
    assert pair.run("up", "--once").code in {0, 6}
    assert pair.does("memory", "archive", "old").code == 0


def test_a_name_that_is_no_utf8_leaves_the_document_readable(pair: Vault):
    path = os.fsdecode(b"memory/_global/bad\xff.md")
    (pair.root / path).write_bytes(b"text\n")
    command = [sys.executable, "-m", "vaultd", "check", "--json"]
    printed = subprocess.run(command, cwd=pair.root, env=os.environ, stdout=subprocess.PIPE, check=False).stdout
    assert path in {row["path"] for row in json.loads(printed.decode("utf-8"))["violations"]}
