"""Command lines that die at a step, each in a process of its own that need not start Python again.

Run as a program it answers requests on standard input: it forks, and the child is the command line. One thread, so that a
fork copies all of it.
"""

import contextlib
import ctypes
import importlib
import itertools
import json
import os
import subprocess
import sys
import types
from pathlib import Path

from vaultd.cli.main import main
from vaultd.vault import crashing

PRELOADED = ("cli.changing", "cli.running", "cli.reaching", "app", "answers", "commands.recovering", "index.fulltext")

_CHILD_SUBREAPER = 36


class Mortals:
    """Starts command lines that are killed at a step."""

    def __init__(self) -> None:
        self._mother = subprocess.Popen(
            [sys.executable, __file__],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def run(self, root: Path, at: int | str, *words: str) -> int:
        """Run a command line standing in a folder, and return its exit code: -9 where it came to that step or name."""
        assert self._mother.stdin is not None
        assert self._mother.stdout is not None
        request = {"root": os.fspath(root), "at": at, "words": words, "env": dict(os.environ)}
        self._mother.stdin.write(json.dumps(request) + "\n")
        return int(self._mother.stdout.readline())

    def close(self) -> None:
        """Let the mother process end."""
        self._mother.communicate(timeout=60)


def _answer(request: types.SimpleNamespace) -> int:
    child = os.fork()
    if child:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        _wait_for_orphans()
        return code
    os.environ.clear()
    os.environ.update(vars(request.env))
    os.chdir(request.root)
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silent, stream)
    crashing._AT, crashing._STEP = (request.at, 0) if isinstance(request.at, str) else ("", request.at)
    crashing._ARMED, crashing._count = True, itertools.count(1)
    os._exit(main(request.words))


def _adopt_orphans() -> None:
    """Become the parent of what a killed command line leaves behind."""
    assert ctypes.CDLL(None).prctl(_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def _wait_for_orphans() -> None:
    """Wait until what a command line had started has ended: how far git comes without it says how busy the machine is."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


def _serve() -> None:
    _adopt_orphans()
    for name in PRELOADED:
        importlib.import_module(f"vaultd.{name}")
    for line in sys.stdin:
        code = _answer(json.loads(line, object_hook=lambda found: types.SimpleNamespace(**found)))
        print(code, flush=True)


if __name__ == "__main__":
    _serve()
