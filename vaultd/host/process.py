"""A plugin's process, seen from outside: it is called, it may ask, and it never holds the caller longer than a deadline."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from vaultd.errors import PluginError, VaultdError
from vaultd.host.lines import Lines
from vaultd.host.protocol import Message, Untrue, encode
from vaultd.host.registered import registered_of
from vaultd.values import dataclass

Answer = Callable[[str, Message], object]
"""Takes what a plugin asks and its arguments; gives the answer or raises a VaultdError."""
_BOOT = (
    "import json,sys;c=json.loads(sys.argv[1]);sys.path[:]=c['path'];"
    "from vaultd.quickly import import_dataclasses as d;d();from vaultd.host.worker import main;main(c)"
)
_KEPT_ENVIRONMENT = frozenset({"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SYSTEMROOT"})
_MOST_ASKED = 100_000
_LONGEST_LOG = 1_000_000
_NICE = 5
_LAST_WORDS = 400
_PARTING = 0.5
"""Seconds that a process has to end once it has hung up."""
_PIPE = 65_536
"""Bytes that a pipe holds; room for more costs a call half of its time, since the system has to clear it."""


class PluginCrashError(PluginError):
    """The process ended, did not answer in time, or did not keep to the protocol."""


class PluginRaisedError(PluginError):
    """The plugin's own code raised; its process goes on."""

    def __init__(self, message: str, hint: str, kind: str) -> None:
        super().__init__(message, hint)
        self.kind = kind
        """The name of the exception."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a process may use."""

    memory: int = 1 << 30
    """Bytes of address space."""
    cpu: int = 900
    """Seconds of processor time in its life."""
    files: int = 256
    processes: int = 1024
    written: int = 64 << 20
    """Bytes of the longest file it writes, its log among them."""


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Program:
    """What to run, and where."""

    id: str
    folder: Path
    """The private copy of the plugin's files."""
    main: str
    log: Path
    limits: Limits = DEFAULT_LIMITS


