"""The one place that starts git: argument lists, literal paths, no prompts, git's own words on failure."""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from vaultd.errors import StorageError
from vaultd.history.spelling import decoded, encoded
from vaultd.values import dataclass

_LEFT_BY_A_CALLING_GIT = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
)
_OURS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    # A replaced object would give one commit two meanings, and facts are cached by its name.
    "GIT_NO_REPLACE_OBJECTS": "1",
    # And so would one with other parents. Git gives advice about every such file it can open, so this is none.
    "GIT_GRAFT_FILE": f"{os.devnull}/none",
    "LC_ALL": "C",
}
_PATIENCE = 300.0
_PIPE_HOLDS = 4096
_BUFFER = 1 << 18


@dataclass(frozen=True, slots=True)
class Ended:
    """How a git command ended: its exit code and what it wrote."""

    code: int
    out: bytes
    err: str


@dataclass(frozen=True, slots=True)
class Pending:
    """A command at work."""

    args: tuple[str, ...]
    child: "subprocess.Popen[bytes]"
    unsent: bytes

    def ended(self, timeout: float = _PATIENCE) -> Ended:
        """Return how it ended; one that outlives `timeout` is killed."""
        try:
            out, err = self.child.communicate(self.unsent or None, timeout)
        except subprocess.TimeoutExpired as exc:
            end(self.child)
            raise StorageError(f"git {self.args[0]} did not end within {timeout:g} s") from exc
        return Ended(self.child.returncode, out, decoded(err).strip())

    def answer(self, ok: tuple[int, ...] = (0,)) -> bytes:
        """Return what it wrote.

        Raises:
            StorageError: in git's own words, when the exit code is not among `ok`.
        """
        ended = self.ended()
        if ended.code not in ok:
            raise StorageError(ended.err or f"git {self.args[0]} failed with exit code {ended.code}")
        return ended.out


@dataclass(frozen=True, slots=True)
class Git:
    """Runs git at the top of one work tree."""

    work_tree: Path

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        ok: tuple[int, ...] = (0,),
        timeout: float = _PATIENCE,
    ) -> bytes:
        """Return what git wrote.

        Raises:
            StorageError: in git's own words, when the exit code is not among `ok`.
        """
        ended = self.attempt(*args, stdin=stdin, env=env, timeout=timeout)
        if ended.code not in ok:
            raise StorageError(ended.err or f"git {args[0]} failed with exit code {ended.code}")
        return ended.out

    def text(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        """Return what git wrote as text without the last line end; bytes that are not UTF-8 survive as surrogates."""
        return decoded(self.run(*args, stdin=stdin, env=env)).removesuffix("\n")

    def attempt(
        self,
        *args: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        timeout: float = _PATIENCE,
    ) -> Ended:
        """Return how the command ended, whatever its exit code; one that outlives `timeout` is killed."""
        with self.begun(*args, stdin=stdin, env=env) as pending:
            return pending.ended(timeout)

    @contextmanager
    def begun(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> "Iterator[Pending]":
        """Give the command already at work, so that another can be begun before this one is waited for."""
        with self.started(*args, env=env) as child:
            yield Pending(args, child, _fed_early(child, stdin))

    @contextmanager
    def started(
        self, *args: str, env: Mapping[str, str] | None = None, stdin: IO[bytes] | None = None
    ) -> "Iterator[subprocess.Popen[bytes]]":
        """Give the running command, its input a pipe where no file is given; it is gone when the block is left."""
        child = self.start(*args, env=env, stdin=stdin)
        try:
            yield child
        finally:
            _close(child)

    def start(
        self, *args: str, env: Mapping[str, str] | None = None, stdin: IO[bytes] | None = None
    ) -> "subprocess.Popen[bytes]":
        """Return the running command; the caller ends it."""
        if not self.work_tree.is_dir():
            raise StorageError(f"{self.work_tree}: no such folder")
        try:
            return subprocess.Popen(
                ["git", *(encoded(arg) for arg in args)],
                cwd=self.work_tree,
                env=environment(env or {}),
                bufsize=_BUFFER,
                stdin=subprocess.PIPE if stdin is None else stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # Its own group, so that a hanging gpg or filter goes with it and Ctrl-C does not tear a commit.
                start_new_session=True,
            )
        except FileNotFoundError as exc:
            raise StorageError("git was not found", "install git 2.31 or newer") from exc
        except OSError as exc:
            raise StorageError(f"git could not be started: {exc.strerror}") from exc


def run_program(argv: Sequence[str], cwd: Path, env: Mapping[str, str], timeout: float) -> Ended:
    """Return how another program, a hook of the user's, ended; what it leaves running in the background is left alone."""
    # A file, not a pipe: a background process that keeps our pipe open would keep us waiting.
    from tempfile import TemporaryFile  # noqa: PLC0415  -- only hooks need it, and it is slow to import

    with TemporaryFile() as said:
        try:
            child = subprocess.Popen(
                [encoded(arg) for arg in argv],
                cwd=cwd,
                env=environment(env),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as exc:
            raise StorageError(f"{argv[0]}: {exc.strerror}") from exc
        try:
            code = child.wait(timeout)
        except subprocess.TimeoutExpired as exc:
            end(child)
            child.wait()
            raise StorageError(f"{argv[0]} did not end within {timeout:g} s") from exc
        said.seek(0)
        return Ended(code, b"", decoded(said.read()).strip())


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Return the user's environment without what a calling git left in it, with ours and then `extra` on top."""
    kept = {name: value for name, value in os.environ.items() if name not in _LEFT_BY_A_CALLING_GIT}
    return {**kept, **_OURS, **extra}


def end(child: "subprocess.Popen[bytes]") -> None:
    """Kill a command and everything it started."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _fed_early(child: "subprocess.Popen[bytes]", stdin: bytes) -> bytes:
    """Send what an empty pipe takes at once, so that the command can begin; return what is still to be sent."""
    if child.stdin is None or len(stdin) > _PIPE_HOLDS:
        return stdin
    try:
        child.stdin.write(stdin)
        child.stdin.close()
    except BrokenPipeError:
        # It ended without reading; its exit code says why.
        pass
    child.stdin = None
    return b""


def _close(child: "subprocess.Popen[bytes]") -> None:
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            try:
                pipe.close()
            except BrokenPipeError:
                continue
    if child.poll() is None:
        try:
            child.wait(0.2)
        except subprocess.TimeoutExpired:
            end(child)
            child.wait()
