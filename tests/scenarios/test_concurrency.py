"""Many processes at once, with a daemon and without one: no update is lost, nobody waits for ever, and each change is one commit."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

from tests.daemons import daemon
from tests.vaults import Vault, with_memories

WORKER = """
import contextlib, io, re, sys
from hashlib import sha256
from pathlib import Path
from vaultd.cli.main import main

def run(*words):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as err:
        code = main(words)
    if code not in (0, 4):
        sys.exit(err.getvalue())
    return code

what, who, times = sys.argv[1:]
for number in range(int(times)):
    if what == "append":
        verb = "memory" if number % 2 else "note"
        ref = "memory/p/one.md" if number % 2 else "log.md"
        if run(verb, "append", ref, "--body", f"- {who} {number}"):
            sys.exit("an append was refused")
    elif what == "swap":
        pair = ("left/a.md", "right/b.md")
        one, two = pair if who == "0" else pair[::-1]
        if run("note", "rename", one, two, two, one):
            sys.exit("a swap was refused")
    else:
        while True:
            text = Path("count.md").read_bytes()
            now = int(re.search(rb"count: (\\d+)", text)[1])
            if not run("set", "count.md", f"count={now + 1}", "--expect-hash", sha256(text).hexdigest()):
                break
"""


def at_once(vault: Vault, what: str, processes: int, times: int) -> None:
    """Run workers at the same time, and have all of them end well."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, what, str(number), str(times)],
            cwd=vault.root,
            env=env,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    assert [worker.communicate(timeout=240)[1] for worker in workers] == [""] * processes


def lines(text: str) -> Sequence[str]:
    return sorted(line for line in text.splitlines() if line.startswith("- "))


@pytest.mark.parametrize(("watched", "times"), [(False, 10), (True, 3), pytest.param(True, 10, marks=pytest.mark.soak)])
def test_a_hundred_appends_by_ten_processes_all_stand_there(vault: Vault, times: int, *, watched: bool):
    vault.write("log.md", "Log\n")
    with_memories(vault, "p/one")
    with daemon(vault) if watched else contextlib.nullcontext():
        at_once(vault, "append", processes=10, times=times)
    assert lines(vault.read("log.md")) == sorted(f"- {who} {n}" for who in range(10) for n in range(0, times, 2))
    assert lines(vault.read("p/one")) == sorted(f"- {who} {n}" for who in range(10) for n in range(1, times, 2))
    assert set(vault.log[: 10 * times]) == {"note: append to log", "memory: append to p/one"}
    assert vault.log[10 * times] == "memories"
    assert vault.left == []


def test_a_counter_that_many_raise_has_no_gap(vault: Vault):
    vault.write("count.md", "---\ncount: 0\n---\n")
    vault.commit()
    at_once(vault, "count", processes=4, times=5)
    told = vault.git("log", "--reverse", "-p", "--format=", "--", "count.md").splitlines()
    assert [line for line in told if line.startswith("+count")] == [f"+count: {number}" for number in range(21)]


def test_opposite_moves_of_two_files_never_block_each_other(vault: Vault):
    vault.write("left/a.md", "one, after [[b]]\n")
    vault.write("right/b.md", "two, after [[a]]\n")
    vault.commit()
    at_once(vault, "swap", processes=2, times=4)
    assert vault.read("left/a.md") == "one, after [[b]]\n"
    assert vault.read("right/b.md") == "two, after [[a]]\n"
    assert len([subject for subject in vault.log if subject.startswith("note: rename")]) == 8
    assert vault.status == []