class Process:
    """One running plugin; for one caller at a time.

    Raises:
        OSError: the machine cannot start it.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._lines = Lines()
        self._heard: list[Message] = []
        self._count = 0
        self.registered: Message = {}
        program.log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        life, self._life = os.pipe()
        """Closed by the system when this process ends, however it ends: what hangs on it ends with it."""
        with os.fdopen(life):
            self._process = self._begun(life)
        # from its first moment on: twenty that start at once, or one that spins, get what the daemon leaves over
        os.setpriority(os.PRIO_PROCESS, self._process.pid, _NICE)
        if self._process.stdin is None or self._process.stdout is None:
            raise PluginCrashError(f"{program.id} has no pipes")
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._hearing = select.poll()
        self._hearing.register(self._out, select.POLLIN)

    def _begun(self, life: int) -> subprocess.Popen[bytes]:
        program = self._program
        try:
            with _log(program.log) as log:
                self._log_from = log.tell()
                return subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _BOOT, _config(program, life)],
                    pass_fds=(life,),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    cwd=program.folder,
                    env={key: text for key, text in os.environ.items() if key in _KEPT_ENVIRONMENT},
                    start_new_session=True,
                    bufsize=0,
                )
        except OSError:
            os.close(self._life)
            raise

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self._process.pid

    def call(self, name: str, args: Message, seconds: float, answer: Answer) -> object:
        """Return what the plugin's code gives back; the time that answering takes does not count.

        Raises:
            PluginRaisedError: its code raised.
            PluginCrashError: the process cannot be used any more, and is gone.
        """
        self._count += 1
        deadline = time.monotonic() + seconds
        try:
            self._send(encode({"call": self._count, "name": name, "args": args}), deadline)
            for _ in range(_MOST_ASKED):
                said = self._hear(deadline)
                if "done" in said:
                    return self._done(name, said)
                began = time.monotonic()
                reply = self._reply(said, answer)
                deadline += time.monotonic() - began
                self._send(reply, deadline)
        except Untrue as exc:
            raise self._crashed(name, f"broke the protocol: {exc}") from exc
        except TimeoutError as exc:
            raise self._crashed(name, f"did not answer within {seconds:g} s") from exc
        except (BrokenPipeError, EOFError) as exc:
            raise self._crashed(name, self._ending()) from exc
        raise self._crashed(name, f"asked more than {_MOST_ASKED:,} things in one call")

    def _done(self, name: str, said: Message) -> object:
        if said["done"] != self._count:
            raise Untrue(f"an answer to call {said['done']!r}, which is not under way")
        if "registered" in said:
            self.registered = registered_of(said["registered"], self._program.id)
        error = said.get("error")
        if isinstance(error, dict):
            kind, message = str(error.get("kind", "")), str(error.get("message", ""))
            raise PluginRaisedError(
                f"{self._program.id}: {name}: {kind}: {message}", str(error.get("hint", "")) or self._hint(), kind
            )
        return said.get("result")

    def _reply(self, said: Message, answer: Answer) -> bytes:
        """Return the line that answers a question, whatever comes of it: who asked waits for one."""
        number, name, args = said.get("ask"), said.get("name"), said.get("args")
        if not isinstance(number, int) or not isinstance(name, str) or not isinstance(args, dict):
            raise Untrue(f"{json.dumps(said)[:60]} is neither an answer nor a question")
        try:
            return encode({"answer": number, "result": answer(name, args)})
        except VaultdError as exc:
            error = {"kind": type(exc).__name__, "message": exc.message, "hint": exc.hint}
        except Untrue as exc:
            error = {"kind": "UsageError", "message": str(exc), "hint": ""}
        except Exception as exc:
            import logging  # noqa: PLC0415  -- slow to import, and never needed where there is no bug

            logging.getLogger("vaultd").exception("event=bug plugin=%s asked=%r", self._program.id, name)
            error = {"kind": "PluginError", "message": f"vaultd failed to answer {name!r}: {exc}", "hint": ""}
        return encode({"answer": number, "error": error})

    def _send(self, line: bytes, deadline: float) -> None:
        rest = memoryview(line)
        while rest:
            try:
                rest = rest[os.write(self._in, rest[:_PIPE]) :]
            except BlockingIOError:
                # a process that reads nothing fills the pipe, and must not hold us
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([], [self._in], [], left)[1]:
                    raise TimeoutError from None

    def _hear(self, deadline: float) -> Message:
        while not self._heard:
            left = deadline - time.monotonic()
            if left <= 0 or not self._hearing.poll(left * 1000):
                raise TimeoutError
            piece = os.read(self._out, _PIPE)
            if not piece:
                raise EOFError
            self._heard += self._lines.feed(piece)
        return self._heard.pop(0)

    # Ending it --------------------------------------------------------------------------------------------------------

    def stop(self, seconds: float, answer: Answer) -> None:
        """Let it unload, and end it."""
        with contextlib.suppress(PluginError):
            self.call("unload", {}, seconds, answer)
        self.kill()

    def end(self) -> None:
        """Have it and what it started in its own group end at once; from any thread, the one that calls it is told."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def kill(self) -> None:
        """End it, and let go of it: for the thread that calls it."""
        self.end()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        if self._life >= 0:
            os.close(self._life)
            self._life = -1

    def _crashed(self, name: str, why: str) -> PluginCrashError:
        self.kill()
        return PluginCrashError(f"{self._program.id}: {name}: {why}", self._hint())

    def _ending(self) -> str:
        """Say how a process that hung up has ended."""
        code = self._ended_with()
        if code is None:
            return "it closed its pipes"
        if code >= 0:
            return f"its process ended with exit code {code}" + self._last_words()
        return f"its process was ended by {_signal_name(-code)}" + self._last_words()

    def _ended_with(self) -> int | None:
        """Return how its process has ended, None where it had to be ended since it only hung up."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(_PARTING)
        # on a busy machine it may be about to end: then it keeps the end that it was about to have
        self.end()
        code = self._process.wait()
        return None if code == -signal.SIGKILL else code

    def _last_words(self) -> str:
        """Return the last line that this process wrote to the log."""
        try:
            with self._program.log.open("rb") as log:
                log.seek(max(self._log_from, log.seek(0, os.SEEK_END) - _LAST_WORDS))
                lines = log.read(_LAST_WORDS).decode("utf-8", "replace").strip().splitlines()
        except OSError:
            return ""
        return f" ({lines[-1][:120]})" if lines else ""

    def _hint(self) -> str:
        return f"its log is {self._program.log}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _config(program: Program, life: int) -> str:
    package = str(Path(__file__).parents[2])
    # where vaultd was started may be the vault: what lies there is no part of Python
    path = [entry for entry in sys.path if entry and (entry == package or Path(entry) != Path.cwd())]
    return json.dumps(
        {
            "path": [*dict.fromkeys((*path, package))],
            "folder": str(program.folder),
            "main": program.main,
            "life": life,
            "limits": [
                program.limits.memory,
                program.limits.cpu,
                program.limits.files,
                program.limits.processes,
                program.limits.written,
            ],
        }
    )


def _log(file: Path) -> IO[bytes]:
    """Open a plugin's log, begun anew where it has grown long."""
    long = file.exists() and file.stat().st_size > _LONGEST_LOG
    return file.open("wb" if long else "ab")
